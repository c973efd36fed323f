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

/** Describes a watched list, including which rows it has and how they're read. */
export interface ListPlan<T> {
  readonly type: Watchable<T>;
  /** Decides whether a row belongs to the list. Absent if all rows do. */
  readonly condition?: Pick<Condition<string>, 'text' | 'matches'> | undefined;
  /** A filter that only the service can apply. Rows are only added by a read of this list. */
  readonly filter?: object | undefined;
  /** The order by creation time. Absent if the service doesn't sort the list. */
  readonly order?: 'asc' | 'desc';
  list(connection: Connection, options: ListOptions): List<T>;
}

/** The resource that contains receives. Its events and values can affect lists of receives. */
const REQUEST = 'receiveRequest';

/** A row that is or was in the list, or that's known not to belong to it. */
interface Row {
  /** The hub's entry for the resource in this row. */
  entry: AnyEntry;
  isIn: boolean;
  /** The value that `isIn` is based on. */
  value?: unknown;
  /** When a read of the list first came back without the row, and the row's state at that time. */
  gone?: { readonly at: number; readonly state: string } | undefined;
}

/** The result of a list read sent at `sentAt`. */
interface ListRead {
  readonly sentAt: number;
  /** The ids of the rows, in the list's order. `last` is the last row. */
  readonly keys: ReadonlySet<string>;
  readonly last: unknown;
  readonly isPartial: boolean;
}

/**
 * Tracks which entries of the hub are rows of one list, and their order. The latest read of the
 * list decides, unless it might come from a replica that doesn't have a newer change yet.
 */
export class ListRows implements RowsState {
  readonly type: Watchable<unknown>;
  /** The known rows, by id. That includes rows known not to belong to the list. */
  readonly rows: Map<string, Row> = new Map();
  /** The visible rows. The array is only replaced if one of them changes. */
  shown: readonly unknown[] = [];
  isPending: boolean = false;
  isUnsure: boolean = false;
  readonly #plan: ListPlan<unknown>;
  readonly #limit: number;
  readonly #context: WatchContext;
  #latest: ListRead;
  /**
   * The earliest time after which a read of the list settles an uncertain row. `#lastSurelyAt` is
   * the time after which all of them are settled.
   */
  #surelyAt: number = Infinity;
  #lastSurelyAt: number = -Infinity;

  constructor(plan: ListPlan<unknown>, limit: number, context: WatchContext) {
    this.#plan = plan;
    this.type = plan.type;
    this.#limit = limit;
    this.#context = context;
    this.#latest = this.#toRead([], -Infinity);
  }

  get requests(): number {
    return Math.ceil(this.#limit / PAGE);
  }

  get wasRead(): boolean {
    return this.#latest.sentAt > -Infinity;
  }

  #toRead(values: readonly unknown[], sentAt: number): ListRead {
    const keys = new Set(values.map((value) => idKey(this.type.idOf(value))));
    const isPartial = !!(values as Rows<unknown>).unreadable;
    return { sentAt, keys, last: values.at(-1), isPartial };
  }

