import { isPaystateError } from '../core/errors/index.ts';
import { type CallOptions, type Connection, send } from '../core/http/index.ts';
import * as endpoints from './subscriptions.ts';
import type { Subscription, SubscriptionChange, SubscriptionDraft } from './subscriptions.ts';

/** What `ensureSubscription` found or made. */
export interface EnsureResult {
  /** The subscription as it is now. */
  readonly subscription: Subscription;
  /** It was there before this call. */
  readonly existed: boolean;
  /** Others with the same address: each of them doubles every delivery. Remove them. */
  readonly others: readonly Subscription[];
}

type Options = CallOptions & { readonly keepSecret?: boolean | undefined };

/**
 * Finds the subscription of `draft.webhookUrl` and makes it what the draft says, or creates it when
 * there is none. The secret cannot be read, so it is sent again unless you say with `keepSecret`
 * that it has not changed. Call it from one place at a time, such as the one Durable Object that
 * owns the account: two calls at once may create two. `GET`, `PATCH`, `POST /v1/subscriptions`
 * (public).
 *
 * @throws InputError for a bad field · UnreachableError with `maybeCreated` when no response came
 * and none is listed
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
  { keepSecret = false, ...options }: Options = {},
): Promise<EnsureResult> {
  const before = await listByUrl(connection, draft.webhookUrl, options);
  if (before.length > 0)
    return { ...(await converge(connection, draft, before, keepSecret, options)), existed: true };
  try {
    const subscription = await send(
      connection,
      endpoints.createEndpoint,
      { where: {}, draft },
      options,
    );
    return { subscription, existed: false, others: [] };
  } catch (thrown) {
    if (!isPaystateError(thrown) || !thrown.maybeCreated) throw thrown;
    const fail = (): never => {
      throw thrown; // what fails from here on, or is given up, tells nothing of what was created
    };
    const made = await listByUrl(connection, draft.webhookUrl, options).catch(fail);
    if (made.length === 0) return fail();
    const found = await converge(connection, draft, made, keepSecret, options).catch(fail);
    return { ...found, existed: false };
  }
}

/** Those that send to an address, the oldest first. */
async function listByUrl(
  connection: Connection,
  webhookUrl: string,
  options: CallOptions,
): Promise<readonly Subscription[]> {
  const all = await send(
    connection,
    endpoints.listEndpoint,
    { where: {} },
    { ...options, reason: 'look before a subscription is created' },
  );
  const wanted = hrefOf(webhookUrl);
  return all
    .filter((subscription) => hrefOf(subscription.webhookUrl) === wanted)
    .sort((a, b) => (a.created < b.created ? -1 : 1));
}

/** One spelling for each address: the service may write host names its own way. */
function hrefOf(url: string): string {
  try {
    return new URL(url).href;
  } catch {
    return url;
  }
}

async function converge(
  connection: Connection,
  draft: SubscriptionDraft,
  found: readonly Subscription[],
  keepSecret: boolean,
  options: CallOptions,
): Promise<Omit<EnsureResult, 'existed'>> {
  const [first, ...others] = found as readonly [Subscription, ...Subscription[]];
  const change = changeOf(draft, first, keepSecret);
  if (Object.keys(change).length === 0) return { subscription: first, others };
  const subscription = await send(
    connection,
    endpoints.updateEndpoint,
    { where: { subscriptionId: first.id }, draft: change },
    options,
  );
  return { subscription, others };
}

function changeOf(
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
