import type { Connection } from '../core/connection.ts';
import type { ObjectState, SqlStorage } from '../core/platform.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import { quote } from '../resources/invoices/verbs.ts';
import { ensure } from '../resources/subscriptions/verbs.ts';
import { durableObjectInbox } from '../stores/index.ts';
import { createInbox, type Handlers, type Inbox, type InboxOptions, type Noun } from '../webhooks/index.ts';
import { answerCall, ask, type Calls } from './calls.ts';
import { FeedBook } from './feed-book.ts';
import { Looks } from './looks.ts';
import { Orders } from './orders.ts';
import { armBy, type ObjectNamespace } from './platform.ts';
import type { Told } from './room-book.ts';
import { roomFor } from './rooms.ts';
import { QUOTE_MEMBERS, shown } from './routes.ts';

const MINUTE = 60_000;
/** A room says every minute that pages look; two may be lost. */
const LEASE = 150_000;
const RECONCILE = 300_000;
/** A room that could not be reached is told again after this. */
const AGAIN = 1_000;
const MEMORY = 2_592_000_000;

/** What the account's feed needs. */
export interface AccountFeedParts {
  /** A client with the API key, made for this object. */
  readonly client: Connection;
  readonly rooms: ObjectNamespace;
  readonly account?: string | undefined;
  /** Secrets of the account's webhooks, the new one first; absent: no webhooks come, the service is only asked. */
  readonly secrets?: string | readonly string[] | undefined;
  /** What to do when something is so; see `createInbox`. */
  readonly on?: Handlers<SqlStorage> | undefined;
  /** Where webhooks come in, such as `https://shop.example/hooks/main`; given: the subscription is found or made at the start. */
  readonly webhookUrl?: string | undefined;
  readonly otherwise?: InboxOptions<SqlStorage>['otherwise'];
  readonly onTrouble?: InboxOptions<SqlStorage>['onTrouble'];
}

