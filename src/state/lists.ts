import { badInput, checkOptions, type Expected } from '../core/errors/index.ts';
import { type Connection, checkClient } from '../core/http/index.ts';
import { type Condition, PAGE } from '../core/lists/index.ts';
import type { Clock } from '../core/time.ts';
import {
  type Observer,
  type Watch,
  makeWatch,
  type WatchSource,
  type WatchStatus,
  type Work,
} from '../core/watch.ts';
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
  RECEIVE_FILTER,
  type Receive,
  receives,
} from '../resources/receive-requests.ts';
import type { Watchable } from '../resources/resource.ts';
import { type ListPlan, ListRows, Lists } from './list-rows.ts';
import type { EmptySnapshot, KnownSnapshot, Snapshot } from './snapshot.ts';
import { EntitySource, getHub } from './watch-one.ts';

/** The rows of a list, how far they can be trusted, and what has changed. */
export interface KnownListSnapshot<T>
  extends Pick<KnownSnapshot<T>, 'asOf' | 'checkedAt' | 'freshness' | 'error' | 'pending'> {
  /**
   * The rows. The same array while none of them changes, and a row that does not change is the same
   * object.
   */
  readonly items: readonly T[];
  /**
   * Ids of rows that the snapshot before did not have. Like `changed` and `removed` it is empty in
   * the first snapshot with rows, and where only the freshness has changed.
   */
  readonly added: readonly string[];
  /** Ids of rows that are different from those of the snapshot before. */
  readonly changed: readonly string[];
  /** Ids of rows that only the snapshot before has. */
  readonly removed: readonly string[];
}

