import { badInput } from '../core/errors/index.ts';
import { type CallOptions, type Connection, send } from '../core/http/index.ts';
import { anyOf, type Condition, type List, type ListOptions, PAGE } from '../core/lists/index.ts';
import { type Clock, ticksOf } from '../core/time.ts';
import { type Observer, sameContent, type Watch, watchOf } from '../core/watch.ts';
import type { WatchSource, WatchStatus, Work } from '../core/watch.ts';
import { type Deposit, list as listDeposits, resource as deposits } from '../resources/deposits.ts';
import {
  type Invoice,
  type InvoiceFilter,
  list as listInvoices,
  resource as invoices,
  whereInvoice,
} from '../resources/invoices.ts';
import { list as listPayouts, type Payout, resource as payouts } from '../resources/payouts.ts';
import {
  type AllReceivesFilter,
  listAllReceives,
  type Receive,
  type Receives,
  receives,
} from '../resources/receive-requests.ts';
import { idKey, type ListRows, type Watchable } from '../resources/resource.ts';
import { LAG_MS } from '../resources/service-facts.ts';
import { announce, applyProvided, applyValue, confirm } from './apply.ts';
import { type AnyEntry, newEntry } from './entry.ts';
import type { EmptySnapshot, KnownSnapshot, Snapshot } from './snapshot.ts';
import { sourceOf } from './watch-one.ts';

/** The rows of a list, how far they can be trusted, and what has changed. */
export interface KnownListSnapshot<T>
  extends Pick<KnownSnapshot<T>, 'asOf' | 'freshness' | 'error' | 'pending'> {
  /**
   * The rows. The same array while none of them changes, and a row that does not change is the same
   * object.
   */
  readonly items: readonly T[];
  /**
   * Ids of rows that the snapshot before did not have. Like `changed` and `removed` it is empty in the
   * first snapshot with rows, and where only the freshness has changed.
   */
  readonly added: readonly string[];
  /** Ids of rows that are different from those of the snapshot before. */
  readonly changed: readonly string[];
  /** Ids of rows that only the snapshot before has. */
  readonly removed: readonly string[];
}

/** No row is known yet, and why. */
export interface EmptyListSnapshot
  extends Pick<EmptySnapshot, 'asOf' | 'freshness' | 'error' | 'pending'> {
  /** Absent: nothing was read yet. */
  readonly items?: undefined;
  /** Absent: nothing was read yet. */
  readonly added?: undefined;
  /** Absent: nothing was read yet. */
  readonly changed?: undefined;
  /** Absent: nothing was read yet. */
  readonly removed?: undefined;
}

/**
 * What a list has now, and how fresh that is. Emitted when a row, the order of the rows, the
 * freshness, the error's code or `pending` changes. While nothing is known, `items` is absent.
 */
export type ListSnapshot<T> = KnownListSnapshot<T> | EmptyListSnapshot;

