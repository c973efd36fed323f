import {
  checkArgument,
  checkMethods,
  checkOptions,
  isPaystateError,
  type Expected,
} from '../core/errors/index.ts';
import { type Connection, internals, checkClient, useRateLimitStore } from '../core/http/index.ts';
import type { ObjectState } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';
import { type InvoiceQuote, quote } from '../resources/invoices.ts';
import { learnedCapabilitiesOf } from '../resources/service-facts.ts';
import { answerFrom, type LogCounter, RATE_LIMITS_PATH } from '../stores/rate-limits.ts';
import { durableObjectDriver, rateLimitStoreOf, sqlInboxStore } from '../stores/index.ts';
import type { Inbox, ReconcileResult } from '../webhooks/index.ts';
import { entityOf } from '../webhooks/setup.ts';
import {
  accountInbox,
  checkAccountHandlers,
  type AccountInboxOptions,
  ignoresCreations,
  isCreation,
  keepSubscription,
  reporterOf,
  shipsOrdersOnly,
} from './account-inbox.ts';
import { AccountStore, AccountTables, OrderStore } from './account-store.ts';
import { AccountWork, armedBy, type EventListener, Outbox } from './account-work.ts';
import {
  type AccountContract,
  type FollowedInvoice,
  type InvoiceVersion,
  type Routes,
  WEBHOOK_PATH,
  roomCaller,
  route,
} from './calls.ts';
import { FollowedInvoices } from './followed.ts';
import { Confirmations } from './invoice-keeper.ts';
import { EventReads, InvoiceReader, isOpen } from './invoice-reader.ts';
import { Orders } from './orders.ts';
import type { ObjectNamespace } from './platform.ts';
import { PLACE_WAIT, QUOTE_MEMBERS, pickMembers } from './tokens.ts';
import { ServiceOutage, WebhookHealth, onWorld } from './service-requests.ts';
import { Shares, storedCounter } from './limits.ts';

/** A room says every minute that pages follow; two messages may be lost. */
const FOLLOWED_FOR = 150_000;
/** One that a page reads without a socket; it asks again, or it is gone. */
const READ_FOLLOWED_FOR = 30_000;

/** The parts with which an account object serves pages. */
interface PageServices {
  readonly client: Connection;
  readonly store: AccountStore;
  readonly reader: InvoiceReader;
  readonly followed: FollowedInvoices;
  readonly shares: Shares;
  readonly outage: ServiceOutage;
  readonly orders: Orders;
}

/** The account object's routes for pages, whom gateway and rooms speak for. */
function pageRoutes(services: PageServices): Routes<AccountContract> {
  const { orders } = services;
  return {
    follow: ({ invoiceId }) => follow(services, invoiceId),
    read: async (asked) => (await readForPage(services, asked)).value,
    quote: (asked) => quoteForPage(services, asked),
    'create-order': (order) => {
      orders.add(order);
      return {};
    },
    'open-order': (order) => orders.open(order),
  };
}

function follow({ store, followed }: PageServices, invoiceId: string): FollowedInvoice {
  followed.follow(invoiceId, FOLLOWED_FOR);
  const confirmedFor = followed.confirmedFor(invoiceId);
  return { version: store.version(invoiceId), confirmedFor };
}

/**
 * One that a page reads without a socket is followed for a while, for it will read again: all of
 * them are watched by the same lists. What is settled is read by itself, if a page asks.
 */
async function readForPage(
  { reader, followed }: PageServices,
  asked: AccountContract['read']['request'],
): Promise<InvoiceVersion> {
  const version = await reader.readRecent(asked);
  if (!isOpen(version.value)) return version;
  followed.follow(asked.invoiceId, READ_FOLLOWED_FOR, true);
  return version;
}

async function quoteForPage(
  { client, shares, outage }: PageServices,
  { invoiceId, visitor }: AccountContract['quote']['request'],
): Promise<InvoiceQuote> {
  const options = { reason: 'a code for pages', queueTimeout: PLACE_WAIT };
  const made = await outage.ask((tries) => {
    shares.take('quote', { id: invoiceId, visitor });
    return quote(client, invoiceId, {}, { ...options, ...tries });
  });
  return pickMembers(made, QUOTE_MEMBERS);
}

