import { type CallOptions, type Connection, recentAnswers, send } from '../core/http/index.ts';
import {
  anyOf,
  type Condition,
  type List,
  type ListOptions,
  PAGE,
  type Rows,
} from '../core/lists/index.ts';
import { type Clock, parseTicks } from '../core/time.ts';
import { frozenCopy } from '../core/watch.ts';
import { type HeldState, heldSince } from '../resources/held-state.ts';
import { type Receive, type Receives, receives } from '../resources/receive-requests.ts';
import { idKey, type Watchable } from '../resources/resource.ts';
import { LAG_MS } from '../resources/service-facts.ts';
import { announce, applyProvided, applyValue, confirm, isSameValue } from './apply.ts';
import { makeAgingClock } from './device.ts';
import {
  type AnyEntry,
  emitAgain,
  newEntry,
  type RowOrigin,
  type RowsState,
  type WatchedLists,
} from './entry.ts';
import type { ListWorld } from './hub.ts';
import { findEntry, KEY_SEPARATOR } from './known.ts';

/** Describes a live list: which rows it has, and how they are read. */
export interface ListPlan<T> {
  readonly type: Watchable<T>;
  /** Says whether a row belongs to the list; absent where all rows do. */
  readonly condition?: Pick<Condition<string>, 'text' | 'matches'> | undefined;
  /**
   * Another filter, by which only the service can say whether a row belongs to the list: none
   * enters but by a read of this list.
   */
  readonly filter?: object | undefined;
  /** Absent where the service has no order. */
  readonly order?: 'asc' | 'desc';
  list(connection: Connection, options: ListOptions): List<T>;
}

/** A row that the list has or had, or of which it is known that it does not belong to the list. */
interface Row {
  /** Holds the row by the same rules as a resource that is watched. */
  readonly entry: AnyEntry;
  isIn: boolean;
  /** The latest read of the list did not have it, and may come from a copy without it. */
  isMissing: boolean;
  /** Says when the row left the list, and the state that it had then. */
  gone?: { readonly at: number; readonly state: string } | undefined;
  /** The list is read again at this time to settle what is open about the row. */
  againAt: number;
}

/** A read asks for at most this many rows by their ids, where the list does not have them yet. */
const MAX_MISSING = 15;

/**
 * Keeps the rows of one list. It decides row by row which state is believed. The latest read says
 * which rows the list has, except where a copy of the data that lags cannot know that yet.
 */
export class ListRows implements RowsState {
  readonly type: Watchable<unknown>;
  /** The rows to show; it stays the same array until one of them changes. */
  shown: readonly unknown[] = [];
  isPending: boolean = false;
  isUnsure: boolean = false;
  readonly #plan: ListPlan<unknown>;
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #rows: Map<string, Row> = new Map();
  /** The rows of the latest read, and their keys. */
  #order: readonly string[] = [];
  #read: readonly unknown[] = [];
  #readSentAt: number = -Infinity;
  /** The list has rows to show: those of a read, or those that an earlier watch has left. */
  #isKnown: boolean = false;
  /**
   * A value that was handed in has decided on a row, and no read has confirmed it; or a row of the
   * latest read could not be read.
   */
  #isUnread: boolean = false;
  /** Times of the changes that were announced before the first read, by key. */
  readonly #heard: Map<string, number> = new Map();
  /** From these times on no copy can hide the first, and the last, of the announced changes. */
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

