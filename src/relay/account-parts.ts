import { type Connection, internals, useRateLimitStore } from '../core/http/index.ts';
import { isPaystateError } from '../core/errors/index.ts';
import type { ObjectState } from '../core/platform/index.ts';
import { learnedCapabilitiesOf } from '../resources/learned-capabilities.ts';
import { storedCounter } from '../stores/durable-object-rate-limit-store.ts';
import { durableObjectInboxStore, rateLimitStoreOf } from '../stores/index.ts';
import type { LogCounter } from '../stores/log-counter.ts';
import type { Inbox, ReconcileResult } from '../webhooks/index.ts';
import { entityOf } from '../webhooks/setup.ts';
import {
  accountInbox,
  ignoresCreations,
  isCreation,
  reporterOf,
  shipsOrdersOnly,
} from './account-inbox.ts';
import type { AccountObjectOptions } from './account-object.ts';
import { AccountStore } from './account-store.ts';
import { AccountTables } from './account-tables.ts';
import { AccountWork } from './account-work.ts';
import { armedBy } from './armed-store.ts';
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
import { roomCaller } from './room-stub.ts';
import { ServiceOutage } from './service-outage.ts';
import { Shares } from './shares.ts';
import { WebhookHealth } from './webhook-health.ts';

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

/** Makes the parts of an account object, and ties them to each other. */
export function accountParts(
  { storage }: ObjectState,
  options: AccountObjectOptions,
): AccountParts {
  const { client, rooms, accountName, secrets } = options;
  const { clock } = client[internals];
  const tables = new AccountTables(storage);
  const [store, orderStore] = [new AccountStore(tables), new OrderStore(tables)];
  const counter = storedCounter(storage, clock);
  useRateLimitStore(client, rateLimitStoreOf(counter));
  const shares = new Shares(client, counter);
  const outage = new ServiceOutage(store, clock, () => void followed.lookNow());
  const confirmations = new Confirmations(store, clock);
  const webhooks = secrets === undefined ? undefined : new WebhookHealth(clock);
  const reader = new InvoiceReader({
    client,
    store,
    shares,
    outage,
    confirmations,
    changed: () => void work.push(),
    isKnown: (id) => followed.isKnown(id),
  });
  const orders = new Orders(client, orderStore, shares, (...made) => reader.take(...made));
  const isFirst = (id: string) =>
    !shipsOrdersOnly(options) || store.isFollowed(id, clock.now()) || orderStore.isOrdered(id);
  const events = new EventReads(client, reader, isFirst);
  const followed: FollowedInvoices = new FollowedInvoices({
    store,
    reader,
    clock,
    confirmations,
    webhooks,
    look: (id) => events.look(id),
    width: () => learnedCapabilitiesOf(client).width,
    mayReadFeed: () => learnedCapabilitiesOf(client).capabilities.feed,
    reconcile: () => reconcileFor(client, work),
    reconciledAt: () => work.reconciledAt,
    planned: (at) => void work.arm(at),
  });
  const inboxStore = armedBy(durableObjectInboxStore(storage), {
    arm: () => work.arm(),
    isWanted: (event) => !ignoresCreations(options) || !isCreation(event),
    delivered({ subject }) {
      webhooks?.note(subject);
      followed.told(subject);
    },
    kept({ subject }) {
      const { resource, id } = entityOf(subject) ?? {};
      if (resource === 'invoice') confirmations.announce(id!);
    },
  });
  const inbox = accountInbox(inboxStore, options, orders, (id) => events.read(id));
  const work: AccountWork = new AccountWork({
    storage,
    clock,
    store,
    orders: orderStore,
    outbox: new Outbox(store, clock, (id) => roomCaller(rooms, accountName, id)),
    followed,
    inboxStore,
    inbox,
    report: reporterOf(options),
  });
  const routes = pageRoutes({ client, store, reader, followed, shares, orders, outage });
  return { store, followed, routes, inbox, work, counter };
}

/** Reads the feed where it can be read; a refusal of the service is remembered. */
async function reconcileFor(
  client: Connection,
  work: AccountWork,
): Promise<ReconcileResult | undefined> {
  try {
    return await work.reconcile();
  } catch (thrown) {
    const isRefused = isPaystateError(thrown) && thrown.kind === 'refused' && thrown.status === 403;
    if (isRefused) learnedCapabilitiesOf(client).capabilities.feed = false;
    return undefined; // a store that failed is reported where the inbox works
  }
}
