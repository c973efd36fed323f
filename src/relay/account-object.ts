import { isPaystateError } from '../core/errors/index.ts';
import { type Connection, internals, useRateLimitStore } from '../core/http/index.ts';
import type { ObjectState, SqlStorage } from '../core/platform/index.ts';
import {
  answerFrom,
  RATE_LIMITS_PATH,
  storedCounter,
} from '../stores/durable-object-rate-limit-store.ts';
import { durableObjectInboxStore, type InboxStore, rateLimitStoreOf } from '../stores/index.ts';
import type { LogCounter } from '../stores/log-counter.ts';
import type { Inbox, InboxProblem } from '../webhooks/index.ts';
import {
  accountInbox,
  type AccountInboxOptions,
  reporterOf,
  shipsOrdersOnly,
} from './account-inbox.ts';
import { AccountStore } from './account-store.ts';
import { route, type Routes } from './calls.ts';
import { type AccountContract, WEBHOOK_PATH } from './contracts.ts';
import { EventReads } from './event-reads.ts';
import { InvoiceReader } from './invoice-reader.ts';
import { Orders } from './orders.ts';
import { Outbox } from './outbox.ts';
import { armBy, type ObjectNamespace } from './platform.ts';
import { roomCaller } from './room-stub.ts';
import { pageRoutes } from './page-routes.ts';
import { Shares } from './shares.ts';
import { keepSubscription } from './webhook-subscription.ts';