/** No row is known yet; `freshness` and `error` say why. */
export interface EmptyListSnapshot
  extends Pick<EmptySnapshot, 'asOf' | 'checkedAt' | 'freshness' | 'error' | 'pending'> {
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
 * Says which rows a list has now, and how fresh they are. It is emitted when a row, the order of
 * the rows, the freshness, the error's code or `pending` changes. While no row is known, `items` is
 * absent.
 */
export type ListSnapshot<T> = KnownListSnapshot<T> | EmptyListSnapshot;

/** Options of every live list. */
export interface ListWatchOptions {
  /**
   * The number of rows at most, 1 to 1,000; 100 when absent. Each hundred takes a request a read.
   */
  readonly limit?: number | undefined;
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
}

const LIST_OPTIONS: Expected<ListWatchOptions> = { limit: 'number', signal: 'signal' };

/** Options of a live list of invoices. */
export interface InvoiceListWatchOptions extends ListWatchOptions {
  /** Order by time of creation; `desc`, the newest first, when absent. */
  readonly order?: 'asc' | 'desc' | undefined;
}

const INVOICE_LIST_OPTIONS: Expected<InvoiceListWatchOptions> = {
  limit: 'number',
  signal: 'signal',
  order: ['asc', 'desc'],
};

/**
 * Watches a list of invoices: its rows, how fresh they are, and what has changed since the snapshot
 * before. Nothing is sent before the first subscriber; watches of the same list share their reads.
 * Never completes by itself. A row of which this client is told by a call of its own, a relay or
 * another watch is shown so at once; where the condition does not hold for it any more it leaves
 * the list, and where it begins to hold it enters. `GET /v1/invoices` (documented).
 *
 * @param condition as `client.invoices.list` takes it
 * @throws InputError for an invalid date, `limit` or `order` · through `error`: RefusedError when
 * the service refuses to show the list, AuthenticationError when the credential has ended
 * @example
 * const watch = watchInvoices(client, { state: 'UNPAID' }, { limit: 50 });
 * const stop = watch.subscribe(({ items = [], freshness }) =>
 *   console.log(items.length, freshness),
 * );
 * stop();
 */
export function watchInvoices(
  client: Connection,
  condition: InvoiceFilter | Condition<'invoice'> = {},
  options: InvoiceListWatchOptions = {},
): Watch<ListSnapshot<Invoice>> {
  checkOptions(options, INVOICE_LIST_OPTIONS);
  const { order = 'desc', ...more } = options;
  listInvoices(client, condition); // only checks the filter: nothing is sent
  const fixed = toCondition(condition); // the caller may change the filter, and use it again
  return watchList<Invoice>(client, more, {
    type: invoices,
    condition: fixed,
    order,
    list: (connection, call) => listInvoices(connection, fixed, { ...call, order }),
  });
}

/**
 * Watches the list of payouts, as `watchInvoices` does. The service can neither filter nor order
 * them: these are the first `limit` in the order of its list. `GET /v1/payouts` (documented).
 *
 * @throws InputError for an invalid `limit`, and for an `order` · through `error`: RefusedError
 * when the service refuses to show the list, AuthenticationError when the credential has ended
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
 * @throws InputError for an invalid `limit`, and for an `order` · through `error`: RefusedError
 * when the service refuses to show the list, AuthenticationError when the credential has ended
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
 * @throws InputError for an invalid `limit`, and for an `order` · through `error`: RefusedError
 * when the service refuses to show the list, AuthenticationError when the credential has ended
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
  checkOptions(filter, RECEIVE_FILTER, 'filter.');
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const fixed: AllReceivesFilter = Object.fromEntries(given);
  return watchList<Receive>(client, options, {
    type: receives,
    filter: given.length > 0 ? fixed : undefined,
    list: (connection, more) => listAllReceives(connection, fixed, more),
  });
}

/** A live list has at most this many rows, which take ten requests a read. */
const MAX_LIMIT = 1_000;

/** Makes one condition for the service and for the rows that this client is told of. */
function toCondition(
  given: InvoiceFilter | Condition<'invoice'>,
): Condition<'invoice'> | undefined {
  if ('matches' in given) return given;
  if (Object.values(given).every((value) => value === undefined)) return undefined;
  const { state, correlationId, createdAfter, createdBefore } = given;
  return whereInvoice((f) =>
    [
      state === undefined ? [] : f.state.eq(state),
      correlationId === undefined ? [] : f.correlationId.eq(correlationId),
      createdAfter === undefined ? [] : f.created.gt(createdAfter),
      createdBefore === undefined ? [] : f.created.lt(createdBefore),
    ]
      .flat()
      .reduce((a, b) => a.and(b)),
  );
}

function watchList<T>(
  client: Connection,
  options: ListWatchOptions,
  plan: ListPlan<T>,
): Watch<ListSnapshot<T>> {
  checkClient(client);
  checkOptions(options, LIST_OPTIONS);
  const { limit = PAGE, signal } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw badInput(
      'limit',
      `must be a whole number from 1 to ${MAX_LIMIT}, because every row is read repeatedly`,
    );
  const { condition, filter, order, type } = plan;
  const id = JSON.stringify([condition?.text ?? filter, order, limit]);
  let rows: ListRows;
  const listType: Watchable<readonly T[]> = {
    name: `${type.name} list`,
    idOf: () => id,
    stateOf: () => '', // the rows have states
    read: (connection, _id, options) => rows.read(connection, options) as Promise<readonly T[]>,
    watch: {
      wokenBy: 'events',
      shape: { schema: undefined, read: (given) => given as readonly T[] },
    },
  };
  const follow = () =>
    getHub(client).hub?.openList(listType.name, id, (entry, world) => {
      const { context } = world;
      const lists = context.lists instanceof Lists ? context.lists : new Lists(world);
      context.lists = lists;
      rows = new ListRows(plan, limit, context);
      lists.add(entry, rows);
    });
  return makeWatch(
    new ListSource(new EntitySource(client, listType, id, { signal }), type, follow),
  );
}

/** Turns the snapshots of a list into those that say what has changed. */
class ListSource<T> implements WatchSource<ListSnapshot<T>> {
  readonly #source: WatchSource<Snapshot<readonly T[]>>;
  readonly #type: Watchable<T>;
  readonly #follow: () => void;
  #last: { readonly from: Snapshot<readonly T[]>; readonly to: ListSnapshot<T> } | undefined;

  /** `follow` begins to follow the rows once the list is watched. */
  constructor(source: WatchSource<Snapshot<readonly T[]>>, type: Watchable<T>, follow: () => void) {
    this.#source = source;
    this.#type = type;
    this.#follow = follow;
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
    const work = this.#source.start(inner, this.#last!.from); // which `idle` has set
    this.#follow();
    return work;
  }

  untilRefresh(): Promise<void> | undefined {
    return this.#source.untilRefresh?.();
  }

  idle(): ListSnapshot<T> {
    return this.#show(this.#source.idle(this.#last?.from));
  }

  /** The changes that the current snapshot names are over for a subscriber that comes later. */
  toLate(current: ListSnapshot<T>): ListSnapshot<T> {
    const { added = [], changed = [], removed = [], items } = current;
    if (added.length + changed.length + removed.length === 0) return current;
    return this.#compare(items, this.#last!.from);
  }

  #show(from: Snapshot<readonly T[]>): ListSnapshot<T> {
    const last = this.#last;
    if (last?.from === from) return last.to;
    const to = this.#compare(last?.to.items, from);
    this.#last = { from, to };
    return to;
  }

  /** Makes the snapshot that says what has changed since `before`. */
  #compare(before: readonly T[] | undefined, from: Snapshot<readonly T[]>): ListSnapshot<T> {
    const { value: items, asOf, freshness, error, pending } = from;
    if (items === undefined) return Object.freeze({ freshness, ...(error && { error }) });
    return Object.freeze({
      items,
      asOf,
      // a read that confirms the rows moves this time on without another snapshot
      get checkedAt() {
        return from.checkedAt;
      },
      freshness,
      error,
      pending,
      ...this.#changesOf(before, items),
    });
  }

  /** Returns which rows were added, changed and removed; none where there was no list before. */
  #changesOf(before: readonly T[] | undefined, now: readonly T[]) {
    const keyed = (rows: readonly T[]) => new Map(rows.map((row) => [this.#type.idOf(row), row]));
    const [old, current] = [keyed(before ?? now), keyed(now)];
    const ids = [...current.keys()];
    return {
      added: Object.freeze(ids.filter((id) => !old.has(id))),
      changed: Object.freeze(ids.filter((id) => old.has(id) && old.get(id) !== current.get(id))),
      removed: Object.freeze([...old.keys()].filter((id) => !current.has(id))),
    };
  }
}
