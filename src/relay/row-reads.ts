import {
  basePeriod,
  blockedFor,
  type Connection,
  internals,
  countPlaces,
  type Priority,
  withPriority,
} from '../core/http/index.ts';
import { within } from '../core/time.ts';
import { applyRead } from '../resources/held-state.ts';
import { type Invoice, invoiceStates, resource } from '../resources/invoices.ts';
import { getLearnedCapabilities } from '../resources/service-facts.ts';
import { GatheredReads, readMany } from '../webhooks/reads.ts';
import { type AccountContract, refusalBy, toRefusal, Refused } from './calls.ts';
import { readInvoice, readKey, withoutPayments, type ServiceOutage } from './service-requests.ts';
import { Shared } from './gathered.ts';
import { type FairQueue, SharedTurns } from './limits.ts';
import type { CheckResult, DueCheck, HeldFacts, InvoiceRow, RelayStore } from './relay-store.ts';
import { INVOICE_MEMBERS, pickMembers } from './tokens.ts';

/** The fraction of the rate limit for event-triggered reads of invoices without an order. */
const STRANGERS = 1 / 10;
/** The fraction of the rate limit for invoice checks that weren't triggered by an event. */
const CHECKS = 0.3;
/** The fraction of the rate limit for reads of payments that no page has requested. */
const PAYMENTS = 1 / 5;
/** How long an update about a paid invoice can be delayed to read its payments, in milliseconds. */
const PAYMENTS_WITHIN = 1_000;
/**
 * The maximum age of a stored invoice that's returned to a page while webhooks report changes, in
 * milliseconds.
 */
const KNOWN_FOR = 45_000;
/**
 * How long a process may take to read an invoice for a page, in milliseconds. Meanwhile, other
 * processes poll for the result.
 */
const READ_TURN = 5_000;
const ASK_EVERY = 200;
/** The delay until the next check after a page has read an invoice, in milliseconds. */
const CHECK_AFTER_READ = 2_000;
/** The time within which checks read each followed invoice, in milliseconds. */
const CHECKED_WITHIN = 30_000;
/** The maximum number of attempts to store a read while other processes write the same row. */
const MOST_TRIES = 20;

type PageRead = AccountContract['read']['request'];
/** Sends a request, unless the service was unavailable a moment ago. */
type Asking = ServiceOutage['ask'];

interface ReadingParts {
  readonly client: Connection;
  readonly store: RelayStore;
  readonly account: string;
  readonly process: string;
  readonly queue: FairQueue;
  /**
   * Rate-limit slots for reads of orders after events. A lease takes a slot in the same
   * transaction.
   */
  readonly eventTurns: SharedTurns;
  readonly outage: ServiceOutage;
  /** Called if the stored value has changed and must be sent to pages. */
  readonly changed: (invoiceId: string) => void;
  readonly isTold: () => boolean;
  /** Returns whether the invoice belongs to an order. Such invoices are read first. */
  readonly isFirst: (invoiceId: string) => Promise<boolean>;
  /** Resolves once the data of a previous sandbox has been deleted. */
  readonly settled: () => Promise<void>;
  /** Called if a read couldn't be stored. A later read corrects that. */
  readonly failed: (error: unknown) => void;
}

/** Reads an account's invoices for events, checks and pages, and stores them in the database. */
export class RowReads {
  readonly #parts: ReadingParts;
  readonly #orders: GatheredReads<Invoice>;
  readonly #others: GatheredReads<Invoice>;
  readonly #checks: GatheredReads<Invoice>;
  readonly #payments: SharedTurns;
  /**
   * When each invoice was last read with its payments. This is only kept in memory, so a restart
   * costs one more read.
   */
  readonly #wholeAt: Map<string, number> = new Map();
  readonly #pageReads: Shared<InvoiceRow> = new Shared();
  /** The payment reads in progress, by invoice, so that concurrent callers can share them. */
  readonly #paymentReads: Shared<Invoice | undefined> = new Shared();