const MINUTE = 60_000;
const RECONCILE = 300_000;
/** An alarm works for this long at most, and rings again after this at least, milliseconds. */
const SLICE = 20_000;
const SOON = 1_000;
const MEMORY = 2_592_000_000;

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
  readonly #ctx: ObjectState;
  readonly #options: AccountObjectOptions;
  readonly #client: Connection;
  readonly #store: AccountStore;
  readonly #reader: InvoiceReader;
  readonly #routes: Routes<AccountContract>;
  readonly #inboxStore: InboxStore<SqlStorage>;
  readonly #inbox: Inbox | undefined;
  readonly #outbox: Outbox;
  /** Requests of this object, of pages, and of clients elsewhere that ask it. */
  readonly #counter: LogCounter;
  readonly #report: (problem: InboxProblem) => void;
  #isAwake: boolean = false;
  #reconciledAt: number = -Infinity;
  /** When the inbox has more to do. */
  #workDue: number | undefined;

  constructor(ctx: ObjectState, options: AccountObjectOptions) {
    const { client, rooms, accountName } = options;
    this.#ctx = ctx;
    this.#options = options;
    this.#client = client;
    this.#report = reporterOf(options);
    this.#store = new AccountStore(ctx.storage);
    this.#outbox = new Outbox(this.#store, client[internals].clock, (id) =>
      roomCaller(rooms, accountName, id),
    );
    this.#counter = storedCounter(ctx.storage, client[internals].clock);
    useRateLimitStore(client, rateLimitStoreOf(this.#counter));
    const shares = new Shares(client, this.#counter);
    const store = this.#store;
    const reader = new InvoiceReader(client, store, shares, () => void this.#push());
    const orders = new Orders(client, store, shares);
    const isFirst = (id: string) =>
      !shipsOrdersOnly(options) || reader.isWatched(id) || store.isOrdered(id);
    const events = new EventReads(client, reader, isFirst);
    this.#reader = reader;
    this.#inboxStore = armedBy(durableObjectInboxStore(ctx.storage), () => this.#arm());
    this.#inbox = accountInbox(this.#inboxStore, options, orders, (id) => events.read(id));
    this.#routes = pageRoutes({ client, store, reader, shares, orders });
  }

  /**
   * The account's inbox, for methods of your own class: `status()`, `deadLetters()` and
   * `redeliver(key)`. Absent where there are neither handlers nor secrets.
   */
  get inbox(): Pick<Inbox, 'status' | 'deadLetters' | 'redeliver'> | undefined {
    return this.#inbox;
  }

  /** What gateway and rooms ask, stores of rate limits, and deliveries of webhooks as they came. */
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === RATE_LIMITS_PATH) return answerFrom(this.#counter, request);
    if (pathname === WEBHOOK_PATH) return this.#receive(request);
    await this.#arm();
    this.#wake();
    return route<AccountContract>(this.#routes, request, () => this.#now);
  }

  /** A delivery that is not signed stores nothing, sets no alarm and asks the service nothing. */
  async #receive(request: Request): Promise<Response> {
    const receives = this.#options.secrets !== undefined; // else nothing can be verified
    const response = receives ? await this.#inbox?.handle(request) : undefined;
    if (response?.ok) this.#wake();
    return response ?? new Response(null, { status: 503 });
  }

  #arm(): Promise<void> {
    return armBy(this.#ctx.storage, this.#now + MINUTE, this.#now);
  }

  /** The next alarm is set before anything else, so that no failure can be the last. */
  async alarm(): Promise<void> {
    const { storage } = this.#ctx;
    await storage.setAlarm(this.#now + MINUTE);
    this.#wake();
    this.#reader.watchFollowed();
    await this.#waitForSlice(Promise.all([this.#push(), this.#work()]));
    await this.#clean();
    const isBusy =
      this.#store.followedIds(this.#now).length > 0 || this.#reconciledAt === -Infinity;
    const rest = Math.min(
      isBusy ? MINUTE : RECONCILE,
      this.#outbox.retryDelay,
      (this.#workDue ?? Infinity) - this.#now,
    );
    await storage.setAlarm(this.#now + Math.max(SOON, rest));
  }

  /** Forgets nothing that an event may still ask for which waits here, however long. */
  async #clean(): Promise<void> {
    const { oldest = Infinity } = await this.#inboxStore.counts();
    this.#store.clean(Math.min(this.#now, oldest) - MEMORY, this.#now);
  }

  /** Waits for the work as long as an alarm should take; the rest goes on by itself. */
  async #waitForSlice(work: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    await Promise.race([work, this.#client[internals].clock.wait(SLICE, over.signal)]);
    over.abort();
  }

  get #now(): number {
    return this.#client[internals].clock.now();
  }

  /** After an eviction: goes on with what was followed, and with what rooms have not confirmed. */
  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#reader.watchFollowed();
    void this.#push();
    void this.#work();
    void keepSubscription(this.#options, this.#store);
  }

  /**
   * Sends rooms what they do not have; those that could not be reached are sent it by the alarm.
   * Never rejects.
   */
  async #push(): Promise<void> {
    try {
      await this.#outbox.push();
      const { retryDelay } = this.#outbox;
      if (retryDelay < Infinity) await armBy(this.#ctx.storage, this.#now + retryDelay, this.#now);
    } catch (error) {
      // what was not confirmed is sent again by the alarm
      this.#report({ kind: 'store-failed', error });
    }
  }

  /** Processes what waits, and every few minutes what no webhook brought. Never rejects. */
  async #work(): Promise<void> {
    const isTime = this.#now >= this.#reconciledAt + RECONCILE;
    try {
      if (isTime) this.#reconciledAt = this.#now;
      if (isTime) await this.#inbox?.reconcile();
      this.#workDue = await this.#inbox?.drain();
    } catch (error) {
      this.#reconciledAt = -Infinity; // the inbox has kept what it has: the next alarm goes on
      // a feed that cannot be read is reported as `feed-late`
      if (!isPaystateError(error)) this.#report({ kind: 'store-failed', error });
    }
  }
}

/**
 * What is to be worked on is kept after the alarm for it is set, so that no crash leaves it behind.
 */
function armedBy(store: InboxStore<SqlStorage>, arm: () => Promise<void>): InboxStore<SqlStorage> {
  const [add, requeue] = [store.add.bind(store), store.requeue.bind(store)];
  return Object.assign(store, {
    async add(...given: Parameters<typeof add>) {
      await arm();
      return add(...given);
    },
    async requeue(...given: Parameters<typeof requeue>) {
      await arm();
      return requeue(...given);
    },
  });
}
