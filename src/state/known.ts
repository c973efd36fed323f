/*
 * Each client has one store with everything it knows about its resources. It shares this store with
 * its child clients. A watched resource has an `Entry` in `entries`, and so does each row of a
 * watched list. Some other resources have a `Kept`. They were watched or provided in the last five
 * minutes. Or, in the last 30 seconds, a call returned them or a change to them was announced.
 * During that time, a replica may still return older data.
 *
 * Values come from reads, lists, responses to the client's own calls, messages from the relay, and
 * `provide`. For all of them, `applyRead` in `resources/held-state.ts` decides which read wins. The
 * first subscription turns a `Kept` into an `Entry` (`open`), and the end of the last subscription
 * turns it back (`keep`). There's no timer. A value that's too old is dropped when it's requested
 * or when another value is kept.
 */

import { findMeaning } from '../core/errors/index.ts';
import {
  basePeriod,
  blockedFor,
  type CallAnswer,
  type Connection,
  internals,
  isLoginOver,
  listenToAnswers,
  listenToForget,
  recentAnswers,
  type Slot,
  slotState,
} from '../core/http/index.ts';
import { applyRead, type HeldState } from '../resources/held-state.ts';
import { frozenCopy } from '../core/watch.ts';
import { idKey, type Watchable } from '../resources/resource.ts';
import { LAG_MS } from '../resources/service-facts.ts';
import { announce, keepSame } from './apply.ts';
import { makeAgingClock, currentPage } from './device.ts';
import { type AnyEntry, type Entry, newEntry, saysSame } from './entry.ts';
import { LOADING, setCheckedAt, type Snapshot, snapshotWith } from './snapshot.ts';

/**
 * The entries of watched resources, by id. If two resources have the same id, the second one's key
 * also contains its name. Ids are case-insensitive.
 */
export type Entries = Map<string, AnyEntry>;

/**
 * The separator between the resource name and the id in a key. It's not a space, because list names
 * contain spaces.
 */
export const KEY_SEPARATOR = '\n';

function makeKey(resource: string, id: string): string {
  return resource + KEY_SEPARATOR + idKey(id);
}

export function findEntry(entries: Entries, resource: string, id: string): AnyEntry | undefined {
  const entry = entries.get(idKey(id));
  return entry?.type.name === resource ? entry : entries.get(makeKey(resource, id));
}

function addEntry(entries: Entries, entry: AnyEntry): void {
  const id = idKey(entry.id);
  entries.set(entries.has(id) ? makeKey(entry.type.name, id) : id, entry);
}

/**
 * Returns whether this entry is in the map. Returns false if another entry of the same resource has
 * replaced it.
 */
export function hasEntry(entries: Entries, entry: AnyEntry): boolean {
  return findEntry(entries, entry.type.name, entry.id) === entry;
}

export function removeEntry(entries: Entries, entry: AnyEntry): void {
  const id = idKey(entry.id);
  for (const key of [id, makeKey(entry.type.name, id)])
    if (entries.get(key) === entry) entries.delete(key);
}

/** Moves an entry to the end, so that the entries at the start are the least recently read ones. */
export function moveToEnd(entries: Entries, entry: AnyEntry): void {
  removeEntry(entries, entry);
  addEntry(entries, entry);
}

/** How long a value is kept after its last watch ends, in milliseconds. */
const KEEP_MS = 300_000;
/**
 * The maximum number of values kept for resources that aren't watched. The oldest ones are dropped
 * first.
 */
const MAX_KEPT = 10_000;

/**
 * A resource that isn't being watched. Times are on the monotonic clock, except for `asOf` and
 * `checkedAt`.
 */
interface Kept {
  /** The last known value. Absent if we only know that the resource was changed or created. */
  held?: HeldState<unknown> | undefined;
  /**
   * When the value was read, and in `checkedAt` when it was last confirmed, in milliseconds since
   * 1970.
   */
  asOf: number;
  checkedAt: number;
  /** When a change was announced that no read has returned yet. */
  announcedAt: number;
  /** When one of this client's calls created the resource. A replica may not have it yet. */
  madeAt: number;
  until: number;
}

/**
 * The interface through which this store uses the hub. The store passes on everything about watched
 * resources.
 */
