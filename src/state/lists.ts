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

/** The rows of a list, how fresh they are, and what has changed. */
export interface KnownListSnapshot<T>
  extends Pick<KnownSnapshot<T>, 'asOf' | 'checkedAt' | 'freshness' | 'error' | 'pending'> {
  /**
   * The rows. The array stays the same until a row changes, and an unchanged row stays the same
   * object.
   */
  readonly items: readonly T[];
  /**
   * The ids of rows that weren't in the previous snapshot. In the first snapshot with rows, and if
   * only the freshness has changed, `added`, `changed` and `removed` are empty.
   */
  readonly added: readonly string[];
  /** The ids of rows that have changed since the previous snapshot. */
  readonly changed: readonly string[];
  /** The ids of rows that were in the previous snapshot but aren't in this one. */
  readonly removed: readonly string[];
}

/**
 * A snapshot without rows, because none have been read yet. `freshness` and `error` are the reason.
 */
export interface EmptyListSnapshot
  extends Pick<EmptySnapshot, 'asOf' | 'checkedAt' | 'freshness' | 'error' | 'pending'> {
  /** Always absent, because nothing has been read yet. */
  readonly items?: undefined;
  /** Always absent, because nothing has been read yet. */
  readonly added?: undefined;
  /** Always absent, because nothing has been read yet. */
  readonly changed?: undefined;
  /** Always absent, because nothing has been read yet. */
  readonly removed?: undefined;
}

/**
 * The current rows of a list, and how fresh they are. A snapshot is emitted if a row, the order of
 * the rows, the freshness, the error code or `pending` changes. `items` is absent until any rows
 * are known.
 */
export type ListSnapshot<T> = KnownListSnapshot<T> | EmptyListSnapshot;

/** Options for every watched list. */
export interface ListWatchOptions {
  /**
   * The maximum number of rows, from 1 to 1,000. Defaults to 100. Each read takes one request per
   * 100 rows.
   */
  readonly limit?: number | undefined;
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
}

const LIST_OPTIONS: Expected<ListWatchOptions> = { limit: 'number', signal: 'signal' };

/** Options for a watched list of invoices. */
export interface InvoiceListWatchOptions extends ListWatchOptions {
  /** The order by creation time. Defaults to `desc`, with the newest invoices first. */
  readonly order?: 'asc' | 'desc' | undefined;
}

const INVOICE_LIST_OPTIONS: Expected<InvoiceListWatchOptions> = {
  limit: 'number',
  signal: 'signal',
  order: ['asc', 'desc'],
};

/**
 * Watches a list of invoices. Emits its rows, how fresh they are, and what has changed since the
 * previous snapshot. No request is sent until you subscribe, and watches of the same list share
 * their requests. The watch never completes. If the client learns about a change from one of its
 * own calls, a relay or another watch, the list shows it right away. Rows enter and leave the list
 * as they start or stop matching the condition. `GET /v1/invoices` (documented).
 *
 * @param condition a filter or condition, as for `client.invoices.list`
 * @throws InputError if a date, `limit` or `order` is invalid · through `error`: RefusedError if
 * the service refuses to show the list, AuthenticationError if the credential has ended
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
  listInvoices(client, condition); // this only checks the filter, without sending a request
  // copied, because the caller may change the filter and use it again
  const fixed = toCondition(condition);
  return watchList<Invoice>(client, more, {
    type: invoices,
    condition: fixed,
    order,
    list: (connection, call) => listInvoices(connection, fixed, { ...call, order }),
  });
}

/**
 * Watches the list of payouts, like `watchInvoices`. The service can't filter or sort payouts, so
 * you get the first `limit` payouts in the service's order. `GET /v1/payouts` (documented).
 *
 * @throws InputError if `limit` is invalid or `order` is set · through `error`: RefusedError if the
 * service refuses to show the list, AuthenticationError if the credential has ended
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
 * Watches the list of deposits, like `watchInvoices`. The service can't filter or sort deposits, so
 * you get the first `limit` deposits in the service's order. There's no event for new deposits, so
 * a deposit that was created elsewhere appears with the next read. `GET /v1/deposits` (documented).
 *
 * @throws InputError if `limit` is invalid or `order` is set · through `error`: RefusedError if the
 * service refuses to show the list, AuthenticationError if the credential has ended
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
 * Watches the receives for all receive requests, like `watchInvoices`. The service can't sort
 * receives, so you get the first `limit` receives in the service's order. `GET
 * /v1/receive-requests/receives` (documented).
 *
 * @param filter a filter, as for `client.receiveRequests.listAllReceives`
 * @throws InputError if `limit` is invalid or `order` is set · through `error`: RefusedError if the
 * service refuses to show the list, AuthenticationError if the credential has ended
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

/** The maximum number of rows in a watched list. Reading that many rows takes ten requests. */
const MAX_LIMIT = 1_000;

/** Converts a filter to a condition that both the service and this client can apply. */
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
    stateOf: () => '', // only the individual rows have states
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

/** Converts the snapshots of a list to snapshots that include what has changed. */
class ListSource<T> implements WatchSource<ListSnapshot<T>> {
  readonly #source: WatchSource<Snapshot<readonly T[]>>;
  readonly #type: Watchable<T>;
  readonly #follow: () => void;
  #last: { readonly from: Snapshot<readonly T[]>; readonly to: ListSnapshot<T> } | undefined;

  /** `follow` starts following the rows. It's called once the list is being watched. */
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
    // `idle` was called before, so this is set
    const work = this.#source.start(inner, this.#last!.from);
    this.#follow();
    return work;
  }

  untilRefresh(): Promise<void> | undefined {
    return this.#source.untilRefresh?.();
  }

  idle(): ListSnapshot<T> {
    return this.#show(this.#source.idle(this.#last?.from));
  }

  /**
   * Returns the snapshot for a late subscriber. It has no changes, because the subscriber hasn't
   * seen the previous snapshot.
   */
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

  /** Creates the snapshot with the changes since `before`. */
  #compare(before: readonly T[] | undefined, from: Snapshot<readonly T[]>): ListSnapshot<T> {
    const { value: items, asOf, freshness, error, pending } = from;
    if (items === undefined) return Object.freeze({ freshness, ...(error && { error }) });
    return Object.freeze({
      items,
      asOf,
      // a read that confirms the rows updates this time without emitting a snapshot
      get checkedAt() {
        return from.checkedAt;
      },
      freshness,
      error,
      pending,
      ...this.#changesOf(before, items),
    });
  }

  /**
   * Returns which rows were added, changed and removed. Returns no changes if there was no previous
   * list.
   */
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
