import { type Connection, internals } from '../core/http/index.ts';
import type { ObjectState, SqlStorage } from '../core/platform/index.ts';
import { quote } from '../resources/invoices/operations.ts';
import { durableObjectInbox, type InboxStore } from '../stores/index.ts';
import type { Inbox } from '../webhooks/index.ts';
import { answerCall, type Calls } from './calls.ts';
import { FeedBook } from './feed-book.ts';
import { type HookParts, inboxIn, subscribe } from './inbox.ts';
import { Looks } from './looks.ts';
import { Orders } from './orders.ts';
import { Outbox } from './outbox.ts';
import { armBy, type ObjectNamespace } from './platform.ts';
import type { Told } from './room-book.ts';
import { roomFor } from './rooms.ts';
import { QUOTE_MEMBERS, shown } from './routes.ts';
import { Shares } from './shares.ts';

const MINUTE = 60_000;
/** A room says every minute that pages look; two may be lost. */
const LEASE = 150_000;
const RECONCILE = 300_000;
/** An alarm works for this long at most, and rings again after this at least, milliseconds. */
const SLICE = 20_000;
const SOON = 1_000;
const MEMORY = 2_592_000_000;

/** What the account's feed needs. */
export interface AccountFeedParts extends HookParts {
  readonly rooms: ObjectNamespace;
  readonly account?: string | undefined;
}

/**
 * An account's one object with a key: makes every call to the service, keeps what was read, and tells the rooms until
 * they have heard. Webhooks are stored, then answered; one alarm carries everything that must not be lost.
 *
 * Anybody can pay into an account, and name any order: ship on `orderPaid` alone, which is called for the invoice that
 * was made for the order, with its amount and currency, and for nothing else.
 *
 * @example
 * export class Feed extends AccountFeed {
 *   constructor(ctx: DurableObjectState, env: Env) {
 *     const client = createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY });
 *     super(ctx, {
 *       client, rooms: env.ROOMS, secrets: env.WEBHOOK_SECRET,
 *       on: { orderPaid: ({ orderId }, { key }) => ship(orderId, key) },
 *       onTrouble: (trouble) => console.log(trouble.kind),
 *     });
 *   }
 * }
 */
export class AccountFeed {
  readonly #ctx: ObjectState;
  readonly #parts: AccountFeedParts;
  readonly #client: Connection;
  readonly #book: FeedBook;
  readonly #looks: Looks;
  readonly #calls: Calls;
  readonly #store: InboxStore<SqlStorage>;
  readonly #inbox: Inbox | undefined;
  readonly #outbox: Outbox;
  readonly #shares: Shares;
  #isAwake: boolean = false;
  #reconciledAt: number = -Infinity;
  /** When the inbox has more to do. */
  #workDue: number | undefined;

  constructor(ctx: ObjectState, parts: AccountFeedParts) {
    this.#ctx = ctx;
    this.#parts = parts;
    this.#client = parts.client;
    this.#book = new FeedBook(ctx.storage);
    this.#outbox = new Outbox(this.#book, this.#client[internals].clock, (id) =>
      roomFor(parts.rooms, parts.account, id),
    );
    this.#shares = new Shares(this.#client);
    this.#looks = new Looks(this.#client, this.#book, this.#shares, () => void this.#push());
    const orders = new Orders(this.#client, this.#book, this.#shares);
    this.#store = durableObjectInbox(ctx.storage);
    this.#inbox = inboxIn(this.#store, parts, orders, (id) => this.#looks.fresh(id));
    this.#calls = this.#callsWith(orders);
  }

  /** What gateway, rooms and the hook route ask: a fixed set of calls, and deliveries of webhooks as they came. */
  async fetch(request: Request): Promise<Response> {
    const now = this.#now;
    await armBy(this.#ctx.storage, now + MINUTE, now);
    this.#wake();
    if (new URL(request.url).pathname !== '/hook')
      return answerCall(this.#calls, request, () => this.#now);
    return (await this.#inbox?.handle(request)) ?? new Response(null, { status: 503 });
  }

  /** The next alarm is set before anything else, so that nothing that goes wrong can be the last. */
  async alarm(): Promise<void> {
    const { storage } = this.#ctx;
    await storage.setAlarm(this.#now + MINUTE);
    this.#wake();
    this.#looks.keepUp();
    await this.#forAWhile(Promise.all([this.#push(), this.#work()]));
    await this.#clean();
    const isBusy = this.#book.followed(this.#now).length > 0 || this.#reconciledAt === -Infinity;
    const rest = Math.min(
      isBusy ? MINUTE : RECONCILE,
      this.#outbox.patience,
      (this.#workDue ?? Infinity) - this.#now,
    );
    await storage.setAlarm(this.#now + Math.max(SOON, rest));
  }

  /** Nothing is forgotten that an event may still ask for which waits here, however long. */
  async #clean(): Promise<void> {
    const { oldest = Infinity } = await this.#store.counts();
    this.#book.clean(Math.min(this.#now, oldest) - MEMORY);
  }

  /** Waits for the work as long as an alarm should take; the rest goes on by itself. */
  async #forAWhile(work: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    await Promise.race([work, this.#client[internals].clock.wait(SLICE, over.signal)]);
    over.abort();
  }

  get #now(): number {
    return this.#client[internals].clock.now();
  }

  #callsWith(orders: Orders): Calls {
    return {
      follow: ({ invoiceId }: Named) => this.#follow(invoiceId),
      look: async ({ invoiceId }: Named) => (await this.#looks.look(invoiceId)).value,
      quote: ({ invoiceId }: Named) => this.#quote(invoiceId),
      order: (body: never) => orders.add(body),
      open: (body: never) => orders.open(body),
    };
  }

  async #quote(invoiceId: string): Promise<unknown> {
    this.#shares.take('quote', invoiceId);
    return shown(
      await quote(this.#client, invoiceId, {}, { reason: 'a code for pages' }),
      QUOTE_MEMBERS,
    );
  }

  /** After an eviction: goes on with what was followed, and with what rooms have not heard. */
  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#looks.keepUp();
    void this.#push();
    void this.#work();
    void subscribe(this.#parts);
  }

  /** Pages look at this invoice. */
  #follow(invoiceId: string): Partial<Told> {
    this.#book.follow(invoiceId, this.#now + LEASE);
    this.#looks.follow(invoiceId);
    return this.#book.truth(invoiceId) ?? {};
  }

  /** Tells rooms what they have not heard; those that could not be reached are told by the alarm. */
  async #push(): Promise<void> {
    await this.#outbox.push();
    const { patience } = this.#outbox;
    if (patience < Infinity) await armBy(this.#ctx.storage, this.#now + patience, this.#now);
  }

  /** Webhooks that wait, and every few minutes what no webhook brought. */
  async #work(): Promise<void> {
    const isTime = this.#now >= this.#reconciledAt + RECONCILE;
    try {
      if (isTime) this.#reconciledAt = this.#now;
      if (isTime) await this.#inbox?.reconcile();
      this.#workDue = await this.#inbox?.drain();
    } catch {
      this.#reconciledAt = -Infinity; // the inbox has kept what it has: the next alarm goes on
    }
  }
}

type Named = { readonly invoiceId: string };
