import { type CallOptions, type Connection, recentAnswers } from '../core/http/index.ts';
import {
  type Condition,
  type List,
  type ListOptions,
  PAGE,
  type Rows,
} from '../core/lists/index.ts';
import { parseTicks } from '../core/time.ts';
import { type HeldState, heldSince } from '../resources/held-state.ts';
import { type Receive, type Receives, receives } from '../resources/receive-requests.ts';
import { idKey, type Watchable } from '../resources/resource.ts';
import { LAG_MS } from '../resources/service-facts.ts';
import { announce } from './apply.ts';
import { makeAgingClock } from './device.ts';
import { type AnyEntry, emitAgain, type RowsState, type WatchedLists } from './entry.ts';
import type { ListWorld } from './hub.ts';
import { findEntry, KEY_SEPARATOR } from './known.ts';
import type { WatchContext } from './plan.ts';

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
  /** The hub holds the row as it holds all that is watched. */
  entry: AnyEntry;
  isIn: boolean;
  /** The value for which that was decided. */
  value: unknown;
  /** Says when a read of the list did not have the row any more, and the state that it had then. */
  gone?: { readonly at: number; readonly state: string } | undefined;
}

/**
 * Keeps the order of one list, and which entries of the hub are its rows. The latest read says
 * that, except where a copy of the data that lags cannot know it yet.
 */
export class ListRows implements RowsState {
  readonly type: Watchable<unknown>;
  /** The rows to show; it stays the same array until one of them changes. */
  shown: readonly unknown[] = [];
  isPending: boolean = false;
  isUnsure: boolean = false;
  /** The latest read was sent at this time. */
  readSentAt: number = -Infinity;
  readonly #plan: ListPlan<unknown>;
  readonly #limit: number;
  readonly #context: WatchContext;
  readonly #rows: Map<string, Row> = new Map();
  /** The keys of the rows of the latest read, in their order, and the last of these rows. */
  #listed: ReadonlySet<string> = new Set();
  #last: unknown;
  /** A row of the latest read could not be read. */
  #isUnread: boolean = false;
  /** From these times on no copy can hide the first, and the last, of the announced changes. */
  #surelyAt: number = Infinity;
  #lastSurelyAt: number = -Infinity;

  constructor(plan: ListPlan<unknown>, limit: number, context: WatchContext) {
    this.#plan = plan;
    this.type = plan.type;
    this.#limit = limit;
    this.#context = context;
  }