  /** Reads the list, and by their ids the rows that a copy that lags may not have yet. */
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
    for (const value of items) this.#learn(frozenCopy(value), askedAt);
    return values;
  }

  /**
   * Begins with the rows that an earlier watch of the list has left. A row that a read finds equal
   * stays the same object, and a copy of the data that is behind them takes nothing back.
   */
  begin({ value, sentAt }: HeldState<unknown>): void {
    this.#isKnown = true;
    this.shown = this.#read = value as readonly unknown[];
    this.#order = this.shown.map((one) => {
      const key = this.#keyOf(one);
      const row = this.#add(key, one);
      row.entry.held = heldSince(one, this.type.stateOf(one), sentAt);
      row.isIn = true;
      return key;
    });
  }

  /**
   * Applies a read of the whole list. Returns when to read again to settle what this read leaves
   * open.
   */
  take(values: readonly unknown[], sentAt: number): number {
    const isFirst = this.#readSentAt === -Infinity;
    if (sentAt < this.#readSentAt) for (const value of values) this.#hold(value, sentAt);
    else this.#takeWhole(values, sentAt, isFirst);
    this.#show();
    this.#prune();
    return this.#againAt(sentAt);
  }

  #takeWhole(values: readonly unknown[], sentAt: number, isFirst: boolean): void {
    this.#isKnown = true;
    this.#readSentAt = sentAt;
    this.#read = values;
    this.#isUnread = !!(values as Rows<unknown>).unreadable;
    this.#order = values.map((value) => this.#keyOf(value));
    const listed = new Set(this.#order);
    for (const value of values) this.#enter(value, sentAt, isFirst);
    for (const [key, row] of this.#rows) if (!listed.has(key)) this.#miss(row, values, sentAt);
    this.#heard.clear();
    if (sentAt >= this.#surelyAt)
      this.#surelyAt = this.#lastSurelyAt > sentAt ? this.#lastSurelyAt : Infinity;
  }

  /**
   * Applies a row that the read has: it fits by the service's word, unless something newer is
   * known.
   */
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
    // its arrival is the change that may be announced later
    if (row.isIn && !wasIn && !isFirst) entry.movedAt ??= this.#clock.monotonic();
  }

  /** Removes a row that the read does not have, unless the read may come from a copy that lags. */
  #miss(row: Row, values: readonly unknown[], sentAt: number): void {
    const { held } = row.entry;
    // it may be the row that could not be read
    row.isMissing = this.#isUnread || this.#isMissing(row, values, sentAt);
    if (row.isMissing) row.againAt = held!.since + LAG_MS;
    if (!row.isIn || row.isMissing || held!.sentAt >= sentAt) return;
    row.isIn = false;
    if (!this.#isPushedOut(held!.value, values))
      row.gone = { at: this.#clock.monotonic(), state: held!.state };
  }

  /** Says whether a copy that lags may not have this row yet. */
  #isMissing(row: Row, values: readonly unknown[], sentAt: number): boolean {
    const { held } = row.entry;
    const isYoung = row.isIn && held!.sentAt < sentAt && sentAt < held!.since + LAG_MS;
    return isYoung && !this.#isPushedOut(held!.value, values);
  }

  /** Says whether other rows take all places of the list. */
  #isPushedOut(value: unknown, read: readonly unknown[]): boolean {
    if (read.length < this.#limit) return false;
    return this.#plan.order === undefined || !this.#isBefore(value, read.at(-1));
  }

  /**
   * Compares by time of creation; of two rows with the same time neither is before the other one.
   */
  #isBefore(one: unknown, other: unknown): boolean {
    const { order } = this.#plan;
    const [a, b] = [one, other].map((row) =>
      parseTicks(String((row as { readonly created?: unknown }).created)),
    );
    if (!order || a === undefined || b === undefined) return false;
    return order === 'asc' ? a < b : a > b;
  }

  /** Applies values that no read of this list has brought. Returns false if none is a row of it. */
  tell(resource: string, values: readonly unknown[], sentAt: number, how: RowOrigin): boolean {
    let isNews = false;
    for (const row of values.flatMap((value) => this.#rowsIn(resource, value))) {
      // the row's own watch keeps it, and is asked as soon as a read of the list has the row
      const isOwn = this.#rows.has(this.#keyOf(row));
      const isKnown = isOwn || (how === 'read' && !this.#plan.filter);
      if (!isKnown && !this.#belongs(row)) continue;
      if (how === 'provided') this.#learnProvided(row, sentAt);
      else this.#learn(row, sentAt);
      isNews = true;
    }
    if (isNews) this.#show();
    return isNews;
  }

  /** Returns the rows that a value of this resource contains. */
  #rowsIn(resource: string, value: unknown): readonly unknown[] {
    if (resource === this.type.name) return [value];
    const isOfRequest = resource === 'receiveRequest' && this.type.name === receives.name;
    return isOfRequest ? (value as Receives).receives : [];
  }

  /** Applies a row that no read of this list has brought. */
  #learn(value: unknown, sentAt: number): void {
    const before = this.#rows.get(this.#keyOf(value))?.entry.held?.value;
    const row = this.#hold(value, sentAt);
    const { value: held } = row.entry.held!;
    // most rows are as they were, and that they fit may be known by the service's word alone
    if (row.isIn && held === before) return;
    const isNewer = sentAt >= this.#readSentAt && !isBack(row, sentAt);
    row.isIn = row.isIn ? this.#fits(held) : isNewer && this.#belongs(held);
  }

  #learnProvided(value: unknown, asOf: number): void {
    const row = this.#rows.get(this.#keyOf(value));
    if (!row?.isIn) return;
    applyProvided(row.entry, value, asOf, this.#clock);
    row.isIn = this.#fits(row.entry.held!.value);
    this.#isUnread ||= row.entry.isUnread === true;
  }

  /** Says whether it is known to meet the condition and has a place among the rows read. */
  #belongs(value: unknown): boolean {
    return !this.#plan.filter && this.#fits(value) && !this.#isPushedOut(value, this.#read);
  }

  #fits(value: unknown): boolean {
    return this.#plan.condition?.matches(value as object) ?? true;
  }

  /**
   * Notes that this resource has changed. Returns false if no row of this list can be concerned.
   */
  announce(resource: string, id: string, at: number, age: number, isCreation: boolean): boolean {
    const isOfRequest = resource === 'receiveRequest' && this.type.name === receives.name;
    if (resource !== this.type.name && !isOfRequest) return false;
    if (this.#readSentAt === -Infinity) this.#heard.set(idKey(id), at);
    if (!isCreation) for (const { entry } of this.#about(id)) announce(entry, at, age);
    this.#lastSurelyAt = at + LAG_MS;
    this.#surelyAt = Math.min(this.#surelyAt, this.#lastSurelyAt);
    this.#show();
    return true;
  }

  has(id: string): boolean {
    return this.#about(id).length > 0;
  }

  /** Returns the rows that this id is about: events about receives name their receive request. */
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

  /** Applies a read of a row. The same content stays the same object. */
  #hold(value: unknown, sentAt: number): Row {
    const key = this.#keyOf(value);
    const row = this.#rows.get(key) ?? this.#add(key, value);
    const { entry } = row;
    const known = entry.held?.value;
    const read = isSameValue(known, value) ? known : value;
    const { confirmAt = Infinity } = applyValue(entry, read, sentAt, this.#clock);
    const announcedAgainAt = confirm(entry, sentAt);
    entry.readSentAt = Math.max(entry.readSentAt, sentAt);
    entry.trueAt = entry.readSentAt;
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

  /** Returns the rows of the latest read and those that were learned of since. */
  #collect(): readonly Row[] {
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

  #show(): void {
    if (!this.#isKnown) return; // placing a thousand rows that have no order takes seconds
    const rows = this.#collect();
    const isShort = this.#read.length >= this.#limit && rows.length < this.#limit;
    this.isPending = rows.some(({ entry }) => entry.announced?.isPending);
    this.isUnsure =
      isShort || this.#isUnread || rows.some(({ entry, isMissing }) => isMissing || entry.isUnread);
    const values = rows.map(({ entry }) => entry.held!.value);
    const { shown } = this;
    const isSame = values.length === shown.length && values.every((one, at) => one === shown[at]);
    if (!isSame) this.shown = Object.freeze(values);
  }

  #againAt(sentAt: number): number {
    let at = this.#surelyAt;
    for (const row of this.#rows.values()) if (row.againAt > sentAt) at = Math.min(at, row.againAt);
    return at;
  }

  /**
   * Forgets rows that have left the list and that no copy of the data can bring back. Those that
   * the latest read has stay, because another read has to confirm what it says of them.
   */
  #prune(): void {
    const earliest = this.#clock.monotonic() - LAG_MS;
    const listed = new Set(this.#order);
    for (const [key, { entry, gone, isIn }] of this.#rows) {
      const isOld = entry.held!.since < earliest && (gone?.at ?? -Infinity) < earliest;
      if (!isIn && isOld && !listed.has(key)) this.#rows.delete(key);
    }
  }
}

/** Says whether a copy that lags shows a row again that had left the list in this state. */
function isBack({ entry, gone }: Row, sentAt: number): boolean {
  return gone !== undefined && entry.held!.state === gone.state && sentAt < gone.at + LAG_MS;
}

/** Holds all watched lists of a hub, and tells each of what the others and watches of rows read. */
export class Lists implements WatchedLists {
  readonly #world: ListWorld;
  readonly #open: Map<AnyEntry, ListRows> = new Map();

  constructor(world: ListWorld) {
    this.#world = world;
  }

  /** Adds a list; it begins with what calls were told and what was announced in the last 30 s. */
  add(entry: AnyEntry, rows: ListRows): void {
    const { context, known } = this.#world;
    const { client, clock } = context;
    const { type } = rows;
    const earliest = clock.monotonic() - LAG_MS;
    entry.rows = rows;
    this.#open.set(entry, rows);
    known.addType(type);
    if (entry.held) rows.begin(entry.held);
    for (const answer of recentAnswers(client)) {
      const sentAt = makeAgingClock(client).aged(answer.sentAt);
      if (sentAt >= earliest) rows.tell(type.name, known.valuesIn(type, answer), sentAt, 'read');
    }
    for (const [key, { announcedAt, held }] of known.kept) {
      const [resource, id] = key.split(KEY_SEPARATOR) as [string, string];
      if (held && held.since >= earliest) rows.tell(resource, [held.value], held.sentAt, 'read');
      if (announcedAt >= earliest) rows.announce(resource, id, announcedAt, NaN, false);
    }
  }

  delete(entry: AnyEntry): void {
    this.#open.delete(entry);
  }

  has(id: string): boolean {
    return [...this.#open.values()].some((rows) => rows.has(id));
  }

  apply(...[entry, value, sentAt, applyOne]: Parameters<WatchedLists['apply']>): void {
    const own = this.#open.get(entry);
    if (!own) {
      applyOne(entry, value, sentAt);
      return this.tell(entry.type.name, [value], sentAt, 'watched');
    }
    const { name, idOf } = own.type;
    const values = value as readonly unknown[];
    for (const row of values) {
      const one = findEntry(this.#world.context.entries, name, idOf(row));
      if (!one) continue;
      applyOne(one, row, sentAt);
      const { value: held, sentAt: heldAt } = one.held!;
      if (held !== row) own.tell(name, [held], heldAt, 'watched');
    }
    const againAt = own.take(values, sentAt);
    applyOne(entry, own.shown, sentAt, againAt);
    this.tell(name, values, sentAt, 'read', entry);
  }

  tell(
    resource: string,
    values: readonly unknown[],
    sentAt: number,
    how: RowOrigin,
    reader?: AnyEntry,
  ): void {
    for (const [entry, rows] of this.#open) {
      const before = rows.shown;
      if (entry === reader || !rows.tell(resource, values, sentAt, how) || !entry.held) continue;
      entry.held = { ...entry.held, value: rows.shown };
      emitAgain(entry);
      if (rows.shown !== before && rows.isUnsure)
        this.#world.asked.readSoon(entry, 'a row has changed');
    }
  }

  announce(resource: string, id: string, age: number, isCreation: boolean): readonly AnyEntry[] {
    const now = this.#world.context.clock.monotonic();
    const concerned = [...this.#open].filter(([, rows]) =>
      rows.announce(resource, id, now, age, isCreation),
    );
    return concerned.map(([entry]) => entry);
  }
}
