import type { Observable } from 'rxjs';
import * as http from '../core/http/index.ts';
import type { Watch } from '../core/watch.ts';
import * as flows from '../flows/index.ts';
import * as state from '../state/index.ts';
import { fromWatch } from './from-watch.ts';

/** The same function for Observables. */
type Observed<Create> = Create extends (...given: infer Given) => Watch<infer T>
  ? (...given: Given) => Observable<T>
  : never;

function observed<Given extends readonly unknown[], T>(
  create: (...given: Given) => Watch<T>,
): (...given: Given) => Observable<T> {
  return (...given) => fromWatch(create(...given));
}

/**
 * What is true of an invoice, as an Observable: starts on subscribe, is shared by all who watch the
 * same invoice, replays the last value, completes when the invoice is settled, stops on
 * unsubscribe.
 *
 * @param invoice the invoice or its id
 * @example
 * watchInvoice(client, invoice).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export const watchInvoice: Observed<typeof state.watchInvoice> = /* @__PURE__ */ observed(
  state.watchInvoice,
);

/**
 * What is true of a payment, as an Observable: completes when it is COMPLETED or FAILED; else as
 * `watchInvoice`.
 *
 * @param payment the payment or its id
 * @example
 * watchPayment(client, payment).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export const watchPayment: Observed<typeof state.watchPayment> = /* @__PURE__ */ observed(
  state.watchPayment,
);

/**
 * What comes in for a receive request, as an Observable that never completes by itself.
 *
 * @param request the request or its id
 * @example
 * watchReceives(client, request)
 *   .pipe(values())
 *   .subscribe(({ receives }) => console.log(receives.length));
 */
export const watchReceives: Observed<typeof state.watchReceives> = /* @__PURE__ */ observed(
  state.watchReceives,
);

/**
 * What is true of an exchange quote, as an Observable: completes when it is COMPLETED or FAILED;
 * else as `watchInvoice`.
 *
 * @param quote the quote or its id
 * @example
 * watchCurrencyExchangeQuote(client, quote)
 *   .pipe(values())
 *   .subscribe(({ state }) => console.log(state));
 */
export const watchCurrencyExchangeQuote: Observed<typeof state.watchCurrencyExchangeQuote> =
  /* @__PURE__ */ observed(state.watchCurrencyExchangeQuote);

/**
 * What is true of a payout, as an Observable: completes when it is COMPLETED, FAILED or REVERSED;
 * else as `watchInvoice`.
 *
 * @param payout the payout or its id
 * @example
 * watchPayout(client, payout).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export const watchPayout: Observed<typeof state.watchPayout> = /* @__PURE__ */ observed(
  state.watchPayout,
);

/**
 * What is true of a deposit, as an Observable: completes when it is COMPLETED, FAILED or REVERSED;
 * else as `watchInvoice`.
 *
 * @param deposit the deposit or its id
 * @example
 * watchDeposit(client, deposit).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export const watchDeposit: Observed<typeof state.watchDeposit> = /* @__PURE__ */ observed(
  state.watchDeposit,
);

/**
 * What is true of a bank payment method, as an Observable that never completes by itself.
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
 * What is true of a payout originator, as an Observable that never completes by itself.
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
 * What the account has, as an Observable that never completes by itself.
 *
 * @example
 * watchBalances(client).pipe(values()).subscribe((balances) => console.log(balances.length));
 */
export const watchBalances: Observed<typeof state.watchBalances> = /* @__PURE__ */ observed(
  state.watchBalances,
);

/**
 * The exchange rates of this moment, as an Observable that never completes by itself.
 *
 * @example
 * watchRates(client).pipe(values()).subscribe((rates) => console.log(rates.length));
 */
export const watchRates: Observed<typeof state.watchRates> = /* @__PURE__ */ observed(
  state.watchRates,
);

/**
 * The rate limits as this client counts them, as an Observable that never completes by itself:
 * emits when they change, ten times a second at most. Sends nothing.
 *
 * @example
 * watchRateLimits(client).subscribe(({ others }) => console.log(`${others.used} of ${others.limit}`));
 */
export const watchRateLimits: Observed<typeof http.watchRateLimits> = /* @__PURE__ */ observed(
  http.watchRateLimits,
);

/**
 * Sells one invoice, as an Observable of what to show: begins on subscribe, completes when the
 * invoice is settled, stops on unsubscribe. Else as `checkout` of `paystate/flows`.
 *
 * @param options `invoiceId` of an invoice that exists
 * @throws through `error`: what `watchInvoice` throws
 * @example
 * checkout(client, { invoiceId }).subscribe(({ phase }) => console.log(phase));
 */
export const checkout: Observed<typeof flows.checkout> = /* @__PURE__ */ observed(flows.checkout);