  get requests(): number {
    return Math.ceil(this.#limit / PAGE);
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  /** Reads the list, and by their ids the rows that a copy that lags may not have yet. */
  async read(connection: Connection, options: CallOptions): Promise<readonly unknown[]> {
    const { reader } = this.#context;
    const sentAt = this.#now;
    const pageSize = Math.min(this.#limit, PAGE);
    const list = this.#plan.list(connection, { ...options, pageSize });
    const values = await list.toArray({ limit: this.#limit });
    const keys = new Set(values.map((value) => this.#keyOf(value)));
    const missing = [...this.#rows].flatMap(([key, { entry, isIn }]) => {
      const { sentAt: heldAt, since, value } = entry.held!;
      const isYoung = isIn && !keys.has(key) && heldAt < sentAt && sentAt < since + LAG_MS;
      const isAsked = isYoung && reader.isListed(entry);
      return isAsked && !this.#isPushedOut(value, values.length, values.at(-1)) ? [entry] : [];
    });
    const entries = missing.slice(0, reader.width);
    if (entries.length > 0) await reader.send({ entries }, 'missing from a list');
    return values;
  }

  /** Begins with the rows that an earlier watch of the list has left. */
  begin({ value, sentAt }: HeldState<unknown>, open: (row: unknown) => AnyEntry): void {
    this.shown = value as readonly unknown[];
    this.#list(this.shown);
    for (const one of this.shown) {
      const entry = open(one);
      entry.held ??= heldSince(one, this.type.stateOf(one), sentAt);
      this.#row(entry).isIn = true;
    }
  }

  #list(values: readonly unknown[]): void {
    this.#listed = new Set(values.map((value) => this.#keyOf(value)));
    this.#last = values.at(-1);
  }

  /**
   * Applies a read of the whole list, whose rows were applied to these entries. Returns when to
   * read again to settle what this read leaves open.
   */
  take(entries: readonly AnyEntry[], values: readonly unknown[], sentAt: number): number {
    const isFirst = this.readSentAt === -Infinity;
    const rows = entries.map((entry) => this.#row(entry));
    if (sentAt >= this.readSentAt) {
      this.readSentAt = sentAt;
      this.#list(values);
      this.#isUnread = !!(values as Rows<unknown>).unreadable;
      for (const [at, row] of rows.entries()) this.#enter(row, values[at], isFirst);
      for (const [key, row] of this.#rows) if (!this.#listed.has(key)) this.#miss(row);
      if (sentAt >= this.#surelyAt)
        this.#surelyAt = this.#lastSurelyAt > sentAt ? this.#lastSurelyAt : Infinity;
    }
    this.show();
    return this.#againAt(sentAt);
  }

  /** A row that the read has fits by the service's word, unless something newer is known. */
  #enter(row: Row, value: unknown, isFirst: boolean): void {
    const { entry, isIn: wasIn } = row;
    const { state, value: held } = entry.held!;
    const isAsRead = state === this.type.stateOf(value);
    row.isIn = isAsRead ? !isBack(row, this.readSentAt) : this.#fits(held);
    row.value = held;
    if (!row.isIn) return;
    row.gone = undefined;
    // its arrival is the change that may be announced later
    if (!wasIn && !isFirst) entry.movedAt ??= this.#now;
  }

  /** Removes a row that the read does not have, unless the read may come from a copy that lags. */
  #miss(row: Row): void {
    const { sentAt, since, state, value } = row.entry.held!;
    const isPushedOut = this.#isPushedOut(value);
    const isYoung = this.readSentAt < since + LAG_MS && !isPushedOut;
    // it may be the row that could not be read
    if (!row.isIn || sentAt >= this.readSentAt || isYoung || this.#isUnread) return;
    row.isIn = false;
    if (!isPushedOut) row.gone = { at: this.#now, state };
  }

  /** Says whether the latest read did not have a row, and may come from a copy without it. */
  #isMissing(key: string, { entry, isIn }: Row): boolean {
    return isIn && !this.#listed.has(key) && entry.held!.sentAt < this.readSentAt;
  }

  /** Says whether other rows take all places of the list. */
  #isPushedOut(value: unknown, count: number = this.#listed.size, last = this.#last): boolean {
    if (count < this.#limit) return false;
    return this.#plan.order === undefined || !this.#isBefore(value, last);
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

  /** Decides about a row that changed elsewhere. Returns false if it is none of this list. */
  hear(entry: AnyEntry): boolean {
    const { sentAt, value } = entry.held!;
    const known = this.#rows.get(idKey(entry.id));
    if (!known && !this.belongs(value, sentAt)) return false;
    const row = this.#row(entry);
    // most rows are as they were, and that they fit may be known by the service's word alone
    if (!row.isIn) row.isIn = this.belongs(value, sentAt) && !isBack(row, sentAt);
    else if (row.value !== value) row.isIn = this.#fits(value);
    row.value = value;
    return true;
  }

  /** Says whether a value that was read then is one of the list, as far as this client can say. */
  belongs(value: unknown, sentAt: number): boolean {
    const isNewer = sentAt >= this.readSentAt;
    return isNewer && !this.#plan.filter && this.#fits(value) && !this.#isPushedOut(value);
  }

  #fits(value: unknown): boolean {
    return this.#plan.condition?.matches(value as object) ?? true;
  }

  /** Notes that something of the list has changed. */
  noteChange(at: number): void {
    this.#lastSurelyAt = at + LAG_MS;
    this.#surelyAt = Math.min(this.#surelyAt, this.#lastSurelyAt);
  }

  /** Returns the open receives of this request: its events do not say which of them has changed. */
  findParts(id: string): readonly AnyEntry[] {
    if (this.type.name !== receives.name) return [];
    return [...this.#rows.values()].flatMap(({ entry, isIn }) => {
      const { receiveRequestId, state } = entry.held!.value as Receive;
      const isPart = isIn && idKey(receiveRequestId) === idKey(id) && state === 'PENDING';
      return isPart ? [entry] : [];
    });
  }

  has(entry: AnyEntry): boolean {
    return this.#rows.get(idKey(entry.id))?.entry === entry;
  }

  get entries(): readonly AnyEntry[] {
    return [...this.#rows.values()].map(({ entry }) => entry);
  }

  #keyOf(value: unknown): string {
    return idKey(this.type.idOf(value));
  }

  #row(entry: AnyEntry): Row {
    const key = idKey(entry.id);
    const row: Row = this.#rows.get(key) ?? { entry, isIn: false, value: undefined };
    row.entry = entry;
    this.#rows.set(key, row);
    return row;
  }

  /** Returns the rows of the latest read and those that were learned of since. */
  #collect(): readonly Row[] {
    const shown = [...this.#listed].map((key) => this.#rows.get(key)!).filter(({ isIn }) => isIn);
    for (const [key, row] of this.#rows) {
      if (!row.isIn || this.#listed.has(key)) continue;
      const { value } = row.entry.held!;
      const place = shown.findIndex(({ entry }) => this.#isBefore(value, entry.held!.value));
      shown.splice(place < 0 ? shown.length : place, 0, row);
    }
    return shown.slice(0, this.#limit);
  }

  show(): void {
    const rows = this.#collect();
    const isShort = this.#listed.size >= this.#limit && rows.length < this.#limit;
    this.isPending = rows.some(({ entry }) => entry.announced?.isPending);
    this.isUnsure =
      isShort ||
      this.#isUnread ||
      [...this.#rows].some(
        ([key, row]) =>
          this.#isMissing(key, row) || (row.entry.isUnread && (row.isIn || this.#listed.has(key))),
      );
    const values = rows.map(({ entry }) => entry.held!.value);
    const { shown } = this;
    const isSame = values.length === shown.length && values.every((one, at) => one === shown[at]);
    if (!isSame) this.shown = Object.freeze(values);
  }

  /** Returns when the list is read again, because of what is open about its rows. */
  #againAt(sentAt: number): number {
    const times = [...this.#rows].flatMap(([key, row]) => {
      const { announced, held, nextReadAt, observers } = row.entry;
      const isLeft = !announced || announced.isPending || held!.contradiction !== undefined;
      return [
        this.#isMissing(key, row) ? held!.since + LAG_MS : Infinity,
        !row.isIn && row.gone && this.#listed.has(key) ? row.gone.at + LAG_MS : Infinity,
        isLeft && !observers ? nextReadAt : Infinity, // a watch of its own reads it itself
      ];
    });
    return times.reduce((next, at) => (at > sentAt ? Math.min(next, at) : next), this.#surelyAt);
  }

  /**
   * Forgets rows that have left the list and that no copy of the data can bring back; returns them.
   * Those that the latest read has stay, because another read has to confirm what it says of them.
   */
  prune(): readonly AnyEntry[] {
    const earliest = this.#now - LAG_MS;
    return [...this.#rows].flatMap(([key, { entry, gone, isIn }]) => {
      const isOld = entry.held!.since < earliest && (gone?.at ?? -Infinity) < earliest;
      const isOver = !isIn && isOld && !this.#listed.has(key);
      return isOver && this.#rows.delete(key) ? [entry] : [];
    });
  }
}

/** Says whether a copy that lags shows a row again that had left the list in this state. */
function isBack({ entry, gone }: Row, sentAt: number): boolean {
  return gone !== undefined && entry.held!.state === gone.state && sentAt < gone.at + LAG_MS;
}

/** Holds all watched lists of a hub, and gives their rows entries of the hub. */
export class Lists implements WatchedLists {
  readonly #world: ListWorld;
  readonly #open: Map<AnyEntry, ListRows> = new Map();

  constructor(world: ListWorld) {
    this.#world = world;
  }

  /** Adds a list; it begins with what has become known in the last 30 s. */
  add(entry: AnyEntry, rows: ListRows): void {
    const { context, known } = this.#world;
    const { client, clock, entries } = context;
    const { type } = rows;
    const earliest = clock.monotonic() - LAG_MS;
    entry.rows = rows;
    this.#open.set(entry, rows);
    known.addType(type);
    if (entry.held) rows.begin(entry.held, (row) => this.#openRow(rows, row));
    for (const one of entries.values())
      if (one.type === type && one.held && one.held.since >= earliest) rows.hear(one);
    for (const answer of recentAnswers(client)) {
      const sentAt = makeAgingClock(client).aged(answer.sentAt);
      const values = sentAt >= earliest ? known.valuesIn(type, answer) : [];
      for (const value of values) if (!this.#find(type, value)) this.tell(type.name, value, sentAt);
    }
    for (const [key, { announcedAt, held }] of [...known.kept]) {
      const [resource, id] = key.split(KEY_SEPARATOR) as [string, string];
      if (held && held.since >= earliest) this.tell(resource, held.value, held.sentAt);
      if (announcedAt >= earliest) this.announce(resource, id, NaN, false, announcedAt);
    }
  }

  delete(entry: AnyEntry): void {
    const rows = this.#open.get(entry);
    this.#open.delete(entry);
    for (const row of rows?.entries ?? []) this.#close(row);
  }

  hasRow(entry: AnyEntry): boolean {
    return [...this.#open.values()].some((rows) => rows.has(entry));
  }

  hasPartsOf(id: string): boolean {
    return [...this.#open.values()].some((rows) => rows.findParts(id).length > 0);
  }

  apply(entry: AnyEntry, value: unknown, sentAt: number): void {
    const { results } = this.#world;
    const own = this.#open.get(entry);
    if (!own) {
      results.applyOne(entry, value, sentAt);
      this.#hear([entry]);
      return this.#tellParts(entry.type.name, value, sentAt);
    }
    const values = value as readonly unknown[];
    const rows = values.map((row) => this.#openRow(own, row));
    for (const [at, row] of rows.entries()) results.applyOne(row, values[at], sentAt);
    const againAt = own.take(rows, values, sentAt);
    results.applyOne(entry, own.shown, sentAt, againAt);
    this.#hear(rows, entry);
    for (const row of own.prune()) this.#close(row);
  }

  tell(resource: string, value: unknown, sentAt: number): void {
    this.#tellParts(resource, value, sentAt);
    const list = [...this.#open.values()].find(
      (rows) => rows.type.name === resource && rows.belongs(value, sentAt),
    );
    if (list) this.#applyRow(this.#openRow(list, value), value, sentAt);
  }

  /** The receives of a request are rows too, which may have entries. */
  #tellParts(resource: string, value: unknown, sentAt: number): void {
    if (resource !== 'receiveRequest') return;
    for (const one of (value as Receives).receives) {
      const entry = this.#find(receives, one);
      if (entry) this.#applyRow(entry, one, sentAt);
      else this.tell(receives.name, one, sentAt);
    }
  }

  #applyRow(entry: AnyEntry, value: unknown, sentAt: number): void {
    this.#world.results.applyOne(entry, value, sentAt);
    this.#hear([entry]);
    this.#close(entry);
  }

  provide(resource: string, value: unknown, asOf: number): void {
    const isOfRequest = resource === 'receiveRequest';
    const [name, values] = isOfRequest
      ? [receives.name, (value as Receives).receives]
      : [resource, [value]];
    const type = [...this.#open.values()].find((rows) => rows.type.name === name)?.type;
    for (const one of type ? values : []) {
      const entry = this.#find(type!, one);
      if (!entry?.held) continue;
      this.#world.results.applyProvided(entry, one, asOf);
      this.#hear([entry]);
    }
  }

  announce(
    resource: string,
    id: string,
    age: number,
    isCreation: boolean,
    at: number = this.#world.context.clock.monotonic(),
  ): readonly AnyEntry[] {
    const name = resource === 'receiveRequest' ? receives.name : resource;
    const concerned = [...this.#open].filter(([, { type }]) => type.name === name);
    const parts = concerned.flatMap(([, rows]) => rows.findParts(id));
    if (!isCreation) for (const part of new Set(parts)) announce(part, at, age);
    return concerned.map(([entry, rows]) => {
      rows.noteChange(at);
      if (entry.held) rows.show();
      return entry;
    });
  }

  #find<T>({ idOf, name }: Watchable<T>, value: T): AnyEntry | undefined {
    return findEntry(this.#world.context.entries, name, idOf(value));
  }

  /** Returns the entry of a row, which it gets where it has none. */
  #openRow({ readSentAt, type }: ListRows, value: unknown): AnyEntry {
    const entry = this.#find(type, value);
    if (entry) return entry;
    const opened = this.#world.known.open(type, type.idOf(value), undefined);
    // that it enters is the change that was announced
    if (readSentAt > -Infinity) opened.announced = undefined;
    return opened;
  }

  /** Keeps what was an entry only for the sake of a list that does not have it any more. */
  #close(entry: AnyEntry): void {
    if (entry.observers || this.hasRow(entry)) return;
    this.#world.asked.remove(entry);
    this.#world.known.keep(entry);
  }

  /** Shows in the lists, except in that which has just been read, what these entries have become. */
  #hear(changed: readonly AnyEntry[], reader?: AnyEntry): void {
    for (const [entry, rows] of this.#open) {
      if (entry === reader) continue;
      const own = changed.filter((one) => one.type === rows.type && rows.hear(one));
      if (own.length === 0 || !entry.held) continue;
      const before = rows.shown;
      rows.show();
      entry.held = { ...entry.held, value: rows.shown };
      emitAgain(entry);
      if (rows.shown !== before && rows.isUnsure)
        this.#world.asked.readSoon(entry, 'a row has changed');
    }
  }
}
