import type { Ticks } from '../../core/time.ts';
import { type Account, storeOf, type World } from '../world/world.ts';

export interface StoredSubscription {
  readonly id: string;
  readonly created: Ticks;
  webhookUrl: string;
  webhookVersion: string;
  secret: string;
  /** The one that `secret` took the place of. */
  formerSecret: string | undefined;
  enabled: boolean;
  eventTypes: readonly string[];
}

/** The subscriptions of an account, in the order of their creation. */
export function subscriptionsOf(world: World, account: Account): Map<string, StoredSubscription> {
  return storeOf(world, `subscriptions/${account.id}`, () => new Map());
}

/** Those that want an event of this type. */
export function subscribersOf(
  world: World,
  account: Account,
  eventType: string,
): readonly StoredSubscription[] {
  return [...subscriptionsOf(world, account).values()].filter(
    ({ enabled, eventTypes }) => enabled && eventTypes.includes(eventType),
  );
}
