import { isPaystateError } from '../core/errors/index.ts';
import {
  type Connection,
  internals,
  type RateLimitCounter,
  useRateLimitStore,
} from '../core/http/index.ts';
import { type Clock, once } from '../core/time.ts';
import { type Invoice, type InvoiceQuote, invoiceStates, quote } from '../resources/invoices.ts';
import { getLearnedCapabilities } from '../resources/service-facts.ts';
import {
  type AddResult,
  rateLimitStoreOf,
  type ReceivedEvent,
  type SqlError,
} from '../stores/index.ts';
import type { Inbox, InboxProblem } from '../webhooks/index.ts';
import { receive, type Receiving, reportFaults } from '../webhooks/receive.ts';
import { EVENT_READS } from '../webhooks/reads.ts';
import { listKeys } from '../webhooks/verify.ts';
import {
  accountInbox,
  type AccountInboxOptions,
  ignoresCreations,
  isCreation,
  keepSubscription,
  makeReporter,
  shipsOrdersOnly,
} from './account-inbox.ts';
import {
  isWorthGiving,
  type AccountContract,
  type InvoiceRef,
  type NewOrder,
  type OrderEnd,
  Refused,
  refusalBy,
} from './calls.ts';
import { Gathered, GatheredRows, Shared } from './gathered.ts';
import type { RelayTables } from './relay-tables.ts';
import { egressCounter, FairQueue, SharedTurns } from './limits.ts';
import { Checks, RowReads } from './row-reads.ts';
import type { InvoiceRow, KeptQuote, RelayStore } from './relay-store.ts';
import { PLACE_WAIT, pickMembers, QUOTE_MEMBERS } from './tokens.ts';
import { RowOrders } from './orders.ts';
import { type LeaseHolder, RowsInboxStore, type RowsTransaction } from './rows-inbox-store.ts';
import { onWorld, type OutageNote, ServiceOutage } from './service-requests.ts';

/**
 * The delay between the response to an event and its processing, in milliseconds. Events that
 * arrive in the meantime are processed together.
 */
const GATHER = 50;
/**
 * The interval between reads of the event feed, in milliseconds. The shorter interval applies if
 * there are too many followed invoices to check each of them.
 */
const FEED_EVERY = 300_000;
const FEED_OFTEN = 25_000;
/**
 * The delay before the feed is read again after a failure or after the reading process crashed, in
 * milliseconds.
 */
const FEED_AGAIN = 60_000;
/** The maximum number of followed invoices that can be checked in time. */
const MOST_CHECKED = 1_000;
/** How long an invoice is followed after a page without a socket reads it, in milliseconds. */
const READ_FOLLOWED_FOR = 30_000;
const MOST_FOLLOWED = 10_000;
const ASK_FEED_EVERY = 5_000;
/**
 * How long a process may take to create a quote, in milliseconds. Meanwhile, the other processes
 * poll for the result.
 */
const QUOTE_TURN = 10_000;
const ASK_EVERY = 100;
const SUBSCRIBING = 'subscription';
/**
 * How long a process may take to set up the webhook subscription, in milliseconds. That includes
 * retries after lost responses.
 */
const SUBSCRIBING_TURN = 180_000;
/** How long a page waits before it retries after a database failure, in milliseconds. */
const ASK_AGAIN = 2_000;
/**
 * How recently a webhook must have arrived for webhooks to be considered working, in milliseconds.
 */
const LATELY = 600_000;
/**
 * The minimum interval at which the arrival of webhooks is recorded for other processes, in
 * milliseconds.
 */
const NOTE_EVERY = 30_000;

type QuoteRequest = AccountContract['quote']['request'];

interface AccountParts {
  readonly name: string;
  readonly options: AccountInboxOptions<RowsTransaction>;
  readonly tables: RelayTables;
  readonly store: RelayStore;
  readonly holder: LeaseHolder;
  /**
   * The IP address that the service sees our requests come from. The service's rate limits apply
   * per address.
   */
  readonly egress: string;
  readonly newId: () => string;
  /** Called if a changed invoice must be sent to pages. */
  readonly changed: (invoiceId: string) => void;
}

/**
 * One account in a process. Every process can do all of the account's work, because all state that
 * matters is in the database. The fields of this class only serve to avoid queries.
 */
