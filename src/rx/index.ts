import {
  defer,
  distinctUntilChanged,
  filter,
  map,
  type MonoTypeOperatorFunction,
  Observable,
  type OperatorFunction,
  type SchedulerAction,
  type SchedulerLike,
  Subscription,
  takeWhile,
} from 'rxjs';
import { checkArgument, checkMethods, checkOptions } from '../core/errors/index.ts';
import * as http from '../core/http/index.ts';
import { type Connection, internals } from '../core/http/index.ts';
import type { List } from '../core/lists/index.ts';
import type { Clock } from '../core/time.ts';
import { reportUncaught, type Watch } from '../core/watch.ts';
import * as flows from '../flows/index.ts';
import { isSettled } from '../resources/any-resource.ts';
import { eventFeed as itemsOf, type FeedItem } from '../resources/events.feed.ts';
import * as state from '../state/index.ts';
import type { Snapshot } from '../state/index.ts';
import { isKept } from '../state/snapshot.ts';

export type { ListSnapshot, Snapshot, WatchOptions } from '../state/index.ts';

/**
 * Converts a watch or a list to an Observable. Each subscription to a list reads it from the
 * beginning, until you unsubscribe.
 *
 * @example
 * toObservable(countdown(client, view.quote)).subscribe((seconds) => console.log(seconds));
 */
export function toObservable<T>(source: Watch<T> | List<T>): Observable<T> {
  checkArgument('source', source, 'object!');
  if ('subscribe' in source) return fromWatch(source);
  checkMethods('source', { subscribe: source[Symbol.asyncIterator] }, 'subscribe');
  return fromIterable(() => source);
}

/**
 * Converts a watch to an Observable. No operators are needed, because a watch already shares its
 * work, replays the current value and stops after the last unsubscribe.
 */
function fromWatch<T>(watch: Watch<T>): Observable<T> {
  return new Observable((subscriber) => watch.subscribe(subscriber));
}

/**
 * Creates an Observable that iterates while it has a subscriber and aborts the signal on
 * unsubscribe.
 */
function fromIterable<T>(open: (signal: AbortSignal) => AsyncIterable<T>): Observable<T> {
  return new Observable((subscriber) => {
    const stop = new AbortController();
    void (async () => {
      try {
        for await (const item of open(stop.signal)) {
          if (stop.signal.aborted) return;
          subscriber.next(item);
        }
        subscriber.complete();
      } catch (thrown) {
        subscriber.error(thrown);
      }
    })();
    return () => stop.abort();
  });
}

type Observed<Create> = Create extends (...given: infer Given) => Watch<infer T>
  ? (...given: Given) => Observable<T>
  : never;

function observed<Given extends readonly unknown[], T>(
  create: (...given: Given) => Watch<T>,
): (...given: Given) => Observable<T> {
  return (...given) => fromWatch(create(...given));
}

/**
 * Watches an invoice as an Observable. It polls while it has subscribers, and shares requests with
 * other watches of the same invoice. It starts with the last known value and completes when the
 * invoice is settled.
 *
 * @param invoice the invoice or its id
 *
 * @example
 * watchInvoice(client, invoice).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export const watchInvoice: Observed<typeof state.watchInvoice> = /* @__PURE__ */ observed(
  state.watchInvoice,
);

/**
 * Watches a payment as an Observable, which completes when the payment is COMPLETED or FAILED.
 * Otherwise, it works like `watchInvoice`.
 *
 * @param payment the payment or its id
 *
 * @example
 * watchPayment(client, payment).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export const watchPayment: Observed<typeof state.watchPayment> = /* @__PURE__ */ observed(
  state.watchPayment,
);

/**
 * Watches all payments to a receive request as an Observable, which never completes.
 *
 * @param request the receive request or its id
 *
 * @example
 * watchReceives(client, request)
 *   .pipe(values())
 *   .subscribe(({ receives }) => console.log(receives.length));
 */
export const watchReceives: Observed<typeof state.watchReceives> = /* @__PURE__ */ observed(
  state.watchReceives,
);

/**
 * Watches an exchange quote as an Observable, which completes when the quote is COMPLETED or
 * FAILED. Otherwise, it works like `watchInvoice`.
 *
 * @param quote the quote or its id
 *
 * @example
 * watchCurrencyExchangeQuote(client, quote)
 *   .pipe(values())
 *   .subscribe(({ state }) => console.log(state));
 */
