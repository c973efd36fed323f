import { checkOptions } from '../core/errors/index.ts';
import {
  type Connection,
  internals,
  checkClient,
  findRoot,
  type Slot,
  slotState,
  tellListeners,
} from '../core/http/index.ts';
import { type Clock, onAbort } from '../core/time.ts';
import {
  frozenCopy,
  minus,
  type Observer,
  plus,
  type SubscribeOptions,
  type Unsubscribe,
  type Watch,
  makeWatch,
  type WatchSource,
  type WatchStatus,
  type Work,
} from '../core/watch.ts';
import { requireId, type Watchable } from '../resources/resource.ts';
import { type AnyEntry, readCreated, type Entry, type EntryObserver, isSettled } from './entry.ts';
import { Hub } from './hub.ts';
import { getKnown } from './known.ts';
import { ENGINE, type WatchEngine } from './late-watch.ts';
import { LOADING, type Snapshot, WATCH_OPTIONS, type WatchOptions } from './snapshot.ts';
import type { PushedQuote } from './sources/relay.ts';

const HUB: Slot<{ hub?: Hub | undefined }> = { name: 'state.hub', make: () => ({}) };

/**
 * Returns the object that holds the hub of this client and its children. It has no hub while
 * nothing is being watched.
 */
export function getHub(client: Connection): { hub?: Hub | undefined } {
  return slotState(client, HUB);
}

/** The source of the snapshots for a watch of one resource or one list. */
export class EntitySource<T> implements WatchSource<Snapshot<T>> {
  readonly #client: Connection;
  readonly #type: Watchable<T>;
  readonly #id: string;
  readonly #created: number | undefined;
  readonly #options: WatchOptions | undefined;

  constructor(
    client: Connection,
    type: Watchable<T>,
    id: string,
    options: WatchOptions,
    created?: number,
  ) {
    this.#client = client;
    this.#type = type;
    this.#id = id;
    this.#created = created;
    // most watches have no options, and an object for each of them would take memory
    this.#options = options.signal || options.until ? options : undefined;
  }

  get clock(): Clock {
    return this.#client[internals].clock;
  }

