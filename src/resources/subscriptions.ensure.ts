import { checkOptions, type Expected, isPaystateError } from '../core/errors/index.ts';
import {
  CALL_OPTIONS,
  type CallOptions,
  checkClient,
  checkRequest,
  type Connection,
  send,
} from '../core/http/index.ts';
import { checkReadable } from '../core/lists/index.ts';
import { parseUrl } from '../core/platform.ts';
import {
  createEndpoint,
  listEndpoint,
  type Subscription,
  type SubscriptionChange,
  type SubscriptionDraft,
  updateEndpoint,
} from './subscriptions.ts';

/** The result of `ensureSubscription`. */
export interface EnsureResult {
  /** The current subscription. */
  readonly subscription: Subscription;
  /** Whether the subscription existed before this call. */
  readonly existed: boolean;
  /**
   * Other subscriptions with the same URL. Remove them, because each one delivers every event
   * again.
   */
  readonly others: readonly Subscription[];
}

type Options = CallOptions & { readonly keepSecret?: boolean | undefined };

const ENSURE_OPTIONS: Expected<Options> = /* @__PURE__ */ Object.assign(
  { keepSecret: 'boolean' } as const,
  CALL_OPTIONS,
);

/**
 * Finds the subscription for `draft.webhookUrl` and updates it to match the draft, or creates one.
 * The service doesn't return the secret, so it's always updated unless you set `keepSecret`. Don't
 * make concurrent calls for the same URL, because they may create two subscriptions. `GET`,
 * `PATCH`, `POST /v1/subscriptions` (public).
 *
 * @throws InputError for a bad field · UnreachableError with `maybeCreated` if there was no
 * response and the subscription isn't listed
 *
 * @example
 * const { subscription, existed } = await ensureSubscription(client, {
 *   webhookUrl: 'https://shop.example/hooks/main',
 *   webhookVersion: 'v1',
 *   secret,
 *   enabled: true,
 *   eventTypes: ['invoice.updated'],
 * });
 */
export async function ensureSubscription(
  connection: Connection,
  draft: SubscriptionDraft,
  given: Options = {},
): Promise<EnsureResult> {
  checkClient(connection);
  checkOptions(given, ENSURE_OPTIONS);
  checkRequest(connection, createEndpoint, { where: {}, draft });
  const { keepSecret = false, ...options } = given;
  const before = await listByUrl(connection, draft.webhookUrl, options);
  if (before.length > 0)
    return { ...(await converge(connection, draft, before, keepSecret, options)), existed: true };
  try {
    const subscription = await send(connection, createEndpoint, { where: {}, draft }, options);
    return { subscription, existed: false, others: [] };
  } catch (thrown) {
    if (!isPaystateError(thrown) || !thrown.maybeCreated) throw thrown;
    const fail = (): never => {
      throw thrown; // a later failure doesn't show whether the subscription was created
    };
    const made = await listByUrl(connection, draft.webhookUrl, options).catch(fail);
    if (made.length === 0) return fail();
    const found = await converge(connection, draft, made, keepSecret, options).catch(fail);
    return { ...found, existed: false };
  }
}

/** Lists the subscriptions for a URL, from oldest to newest. */
async function listByUrl(
  connection: Connection,
  webhookUrl: string,
  options: CallOptions,
): Promise<readonly Subscription[]> {
  const all = await send(
    connection,
    listEndpoint,
    { where: {} },
    { ...options, reason: 'look for an existing subscription' },
  );
  checkReadable(all); // an unreadable subscription may have this URL
  // The service may return the URL in a different spelling.
  const plain = (url: string): string => parseUrl(url)?.href ?? url;
  return all
    .filter((subscription) => plain(subscription.webhookUrl) === plain(webhookUrl))
    .sort((a, b) => (a.created < b.created ? -1 : 1));
}

async function converge(
  connection: Connection,
  draft: SubscriptionDraft,
  found: readonly Subscription[],
  keepSecret: boolean,
  options: CallOptions,
): Promise<Omit<EnsureResult, 'existed'>> {
  const [first, ...others] = found as readonly [Subscription, ...Subscription[]];
  const change = findChange(draft, first, keepSecret);
  if (Object.keys(change).length === 0) return { subscription: first, others };
  const subscription = await send(
    connection,
    updateEndpoint,
    { where: { subscriptionId: first.id }, draft: change },
    options,
  );
  return { subscription, others };
}

/** Returns the fields of the draft that differ from the subscription. */
function findChange(
  { webhookVersion, secret, enabled, eventTypes }: SubscriptionDraft,
  now: Subscription,
  keepSecret: boolean,
): SubscriptionChange {
  const nameOfSet = (types: readonly string[]): string => [...types].sort().join();
  return {
    ...(!keepSecret && { secret }),
    ...(webhookVersion !== now.webhookVersion && { webhookVersion }),
    ...(enabled !== now.enabled && { enabled }),
    ...(nameOfSet(eventTypes) !== nameOfSet(now.eventTypes) && { eventTypes }),
  };
}