  /**
   * Reads the list. If a lagging replica may not have some of the rows yet, reads those rows by id.
   */
  async read(connection: Connection, options: CallOptions): Promise<readonly unknown[]> {
    const { clock, reader } = this.#context;
    const sentAt = clock.monotonic();
    const pageSize = Math.min(this.#limit, PAGE);
    const list = this.#plan.list(connection, { ...options, pageSize });
    const values = await list.toArray({ limit: this.#limit });
    const read = this.#toRead(values, sentAt);
    const missing = [...this.rows.values()].filter((row) => this.#mayLack(row, read));
    const entries = missing.map(({ entry }) => entry).filter((entry) => reader.isListed(entry));
    if (entries.length > 0)
      await reader.send({ entries: entries.slice(0, reader.width) }, 'missing from a list');
    return values;
  }

  /** Starts with the rows that an earlier watch of the list has kept. */
  begin({ value, sentAt }: HeldState<unknown>, open: (row: unknown) => AnyEntry): void {
    this.shown = value as readonly unknown[];
    this.#latest = this.#toRead(this.shown, -Infinity);
    for (const one of this.shown) {
      const entry = open(one);
      entry.held ??= heldSince(one, this.type.stateOf(one), sentAt);
      this.#row(entry).isIn = true;
    }
  }

  /**
   * Applies a read of the whole list. The rows' values have already been applied to these entries.
   * Returns when to read the list again to settle uncertain rows.
   */
  take(entries: readonly AnyEntry[], values: readonly unknown[], sentAt: number): number {
    const { wasRead } = this;
    const rows = entries.map((entry) => this.#row(entry));
    if (sentAt >= this.#latest.sentAt) {
      this.#latest = this.#toRead(values, sentAt);
      if (sentAt >= this.#surelyAt)
        this.#surelyAt = this.#lastSurelyAt > sentAt ? this.#lastSurelyAt : Infinity;
      for (const [at, row] of rows.entries()) this.#enter(row, values[at], wasRead);
      for (const row of this.rows.values()) if (this.#isLacking(row)) this.#miss(row);
    }
    this.show();
    return this.#againAt(sentAt);
  }

  /**
   * Adds a row that the read included. The service's decision takes precedence, unless a newer
   * value is known.
   */
  #enter(row: Row, value: unknown, isLater: boolean): void {
    const { entry, gone, isIn: wasIn } = row;
    const { state, value: held } = entry.held!;
    const isAsRead = state === this.type.stateOf(value);
    row.isIn = isAsRead ? !isBack(row, this.#latest.sentAt) : this.#fits(held);
    row.value = held;
    if (row.isIn) row.gone = undefined;
    else if (gone) this.noteOpen(gone.at);
    // the new row is the change that an event might announce later
    if (row.isIn && !wasIn && isLater) entry.movedAt ??= this.#context.clock.monotonic();
  }

  /**
   * Removes a row that the read didn't include, unless the read may come from a lagging replica.
   */
  #miss(row: Row): void {
    const { since, state, value } = row.entry.held!;
    // the row may be the one that couldn't be read
    if (this.#mayLack(row, this.#latest) || this.#latest.isPartial) return this.noteOpen(since);
    row.isIn = false;
    if (!this.#isPushedOut(value)) row.gone = { at: this.#context.clock.monotonic(), state };
  }

  /**
   * Returns whether the read didn't include a row of the list, and nothing newer is known about the
   * row.
   */
  #isLacking({ entry, isIn }: Row, { keys, sentAt }: ListRead = this.#latest): boolean {
    return isIn && !keys.has(idKey(entry.id)) && entry.held!.sentAt < sentAt;
  }

  /** Returns whether the read may have missed a row because it came from a lagging replica. */
  #mayLack(row: Row, read: ListRead): boolean {
    const { since, value } = row.entry.held!;
    const isYoung = read.sentAt < since + LAG_MS;
    return isYoung && this.#isLacking(row, read) && !this.#isPushedOut(value, read);
  }

  /** Returns whether a row is missing because other rows fill up the list. */
  #isPushedOut(value: unknown, { keys, last }: ListRead = this.#latest): boolean {
    if (keys.size < this.#limit) return false;
    return this.#plan.order === undefined || !this.#isBefore(value, last);
  }

  /**
   * Returns whether a row comes before another one by creation time. If both times are equal,
   * neither row comes first.
   */
  #isBefore(one: unknown, other: unknown): boolean {
    const { order } = this.#plan;
    const [a, b] = [one, other].map((row) =>
      parseTicks(String((row as { readonly created?: unknown }).created)),
    );
    if (!order || a === undefined || b === undefined) return false;
    return order === 'asc' ? a < b : a > b;
  }

  /** Updates a row that changed elsewhere. Returns false if it isn't in this list. */
  hear(entry: AnyEntry): boolean {
    const { sentAt, value } = entry.held!;
    if (!this.rows.has(idKey(entry.id)) && !this.belongs(value, sentAt)) return false;
    const row = this.#row(entry);
    // skip unchanged rows, because possibly only the service knows why they belong to the list
    if (!row.isIn) row.isIn = this.belongs(value, sentAt) && !isBack(row, sentAt);
    else if (row.value !== value) row.isIn = this.#fits(value);
    row.value = value;
    return true;
  }

  /**
   * Returns whether a value read at `sentAt` belongs to the list, as far as this client can tell.
   */
  belongs(value: unknown, sentAt: number): boolean {
    const isNewer = sentAt >= this.#latest.sentAt;
    return isNewer && !this.#plan.filter && this.#fits(value) && !this.#isPushedOut(value);
  }

  #fits(value: unknown): boolean {
    return this.#plan.condition?.matches(value as object) ?? true;
  }

  /** Records a change at this time that a lagging replica may not include yet. */
  noteOpen(at: number): void {
    this.#lastSurelyAt = Math.max(this.#lastSurelyAt, at + LAG_MS);
    this.#surelyAt = Math.min(this.#surelyAt, at + LAG_MS);
  }

  #row(entry: AnyEntry): Row {
    const key = idKey(entry.id);
    const row = this.rows.get(key) ?? { entry, isIn: false };
    row.entry = entry;
    this.rows.set(key, row);
    return row;
  }

  /** Returns the rows from the latest read, and the rows discovered since then. */
  #collect(): readonly Row[] {
    const { keys } = this.#latest;
    const shown = [...keys].map((key) => this.rows.get(key)!).filter(({ isIn }) => isIn);
    for (const [key, row] of this.rows) {
      if (!row.isIn || keys.has(key)) continue;
      const { value } = row.entry.held!;
      const place = shown.findIndex(({ entry }) => this.#isBefore(value, entry.held!.value));
      shown.splice(place < 0 ? shown.length : place, 0, row);
    }
    return shown.slice(0, this.#limit);
  }

  show(): void {
    const { isPartial, keys } = this.#latest;
    const rows = this.#collect();
    const isShort = keys.size >= this.#limit && rows.length < this.#limit;
    const isOpen = [...this.rows].some(([key, row]) => {
      const isUnread = row.entry.isUnread && (row.isIn || keys.has(key));
      return isUnread || this.#isLacking(row);
    });
    this.isPending = rows.some(({ entry }) => entry.announced?.isPending);
    this.isUnsure = isShort || isPartial || isOpen;
    const values = rows.map(({ entry }) => entry.held!.value);
    const { shown } = this;
    const isSame = values.length === shown.length && values.every((one, at) => one === shown[at]);
    if (!isSame) this.shown = Object.freeze(values);
  }

  /** Returns when to reread the list because of uncertain rows. */
  #againAt(sentAt: number): number {
    let next = this.#surelyAt;
    for (const { entry } of this.rows.values()) {
      const { announced, held, nextReadAt, observers } = entry;
      const isOpen = !announced || announced.isPending || held!.contradiction !== undefined;
      // if the row is watched, its own watch reads it
      if (isOpen && !observers && nextReadAt > sentAt) next = Math.min(next, nextReadAt);
    }
    return next;
  }

  /**
   * Removes and returns rows that have left the list and that no replica can return anymore. Rows
   * from the latest read stay, because another read has to confirm that they're gone.
   */
  prune(): readonly AnyEntry[] {
    const earliest = this.#context.clock.monotonic() - LAG_MS;
    return [...this.rows].flatMap(([key, { entry, gone, isIn }]) => {
      const isOld = Math.max(entry.held!.since, gone?.at ?? -Infinity) < earliest;
      const isOver = !isIn && isOld && !this.#latest.keys.has(key);
      return isOver && this.rows.delete(key) ? [entry] : [];
    });
  }
}

/**
 * Returns whether a lagging replica has returned a row that had already left the list in this
 * state.
 */
function isBack({ entry, gone }: Row, sentAt: number): boolean {
  return gone !== undefined && entry.held!.state === gone.state && sentAt < gone.at + LAG_MS;
}

/**
 * Returns whether an event of this receive request may affect a receive. Such events don't contain
 * the receive's id.
 */
function isOpenPart({ held }: AnyEntry, requestId: string): boolean {
  const { receiveRequestId, state } = held!.value as Receive;
  return state === 'PENDING' && idKey(receiveRequestId) === idKey(requestId);
}

/** All lists watched through a hub. Creates the hub's entries for their rows. */
export class Lists implements WatchedLists {
  readonly #world: ListWorld;
  readonly #open: Map<AnyEntry, ListRows> = new Map();

  constructor(world: ListWorld) {
    this.#world = world;
  }

  /** Adds a list. The list starts with everything that was learned in the last 30 s. */
  add(entry: AnyEntry, rows: ListRows): void {
    const { context, known } = this.#world;
    const { type } = rows;
    const earliest = context.clock.monotonic() - LAG_MS;
    entry.rows = rows;
    this.#open.set(entry, rows);
    known.addType(type);
    if (entry.held) rows.begin(entry.held, (row) => this.#openRow(rows, row));
    for (const one of context.entries.values())
      if (one.type === type && one.held && one.held.since >= earliest) rows.hear(one);
    for (const answer of recentAnswers(context.client)) {
      const sentAt = makeAgingClock(context.client).aged(answer.sentAt);
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
    for (const row of rows?.rows.values() ?? []) this.#close(row.entry);
  }

  hasRow(entry: AnyEntry): boolean {
    const key = idKey(entry.id);
    return [...this.#open.values()].some(({ rows }) => rows.get(key)?.entry === entry);
  }

  apply(entry: AnyEntry, value: unknown, sentAt: number): void {
    const { results } = this.#world.engine;
    const own = this.#open.get(entry);
    if (!own) {
      results.applyOne(entry, value, sentAt);
      this.#hear([entry]);
      if (entry.type.name === REQUEST) this.tell(REQUEST, value, sentAt);
      return;
    }
    const values = value as readonly unknown[];
    const rows = values.map((row) => this.#openRow(own, row));
    for (const [at, row] of rows.entries()) results.applyOne(row, values[at], sentAt);
    const againAt = own.take(rows, values, sentAt);
    results.applyOne(entry, own.shown, sentAt, againAt);
    this.#hear(rows, entry);
    for (const row of own.prune()) this.#close(row);
  }

  tell(resource: string, value: unknown, sentAt: number, isProvided: boolean = false): void {
    const { results } = this.#world.engine;
    const lists = this.#listsOf(resource).map(([, rows]) => rows);
    if (lists.length === 0) return;
    for (const one of resource === REQUEST ? (value as Receives).receives : [value]) {
      const list = isProvided ? undefined : lists.find((rows) => rows.belongs(one, sentAt));
      const known = this.#find(lists[0]!.type, one);
      const entry = known ?? (list && this.#openRow(list, one));
      if (!entry) continue;
      if (isProvided) results.applyProvided(entry, one, sentAt);
      else results.applyOne(entry, one, sentAt);
      this.#hear([entry]);
      this.#close(entry);
    }
  }

  announce(
    resource: string,
    id: string,
    age: number,
    isCreation: boolean,
    at: number = this.#world.context.clock.monotonic(),
  ): readonly AnyEntry[] {
    const concerned = this.#listsOf(resource);
    const rows = concerned.flatMap(([, list]) => [...list.rows.values()]);
    if (resource === REQUEST && !isCreation)
      for (const { entry, isIn } of rows)
        if (isIn && isOpenPart(entry, id)) announce(entry, at, age);
    return concerned.map(([entry, list]) => {
      list.noteOpen(at);
      if (entry.held) list.show();
      return entry;
    });
  }

  #listsOf(resource: string): readonly (readonly [AnyEntry, ListRows])[] {
    const name = resource === REQUEST ? receives.name : resource;
    return [...this.#open].filter(([, { type }]) => type.name === name);
  }

  #find<T>({ idOf, name }: Watchable<T>, value: T): AnyEntry | undefined {
    return findEntry(this.#world.context.entries, name, idOf(value));
  }

  /** Returns a row's entry, creating it if needed. */
  #openRow({ type, wasRead }: ListRows, value: unknown): AnyEntry {
    const known = this.#find(type, value);
    if (known) return known;
    const entry = this.#world.known.open(type, type.idOf(value), undefined);
    // the new row is the change that was announced
    if (wasRead) entry.announced = undefined;
    return entry;
  }

  /** Removes an entry that's no longer watched and no longer a row in any list. */
  #close(entry: AnyEntry): void {
    if (entry.observers || this.hasRow(entry)) return;
    this.#world.engine.asked.remove(entry);
    this.#world.known.keep(entry);
  }

  /** Updates all lists that contain these entries, except for the list that was just read. */
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
        this.#world.engine.asked.readSoon(entry, 'a row has changed');
    }
  }
}