export interface Watching {
  /** Records that one of this client's calls got a response, which shows that the service is up. */
  respond(): void;
  /**
   * Applies a value from a request that this client sent at `sentAt`, or a value provided as of
   * that time. Returns false if the resource has no entry.
   */
  tell(resource: string, id: string, value: unknown, sentAt: number, isProvided?: boolean): boolean;
  /** Records that one of this client's calls has changed a resource. */
  invalidate(trigger: string, resource: string, id: string): void;
  /** Reads everything that is watched again, because the current values are no longer trusted. */
  readAll(trigger: string): void;
}

const KNOWN: Slot<Known> = { name: 'state.known', make: (client) => new Known(client) };

/** Returns the store of this client and its children. */
export function getKnown(client: Connection): Known {
  return slotState(client, KNOWN);
}

/** Stores what one client knows about its resources, whether they're watched or not. */
export class Known {
  /** Watched resources, and the rows of watched lists. */
  readonly entries: Entries = new Map();
  /** The hub. Only set while something is being watched. */
  watching: Watching | undefined;
  /** The types of all resources that were watched or provided, by name. */
  readonly types: Map<string, Watchable<unknown>> = new Map();
  /** The resources that aren't being watched, by key. The oldest ones come first. */
  readonly #kept: Map<string, Kept> = new Map();
  /**
   * The resources that `refresh()` was called for in the last base period, with the time of the
   * call.
   */
  readonly #refreshedAt: Map<string, number> = new Map();
  /**
   * When all values were discarded, on the monotonic clock. Values read before this time aren't
   * kept.
   */
  #forgottenAt: number = -Infinity;
  readonly #client: Connection;
  readonly #clock: ReturnType<typeof makeAgingClock>;

  constructor(client: Connection) {
    this.#client = client;
    this.#clock = makeAgingClock(client);
    listenToAnswers(client, (answer) => {
      this.watching?.respond();
      for (const type of this.types.values()) this.#applyAnswer(type, answer);
    });
    listenToForget(client, (isLoggedOut) => {
      this.#kept.clear();
      this.#forgottenAt = this.#now;
      if (!isLoggedOut) this.watching?.readAll('forget');
    });
  }