export const watchCurrencyExchangeQuote: Observed<typeof state.watchCurrencyExchangeQuote> =
  /* @__PURE__ */ observed(state.watchCurrencyExchangeQuote);

/**
 * Watches a payout as an Observable, which completes when the payout is COMPLETED, FAILED or
 * REVERSED. Otherwise, it works like `watchInvoice`.
 *
 * @param payout the payout or its id
 *
 * @example
 * watchPayout(client, payout).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export const watchPayout: Observed<typeof state.watchPayout> = /* @__PURE__ */ observed(
  state.watchPayout,
);

/**
 * Watches a deposit as an Observable, which completes when the deposit is COMPLETED, FAILED or
 * REVERSED. Otherwise, it works like `watchInvoice`.
 *
 * @param deposit the deposit or its id
 *
 * @example
 * watchDeposit(client, deposit).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export const watchDeposit: Observed<typeof state.watchDeposit> = /* @__PURE__ */ observed(
  state.watchDeposit,
);

/**
 * Watches a bank payment method as an Observable, which never completes.
 *
 * @param method the method or its id
 * @example
 * watchBankPaymentMethod(client, method)
 *   .pipe(values())
 *   .subscribe(({ state }) => console.log(state));
 */
export const watchBankPaymentMethod: Observed<typeof state.watchBankPaymentMethod> =
  /* @__PURE__ */ observed(state.watchBankPaymentMethod);

/**
 * Watches a payout originator as an Observable, which never completes.
 *
 * @param originator the originator or its id
 * @example
 * watchPayoutOriginator(client, originator)
 *   .pipe(values())
 *   .subscribe(({ state }) => console.log(state));
 */
export const watchPayoutOriginator: Observed<typeof state.watchPayoutOriginator> =
  /* @__PURE__ */ observed(state.watchPayoutOriginator);

/**
 * Watches all of the account's balances as an Observable, which never completes.
 *
 * @example
 * watchBalances(client).pipe(values()).subscribe((balances) => console.log(balances.length));
 */
export const watchBalances: Observed<typeof state.watchBalances> = /* @__PURE__ */ observed(
  state.watchBalances,
);

/**
 * Watches all exchange rates as an Observable, which never completes.
 *
 * @example
 * watchRates(client).pipe(values()).subscribe((rates) => console.log(rates.length));
 */
export const watchRates: Observed<typeof state.watchRates> = /* @__PURE__ */ observed(
  state.watchRates,
);

/**
 * Watches a list of invoices as an Observable, which never completes. Each snapshot contains the
 * invoices, their freshness, and the changes since the previous snapshot.
 *
 * @param condition a filter or condition, as in `client.invoices.list`
 * @param options the number of invoices and their order
 *
 * @example
 * watchInvoices(client, { state: 'UNPAID' }, { limit: 50 }).subscribe(({ items = [] }) =>
 *   console.log(items.length),
 * );
 */
export const watchInvoices: Observed<typeof state.watchInvoices> = /* @__PURE__ */ observed(
  state.watchInvoices,
);

/**
 * Watches the list of payouts as an Observable, which never completes.
 *
 * @example
 * watchPayouts(client).subscribe(({ items = [] }) => console.log(items.length));
 */
export const watchPayouts: Observed<typeof state.watchPayouts> = /* @__PURE__ */ observed(
  state.watchPayouts,
);

/**
 * Watches the list of deposits as an Observable, which never completes.
 *
 * @example
 * watchDeposits(client).subscribe(({ items = [] }) => console.log(items.length));
 */
export const watchDeposits: Observed<typeof state.watchDeposits> = /* @__PURE__ */ observed(
  state.watchDeposits,
);

/**
 * Watches the receives of all receive requests as an Observable, which never completes.
 *
 * @example
 * watchAllReceives(client).subscribe(({ items = [] }) => console.log(items.length));
 */
export const watchAllReceives: Observed<typeof state.watchAllReceives> = /* @__PURE__ */ observed(
  state.watchAllReceives,
);

/**
 * Watches the rate limits as counted by this client. The Observable emits a value on each change,
 * up to ten times per second, and never completes. Sends no requests.
 *
 * @example
 * watchRateLimits(client).subscribe(({ others }) =>
 *   console.log(`${others.used} of ${others.limit}`),
 * );
 */
export const watchRateLimits: Observed<typeof http.watchRateLimits> = /* @__PURE__ */ observed(
  http.watchRateLimits,
);

