import { type Connection, internals, useRateLimitStore } from '../core/http/index.ts';
import { isPaystateError } from '../core/errors/index.ts';
import type { ObjectState } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';
import { learnedCapabilitiesOf } from '../resources/service-facts.ts';
import { durableObjectDriver, rateLimitStoreOf, sqlInboxStore } from '../stores/index.ts';
import type { LogCounter } from '../stores/rate-limits.ts';
import type { Inbox, ReconcileResult } from '../webhooks/index.ts';
import { entityOf } from '../webhooks/setup.ts';
import {
  accountInbox,
  type AccountInboxOptions,
  ignoresCreations,
  isCreation,
  reporterOf,
  shipsOrdersOnly,
} from './account-inbox.ts';
import { AccountStore } from './account-store.ts';
import { AccountTables } from './account-tables.ts';
import { AccountWork } from './account-work.ts';
import { armedBy, type EventListener } from './armed-store.ts';
import type { Routes } from './calls.ts';
import { Confirmations } from './confirmations.ts';
import type { AccountContract } from './contracts.ts';
import { EventReads } from './event-reads.ts';
import { FollowedInvoices } from './followed.ts';
import { InvoiceReader } from './invoice-reader.ts';
import { OrderStore } from './order-store.ts';
import { Orders } from './orders.ts';
import { Outbox } from './outbox.ts';
import { pageRoutes } from './page-routes.ts';
import type { ObjectNamespace } from './platform.ts';
import { roomCaller } from './room-stub.ts';
import { onOtherWorld } from './served-world.ts';
import { ServiceOutage } from './service-outage.ts';
import { Shares } from './shares.ts';
import { storedCounter } from './stored-counter.ts';
import { WebhookHealth } from './webhook-health.ts';
import { keepSubscription } from './webhook-subscription.ts';

/** What an account object needs. */
export interface AccountObjectOptions extends AccountInboxOptions {
  /** The rooms, one for each invoice: changes are sent to them until they confirm. */
  readonly rooms: ObjectNamespace;
  /**
   * Part of the names of its rooms, so that several accounts can share a namespace; `main`. The
   * same for relay, rooms and account object.
   */
  readonly accountName?: string | undefined;
}

/** What an account object is made of. */
export interface AccountParts {
  readonly store: AccountStore;
  readonly followed: FollowedInvoices;
  readonly routes: Routes<AccountContract>;
  readonly inbox: Inbox | undefined;
  readonly work: AccountWork;
  /** Requests of this object, of pages, and of clients elsewhere that ask it. */
  readonly counter: LogCounter;
}

/** Parts that others need before they are made. */
type LateParts = Pick<AccountParts, 'followed' | 'work'>;

/** What others are made of. */
interface EarlyParts {
  readonly client: Connection;
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly confirmations: Confirmations;
  readonly webhooks: WebhookHealth | undefined;
  readonly reader: InvoiceReader;
  readonly events: EventReads;
}

/** Makes the parts of an account object, and ties them to each other. */
export function accountParts(ctx: ObjectState, options: AccountObjectOptions): AccountParts {
  const { storage } = ctx;
  const { client, rooms, accountName, secrets } = options;
  const { clock } = client[internals];
  const late = {} as { -readonly [Part in keyof LateParts]: LateParts[Part] };
  const tables = new AccountTables(storage);
  const [store, orderStore] = [new AccountStore(tables), new OrderStore(tables)];
  const counter = storedCounter(storage, clock);
  useRateLimitStore(client, rateLimitStoreOf(counter));
  const shares = new Shares(client, counter);
  const outage = new ServiceOutage(store, clock, () => void late.followed.lookNow());
  const confirmations = new Confirmations(store, clock);
  const webhooks = secrets === undefined ? undefined : new WebhookHealth(clock);
  const changed = () => void late.work.push();
  const isKnown = (id: string) => late.followed.isKnown(id);
  const pages = { client, store, shares, outage };
  const reader = new InvoiceReader({ ...pages, confirmations, changed, isKnown });
  const orders = new Orders(client, orderStore, shares, (...made) => reader.take(...made));
  const isFirst = (id: string) =>
    !shipsOrdersOnly(options) || store.isFollowed(id, clock.now()) || orderStore.isOrdered(id);
  const events = new EventReads(client, reader, isFirst);
  const early = { client, store, clock, confirmations, webhooks, reader, events };
  const followed = (late.followed = followedInvoices(early, late));
  const inboxStore = armedBy(
    sqlInboxStore(durableObjectDriver(storage)),
    eventListener(options, early, late),
  );
  const inbox = accountInbox(inboxStore, options, orders, (id) => events.read(id));
  const outbox = new Outbox(store, clock, (id) => roomCaller(rooms, accountName, id));
  const report = reporterOf(options);
  const kept = { storage, clock, store, orders: orderStore };
  late.work = new AccountWork({ ...kept, outbox, followed, inboxStore, inbox, report });
  onOtherWorld(client, store, () => {
    tables.forgetService();
    followed.resume();
    void keepSubscription(options, store).catch(() => {}); // the next start tries again
  });
  const routes = pageRoutes({ ...pages, reader, followed, orders });
  return { store, followed, routes, inbox, work: late.work, counter };
}

function followedInvoices(early: EarlyParts, late: LateParts): FollowedInvoices {
  const { client, events } = early;
  const learned = () => learnedCapabilitiesOf(client);
  return new FollowedInvoices({
    ...early,
    look: (id) => events.look(id),
    width: () => learned().width,
    mayReadFeed: () => learned().capabilities.feed,
    reconcile: () => reconcileFor(client, late.work),
    reconciledAt: () => late.work.reconciledAt,
    planned: (at) => void late.work.arm(at).catch(() => {}), // its object is gone; the next one sets its own
  });
}

function eventListener(
  options: AccountObjectOptions,
  { confirmations, webhooks }: EarlyParts,
  late: LateParts,
): EventListener {
  const ignores = ignoresCreations(options);
  return {
    arm: (by) => late.work.arm(by),
    isWanted: (event) => !ignores || !isCreation(event),
    delivered({ subject }) {
      webhooks?.note(subject);
      late.followed.hear(subject);
    },
    kept({ subject }) {
      const { resource, id } = entityOf(subject) ?? {};
      if (resource === 'invoice') confirmations.announce(id!);
    },
  };
}

/** Reads the feed where it can be read; what the service refuses is left for a while. */
async function reconcileFor(
  client: Connection,
  work: AccountWork,
): Promise<ReconcileResult | undefined> {
  try {
    const result = await work.reconcile();
    learnedCapabilitiesOf(client).accept('feed');
    return result;
  } catch (thrown) {
    const isRefused = isPaystateError(thrown) && thrown.kind === 'refused' && thrown.status === 403;
    if (isRefused) learnedCapabilitiesOf(client).refuse('feed');
    return undefined; // a store that failed is reported where the inbox works
  }
}