  get #now(): number {
    return this.#clock.monotonic();
  }

  /** The entries that are watched directly, and not only as rows of a list. */
  get watched(): Entries {
    return new Map([...this.entries].filter(([, { observers }]) => observers));
  }

  /** The resources that are known but not watched, by key. */
  get kept(): ReadonlyMap<string, Kept> {
    return this.#kept;
  }

  /**
   * Starts watching a resource, beginning with the value that's already known. `created` is its
   * creation time in seconds, if it's known.
   */
  open<T>(type: Watchable<T>, id: string, created: number | undefined): Entry<T> {
    this.addType(type as Watchable<unknown>);
    const entry = newEntry(type, id, created, this.#now);
    const key = makeKey(type.name, id);
    const kept = this.#find(key);
    this.#kept.delete(key);
    addEntry(this.entries, entry as AnyEntry);
    if (!kept) return entry;
    entry.held = kept.held as HeldState<T> | undefined;
    entry.isUnread = entry.held !== undefined;
    entry.youngUntil = kept.madeAt + LAG_MS;
    if (this.#isPending(kept)) announce(entry as AnyEntry, kept.announcedAt);
    entry.snapshot = this.#snapshotOf(kept) as Snapshot<T>;
    return entry;
  }

  /**
   * Keeps a resource's value after its last watch has ended. Nothing is kept if the watch failed,
   * or if all values were discarded since its last read.
   */
  keep(entry: AnyEntry): void {
    const { announced, held, snapshot, type, youngUntil = -Infinity } = entry;
    if (entry.readSentAt < this.#forgottenAt) return;
    if (snapshot.freshness === 'failed') {
      if (snapshot.error && isLoginOver(snapshot.error)) this.#kept.clear();
      return;
    }
    const kept = this.#note(makeKey(type.name, entry.id), held ? KEEP_MS : LAG_MS);
    kept.held = held;
    kept.asOf = snapshot.asOf ?? NaN;
    kept.checkedAt = snapshot.checkedAt ?? NaN;
    kept.madeAt = youngUntil - LAG_MS;
    const isOpen = announced?.isPending || (announced?.changes ?? 0) > 0;
    kept.announcedAt = isOpen ? announced!.at : -Infinity;
  }

  noteRefresh({ id, type }: AnyEntry): void {
    const key = makeKey(type.name, id);
    const isRecent = this.untilRefresh(type.name, id) > 0;
    if (!isRecent) this.#refreshedAt.set(key, this.#now);
  }

  /**
   * Returns how long a `refresh()` without subscribers must wait, in milliseconds. Several calls
   * within a base period share the next read. If nothing can be requested, the wait is 0.
   */
  untilRefresh(resource: string, id: string): number {
    const earliest = this.#now - basePeriod(this.#client);
    for (const [key, at] of this.#refreshedAt) if (at <= earliest) this.#refreshedAt.delete(key);
    const isHeld = blockedFor(this.#client, 'others') > 0 || currentPage().isOffline();
    const at = isHeld ? undefined : this.#refreshedAt.get(makeKey(resource, id));
    return at === undefined ? 0 : at - earliest;
  }

  /** Records that a resource that isn't watched may have changed. */
  announce(resource: string, id: string, at: number = this.#now): void {
    const kept = this.#note(makeKey(resource, id), at + LAG_MS - this.#now);
    kept.announcedAt = Math.max(kept.announcedAt, at);
  }

  /**
   * Passes a value as of `asOf`, in milliseconds since 1970, to a resource's watches. If there are
   * none, a provided value is kept for five minutes. A value read by this client is only kept as
   * long as a replica might return an older one.
   */
  tell<T>(type: Watchable<T>, id: string, value: T, asOf: number, isProvided?: boolean): void {
    this.addType(type as Watchable<unknown>);
    const sentAt = this.#now - Math.max(0, this.#clock.now() - asOf);
    if (this.watching?.tell(type.name, id, value, sentAt, isProvided)) return;
    const kept = this.#note(makeKey(type.name, id), isProvided ? KEEP_MS : LAG_MS);
    this.#take(type, kept, value, sentAt);
  }

  /**
   * Returns the snapshot of a watch without subscribers, the known value as `stale`.
   * Returns `last` itself if nothing has changed.
   */
  idle<T>(type: Watchable<T>, id: string, last: Snapshot<T>): Snapshot<T> {
    const entry = findEntry(this.entries, type.name, id);
    const kept = entry ? undefined : this.#find(makeKey(type.name, id));
    const now = entry ? toStale(entry.snapshot) : kept ? this.#snapshotOf(kept) : LOADING;
    const isSame = saysSame(now, last) && now.asOf === last.asOf && !last.regressed;
    if (!isSame) return now as Snapshot<T>;
    if (last.asOf !== undefined) setCheckedAt(last, now.checkedAt!);
    return last;
  }

  #snapshotOf(kept: Kept): Snapshot<unknown> {
    const { held, asOf, checkedAt } = kept;
    if (!held) return LOADING;
    const pending = this.#isPending(kept) ? 'announced' : undefined;
    return toStale({ value: held.value, asOf, checkedAt, freshness: 'stale', pending });
  }

  #isPending({ announcedAt }: Kept): boolean {
    return announcedAt >= this.#now - LAG_MS;
  }

  #find(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    return kept && kept.until > this.#now ? kept : undefined;
  }

  /**
   * Returns the record for a key, creating it if needed. Keeps it for at least `ms` more
   * milliseconds.
   */
  #note(key: string, ms: number): Kept {
    const now = this.#now;
    const kept = this.#find(key) ?? {
      asOf: NaN,
      checkedAt: NaN,
      announcedAt: -Infinity,
      madeAt: -Infinity,
      until: -Infinity,
    };
    kept.until = Math.max(kept.until, now + ms);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const [oldest, { until }] of this.#kept) {
      if (until > now && this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    return kept;
  }

  /** Applies a value from a request sent at `sentAt`, unless an earlier read wins. */
  #take<T>(type: Watchable<T>, kept: Kept, given: T, sentAt: number): void {
    const now = this.#now;
    const before = kept.held as HeldState<T> | undefined;
    const value = keepSame(before, given);
    const read = { value, state: type.stateOf(value), sentAt, receivedAt: now };
    const { held } = applyRead(type.states, before, read);
    kept.held = held;
    if (held.value !== value || held.contradiction) return;
    const asOf = this.#clock.now() - (now - sentAt);
    if (value !== before?.value) kept.asOf = asOf;
    kept.checkedAt = Math.max(kept.asOf, asOf);
  }

  /**
   * Adds a type of resource. Applies recent responses to it that arrived before its first watch.
   */
  addType(type: Watchable<unknown>): void {
    if (this.types.has(type.name)) return;
    this.types.set(type.name, type);
    for (const answer of recentAnswers(this.#client)) this.#applyAnswer(type, answer);
  }

  /**
   * Returns the values in a response, in the form in which a watch reads them. Responses from our
   * own relay already have that form.
   */
  valuesIn(type: Watchable<unknown>, answer: CallAnswer): readonly unknown[] {
    return valuesIn(type, answer, !this.#client[internals].dial);
  }

  /** Applies the response to one of the client's calls to watched and kept resources. */
  #applyAnswer(type: Watchable<unknown>, answer: CallAnswer): void {
    const sentAt = this.#clock.aged(answer.sentAt);
    const values = this.valuesIn(type, answer);
    for (const value of values) {
      const id = type.idOf(value);
      if (!this.watching?.tell(type.name, id, value, sentAt))
        this.#applyUnwatched(type, id, value, answer, sentAt);
    }
    if (values.length > 0) return;
    const { state } = Object(answer.value) as { readonly state?: unknown };
    for (const id of changedBy(answer)) {
      const entry = findEntry(this.entries, type.name, id);
      const { held } = entry ?? this.#find(makeKey(type.name, id)) ?? {};
      if (state !== undefined && held?.state === state) continue;
      if (entry) this.watching?.invalidate('own call', type.name, id);
      else if (sentAt > this.#now - LAG_MS) this.announce(type.name, id, sentAt);
    }
  }

  /**
   * Applies a value to a resource that isn't watched. If the resource was never watched, only keeps
   * what a replica may not have yet: a new resource, or one that has left its initial state.
   */
  #applyUnwatched(
    type: Watchable<unknown>,
    id: string,
    value: unknown,
    answer: CallAnswer,
    sentAt: number,
  ): void {
    const key = makeKey(type.name, id);
    const known = this.#find(key);
    if (known?.held) return this.#take(type, known, value, sentAt);
    const left = sentAt + LAG_MS - this.#now;
    if (left <= 0 || isPage(type, answer)) return;
    if (isCreation(answer)) this.#note(key, left).madeAt = sentAt;
    else if (type.states?.rank(type.stateOf(value)))
      this.#take(type, this.#note(key, left), value, sentAt);
  }
}

/** Creates the snapshot for a watch without subscribers. */
function toStale<T>({ value, asOf, checkedAt, pending }: Snapshot<T>): Snapshot<T> {
  if (asOf === undefined) return LOADING;
  const stale = { value: value as T, asOf, checkedAt, freshness: 'stale' } as const;
  return snapshotWith(pending ? { ...stale, pending } : stale, true);
}

/**
 * Returns this resource's values in a response. With `isBare`, they have the form in which a watch
 * reads them.
 */
function valuesIn<T>(
  { watch }: Watchable<T>,
  { endpoint, value }: CallAnswer,
  isBare: boolean,
): readonly T[] {
  if (value === undefined) return [];
  const found = isPage({ watch }, { endpoint })
    ? (value as { readonly items: readonly T[] }).items
    : endpoint.output?.schema === watch.shape.schema
      ? [value as T]
      : [];
  return found.map((one) => frozenCopy(isBare && watch.bare ? watch.bare(one) : one));
}

function isPage<T>(
  { watch }: Pick<Watchable<T>, 'watch'>,
  { endpoint }: Pick<CallAnswer, 'endpoint'>,
): boolean {
  const schema = endpoint.output?.schema;
  return schema !== undefined && schema === watch.page?.schema;
}

/** Returns whether a response confirms that the call created a resource. */
function isCreation({ endpoint, refusal }: CallAnswer): boolean {
  return endpoint.method === 'POST' && refusal === undefined;
}

/**
 * Returns the ids of resources that a call has changed, if the response doesn't contain their new
 * values. In that case, either a command was accepted without a response body, or it was refused
 * because of the resource's state.
 */
function changedBy({ endpoint, where, value, refusal }: CallAnswer): readonly string[] {
  const { idempotency, original } = endpoint;
  const isCommand = idempotency === 'same-request' || idempotency === 'convergent';
  const isAccepted = !refusal && value === undefined && isCommand;
  const { exists, isState } = refusal ? findMeaning(refusal.code) : {};
  const tellsState = exists || isState || (refusal && refusal.code === original?.code);
  return isAccepted || tellsState ? [where, value, refusal?.values].flatMap(checkIds) : [];
}

function checkIds(given: unknown): readonly string[] {
  return Object.entries(Object(given) as object).flatMap(([name, value]: [string, unknown]) =>
    /id$/i.test(name) && typeof value === 'string' ? [value] : [],
  );
}
