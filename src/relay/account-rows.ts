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
import { type AddResult, rateLimitStoreOf, type ReceivedEvent } from '../stores/index.ts';
import type { Inbox, InboxProblem } from '../webhooks/index.ts';
import { receive, type Receiving, reportFaults } from '../webhooks/receive.ts';
import { EVENT_READS } from '../webhooks/reads.ts';
import { keysOf } from '../webhooks/verify.ts';
import {
  accountInbox,
  type AccountInboxOptions,
  ignoresCreations,
  isCreation,
  keepSubscription,
  reporterOf,
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

/** The response leaves first; events that are received together are read together. Milliseconds. */
const GATHER = 50;
/**
 * Interval between reads of the feed; it is shorter where checks cannot see all that pages show.
 */
const FEED_EVERY = 300_000;
const FEED_OFTEN = 25_000;
/** One that failed is read again after this, and so is one whose process died. */
const FEED_AGAIN = 60_000;
/** More than this many invoices are not seen by checks in time. */
const MOST_CHECKED = 1_000;
/** One that a page reads without a socket is followed for this long, milliseconds. */
const READ_FOLLOWED_FOR = 30_000;
const MOST_FOLLOWED = 10_000;
/** Interval between checks if the feed is due, milliseconds. */
const ASK_FEED_EVERY = 5_000;
/** A turn to make a new code, milliseconds, and how often the others ask for it. */
const QUOTE_TURN = 10_000;
const ASK_EVERY = 100;
/** Names the turn to find or make the subscription. */
const SUBSCRIBING = 'subscription';
/** It is longer than that may take with lost responses, milliseconds. */
const SUBSCRIBING_TURN = 180_000;
/** A page asks again after this where the database failed, milliseconds. */
const ASK_AGAIN = 2_000;
/** Webhooks are relied on where one has come within this time, milliseconds. */
const LATELY = 600_000;
/** Interval between notes for the other processes that webhooks arrive, milliseconds. */
const NOTE_EVERY = 30_000;

type QuoteRequest = AccountContract['quote']['request'];

/** Options of an account of a relay on rows. */
interface AccountParts {
  readonly name: string;
  readonly options: AccountInboxOptions<RowsTransaction>;
  readonly tables: RelayTables;
  readonly store: RelayStore;
  readonly holder: LeaseHolder;
  /** The address that the service sees; its limits are by address. */
  readonly egress: string;
  /** Makes texts that are given once. */
  readonly newId: () => string;
  /** Pages have to be told of this invoice. */
  readonly changed: (invoiceId: string) => void;
}

/**
 * An account in a process: all that it has to do, for any process may do any of it. Nothing that
 * counts is in memory; what is kept here saves a query.
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
  /** The requests of all processes at this address, and of clients elsewhere that ask for it. */
  readonly counter: RateLimitCounter;
  /** When a signed delivery came, here or to another process. */
  #webhookAt: number = -Infinity;
  readonly #quoting: Shared<KeptQuote> = new Shared();
  /** When pages that read were last written to follow, monotonic. */
  readonly #followed: Map<string, number> = new Map();
  #feedAskedAt: number = -Infinity;
  readonly #events: Gathered<readonly ReceivedEvent[], readonly AddResult[]>;
  #notedAt: number = -Infinity;
  /** Ends when what came from a sandbox's world that has ended is forgotten. */
  #serving: Promise<void> = Promise.resolve();
  #draining: Promise<void> | undefined;
  #isAskedAgain: boolean = false;
  readonly #working: Shared<void> = new Shared();

  constructor(parts: AccountParts) {
    const { name, options, tables, store, holder, egress, newId, changed } = parts;
    const { client, secrets } = options;
    this.#parts = parts;
    this.#client = client;
    this.#clock = client[internals].clock;
    this.#report = reporterOf(options);
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
      keys: keysOf(secrets),
      fault: reportFaults(this.#report),
      drift: client[internals].settings.drift,
      store: { add: (events: readonly ReceivedEvent[]) => this.#add(events) },
      options: { clock: this.#clock },
    };
  }

  get inbox(): Pick<Inbox, 'status' | 'deadLetters' | 'redeliver'> | undefined {
    return this.#inbox;
  }

  /** Goes on from what other processes have noted; whoever needs the account waits for it. */
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
    await store.claimFeed(name, 0); // it is among the accounts from now on
    void this.#subscribe();
  }

  // The requests of pages.

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

  /** A database that failed is reported: the page is told only that it has to ask again. */
  async #forPage<T>(work: () => Promise<T>): Promise<T> {
    try {
      await this.start();
      return await work();
    } catch (thrown) {
      if (isPaystateError(thrown) || thrown instanceof Refused) throw thrown;
      this.#fail(thrown);
      throw new Refused(refusalBy('SERVICE_UNAVAILABLE', ASK_AGAIN));
    }
  }

  /** A page shows it; what is known of it. */
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

  /** A page without a socket reads again: until then checks read it for all. */
  async #followForRead(invoiceId: string): Promise<void> {
    const { name, store } = this.#parts;
    const now = this.#clock.monotonic();
    if (now < (this.#followed.get(invoiceId) ?? -Infinity) + READ_FOLLOWED_FOR / 2) return;
    if (this.#followed.size >= MOST_FOLLOWED) this.#followed.clear();
    this.#followed.set(invoiceId, now);
    await store.follow(name, [invoiceId], READ_FOLLOWED_FOR);
  }

  /** The code of all pages while enough of it is left; else a new one, made by one process. */
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

  /** Responds to a delivery: kept first, with others that come meanwhile by one write. */
  async handleWebhook(request: Request): Promise<Response> {
    if (!this.#receiving) return new Response(null, { status: 503 });
    const response = await receive(this.#receiving, request);
    if (response.status === 200) {
      void this.#noteWebhook();
      void this.drain();
    }
    return response;
  }

  // The due work.

  /** When the earliest thing is due that nobody has taken, milliseconds. */
  async nextDue(): Promise<number> {
    await this.start();
    return this.#parts.store.nextDue(this.#parts.name);
  }

  /** Work is under way. */
  get isBusy(): boolean {
    return this.#working.all.length > 0 || this.#draining !== undefined;
  }

  /** Does what is due now; each work once for all who ask meanwhile. Never rejects. */
  async work(): Promise<void> {
    await Promise.all([
      this.#alone('feed', () => this.#feed()),
      this.#alone('inbox', async () => void (await this.#inbox?.drain())),
      this.#alone('checks', () => this.#check()),
    ]);
  }

  /** Processes what the inbox has, a moment later; what comes meanwhile is in the next round. */
  drain(): Promise<void> {
    if (this.#draining) this.#isAskedAgain = true;
    this.#draining ??= this.#drain().finally(() => (this.#draining = undefined));
    return this.#draining;
  }

  /** Resolves when nothing is under way any more. */
  async settle(): Promise<void> {
    await Promise.allSettled([...this.#working.all, this.#draining]);
  }

  /** Each task by itself: none waits for another. */
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

  /** Resolves to whether it has told of everything; to nothing where it could not be read. */
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
      else if (!isPaystateError(thrown)) this.#fail(thrown); // else it is reported as `feed-late`
      return isRefused ? false : undefined;
    }
  }

  async #drain(): Promise<void> {
    try {
      do {
        await this.#clock.wait(GATHER);
        this.#isAskedAgain = false;
        await this.#inbox?.drain();
      } while (this.#isAskedAgain);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#report({ kind: 'store-failed', error });
  }

  /** Events that come while others are written are written together. */
  async #add(events: readonly ReceivedEvent[]): Promise<readonly AddResult[]> {
    await this.start();
    const ignores = ignoresCreations(this.#parts.options);
    const wanted = events.filter((event) => !ignores || !isCreation(event));
    this.#webhookAt = this.#clock.now();
    if (wanted.length === 0) return events.map(() => 'known');
    return this.#events.add(wanted);
  }

  async #addAll(
    groups: readonly (readonly ReceivedEvent[])[],
  ): Promise<readonly (readonly AddResult[])[]> {
    const added = [...(await this.#inboxStore.add(groups.flat()))];
    return groups.map((events) => added.splice(0, events.length));
  }

  /** The service is back: what pages show is read again. */
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
      await store.leaveQuote(name, invoiceId, holder.id).catch(() => {}); // its turn ends by itself
      throw thrown;
    }
  }

  /**
   * What nobody knows costs the page a code, also where it is not there. Resolves to whether it is
   * kept now: not where the share of reads is spent.
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
    const options = { reason: 'a code for pages', queueTimeout: PLACE_WAIT };
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
      if (isOther && kept !== id) await store.forgetService(name); // else another process did
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
      // the next start tries again
    }
  }

  /**
   * Waits for the turn to find or make the subscription: two processes that find none at the same
   * time would make two, and each delivery would come twice.
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

/** Deliveries of one write. */
const MOST_TOGETHER = 50;

/** True if an order has this invoice, found for many by one query. */
function isOrderedIn(store: RelayStore, account: string): (invoiceId: string) => Promise<boolean> {
  const ordered = new GatheredRows(async (ids) => {
    const found = await store.findOrdered(account, ids);
    return new Map([...found].map((id) => [id, true]));
  });
  return async (invoiceId) => (await ordered.get(invoiceId)) === true;
}