/** Options of an account object. */
export interface AccountObjectOptions extends AccountInboxOptions {
  /** The rooms, one for each invoice: changes are sent to them until they confirm. */
  readonly rooms: ObjectNamespace;
  /**
   * Part of the names of its rooms, so that several accounts can share a namespace; `main`. The
   * same for relay, rooms and account object.
   */
  readonly accountName?: string | undefined;
}

const ACCOUNT_OPTIONS: Expected<AccountObjectOptions> = {
  client: 'any',
  rooms: 'object!',
  accountName: 'string',
  secrets: 'string|array',
  webhookUrl: 'string',
  on: 'object',
  otherwise: 'function',
  onProblem: 'function',
  leaseDuration: 'number',
};

/** The parts of an account object. */
interface AccountParts {
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

/** The parts that others are made of. */
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
function accountParts(ctx: ObjectState, options: AccountObjectOptions): AccountParts {
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
  onWorld(client, store.note<{ readonly id: string }>('world')?.id, (id, isOther) => {
    if (isOther) {
      tables.forgetService();
      followed.resume();
      void keepSubscription(options, store).catch(() => {}); // the next start tries again
    }
    store.setNote('world', { id });
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
    // a failure means that its object is gone; the next one sets its own
    planned: (at) => void late.work.arm(at).catch(() => {}),
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

/**
 * An account's one object with a key: makes every call to the service, keeps what was read, and
 * sends it to the rooms until they confirm. Webhooks are stored before they are answered; one alarm
 * carries everything that must not be lost.
 *
 * Any payer can pay into an account and name any order: ship on `orderPaid` alone, which is called
 * for the invoice that was made for the order, with its amount and currency, and for nothing else.
 *
 * @example
 * export class Account extends AccountObject {
 *   constructor(ctx: DurableObjectState, env: Env) {
 *     const client = createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY });
 *     super(ctx, {
 *       client, rooms: env.ROOMS, secrets: env.WEBHOOK_SECRET,
 *       on: { orderPaid: ({ orderId }, { key }) => ship(orderId, key) },
 *       onProblem: (problem) => console.log(problem.kind),
 *     });
 *   }
 * }
 */
export class AccountObject {
  readonly #options: AccountObjectOptions;
  readonly #parts: AccountParts;
  #isAwake: boolean = false;

  constructor(ctx: ObjectState, options: AccountObjectOptions) {
    checkArgument('ctx', ctx, 'object!');
    checkArgument('ctx.storage', ctx.storage, 'object!');
    checkOptions(options ?? null, ACCOUNT_OPTIONS);
    checkMethods('rooms', options.rooms, 'idFromName', 'get');
    checkAccountHandlers(options.on);
    checkClient(options.client);
    this.#options = options;
    this.#parts = accountParts(ctx, options);
  }

  /**
   * The account's inbox, for methods of your own class: `status()`, `deadLetters()` and
   * `redeliver(key)`. Absent where there are neither handlers nor secrets.
   */
  get inbox(): Pick<Inbox, 'status' | 'deadLetters' | 'redeliver'> | undefined {
    return this.#parts.inbox;
  }

  /**
   * Requests of gateway and rooms, stores of rate limits, and deliveries of webhooks as they came.
   */
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const { counter, work, routes } = this.#parts;
    if (pathname === RATE_LIMITS_PATH) return answerFrom(counter, request);
    if (pathname === WEBHOOK_PATH) return this.#receive(request);
    await work.arm();
    this.#wake();
    const { clock } = this.#options.client[internals];
    return route<AccountContract>(routes, request, () => clock.now());
  }

  /** A delivery that is not signed stores nothing, sets no alarm and asks the service nothing. */
  async #receive(request: Request): Promise<Response> {
    const receives = this.#options.secrets !== undefined; // else nothing can be verified
    const response = receives ? await this.#parts.inbox?.handle(request) : undefined;
    if (response?.ok) this.#wake();
    return response ?? new Response(null, { status: 503 });
  }

  /** The next alarm is set before anything else, so that no failure can be the last. */
  async alarm(): Promise<void> {
    await this.#parts.work.run(() => this.#wake());
  }

  /** After an eviction: goes on with what was followed, and with what rooms have not confirmed. */
  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    const { followed, work, store } = this.#parts;
    followed.resume();
    void work.push();
    void work.process();
    keepSubscription(this.#options, store).catch(() => {}); // the next start tries again
  }
}