  constructor(parts: ReadingParts) {
    this.#parts = parts;
    const makeTurns = (kind: string, part: number, priority: Priority) =>
      new SharedTurns(parts.client, parts.store, parts.account, { kind, part, priority });
    const { eventTurns, outage } = parts;
    const asked: Asking = async (request) => request({});
    this.#orders = this.#gather(eventTurns, 'high', 'events', asked);
    this.#others = this.#gather(makeTurns('strangers', STRANGERS, 'low'), 'low', 'events', asked);
    // checks also find out whether the service is available again for pages
    const asking: Asking = (request) => outage.ask(request);
    this.#checks = this.#gather(makeTurns('checks', CHECKS, 'low'), 'low', 'checks', asking);
    this.#payments = makeTurns('payments', PAYMENTS, 'low');
  }

  /** Reads an invoice for its event. The request is always sent after this call. */
  async readForEvent(invoiceId: string): Promise<Invoice> {
    const isFirst = await this.#parts.isFirst(invoiceId);
    return (isFirst ? this.#orders : this.#others).read(invoiceId);
  }

  check(invoiceId: string): Promise<Invoice> {
    return this.#checks.read(invoiceId);
  }

  /**
   * Returns the stored invoice if it's recent enough. Otherwise reads it. Concurrent callers share
   * the read.
   */
  readForPage(asked: PageRead): Promise<InvoiceRow> {
    const key = readKey(asked.invoiceId, asked.includeTransactions);
    return this.#pageReads.run(key, () => this.#readForPage(asked));
  }

  async row(invoiceId: string): Promise<InvoiceRow | undefined> {
    const { store, account } = this.#parts;
    return (await store.invoices(account, [invoiceId]))[0];
  }

  /** Stores invoices from a request sent at `sentAt`, and notifies pages of changes. */
  async keep(values: readonly Invoice[], sentAt: number): Promise<void> {
    const { store, account, settled } = this.#parts;
    await settled();
    const rows = new Map(
      (
        await store.invoices(
          account,
          values.map((one) => one.invoiceId),
        )
      ).map((row) => [row.invoiceId, row]),
    );
    const same: Invoice[] = [];
    const others: Invoice[] = [];
    for (const value of values) {
      const row = rows.get(value.invoiceId);
      (row && isKept(row, value) ? same : others).push(value);
    }
    await Promise.all([
      this.#confirm(same, sentAt),
      ...others.map((value) => this.#keepOne(value, sentAt)),
    ]);
  }

  get #now(): number {
    return this.#parts.client[internals].clock.now();
  }

  #gather(
    turns: SharedTurns,
    priority: Priority,
    occasion: string,
    ask: Asking,
  ): GatheredReads<Invoice> {
    const client = withPriority(this.#parts.client, priority);
    const many = async (ids: readonly string[]) => {
      const sentAt = this.#now;
      const found = await ask((tries) =>
        readMany(client, resource.watch.list!, resource.idOf, ids, occasion, tries),
      );
      this.keep([...found.values()], sentAt).catch(this.#parts.failed);
      return found;
    };
    const reason = occasion === 'checks' ? 'a check' : 'an event';
    const one = async (id: string) => {
      const sentAt = this.#now;
      const read = await ask((tries) =>
        readInvoice(client, id, { reason, extent: undefined, priority, ...tries }),
      );
      this.keep([read], sentAt).catch(this.#parts.failed);
      return read;
    };
    return new GatheredReads(client, { one, many }, turns);
  }

  #isKnown(row: InvoiceRow, extent: true | undefined): boolean {
    const { isTold, client } = this.#parts;
    const { invoiceId, seen, announced, since } = row;
    const period = basePeriod(client);
    if (extent) return this.#now - (this.#wholeAt.get(invoiceId) ?? -Infinity) < period;
    const age = this.#now - seen;
    // checks read the invoice as often as a page without a socket would read it
    const isChecked = since < this.#now - OFTEN && age < period + OFTEN;
    return age < period || isChecked || (announced === 0 && isTold() && age < KNOWN_FOR);
  }

  #noteWhole(invoiceId: string, sentAt: number): void {
    this.#wholeAt.delete(invoiceId);
    this.#wholeAt.set(invoiceId, sentAt);
    const old = this.#now - basePeriod(this.#parts.client);
    for (const [id, at] of this.#wholeAt) {
      if (at > old) break;
      this.#wholeAt.delete(id);
    }
  }

  /**
   * Waits until another process has read the invoice. Returns `undefined` if it takes too long.
   */
  async #readByAnother(invoiceId: string): Promise<InvoiceRow | undefined> {
    const { clock } = this.#parts.client[internals];
    const end = clock.monotonic() + READ_TURN / 2;
    while (clock.monotonic() < end) {
      await clock.wait(ASK_EVERY);
      const row = await this.row(invoiceId);
      if (row && this.#isKnown(row, undefined)) return row;
    }
    return undefined;
  }

  async #readForPage(asked: PageRead): Promise<InvoiceRow> {
    const { invoiceId, includeTransactions: extent, visitor } = asked;
    const { store, account, process, outage, queue, client } = this.#parts;
    const kept = await this.row(invoiceId);
    if (kept && this.#isKnown(kept, extent)) return kept;
    if (!(await store.claimRead(account, invoiceId, process, READ_TURN)) && !extent) {
      const other = await this.#readByAnother(invoiceId);
      if (other) return other;
    }
    const options = { reason: 'a page asks', extent, priority: 'normal' } as const;
    let checkIn: number | undefined;
    try {
      const { read, sentAt } = await outage.ask(async (tries) => {
        await queue.take('read', { id: invoiceId, visitor });
        const sentAt = this.#now;
        return { sentAt, read: await readInvoice(client, invoiceId, { ...options, ...tries }) };
      });
      checkIn = CHECK_AFTER_READ;
      if (extent) this.#noteWhole(invoiceId, sentAt);
      return await this.#keepOne(read, sentAt);
    } catch (thrown) {
      if (extent) throw thrown;
      return this.#fromCheck(thrown, await this.row(invoiceId));
    } finally {
      store.endChecks(account, process, [{ invoiceId, checkIn }]).catch(this.#parts.failed);
    }
  }

  /**
   * If the rate limit for pages is used up, returns the value from the last check, or refuses until
   * the next check. This only works if the service hasn't blocked us, because checks stop in that
   * case.
   */
  #fromCheck(thrown: unknown, kept: InvoiceRow | undefined): InvoiceRow {
    const { client } = this.#parts;
    const { code, wait = Infinity } = toRefusal(thrown, this.#now);
    const isSpent = code === 'RATE_LIMIT_EXCEEDED' && wait > CHECKED_WITHIN;
    const isFollowed = kept !== undefined && kept.since < Infinity;
    if (!isSpent || blockedFor(client, 'others') > 0 || !isFollowed) throw thrown;
    if (kept.announced > 0 || this.#now - kept.seen > CHECKED_WITHIN)
      throw new Refused(refusalBy('RATE_LIMIT_EXCEEDED', CHECKED_WITHIN));
    return kept;
  }

  /**
   * Merges a read result into the stored invoice. Starts over if another process has written in
   * between.
   */
  async #keepOne(read: Invoice, sentAt: number): Promise<InvoiceRow> {
    const { store, account, client, changed, settled } = this.#parts;
    const { invoiceId, state } = read;
    await settled();
    let value = read;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const row = await this.row(invoiceId);
      const before = row && { ...row.held, value: row.value };
      const receivedAt = client[internals].clock.now();
      const { held } = applyRead(invoiceStates, before, { value, state, sentAt, receivedAt });
      const isTaken = held.value === value;
      if (isTaken && tries === 0 && row) value = await this.#withPayments(value, row);
      const shown = isTaken ? chooseShown(value, row) : row!.value;
      const unconfirmed = held.contradiction?.state;
      const isNews =
        !row ||
        unconfirmed !== row.unconfirmed ||
        JSON.stringify(shown) !== JSON.stringify(row.value);
      const asOf = isTaken ? sentAt : row!.asOf;
      const write = { asOf, value: shown, held: pickFacts(held), unconfirmed, isNews };
      if (!(await store.writeInvoice(account, invoiceId, row?.revision ?? 0, write))) continue;
      if (isTaken) await this.#confirm([value], sentAt);
      if (isNews) changed(invoiceId);
      return (await this.row(invoiceId))!;
    }
    throw new Refused(refusalBy('PROCESSING_CONFLICT'));
  }

  async #confirm(values: readonly Invoice[], sentAt: number): Promise<void> {
    const { store, account } = this.#parts;
    const list = values.map(({ invoiceId, state }) => ({
      invoiceId,
      mayLag: invoiceStates.rank(state) === 0,
    }));
    await store.confirm(account, sentAt, list);
  }