/**
 * Runs the checkout for an invoice as an Observable that emits the view to display. The checkout
 * starts on subscribe, stops on unsubscribe and completes when the invoice is settled. Otherwise,
 * it works like `checkout` in `paystate/flows`.
 *
 * @param options the `invoiceId` of an existing invoice
 * @throws through `error`: the errors of `watchInvoice`
 *
 * @example
 * checkout(client, { invoiceId }).subscribe(({ phase }) => console.log(phase));
 */
export const checkout: Observed<typeof flows.checkout> = /* @__PURE__ */ observed(flows.checkout);

/**
 * Emits each of the account's events once, with a gap in place of unreadable events. Polling starts
 * on subscribe and stops on unsubscribe. `GET /v1/events` (documented).
 *
 * @throws through `error`: RefusedError `FORBIDDEN` if the credential lacks the webhooks scope
 *
 * @example
 * eventFeed(client).subscribe(({ event }) => event && console.log(event.eventType));
 */
export function eventFeed(
  client: http.Connection,
  options: { readonly from?: string | undefined } = {},
): Observable<FeedItem> {
  http.checkClient(client);
  checkOptions<typeof options>(options, { from: 'string' });
  return fromIterable((signal) => itemsOf(client, { ...options, signal }));
}

/**
 * Maps snapshots to their values. Only emits values that are `live` or were read after the
 * subscription started. A cached value is skipped until a read has confirmed it, so
 * `firstValueFrom` gets the current value. Changes that only affect the freshness aren't emitted.
 *
 * @example
 * watchInvoice(client, invoice).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export function values<T>(): OperatorFunction<Snapshot<T>, T> {
  return (snapshots) =>
    defer(() => {
      let keptFrom: number | undefined;
      return snapshots.pipe(
        filter((snapshot, index) => {
          const { checkedAt, freshness } = snapshot;
          // Store the number, because later reads change the snapshot object.
          if (index === 0) keptFrom = checkedAt;
          if (freshness === 'live') return true;
          // A client method only finds a cached value after it has loaded the watch engine, so a
          // cached value may not be in the first snapshot.
          return checkedAt !== undefined && checkedAt !== keptFrom && !isKept(snapshot);
        }),
        map(({ value }) => value as T),
        distinctUntilChanged(),
      );
    });
}

/**
 * Completes after the first snapshot with a settled value. Use it for watches with `until:
 * 'never'`.
 *
 * @example
 * watchInvoice(client, invoice, { until: 'never' }).pipe(untilSettled()).subscribe();
 */
export function untilSettled<T extends { readonly state: string }>(): MonoTypeOperatorFunction<
  Snapshot<T>
> {
  return (seen) =>
    seen.pipe(
      takeWhile(
        ({ value, freshness }) => !value || freshness !== 'live' || !isSettled(value.state),
        true,
      ),
    );
}

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;

/** An RxJS scheduler action that waits on the client's clock. Its task may reschedule itself. */
class ClockAction<T> extends Subscription implements SchedulerAction<T> {
  #pending: AbortController | undefined;
  readonly #clock: Clock;
  readonly #work: Work<T>;

  constructor(clock: Clock, work: Work<T>) {
    super();
    this.#clock = clock;
    this.#work = work;
  }

  schedule(state?: T, delay: number = 0): Subscription {
    if (this.closed) return this;
    this.#pending?.abort();
    const pending = new AbortController();
    this.#pending = pending;
    void this.#clock.wait(delay, pending.signal).then(() => {
      if (pending.signal.aborted || this.closed) return;
      this.#pending = undefined;
      try {
        this.#work.call(this, state);
        if (!this.#pending) this.unsubscribe();
      } catch (error) {
        this.unsubscribe();
        reportUncaught(error);
      }
    });
    return this;
  }

  override unsubscribe(): void {
    this.#pending?.abort();
    super.unsubscribe();
  }
}

/**
 * Returns an RxJS scheduler that uses the client's clock, so `timer`, `delay` and `timeout` also
 * work with a sandbox's virtual time.
 *
 * @example
 * timer(1_000, schedulerOf(client)).subscribe(() => console.log('a second later'));
 */
export function schedulerOf(connection: Connection): SchedulerLike {
  http.checkClient(connection);
  const { clock } = connection[internals];
  return {
    now: () => clock.now(),
    schedule: (work, delay = 0, state) =>
      new ClockAction(clock, work as Work<unknown>).schedule(state, delay),
  };
}