  status(): WatchStatus {
    const { hub } = getHub(this.#client);
    return hub?.status(this.#type.name, this.#id) ?? { reason: 'not watched' };
  }

  start(to: Observer<Snapshot<T>>): Work {
    const place = getHub(this.#client);
    // the hub must not use the options of a single child client
    const root = findRoot(this.#client);
    const end = () => void (place.hub = undefined);
    const hub = (place.hub ??= new Hub(root, getKnown(root), end));
    const entry = hub.open(this.#type, this.#id, this.#created);
    return new Observation(entry, to, this.#options ?? {}, hub);
  }

  async untilRefresh(): Promise<void> {
    const ms = getKnown(this.#client).untilRefresh(this.#type.name, this.#id);
    if (ms > 0) await this.clock.wait(ms);
  }

  idle(last: Snapshot<T> = LOADING): Snapshot<T> {
    const { states, stateOf } = this.#type;
    const isSettled = () =>
      this.#options?.until !== 'never' && states?.isSettled(stateOf(last.value as T));
    const hasEnded = last.freshness === 'failed' || (last.freshness === 'live' && isSettled());
    return hasEnded ? last : getKnown(this.#client).idle(this.#type, this.#id, last);
  }
}

/** Passes an entry's snapshots on to one observer until it's stopped. */
class Observation<T> implements EntryObserver<T>, Work {
  readonly #entry: Entry<T>;
  readonly #to: Observer<Snapshot<T>>;
  readonly #hub: Hub;
  readonly #isEndless: boolean;
  readonly #unlisten: (() => void) | undefined;
  #tell: ((isEmitted: boolean) => void) | undefined = undefined;

  /** Emits the current snapshot of the entry to the observer. */
  constructor(
    entry: Entry<T>,
    to: Observer<Snapshot<T>>,
    { signal, until }: WatchOptions,
    hub: Hub,
  ) {
    this.#entry = entry;
    this.#to = to;
    this.#hub = hub;
    this.#isEndless = until === 'never';
    entry.observers = plus(entry.observers, this as EntryObserver<T>);
    this.#unlisten = signal && onAbort(signal, () => to.complete());
    if (signal?.aborted) to.complete();
    else this.next(entry.snapshot);
  }

  next(snapshot: Snapshot<T>): void {
    this.#to.next(snapshot);
    if (!this.#isEndless && isSettled(this.#entry)) this.#to.complete();
  }

  error(reason: unknown): void {
    this.#to.error(reason);
  }

  complete(): void {
    this.#to.complete();
  }

  retry(): void {
    this.#hub.retry(this.#entry as AnyEntry);
  }

  refresh(): Promise<void> {
    return this.#hub.refresh(this.#entry as AnyEntry);
  }

  afterRead(tell: (isEmitted: boolean) => void): boolean {
    // until a value is known, every read ends with a new snapshot
    if (this.#entry.snapshot === LOADING) return false;
    this.#tell = tell;
    return true;
  }

  readEnded(isEmitted: boolean): void {
    const tell = this.#tell;
    this.#tell = undefined;
    tell?.(isEmitted);
  }

  stop(): void {
    const entry = this.#entry;
    this.#unlisten?.();
    entry.observers = minus(entry.observers, this as EntryObserver<T>);
    this.#hub.left(entry as AnyEntry);
  }
}

/**
 * Watches one resource. No request is sent until the first observer subscribes. `created` is its
 * creation time in seconds, if it's known.
 */
export function watchOne<T>(
  client: Connection,
  type: Watchable<T>,
  id: string,
  options: WatchOptions,
  created?: number,
): Watch<Snapshot<T>> {
  checkClient(client);
  checkOptions(options, WATCH_OPTIONS);
  // the client's methods can use the types that the page has already imported
  (slotState(client, ENGINE).engine ??= makeEngine([])).know(type);
  return makeWatch(new EntitySource(client, type, id, options, created));
}

/** Watches a resource, given by its id or as an object that contains its id. */
export function watchEntity<T>(
  client: Connection,
  type: Watchable<T>,
  entity: object | string,
  options: WatchOptions,
): Watch<Snapshot<T>> {
  const id = typeof entity === 'string' ? entity : entity && type.idOf(entity as T);
  return watchOne(client, type, requireId(type.name, id), options, readCreated(type, entity));
}

/** Notifies a resource's watches and other listeners that the resource may have changed. */
export function tellChange(client: Connection, resource: string, id: string): void {
  const { hub } = getHub(client);
  if (hub) hub.invalidate('invalidated', resource, id);
  else getKnown(client).announce(resource, id);
  tellListeners(client, id);
}

/** Returns the last payment code that the relay pushed for this invoice. It hasn't been checked. */
export function pushedQuote(client: Connection, invoiceId: string): PushedQuote | undefined {
  return getHub(client).hub?.quoteOf(invoiceId);
}

/**
 * Passes a value that this client has read to the resource's watches, or keeps it for a later
 * watch.
 */
export function tellRead<T>(
  client: Connection,
  type: Watchable<T>,
  id: string,
  value: T,
  asOf: number,
): void {
  getKnown(client).tell(type, id, frozenCopy(value), asOf);
}

/**
 * Creates the engine for `client.invoices.watch` and the same methods of other resources. `types`
 * lists the resources that it can watch.
 */
export function makeEngine(types: readonly { readonly name: string }[]): WatchEngine {
  const known = new Map(types.map((type) => [type.name, type]));
  return {
    know: (type) => void known.set(type.name, type),
    watch<T>(client: Connection, name: string, entity: object | string, options: WatchOptions) {
      const type = known.get(name) as Watchable<T> | undefined;
      return type && watchEntity(client, type, entity, options);
    },
    join,
  };
}

/**
 * Subscribes an observer that has already received a snapshot. That snapshot isn't emitted again.
 */
function join<T>(
  watch: Watch<Snapshot<T>>,
  to: Partial<Observer<Snapshot<T>>>,
  options: SubscribeOptions | undefined,
  shown: Snapshot<T>,
): Unsubscribe {
  let isFirst = true;
  const next = (snapshot: Snapshot<T>) => {
    const isRepeated = snapshot.freshness === 'loading' && snapshot.error === shown.error;
    if (!isFirst || !isRepeated) to.next?.(snapshot);
    isFirst = false;
  };
  const complete = () => to.complete?.();
  const error = (reason: unknown) => to.error!(reason);
  return watch.subscribe(to.error ? { next, complete, error } : { next, complete }, options);
}
