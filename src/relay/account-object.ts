import { internals, useRateLimitStore } from '../core/http/index.ts';
import type { ObjectState } from '../core/platform/index.ts';
import {
  answerFrom,
  RATE_LIMITS_PATH,
  storedCounter,
} from '../stores/durable-object-rate-limit-store.ts';
import { durableObjectInboxStore, rateLimitStoreOf } from '../stores/index.ts';
import type { LogCounter } from '../stores/log-counter.ts';
import type { Inbox } from '../webhooks/index.ts';
import {
  accountInbox,
  type AccountInboxOptions,
  reporterOf,
  shipsOrdersOnly,
} from './account-inbox.ts';
import { AccountStore } from './account-store.ts';
import { AccountWork } from './account-work.ts';
import { armedBy } from './armed-store.ts';
import { route, type Routes } from './calls.ts';
import { type AccountContract, WEBHOOK_PATH } from './contracts.ts';
import { EventReads } from './event-reads.ts';
import { FollowedInvoices } from './followed.ts';
import { InvoiceReader } from './invoice-reader.ts';
import { Orders } from './orders.ts';
import { Outbox } from './outbox.ts';
import type { ObjectNamespace } from './platform.ts';
import { roomCaller } from './room-stub.ts';
import { pageRoutes } from './page-routes.ts';
import { ServiceOutage } from './service-outage.ts';
import { Shares } from './shares.ts';
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
  readonly #store: AccountStore;
  readonly #followed: FollowedInvoices;
  readonly #routes: Routes<AccountContract>;
  readonly #inbox: Inbox | undefined;
  readonly #work: AccountWork;
  /** Requests of this object, of pages, and of clients elsewhere that ask it. */
  readonly #counter: LogCounter;
  readonly #now: () => number;
  #isAwake: boolean = false;

  constructor(ctx: ObjectState, options: AccountObjectOptions) {
    const { client, rooms, accountName, secrets } = options;
    const { storage } = ctx;
    const { clock } = client[internals];
    this.#options = options;
    this.#now = () => clock.now();
    const store = (this.#store = new AccountStore(storage));
    const outbox = new Outbox(store, clock, (id) => roomCaller(rooms, accountName, id));
    this.#counter = storedCounter(storage, clock);
    useRateLimitStore(client, rateLimitStoreOf(this.#counter));
    const shares = new Shares(client, this.#counter);
    const outage = new ServiceOutage(store, clock);
    const reader = new InvoiceReader(client, store, shares, outage, () => void this.#work.push());
    const orders = new Orders(client, store, shares);
    const isFirst = (id: string) =>
      !shipsOrdersOnly(options) || store.isFollowed(id, clock.now()) || store.isOrdered(id);
    const events = new EventReads(client, reader, isFirst);
    const read = (id: string) => events.read(id);
    const inboxStore = armedBy(durableObjectInboxStore(storage), () => this.#work.arm());
    this.#inbox = accountInbox(inboxStore, options, orders, read);
    const isTold = secrets !== undefined;
    const followed = new FollowedInvoices(store, reader, clock, read, isTold);
    this.#followed = followed;
    const work = { storage, clock, store, outbox, followed, inboxStore, inbox: this.#inbox };
    this.#work = new AccountWork({ ...work, report: reporterOf(options) });
    this.#routes = pageRoutes({ client, store, reader, followed, shares, orders, outage });
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
    await this.#work.arm();
    this.#wake();
    return route<AccountContract>(this.#routes, request, this.#now);
  }

  /** A delivery that is not signed stores nothing, sets no alarm and asks the service nothing. */
  async #receive(request: Request): Promise<Response> {
    const receives = this.#options.secrets !== undefined; // else nothing can be verified
    const response = receives ? await this.#inbox?.handle(request) : undefined;
    if (response?.ok) this.#wake();
    return response ?? new Response(null, { status: 503 });
  }

  /** The next alarm is set before anything else, so that no failure can be the last. */
  async alarm(): Promise<void> {
    await this.#work.run(() => this.#wake());
  }

  /** After an eviction: goes on with what was followed, and with what rooms have not confirmed. */
  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#followed.resume();
    void this.#work.push();
    void this.#work.process();
    void keepSubscription(this.#options, this.#store);
  }
}