export class AccountRows {
  readonly #parts: AccountParts;
  readonly #client: Connection;
  readonly #clock: Clock;
  readonly #report: (problem: InboxProblem) => void;
  readonly #inboxStore: RowsInboxStore;
  readonly #inbox: Inbox | undefined;
  readonly #receiving: Receiving | undefined;
  readonly #reads: RowReads;
  readonly #orders: RowOrders;
  readonly #checks: Checks;
  readonly #queue: FairQueue;
  readonly #outage: ServiceOutage;
  /**
   * Counts the requests from all processes at this IP address, and from other clients that share
   * the counter.
   */
  readonly counter: RateLimitCounter;
  #webhookAt: number = -Infinity;
  readonly #quoting: Shared<KeptQuote> = new Shared();
  /**
   * When page reads last extended the period in which each invoice is followed, on the monotonic
   * clock.
   */
  readonly #followed: Map<string, number> = new Map();
  #feedAskedAt: number = -Infinity;
  readonly #events: Gathered<readonly ReceivedEvent[], readonly AddResult[]>;
  #notedAt: number = -Infinity;
  /** Resolves once the data of a previous sandbox has been deleted. */
  #serving: Promise<void> = Promise.resolve();
  #gathering: Promise<void> | undefined;
  readonly #draining: Set<Promise<void>> = new Set();
  readonly #working: Shared<void> = new Shared();