/**
 * An account's one object with a key: makes every call to the service, keeps what was read, and tells the rooms until
 * they have heard. Webhooks are stored, then answered; one alarm carries everything that must not be lost.
 *
 * @example
 * export class Feed extends AccountFeed {
 *   constructor(ctx, env) {
 *     const client = createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY });
 *     super(ctx, { client, rooms: env.ROOMS, secrets: env.WEBHOOK_SECRET, on: { invoicePaid: (invoice, { key }) => ship(invoice, key) } });
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
  readonly #inbox: Inbox | undefined;
  #pushing: Promise<void> | undefined;
  #isAwake: boolean = false;
  #reconciledAt: number = -Infinity;
  /** Pushes in a row that some room did not hear. */
  #misses: number = 0;

  constructor(ctx: ObjectState, parts: AccountFeedParts) {
    this.#ctx = ctx;
    this.#parts = parts;
    this.#client = parts.client;
    this.#book = new FeedBook(ctx.storage);
    this.#looks = new Looks(this.#client, this.#book, () => void this.#push());
    this.#inbox = this.#inboxOf(parts);
    this.#calls = this.#callsWith(new Orders(this.#client, this.#book));
  }

  /** What gateway, rooms and the hook route ask: a fixed set of calls, and deliveries of webhooks as they came. */
  async fetch(request: Request): Promise<Response> {
    const now = this.#now;
    await armBy(this.#ctx.storage, now + MINUTE, now);
    this.#wake();
    if (new URL(request.url).pathname !== '/hook') return answerCall(this.#calls, request, () => this.#now);
    return (await this.#inbox?.handle(request)) ?? new Response(null, { status: 503 });
  }

  /** The next alarm is set before anything else, so that nothing that goes wrong can be the last. */
  async alarm(): Promise<void> {
    await this.#ctx.storage.setAlarm(this.#now + MINUTE);
    this.#looks.keepUp();
    this.#book.clean(this.#now - MEMORY);
    const [, due] = await Promise.all([this.#push(), this.#work()]);
    const now = this.#now;
    const isBusy = this.#book.followed(now).length > 0;
    const rest = this.#misses > 0 ? this.#patience : isBusy ? MINUTE : RECONCILE;
    await this.#ctx.storage.setAlarm(Math.max(now + AGAIN, Math.min(due ?? Infinity, now + rest)));
  }

  /** How long rooms that did not hear are left alone: a second, then longer, a minute at most. */
  get #patience(): number {
    return Math.min(MINUTE, AGAIN * 2 ** this.#misses);
  }

  get #now(): number {
    return this.#client.clock.now();
  }

  #callsWith(orders: Orders): Calls {
    return {
      follow: ({ invoiceId }: Named) => this.#follow(invoiceId),
      look: async ({ invoiceId }: Named) => (await this.#looks.look(invoiceId)).value,
      quote: async ({ invoiceId }: Named) => shown(await quote(this.#client, invoiceId, {}, { why: 'a code for pages' }), QUOTE_MEMBERS),
      order: (body: never) => orders.add(body),
      open: (body: never) => orders.open(body),
    };
  }

  /** After an eviction: goes on with what was followed, and with what rooms have not heard. */
  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#looks.keepUp();
    void this.#push();
    void this.#work();
    void this.#subscribe();
  }

  /** One subscription for this address, whoever made it; trouble is tried again at the next start: the feed is read anyway. */
  async #subscribe(): Promise<void> {
    const { webhookUrl, secrets } = this.#parts;
    const [secret] = [secrets].flat();
    if (webhookUrl === undefined || secret === undefined) return;
    await ensure(this.#client, { webhookUrl, webhookVersion: 'v1', secret, enabled: true, eventTypes: ['invoice.created', 'invoice.updated'] }).catch(() => {});
  }

  /** Pages look at this invoice. */
  #follow(invoiceId: string): Partial<Told> {
    this.#book.follow(invoiceId, this.#now + LEASE);
    this.#looks.follow(invoiceId);
    return this.#book.truth(invoiceId) ?? {};
  }

  /** Tells rooms what they have not heard; one push at a time, and again while there is more. */
  async #push(): Promise<void> {
    this.#pushing ??= this.#pushAll().finally(() => (this.#pushing = undefined));
    return this.#pushing;
  }

  async #pushAll(): Promise<void> {
    for (let ids = this.#book.unheard(this.#now); ids.length > 0; ids = this.#book.unheard(this.#now)) {
      const heard = await Promise.all(ids.map((id) => this.#tell(id)));
      this.#misses = heard.includes(false) ? this.#misses + 1 : 0;
      if (this.#misses > 0) return armBy(this.#ctx.storage, this.#now + this.#patience, this.#now);
    }
  }

  /** A room has heard when it has said so. */
  async #tell(invoiceId: string): Promise<boolean> {
    const told = this.#book.truth(invoiceId);
    if (!told) return true;
    try {
      await ask(roomFor(this.#parts.rooms, this.#parts.account, invoiceId), 'told', { invoiceId, told });
      this.#book.heard(invoiceId, told.number);
      return true;
    } catch {
      return false;
    }
  }

  /** Webhooks that wait, and every few minutes what no webhook brought. Resolves to when there is more to do. */
  async #work(): Promise<number | undefined> {
    try {
      const isTime = this.#now >= this.#reconciledAt + RECONCILE;
      if (isTime) this.#reconciledAt = this.#now;
      if (isTime) await this.#inbox?.reconcile();
      return await this.#inbox?.drain();
    } catch {
      return undefined; // the inbox has kept what it has: the next alarm goes on
    }
  }

  /** Webhooks and pages share what is read: an invoice that the inbox looks at is known to its room. */
  #inboxOf({ client, secrets, on = {}, otherwise, onTrouble }: AccountFeedParts): Inbox | undefined {
    if (secrets === undefined) return undefined;
    const look = (_noun: Noun, id: string): Promise<Invoice> => this.#looks.fresh(id);
    return createInbox({ client, secrets, store: durableObjectInbox(this.#ctx.storage), on, otherwise, onTrouble, look });
  }
}

type Named = { readonly invoiceId: string };
