import type { Violation } from '../../core/errors/index.ts';
import type { Ticks } from '../../core/time.ts';
import * as rows from '../../generated/endpoints/subscriptions.ts';
import { eventTypes as knownTypes } from '../../resources/events.types.ts';
import type { Subscription, SubscriptionChange } from '../../resources/subscriptions.ts';
import { textOfTicks } from '../time/instants.ts';
import { invalidData, notFound, ServiceRefusal, wrongValue } from '../world/responses.ts';
import { type Account, getStore, type World } from '../world/world.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';

export interface StoredSubscription {
  readonly id: string;
  readonly created: Ticks;
  webhookUrl: string;
  webhookVersion: string;
  secret: string;
  /** The secret before the last change. */
  formerSecret: string | undefined;
  enabled: boolean;
  eventTypes: readonly string[];
}

/** Returns an account's webhook subscriptions by id, in creation order. */
export function getSubscriptions(world: World, account: Account): Map<string, StoredSubscription> {
  return getStore(world, `subscriptions/${account.id}`, () => new Map());
}

export function listSubscribers(
  world: World,
  account: Account,
  eventType: string,
): readonly StoredSubscription[] {
  return [...getSubscriptions(world, account).values()].filter(
    ({ enabled, eventTypes }) => enabled && eventTypes.includes(eventType),
  );
}

const MOST = 50;

function own(world: World, account: Account, id: string): StoredSubscription {
  const subscription = getSubscriptions(world, account).get(id);
  if (!subscription) throw notFound();
  return subscription;
}

function show({
  id,
  webhookUrl,
  webhookVersion,
  enabled,
  eventTypes,
  created,
}: StoredSubscription): Subscription {
  return { id, webhookUrl, webhookVersion, enabled, eventTypes, created: textOfTicks(created) };
}

/** Rejects subscription values that the schemas allow but the service doesn't support. */
function check({ webhookUrl, webhookVersion, eventTypes }: SubscriptionChange): void {
  const violations: Violation[] = [];
  if (webhookUrl !== undefined && !URL.canParse(webhookUrl))
    violations.push(wrongValue('webhookUrl', 'is not a URL'));
  if (webhookVersion !== undefined && !['v1', 'v2'].includes(webhookVersion))
    violations.push(wrongValue('webhookVersion', 'must be v1 or v2'));
  if (eventTypes?.some((type) => !Object.hasOwn(knownTypes, type)))
    violations.push(wrongValue('eventTypes', 'has an unknown type'));
  if (violations.length > 0) throw invalidData(violations);
}

export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  create(world, { account, draft }) {
    check(draft);
    const book = getSubscriptions(world, account);
    if (book.size >= MOST) throw new ServiceRefusal('UNPROCESSABLE_ENTITY', { limit: MOST });
    const purpose = `subscription/${account.id}`;
    const { webhookUrl, webhookVersion, secret, enabled, eventTypes } = draft;
    const subscription: StoredSubscription = {
      id: world.random.uuid(purpose, world.random.next(purpose)),
      created: world.stamp(),
      webhookUrl,
      webhookVersion,
      secret,
      formerSecret: undefined,
      enabled,
      eventTypes,
    };
    book.set(subscription.id, subscription);
    return { body: show(subscription) };
  },
  get: (world, { account, where }) => ({ body: show(own(world, account, where.subscriptionId)) }),
  list: (world, { account }) => ({
    body: [...getSubscriptions(world, account).values()].map(show),
  }),
  update(world, { account, where, draft }) {
    const subscription = own(world, account, where.subscriptionId);
    check(draft);
    const { webhookUrl, webhookVersion, secret, enabled, eventTypes } = draft;
    if (secret !== undefined && secret !== subscription.secret)
      subscription.formerSecret = subscription.secret;
    Object.assign(subscription, {
      webhookUrl: webhookUrl ?? subscription.webhookUrl,
      webhookVersion: webhookVersion ?? subscription.webhookVersion,
      secret: secret ?? subscription.secret,
      enabled: enabled ?? subscription.enabled,
      eventTypes: eventTypes ?? subscription.eventTypes,
    });
    return { body: show(subscription) };
  },
  remove(world, { account, where }) {
    const { id } = own(world, account, where.subscriptionId);
    getSubscriptions(world, account).delete(id);
    return { body: undefined };
  },
});