/** Options of every live list. */
export interface ListWatchOptions {
  /** The number of rows at most, 1 to 1,000; 100 when absent. Each hundred takes a request a read. */
  readonly limit?: number | undefined;
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a live list of invoices. */
export interface InvoiceListWatchOptions extends ListWatchOptions {
  /** Order by time of creation; `desc`, the newest first, when absent. */
  readonly order?: 'asc' | 'desc' | undefined;
}

/**
 * Watches a list of invoices: its rows, how fresh they are, and what has changed since the snapshot
 * before. Nothing is sent before the first subscriber; watches of the same list share their reads.
 * Never completes by itself. A row of which this client is told by a call of its own, a relay or
 * another watch is shown so at once; where the condition does not hold for it any more it leaves
 * the list, and where it begins to hold it enters. `GET /v1/invoices` (documented).
 *
 * @param condition as `client.invoices.list` takes it
 * @throws InputError for an invalid date, `limit` or `order` · through `error`: RefusedError when the
 * service refuses to show the list, AuthenticationError when the credential has ended
 * @example
 * const watch = watchInvoices(client, { state: 'UNPAID' }, { limit: 50 });
 * const stop = watch.subscribe(({ items = [], freshness }) => console.log(items.length, freshness));
 * stop();
 */
export function watchInvoices(
  client: Connection,
  condition: InvoiceFilter | Condition<'invoice'> = {},
  { order = 'desc', ...options }: InvoiceListWatchOptions = {},
): Watch<ListSnapshot<Invoice>> {
  listInvoices(client, condition, { order }); // refuses by the names of the filter; nothing is sent
  return watchList<Invoice>(client, options, {
    type: invoices,
    condition: conditionOf(condition),
    order,
    list: (connection, more) => listInvoices(connection, condition, { ...more, order }),
  });
}

/**
 * Watches the list of payouts, as `watchInvoices` does. The service can neither filter nor order
 * them: these are the first `limit` in the order of its list. `GET /v1/payouts` (documented).
 *
 * @throws InputError for an invalid `limit`, and for an `order` · through `error`: RefusedError when
 * the service refuses to show the list, AuthenticationError when the credential has ended
 * @example
 * const watch = watchPayouts(client);
 * const stop = watch.subscribe(({ items = [] }) => console.log(items.map(({ state }) => state)));
 * stop();
 */
export function watchPayouts(
  client: Connection,
  options: ListWatchOptions = {},
): Watch<ListSnapshot<Payout>> {
  return watchList<Payout>(client, options, { type: payouts, list: listPayouts });
}

/**
 * Watches the list of deposits, as `watchInvoices` does. The service can neither filter nor order
 * them: these are the first `limit` in the order of its list. No event tells of a deposit that was
 * made elsewhere: it enters with the next read. `GET /v1/deposits` (documented).
 *
 * @throws InputError for an invalid `limit`, and for an `order` · through `error`: RefusedError when
 * the service refuses to show the list, AuthenticationError when the credential has ended
 * @example
 * const watch = watchDeposits(client);
 * const stop = watch.subscribe(({ items = [] }) => console.log(items.map(({ state }) => state)));
 * stop();
 */
export function watchDeposits(
  client: Connection,
  options: ListWatchOptions = {},
): Watch<ListSnapshot<Deposit>> {
  return watchList<Deposit>(client, options, { type: deposits, list: listDeposits });
}

/**
 * Watches the receives of all receive requests, as `watchInvoices` does. The service cannot order
 * them: these are the first `limit` in the order of its list.
 * `GET /v1/receive-requests/receives` (documented).
 *
 * @param filter as `client.receiveRequests.listAllReceives` takes it
 * @throws InputError for an invalid `limit`, and for an `order` · through `error`: RefusedError when
 * the service refuses to show the list, AuthenticationError when the credential has ended
 * @example
 * const watch = watchAllReceives(client);
 * const stop = watch.subscribe(({ items = [] }) => console.log(items.map(({ state }) => state)));
 * stop();
 */
export function watchAllReceives(
  client: Connection,
  filter: AllReceivesFilter = {},
  options: ListWatchOptions = {},
): Watch<ListSnapshot<Receive>> {
  return watchList<Receive>(client, options, {
    type: receives,
    filter,
    list: (connection, more) => listAllReceives(connection, filter, more),
  });
}

/** Most rows of a live list: ten requests a read. */
const MAX_LIMIT = 1_000;

/** A list, and how its rows are read. */
interface ListPlan<T> {
  readonly type: Watchable<T>;
  /** Whether a row belongs to the list; absent where all do. */
  readonly condition?: Pick<Condition<string>, 'text' | 'matches'> | undefined;
  /** Another filter, which no row can begin or cease to meet. */
  readonly filter?: object;
  /** Absent where the service has no order. */
  readonly order?: 'asc' | 'desc';
  list(connection: Connection, options: ListOptions): List<T>;
}

/** The same condition for the service and for rows that this client is told of. */
function conditionOf(
  given: InvoiceFilter | Condition<'invoice'>,
): Condition<'invoice'> | undefined {
  const { state, correlationId, createdAfter, createdBefore, text } = given as InvoiceFilter &
    Partial<Condition<'invoice'>>;
  if (text !== undefined) return given as Condition<'invoice'>;
  const terms: Condition<'invoice'>[] = [];
  whereInvoice((f) => {
    if (state !== undefined) terms.push(f.state.eq(state));
    if (correlationId !== undefined) terms.push(f.correlationId.eq(correlationId));
    if (createdAfter !== undefined) terms.push(f.created.gt(createdAfter));
    if (createdBefore !== undefined) terms.push(f.created.lt(createdBefore));
    return terms[0]!;
  });
  return terms.length === 0 ? undefined : terms.reduce((a, b) => a.and(b));
}

function watchList<T>(
  client: Connection,
  { limit = PAGE, signal, ...rest }: ListWatchOptions,
  plan: ListPlan<T>,
): Watch<ListSnapshot<T>> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw badInput(
      'limit',
      `must be a whole number from 1 to ${MAX_LIMIT}: all rows are read again and again`,
    );
  plan.list(client, rest); // refuses what the list does not take; nothing is sent
  const { condition, filter, order, type } = plan;
  let book: Book | undefined;
  const listType: Watchable<readonly T[]> = {
    name: `${type.name} list`,
    events: type.events,
    idOf: () => id,
    stateOf: () => '', // the rows have states
    read: (connection, _id, options) => book!.read(connection, options) as Promise<readonly T[]>,
    watch: {
      wokenBy: 'events',
      shape: { schema: undefined, read: (given) => given as readonly T[] },
      openRows: (clock) => (book = new Book(plan, limit, clock)),
    },
  };
  const id = JSON.stringify([condition?.text ?? filter, order, limit]);
  const source = sourceOf(client, listType, id, { signal });
  return watchOf(new ListSource(source, type));
}