  /** Adds the payments to a paid invoice that pages show, if they can be read in time. */
  async #withPayments(value: Invoice, row: InvoiceRow): Promise<Invoice> {
    const isWanted = value.state === 'PAID' && row.since < Infinity && !value.transactions;
    if (!isWanted || (row.value.state === 'PAID' && row.value.transactions)) return value;
    const { clock } = this.#parts.client[internals];
    const read = await within(
      clock,
      PAYMENTS_WITHIN,
      this.#paymentReads.run(value.invoiceId, () => this.#readPayments(value)),
    );
    return read?.state === value.state ? read : value;
  }

  async #readPayments({ invoiceId }: Invoice): Promise<Invoice | undefined> {
    const asked = { reason: 'payments of the invoice', extent: true, priority: 'low' } as const;
    try {
      // if many invoices are paid at the same time, their events are read first
      if (!(await this.#payments.takeNow())) return undefined;
      return await readInvoice(this.#parts.client, invoiceId, asked);
    } catch {
      return undefined;
    }
  }
}

/** Returns the invoice as pages see it, with the payments that were read in the same state. */
function chooseShown(value: Invoice, row: InvoiceRow | undefined): Invoice {
  const kept = row?.value.state === value.state ? row.value.transactions : undefined;
  const whole = { ...value, transactions: value.transactions ?? kept };
  return pickMembers({ ...whole, created: chooseCreated(value, row?.value) }, INVOICE_MEMBERS);
}

/**
 * Returns the stored creation time if it denotes the same time. The service formats it with six or
 * seven fractional digits.
 */
function chooseCreated({ created }: Invoice, kept: Invoice | undefined): string {
  const apart = Math.abs(Date.parse(created) - Date.parse(kept?.created ?? ''));
  return kept && apart < 1_000 ? kept.created : created;
}

function isKept(row: InvoiceRow, read: Invoice): boolean {
  if (row.unconfirmed !== undefined || row.value.state !== read.state) return false;
  return JSON.stringify(chooseShown(withoutPayments(read), row)) === JSON.stringify(row.value);
}

function pickFacts({ state, sentAt, since, contradiction, left }: HeldFacts): HeldFacts {
  return { state, sentAt, since, contradiction, left };
}

/** How long a process may take for a check, in milliseconds. It's longer than a read can take. */
const TURN = 40_000;
/** The time after the page opens within which most customers pay, in milliseconds. */
const FRESH_FOR = 60_000;
/** The interval between checks if no webhooks arrive, in milliseconds. */
const OFTEN = 2_000;
/**
 * The interval between checks if webhooks work, followed by the interval for settled invoices, both
 * in milliseconds.
 */
const SELDOM = 25_000;
const SETTLED = 60_000;
/** The delay after a failed check, in milliseconds. */
const AGAIN = 10_000;
/** How soon a webhook must arrive after a check finds a change, in milliseconds. */
const TOLD_WITHIN = 2_000;
/** How long webhooks aren't relied on after one failed to arrive, in milliseconds. */
const UNTOLD = 600_000;
const PART = 0.3;
/** How long the number of followed invoices is cached, in milliseconds. */
const COUNTED_FOR = 5_000;

interface CheckParts {
  readonly client: Connection;
  readonly store: RelayStore;
  readonly account: string;
  readonly process: string;
  readonly reads: RowReads;
  readonly isHooked: boolean;
  /** Returns whether a webhook has arrived recently. */
  readonly isTold: () => boolean;
  readonly failed: (error: unknown) => void;
}

/**
 * Reads the invoices that pages show, in case no webhook reports a change. Each invoice has its own
 * schedule. The interval depends on the number of invoices and on the rate limit.
 */
export class Checks {
  readonly #parts: CheckParts;
  #count: { readonly at: number; readonly count: number } = { at: -Infinity, count: 0 };
  /** The end of the period in which webhooks aren't relied on, on the monotonic clock. */
  #watchUntil: number = -Infinity;

  constructor(parts: CheckParts) {
    this.#parts = parts;
  }

  /** Runs the due checks that fit into one list. Resolves to whether there may be more. */
  async work(): Promise<boolean> {
    const { store, account, process, client } = this.#parts;
    const learned = getLearnedCapabilities(client);
    const limit = learned.capabilities.list ? learned.widthFor(Infinity) : 1;
    const due = await store.takeChecks(account, process, limit, TURN);
    if (due.length === 0) return false;
    await store.drop(
      account,
      due.filter(({ isOld }) => isOld).map(({ invoiceId }) => invoiceId),
    );
    const results = await this.#check(due.filter(({ isOld }) => !isOld));
    await store.endChecks(account, process, results);
    return due.length === limit;
  }

  get #now(): number {
    return this.#parts.client[internals].clock.now();
  }

  async #check(due: readonly DueCheck[]): Promise<readonly CheckResult[]> {
    const { store, account, reads } = this.#parts;
    const ids = due.map(({ invoiceId }) => invoiceId);
    const rows = await store.invoices(account, ids);
    const before = new Map(rows.map((row) => [row.invoiceId, row.value.state]));
    const news: string[] = [];
    const checkOne = async (check: DueCheck): Promise<CheckResult> => {
      const { invoiceId, isOver } = check;
      if (isOver) return { invoiceId, checkIn: SETTLED };
      try {
        const { state } = await reads.check(invoiceId);
        const known = before.get(invoiceId);
        const isNews = known !== undefined && known !== state;
        if (isNews) news.push(invoiceId);
        // a state that hasn't been accepted yet is read again, even if it's a settled state
        const isSettled = invoiceStates.isSettled(state) && !isNews;
        return { invoiceId, checkIn: await this.#nextIn(check, isSettled) };
      } catch (thrown) {
        const { status, wait = 0 } = toRefusal(thrown, this.#now);
        const isGone = status === 404 && !before.has(invoiceId);
        return { invoiceId, checkIn: isGone ? SELDOM : Math.max(AGAIN, Math.min(wait, SELDOM)) };
      }
    };
    const results = await Promise.all(due.map(checkOne));
    if (news.length > 0) this.#awaitWebhooks(news).catch(this.#parts.failed);
    return results;
  }

  async #nextIn({ followedFor }: DueCheck, isSettled: boolean): Promise<number> {
    const { client, isHooked, isTold } = this.#parts;
    const now = client[internals].clock.monotonic();
    const isWatched = !isHooked || now < this.#watchUntil;
    const lists = Math.ceil(
      (await this.#countFollowed(now)) / getLearnedCapabilities(client).width,
    );
    const { places, window } = countPlaces(client, 'others', 'low');
    const apart = window / (places * PART);
    if (isSettled) return Math.max(SETTLED, lists * apart);
    const isFresh = followedFor < FRESH_FOR && (lists <= 1 || !isTold());
    const isOften = isWatched || isFresh;
    return isOften ? Math.max(OFTEN, (lists - 1) * apart) : Math.max(SELDOM, lists * apart);
  }

  async #countFollowed(now: number): Promise<number> {
    const { store, account } = this.#parts;
    if (now >= this.#count.at + COUNTED_FOR)
      this.#count = { at: now, count: await store.countFollowed(account) };
    return this.#count.count;
  }

  /**
   * Waits for the webhooks of changes that checks have found. If one doesn't arrive, webhooks
   * aren't relied on for a while.
   */
  async #awaitWebhooks(invoiceIds: readonly string[]): Promise<void> {
    const { client, store, account } = this.#parts;
    const { clock } = client[internals];
    const since = clock.now() - FRESH_FOR;
    await clock.wait(TOLD_WITHIN);
    for (const id of invoiceIds)
      if (!(await store.hasEvent(account, `invoice:${id}`, since)))
        this.#watchUntil = clock.monotonic() + UNTOLD;
  }
}