  constructor(parts: AccountParts) {
    const { name, options, tables, store, holder, egress, newId, changed } = parts;
    const { client, secrets } = options;
    this.#parts = parts;
    this.#client = client;
    this.#clock = client[internals].clock;
    this.#report = makeReporter(options);
    this.counter = egressCounter(store, client, egress);
    useRateLimitStore(client, rateLimitStoreOf(this.counter));
    this.#queue = new FairQueue(client, store, name);
    this.#outage = new ServiceOutage(this.#clock, (outage) => void this.#noteOutage(outage));
    const process = holder.id;
    const settled = (): Promise<void> => this.#serving;
    const events = { kind: 'events', part: EVENT_READS, priority: 'high' } as const;
    const eventTurns = new SharedTurns(client, store, name, events);
    const shared = { client, store, account: name, process, queue: this.#queue, settled };
    const failed = (error: unknown): void => this.#fail(error);
    const isTold = (): boolean =>
      secrets !== undefined && this.#webhookAt > this.#clock.now() - LATELY;
    const isFirst = shipsOrdersOnly(options) ? isOrderedIn(store, name) : async () => true;
    const told = { changed, isTold, isFirst, failed };
    const reading = { ...shared, ...told, eventTurns, outage: this.#outage };
    this.#reads = new RowReads(reading);
    const made = (invoice: Invoice, sentAt: number) => this.#keepMade(invoice, sentAt);
    this.#orders = new RowOrders({ ...shared, made });
    const isHooked = secrets !== undefined;
    this.#checks = new Checks({ ...shared, reads: this.#reads, isHooked, isTold, failed });
    this.#inboxStore = new RowsInboxStore({
      tables,
      account: name,
      holder,
      clock: this.#clock,
      newId,
      turns: eventTurns,
      isWanted: ignoresCreations(options) ? (event) => !isCreation(event) : undefined,
    });
    this.#inbox = accountInbox(this.#inboxStore, options, this.#orders, (id) =>
      this.#reads.readForEvent(id),
    );
    this.#events = new Gathered<readonly ReceivedEvent[], readonly AddResult[]>({
      most: MOST_TOGETHER,
      work: (groups) => this.#addAll(groups),
      pause: () => this.#clock.wait(0),
    });
    this.#receiving = this.#receivingBy(options);
  }

  #receivingBy({ client, secrets }: AccountParts['options']): Receiving | undefined {
    if (secrets === undefined) return undefined;
    return {
      keys: listKeys(secrets),
      fault: reportFaults(this.#report),
      drift: client[internals].settings.drift,
      store: { add: (events: readonly ReceivedEvent[]) => this.#add(events) },
      options: { clock: this.#clock },
    };
  }

  get inbox(): Pick<Inbox, 'status' | 'deadLetters' | 'redeliver' | 'stuck'> | undefined {
    return this.#inbox;
  }

  /**
   * Restores the state that other processes have recorded. All other work of the account waits for
   * this.
   */
  readonly start: () => Promise<void> = once(() => this.#start());

  async #start(): Promise<void> {
    const { name, store, holder } = this.#parts;
    if (holder.isAlone) await store.buryOthers(holder.id);
    const { id } = (await store.note<{ readonly id: string }>(name, 'world')) ?? {};
    onWorld(this.#client, id, (world, isOther) => {
      this.#serving = this.#serve(world, isOther);
    });
    const { at = -Infinity } = (await store.note<{ readonly at: number }>(name, 'webhooks')) ?? {};
    this.#webhookAt = Math.max(this.#webhookAt, Math.min(at, this.#clock.now()));
    const outage = await store.note<OutageNote>(name, 'outage');
    if (outage) this.#outage.resume(outage);
    await store.claimFeed(name, 0); // registers the account
    void this.#subscribe();
  }

  createOrder(order: NewOrder): Promise<OrderEnd> {
    return this.#forPage(() => this.#orders.add(order));
  }

  openOrder(order: AccountContract['open-order']['request']): Promise<InvoiceRef> {
    return this.#forPage(() => this.#orders.open(order));
  }

  read(asked: AccountContract['read']['request']): Promise<Invoice> {
    return this.#forPage(() => this.#read(asked));
  }

  quote(asked: QuoteRequest): Promise<InvoiceQuote> {
    return this.#forPage(() => this.#quote(asked));
  }

  /** Reports a database failure. The page only gets a refusal that includes a retry delay. */
  async #forPage<T>(work: () => Promise<T>): Promise<T> {
    try {
      await this.start();
      return await work();
    } catch (thrown) {
      if (isPaystateError(thrown) || thrown instanceof Refused) throw thrown;
      this.#fail(thrown);
      const isUnknown = (thrown as Partial<SqlError>).outcome === 'unknown';
      const outcome = isUnknown ? undefined : 'not-done';
      throw new Refused({ ...refusalBy('SERVICE_UNAVAILABLE', ASK_AGAIN), outcome });
    }
  }

  follow(invoiceId: string, ms: number): Promise<InvoiceRow | undefined> {
    return this.#forPage(async () => {
      await this.#parts.store.follow(this.#parts.name, [invoiceId], ms);
      return this.#reads.row(invoiceId);
    });
  }

  async #read(asked: AccountContract['read']['request']): Promise<Invoice> {
    const { value } = await this.#reads.readForPage(asked);
    const isKnown = invoiceStates.rank(value.state) !== undefined;
    if (isKnown && !invoiceStates.isSettled(value.state))
      await this.#followForRead(asked.invoiceId);
    return value;
  }

  /**
   * Follows an invoice that a page without a socket reads, so that one check serves all such pages.
   */
  async #followForRead(invoiceId: string): Promise<void> {
    const { name, store } = this.#parts;
    const now = this.#clock.monotonic();
    if (now < (this.#followed.get(invoiceId) ?? -Infinity) + READ_FOLLOWED_FOR / 2) return;
    if (this.#followed.size >= MOST_FOLLOWED) this.#followed.clear();
    this.#followed.set(invoiceId, now);
    await store.follow(name, [invoiceId], READ_FOLLOWED_FOR);
  }

  /**
   * Returns the quote that all pages share, as long as it has enough time left. After that, one
   * process creates a new quote.
   */
  async #quote(asked: QuoteRequest): Promise<InvoiceQuote> {
    const { invoiceId } = asked;
    const kept = (await this.#reads.row(invoiceId))?.quote;
    const good =
      kept && isWorthGiving(kept, this.#clock.now())
        ? kept
        : await this.#quoting.run(invoiceId, () => this.#renewInTurn(asked));
    const left = Math.floor((good.endsAt - this.#clock.now()) / 1_000);
    return { ...good.quote, expirationInSec: Math.max(0, left) };
  }

  /**
   * Responds to a webhook delivery once it's stored. Deliveries that arrive in the meantime are
   * stored with a single write.
   */
  async handleWebhook(request: Request): Promise<Response> {
    if (!this.#receiving) return new Response(null, { status: 503 });
    const response = await receive(this.#receiving, request);
    if (response.status === 200) {
      void this.#noteWebhook();
      void this.drain();
    }
    return response;
  }

  /** Returns when the next unclaimed work is due, in milliseconds since 1970. */
  async nextDue(): Promise<number> {
    await this.start();
    return this.#parts.store.nextDue(this.#parts.name);
  }

  get isBusy(): boolean {
    return this.#working.all.length > 0 || this.#draining.size > 0 || this.#gathering !== undefined;
  }

  /** Does all the work that is due. Concurrent callers share one run. Never rejects. */
  async work(): Promise<void> {
    await Promise.all([
      this.#alone('feed', () => this.#feed()),
      this.#drain(),
      this.#alone('checks', () => this.#check()),
    ]);
  }

  /** Processes the inbox after a short delay, together with events that arrive in the meantime. */
  drain(): Promise<void> {
    this.#gathering ??= this.#clock.wait(GATHER).then(() => {
      this.#gathering = undefined;
      return this.#drain();
    });
    return this.#gathering;
  }

  async settle(): Promise<void> {
    await Promise.allSettled([...this.#working.all, ...this.#draining, this.#gathering]);
  }

  /**
   * Runs one kind of work, independently of the others. Callers share a run that is already in
   * progress.
   */
  #alone(work: string, begin: () => Promise<void>): Promise<void> {
    return this.#working.run(work, () => begin().catch((error: unknown) => this.#fail(error)));
  }

  async #feed(): Promise<void> {
    const { name, store } = this.#parts;
    const now = this.#clock.monotonic();
    if (now < this.#feedAskedAt + ASK_FEED_EVERY) return;
    this.#feedAskedAt = now;
    if (!(await store.claimFeed(name, FEED_AGAIN))) return;
    const startedAt = this.#clock.now();
    const isComplete = await this.#readFeed();
    if (isComplete === undefined) return;
    const isMany = (await store.countFollowed(name)) > MOST_CHECKED;
    const next = startedAt + (isMany ? FEED_OFTEN : FEED_EVERY) - this.#clock.now();
    await store.endFeed(name, Math.max(0, next), isComplete ? startedAt : 0);
  }

  async #check(): Promise<void> {
    while (await this.#checks.work());
  }

  /**
   * Reads the event feed. Resolves to whether the end was reached, or to `undefined` if the feed
   * couldn't be read.
   */
  async #readFeed(): Promise<boolean | undefined> {
    const learned = getLearnedCapabilities(this.#client);
    try {
      const result = await this.#inbox?.reconcile();
      learned.accept('feed');
      return result?.complete === true && result.gaps.length === 0;
    } catch (thrown) {
      const isRefused =
        isPaystateError(thrown) && thrown.kind === 'refused' && thrown.status === 403;
      if (isRefused) learned.refuse('feed');
      // service errors are reported as `feed-late`
      else if (!isPaystateError(thrown)) this.#fail(thrown);
      return isRefused ? false : undefined;
    }
  }

  /**
   * Processes the inbox. Several runs can overlap, because a slow handler can block one of them for
   * a long time.
   */
  async #drain(): Promise<void> {
    const draining = this.#inbox?.drain().then(
      () => {},
      (error: unknown) => this.#fail(error),
    );
    if (!draining) return;
    this.#draining.add(draining);
    await draining;
    this.#draining.delete(draining);
  }

  #fail(error: unknown): void {
    this.#report({ kind: 'store-failed', error });
  }

  /** Stores events. Events that arrive during a write are stored together with the next one. */
  async #add(events: readonly ReceivedEvent[]): Promise<readonly AddResult[]> {
    await this.start();
    this.#webhookAt = this.#clock.now();
    return this.#events.add(events);
  }

  async #addAll(
    groups: readonly (readonly ReceivedEvent[])[],
  ): Promise<readonly (readonly AddResult[])[]> {
    const added = [...(await this.#inboxStore.add(groups.flat()))];
    return groups.map((events) => added.splice(0, events.length));
  }

  /** Records an outage. Once the service is back, the invoices that pages show are read again. */
  async #noteOutage(outage: OutageNote): Promise<void> {
    const { name, store } = this.#parts;
    try {
      await store.setNote(name, 'outage', outage);
      if (outage.failures === 0) await store.checkNow(name);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #noteWebhook(): Promise<void> {
    const now = this.#clock.now();
    if (now < this.#notedAt + NOTE_EVERY) return;
    this.#notedAt = now;
    await this.#parts.store.setNote(this.#parts.name, 'webhooks', { at: now }).catch(() => {});
  }

  async #keepMade(invoice: Invoice, sentAt: number): Promise<void> {
    const { name, store } = this.#parts;
    await this.#reads.keep([invoice], sentAt);
    await store.follow(name, [invoice.invoiceId], READ_FOLLOWED_FOR);
  }

  async #renewInTurn(asked: QuoteRequest): Promise<KeptQuote> {
    const { name, store, holder, changed } = this.#parts;
    const { invoiceId } = asked;
    const isKnown = (await this.#reads.row(invoiceId)) !== undefined;
    if (!isKnown && !(await this.#readForQuote(asked))) return this.#makeQuote(asked, false);
    const end = this.#clock.monotonic() + QUOTE_TURN;
    while (!(await store.claimQuote(name, invoiceId, holder.id, QUOTE_TURN))) {
      if (this.#clock.monotonic() >= end)
        throw new Refused(refusalBy('SERVICE_UNAVAILABLE', 2_000));
      await this.#clock.wait(ASK_EVERY);
      const { quote: kept } = (await this.#reads.row(invoiceId)) ?? {};
      if (kept && isWorthGiving(kept, this.#clock.now())) return kept;
    }
    try {
      const kept = await this.#makeQuote(asked, isKnown);
      await store.setQuote(name, invoiceId, kept);
      changed(invoiceId);
      return kept;
    } catch (thrown) {
      // the claim expires anyway
      await store.leaveQuote(name, invoiceId, holder.id).catch(() => {});
      throw thrown;
    }
  }

  /**
   * Reads an unknown invoice, and counts the read as one of the page's quotes. This also applies if
   * the invoice doesn't exist, so guessing ids uses up the page's quotes. Resolves to false if the
   * page's share of reads is used up.
   */
  async #readForQuote(asked: QuoteRequest): Promise<boolean> {
    await this.#queue.take('quote', { id: asked.invoiceId, visitor: asked.visitor });
    try {
      await this.#reads.readForPage(asked);
      return true;
    } catch (thrown) {
      const isSpent = thrown instanceof Refused && thrown.refusal.code === 'RATE_LIMIT_EXCEEDED';
      if (isSpent) return false;
      throw thrown;
    }
  }

  async #makeQuote({ invoiceId, visitor }: QuoteRequest, isKnown: boolean): Promise<KeptQuote> {
    const options = { reason: 'get a code for a checkout page', queueTimeout: PLACE_WAIT };
    let sentAt = this.#clock.now();
    const made = await this.#outage.ask(async (tries) => {
      if (isKnown) await this.#queue.take('quote', { id: invoiceId, visitor });
      sentAt = this.#clock.now();
      return quote(this.#client, invoiceId, {}, { ...options, ...tries });
    });
    const validity = made.expirationInSec * 1_000;
    return { quote: pickMembers(made, QUOTE_MEMBERS), validity, endsAt: sentAt + validity };
  }

  async #serve(id: string, isOther: boolean): Promise<void> {
    const { name, store } = this.#parts;
    try {
      const { id: kept } = (await store.note<{ readonly id: string }>(name, 'world')) ?? {};
      // skip this if another process has already deleted the data
      if (isOther && kept !== id) await store.forgetService(name);
      await store.setNote(name, 'world', { id });
      if (isOther) void this.#subscribe();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #subscribe(): Promise<void> {
    const { name, store, options, holder } = this.#parts;
    const notes = {
      note: <T>(note: string) => store.note<T>(name, note),
      setNote: (note: string, value: object) => store.setNote(name, note, value),
    };
    try {
      if (!(await this.#takeSubscribing())) return;
      await keepSubscription(options, notes);
      if (!holder.isAlone) await store.freeTurns(name, SUBSCRIBING);
    } catch {
      // if the database fails, the next start tries again
    }
  }

  /**
   * Waits until this process may set up the webhook subscription. If two processes did so at the
   * same time, each of them could create a subscription, and every delivery would arrive twice.
   */
  async #takeSubscribing(): Promise<boolean> {
    const { name, store, holder } = this.#parts;
    if (holder.isAlone) return true;
    const pace = { most: 1, window: SUBSCRIBING_TURN };
    while (!holder.ending?.aborted) {
      const { granted } = await store.takeTurns(name, SUBSCRIBING, 1, pace);
      if (granted > 0) return true;
      await this.#clock.wait(ASK_EVERY, holder.ending);
    }
    return false;
  }
}

const MOST_TOGETHER = 50;

/**
 * Returns a function that checks whether an invoice belongs to an order. Concurrent checks share
 * one query.
 */
function isOrderedIn(store: RelayStore, account: string): (invoiceId: string) => Promise<boolean> {
  const ordered = new GatheredRows(async (ids) => {
    const found = await store.findOrdered(account, ids);
    return new Map([...found].map((id) => [id, true]));
  });
  return async (invoiceId) => (await ordered.get(invoiceId)) === true;
}