/** Turns the snapshots of a list into those that say what has changed. */
class ListSource<T> implements WatchSource<ListSnapshot<T>> {
  readonly #source: WatchSource<Snapshot<readonly T[]>>;
  readonly #type: Watchable<T>;
  #last: { readonly from: Snapshot<readonly T[]>; readonly to: ListSnapshot<T> } | undefined;

  constructor(source: WatchSource<Snapshot<readonly T[]>>, type: Watchable<T>) {
    this.#source = source;
    this.#type = type;
  }

  get clock(): Clock {
    return this.#source.clock;
  }

  status(): WatchStatus {
    return this.#source.status();
  }

  start(to: Observer<ListSnapshot<T>>): Work {
    const inner: Observer<Snapshot<readonly T[]>> = {
      next: (snapshot) => to.next(this.#show(snapshot)),
      error: (reason) => to.error(reason),
      complete: () => to.complete(),
    };
    return this.#source.start(inner, this.#last!.from); // `idle` has set it
  }

  idle(): ListSnapshot<T> {
    return this.#show(this.#source.idle(this.#last?.from));
  }

  #show(from: Snapshot<readonly T[]>): ListSnapshot<T> {
    const last = this.#last;
    if (last?.from === from) return last.to;
    const { value: items, asOf, freshness, error, pending } = from;
    const to: ListSnapshot<T> =
      items === undefined
        ? { freshness, ...(error && { error }) }
        : { items, asOf, freshness, error, pending, ...this.#compare(last?.to.items, items) };
    this.#last = { from, to };
    return to;
  }

  /** Which rows were added, changed and removed; none where there was no list before. */
  #compare(before: readonly T[] | undefined, now: readonly T[]) {
    const keyed = (rows: readonly T[]) => new Map(rows.map((row) => [this.#type.idOf(row), row]));
    const [old, current] = [keyed(before ?? now), keyed(now)];
    const ids = [...current.keys()];
    return {
      added: ids.filter((id) => !old.has(id)),
      changed: ids.filter((id) => old.has(id) && old.get(id) !== current.get(id)),
      removed: [...old.keys()].filter((id) => !current.has(id)),
    };
  }
}

/** A row that a list holds, or held, or that is known to be none of it. */
interface Row {
  /** What is known of it: a row is held by the same rules as a resource that is watched. */
  readonly entry: AnyEntry;
  isIn: boolean;
  /** The latest read of the list did not have it, and may come from a copy without it. */
  isMissing: boolean;
  /** When the list ceased to have it, and its state then. */
  gone?: { readonly at: number; readonly state: string } | undefined;
  /** When a read has to settle what is open about it. */
  againAt: number;
}

/** Rows that a read of the list is missing are asked for by their ids, so many at most. */
const MAX_MISSING = 15;

/**
 * The rows of one list. Which state of a row is believed is decided row by row; which rows the list
 * has is what the latest read says, but for what a copy of the data that lags cannot know.
 */
class Book implements ListRows {
  readonly type: Watchable<unknown>;
  isPending: boolean = false;
  isUnsure: boolean = false;
  readonly #plan: ListPlan<unknown>;
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #rows: Map<string, Row> = new Map();
  /** Keys of the rows of the latest read, in its order. */
  #order: readonly string[] = [];
  /** The service may have more rows than the list shows. */
  #isFull: boolean = false;
  #readSentAt: number = -Infinity;
  /** What was handed in decided on a row, and no read has confirmed that. */
  #isUnread: boolean = false;
  /** Rows that were shown before the first read, by key: what did not change is the same object. */
  #kept: ReadonlyMap<string, unknown> = new Map();
  /** What was announced before the first read, by key. */
  readonly #heard: Map<string, number> = new Map();
  /** From when on no copy can hide the first, and the last, of the announced changes. */
  #surelyAt: number = Infinity;
  #lastSurelyAt: number = -Infinity;

  constructor(plan: ListPlan<unknown>, limit: number, clock: Clock) {
    this.#plan = plan;
    this.type = plan.type;
    this.#limit = limit;
    this.#clock = clock;
  }

  get requests(): number {
    return Math.ceil(this.#limit / PAGE);
  }

  /** Reads the list, and what a copy that lags may be missing of it. */
  async read(connection: Connection, options: CallOptions): Promise<readonly unknown[]> {
    const sentAt = this.#clock.monotonic();
    const pageSize = Math.min(this.#limit, PAGE);
    const list = this.#plan.list(connection, { ...options, pageSize });
    const values = await list.toArray({ limit: this.#limit });
    const keys = new Set(values.map((value) => this.#keyOf(value)));
    const missing = [...this.#rows].filter(
      ([key, row]) => !keys.has(key) && this.#isMissing(row, values, sentAt),
    );
    const { list: byId } = this.type.watch;
    if (!byId || missing.length === 0) return values;
    const ids = missing.slice(0, MAX_MISSING).map(([key]) => key);
    const where = { filter: anyOf(byId.id, ids), top: PAGE };
    const askedAt = this.#clock.monotonic();
    const { items } = await send(connection, byId.endpoint, { where }, options);
    for (const value of items) this.#learn(value, askedAt);
    return values;
  }

  take(
    read: unknown,
    sentAt: number,
    before: unknown,
  ): { readonly rows: readonly unknown[]; readonly againAt: number } {
    const values = read as readonly unknown[];
    const isFirst = this.#readSentAt === -Infinity;
    if (isFirst) this.#keep(before as readonly unknown[] | undefined);
    if (sentAt < this.#readSentAt) for (const value of values) this.#hold(value, sentAt);
    else this.#takeWhole(values, sentAt, isFirst);
    const rows = this.#show(before);
    this.#prune();
    return { rows, againAt: this.#againAt(sentAt) };
  }

  #takeWhole(values: readonly unknown[], sentAt: number, isFirst: boolean): void {
    this.#readSentAt = sentAt;
    this.#isFull = values.length >= this.#limit;
    this.#isUnread = false;
    this.#order = values.map((value) => this.#keyOf(value));
    const listed = new Set(this.#order);
    for (const value of values) this.#enter(value, sentAt, isFirst);
    for (const [key, row] of this.#rows) if (!listed.has(key)) this.#miss(row, values, sentAt);
    this.#heard.clear();
    this.#kept = new Map();
    if (sentAt >= this.#surelyAt)
      this.#surelyAt = this.#lastSurelyAt > sentAt ? this.#lastSurelyAt : Infinity;
  }

  /** A row that the read has: the service says that it fits, unless something newer is known. */
  #enter(value: unknown, sentAt: number, isFirst: boolean): void {
    const row = this.#hold(value, sentAt);
    const { entry, gone } = row;
    const { state, value: held } = entry.held!;
    const wasIn = row.isIn;
    const isAsRead = state === this.type.stateOf(value);
    row.isIn = isAsRead ? !isBack(row, sentAt) : this.#fits(held);
    row.isMissing = false;
    if (!row.isIn && isAsRead) row.againAt = gone!.at + LAG_MS;
    if (row.isIn) row.gone = undefined;
    // that it is here now answers for a change that is announced later
    if (row.isIn && !wasIn && !isFirst) entry.movedAt ??= this.#clock.monotonic();
  }

  /** A row that the read does not have. */
  #miss(row: Row, values: readonly unknown[], sentAt: number): void {
    const { held } = row.entry;
    row.isMissing = this.#isMissing(row, values, sentAt);
    if (row.isMissing) row.againAt = held!.since + LAG_MS;
    if (!row.isIn || row.isMissing || held!.sentAt >= sentAt) return;
    row.isIn = false;
    if (!this.#isPushedOut(row, values))
      row.gone = { at: this.#clock.monotonic(), state: held!.state };
  }

  /** A copy that lags may not have this row yet. */
  #isMissing(row: Row, values: readonly unknown[], sentAt: number): boolean {
    const { held } = row.entry;
    const isYoung = row.isIn && held!.sentAt < sentAt && sentAt < held!.since + LAG_MS;
    return isYoung && !this.#isPushedOut(row, values);
  }

  /** Others take all places of the list. */
  #isPushedOut({ entry }: Row, values: readonly unknown[]): boolean {
    if (values.length < this.#limit) return false;
    return this.#plan.order === undefined || !this.#isBefore(entry.held!.value, values.at(-1));
  }

  /** By time of creation; of two with the same time neither is before the other one. */
  #isBefore(one: unknown, other: unknown): boolean {
    const { order } = this.#plan;
    const [a, b] = [one, other].map((row) =>
      ticksOf(String((row as { readonly created?: unknown }).created)),
    );
    if (!order || a === undefined || b === undefined) return false;
    return order === 'asc' ? a < b : a > b;
  }

  tell(
    resource: string,
    values: readonly unknown[],
    sentAt: number,
    before: unknown,
    isUnread: boolean,
  ): readonly unknown[] {
    const rows = values.flatMap((value) => this.#rowsIn(resource, value));
    if (rows.length === 0) return before as readonly unknown[];
    for (const row of rows)
      if (isUnread) this.#learnProvided(row, sentAt);
      else this.#learn(row, sentAt);
    return this.#show(before);
  }

  /** The rows that a value of this resource says something of. */
  #rowsIn(resource: string, value: unknown): readonly unknown[] {
    if (resource === this.type.name) return [value];
    const isOfRequest = resource === 'receiveRequest' && this.type.name === receives.name;
    return isOfRequest ? (value as Receives).receives : [];
  }

  /** Takes in what a row is, by something else than a read of this list. */
  #learn(value: unknown, sentAt: number): void {
    const row = this.#hold(value, sentAt);
    const fits = this.#fits(row.entry.held!.value);
    const isNewer = sentAt >= this.#readSentAt && !isBack(row, sentAt);
    row.isIn = fits && (row.isIn || isNewer);
  }

  #learnProvided(value: unknown, asOf: number): void {
    const row = this.#rows.get(this.#keyOf(value));
    if (!row?.isIn) return;
    applyProvided(row.entry, value, asOf, this.#clock);
    row.isIn = this.#fits(row.entry.held!.value);
    this.#isUnread ||= row.entry.isUnread === true;
  }

  #fits(value: unknown): boolean {
    return this.#plan.condition?.matches(value as object) ?? true;
  }

  announce(resource: string, id: string, at: number, age: number, isCreation: boolean): boolean {
    const isOfRequest = resource === 'receiveRequest' && this.type.name === receives.name;
    if (resource !== this.type.name && !isOfRequest) return false;
    if (this.#readSentAt === -Infinity) this.#heard.set(idKey(id), at);
    if (!isCreation) for (const { entry } of this.#about(id)) announce(entry, at, age);
    this.#lastSurelyAt = at + LAG_MS;
    this.#surelyAt = Math.min(this.#surelyAt, this.#lastSurelyAt);
    this.#judge(this.#shown());
    return true;
  }

  has(id: string): boolean {
    return this.#about(id).length > 0;
  }

  /** Rows of the list that this id is about: events of receives name the request. */
  #about(id: string): readonly Row[] {
    const key = idKey(id);
    const own = this.#rows.get(key);
    if (this.type.name !== receives.name) return own?.isIn ? [own] : [];
    return [...this.#rows.values()].filter(({ entry: { held }, isIn }) => {
      const { receiveRequestId, state } = held!.value as Receive;
      return isIn && idKey(receiveRequestId) === key && state === 'PENDING';
    });
  }

  #keyOf(value: unknown): string {
    return idKey(this.type.idOf(value));
  }

  #keep(before: readonly unknown[] | undefined): void {
    this.#kept = new Map((before ?? []).map((value) => [this.#keyOf(value), value]));
  }

  /** Takes a read of a row in. The same content stays the same object. */
  #hold(value: unknown, sentAt: number): Row {
    const key = this.#keyOf(value);
    const row = this.#rows.get(key) ?? this.#add(key, value);
    const { entry } = row;
    const known = entry.held?.value ?? this.#kept.get(key);
    const read = isSameRow(known, value) ? known : value;
    const { confirmAt = Infinity } = applyValue(entry, read, sentAt, this.#clock);
    const announcedAgainAt = confirm(entry, sentAt);
    entry.readSentAt = Math.max(entry.readSentAt, sentAt);
    row.againAt = entry.announced?.isPending ? Math.min(confirmAt, announcedAgainAt) : confirmAt;
    return row;
  }

  #add(key: string, value: unknown): Row {
    const entry = newEntry(this.type, this.type.idOf(value), undefined, this.#clock.monotonic());
    const heardAt = this.#heard.get(key);
    if (heardAt !== undefined) announce(entry, heardAt);
    const row: Row = { entry, isIn: false, isMissing: false, againAt: Infinity };
    this.#rows.set(key, row);
    return row;
  }

  /** The rows of the list: those of the latest read, and those that were learned of since. */
  #shown(): readonly Row[] {
    const listed = new Set(this.#order);
    const shown = this.#order.map((key) => this.#rows.get(key)!).filter(({ isIn }) => isIn);
    for (const [key, row] of this.#rows) {
      if (!row.isIn || listed.has(key)) continue;
      const { value } = row.entry.held!;
      const place = shown.findIndex(({ entry }) => this.#isBefore(value, entry.held!.value));
      shown.splice(place < 0 ? shown.length : place, 0, row);
    }
    return shown.slice(0, this.#limit);
  }

  #show(before: unknown): readonly unknown[] {
    const shown = this.#shown();
    this.#judge(shown);
    const old = (before ?? []) as readonly unknown[];
    const values = shown.map(({ entry }) => entry.held!.value);
    const isSame = values.length === old.length && values.every((one, at) => one === old[at]);
    return isSame && before !== undefined ? old : values;
  }

  /** Whether the latest reads confirm what is shown. */
  #judge(shown: readonly Row[]): void {
    const isShort = this.#isFull && shown.length < this.#limit;
    this.isPending = shown.some(({ entry }) => entry.announced?.isPending);
    this.isUnsure =
      isShort ||
      this.#isUnread ||
      shown.some(({ entry, isMissing }) => isMissing || entry.isUnread);
  }

  #againAt(sentAt: number): number {
    let at = this.#surelyAt;
    for (const row of this.#rows.values()) if (row.againAt > sentAt) at = Math.min(at, row.againAt);
    return at;
  }

  /** Forgets what no copy of the data can contradict any more. */
  #prune(): void {
    const earliest = this.#clock.monotonic() - LAG_MS;
    for (const [key, { entry, gone, isIn }] of this.#rows) {
      const isOld = entry.held!.since < earliest && (gone?.at ?? -Infinity) < earliest;
      if (!isIn && isOld) this.#rows.delete(key);
    }
  }
}

/** The service prints times with six digits of a second in lists, and elsewhere with seven. */
const COMPARED_DIGITS = '2026-03-04T09:15:00.123456'.length;

function isSameRow(known: unknown, value: unknown): boolean {
  if (sameContent(known, value)) return true;
  const [one, other] = [known, value].map((row) => (Object(row) as { created?: string }).created);
  if (!one || !other || one.slice(0, COMPARED_DIGITS) !== other.slice(0, COMPARED_DIGITS))
    return false;
  return sameContent(known, { ...(value as object), created: one });
}

/** The list had ceased to have it in this state, and a copy that lags may not show that yet. */
function isBack({ entry, gone }: Row, sentAt: number): boolean {
  return gone !== undefined && entry.held!.state === gone.state && sentAt < gone.at + LAG_MS;
}
