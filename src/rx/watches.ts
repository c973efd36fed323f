import type { Observable } from 'rxjs';
import type { Connection } from '../core/http/index.ts';
import type { ConversionRate } from '../resources/amounts/model.ts';
import type { Balance } from '../resources/balances/model.ts';
import type {
  BankPaymentMethod,
  BankPaymentMethodId,
} from '../resources/bank-payment-methods/model.ts';
import type { Deposit, DepositId } from '../resources/deposits/model.ts';
import type {
  CurrencyExchangeQuote,
  CurrencyExchangeQuoteId,
} from '../resources/currency-exchange-quotes/model.ts';
import type { Invoice, InvoiceId } from '../resources/invoices/model.ts';
import type {
  PayoutOriginator,
  PayoutOriginatorId,
} from '../resources/payout-originators/model.ts';
import type { ExecutedPayment, Payment, PaymentId } from '../resources/payments/model.ts';
import type { Payout, PayoutId } from '../resources/payouts/model.ts';
import type { ReceiveRequest, ReceiveRequestId } from '../resources/receive-requests/model.ts';
import * as state from '../state/index.ts';
import type { Receives, Snapshot, WatchOptions } from '../state/index.ts';
import { toObservable } from './from-watch.ts';

/**
 * What is true of an invoice, as an Observable: starts on subscribe, is shared by all who watch the same invoice,
 * replays the last value, completes when the invoice is settled, stops on unsubscribe.
 *
 * @param invoice the invoice or its id
 * @example
 * watchInvoice(client, invoice).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export function watchInvoice(
  client: Connection,
  invoice: Invoice | InvoiceId,
  options: WatchOptions = {},
): Observable<Snapshot<Invoice>> {
  return toObservable(state.watchInvoice(client, invoice, options));
}

/**
 * What is true of a payment, as an Observable: completes when it is COMPLETED or FAILED; else as `watchInvoice`.
 *
 * @param payment the payment or its id
 * @example
 * watchPayment(client, payment).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export function watchPayment(
  client: Connection,
  payment: ExecutedPayment | PaymentId,
  options: WatchOptions = {},
): Observable<Snapshot<Payment>> {
  return toObservable(state.watchPayment(client, payment, options));
}

/**
 * What comes in for a receive request, as an Observable that never completes by itself.
 *
 * @param request the request or its id
 * @example
 * watchReceives(client, request).pipe(values()).subscribe(({ receives }) => console.log(receives.length));
 */
export function watchReceives(
  client: Connection,
  request: ReceiveRequest | ReceiveRequestId,
  options: WatchOptions = {},
): Observable<Snapshot<Receives>> {
  return toObservable(state.watchReceives(client, request, options));
}

/**
 * What is true of an exchange quote, as an Observable: completes when it is COMPLETED or FAILED; else as `watchInvoice`.
 *
 * @param quote the quote or its id
 * @example
 * watchCurrencyExchangeQuote(client, quote).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export function watchCurrencyExchangeQuote(
  client: Connection,
  quote: CurrencyExchangeQuote | CurrencyExchangeQuoteId,
  options: WatchOptions = {},
): Observable<Snapshot<CurrencyExchangeQuote>> {
  return toObservable(state.watchCurrencyExchangeQuote(client, quote, options));
}

/**
 * What is true of a payout, as an Observable: completes when it is COMPLETED, FAILED or REVERSED; else as `watchInvoice`.
 *
 * @param payout the payout or its id
 * @example
 * watchPayout(client, payout).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export function watchPayout(
  client: Connection,
  payout: Payout | PayoutId,
  options: WatchOptions = {},
): Observable<Snapshot<Payout>> {
  return toObservable(state.watchPayout(client, payout, options));
}

/**
 * What is true of a deposit, as an Observable: completes when it is COMPLETED, FAILED or REVERSED; else as `watchInvoice`.
 *
 * @param deposit the deposit or its id
 * @example
 * watchDeposit(client, deposit).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export function watchDeposit(
  client: Connection,
  deposit: Deposit | DepositId,
  options: WatchOptions = {},
): Observable<Snapshot<Deposit>> {
  return toObservable(state.watchDeposit(client, deposit, options));
}

/**
 * What is true of a bank payment method, as an Observable that never completes by itself.
 *
 * @param method the method or its id
 * @example
 * watchBankPaymentMethod(client, method).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export function watchBankPaymentMethod(
  client: Connection,
  method: BankPaymentMethod | BankPaymentMethodId,
  options: WatchOptions = {},
): Observable<Snapshot<BankPaymentMethod>> {
  return toObservable(state.watchBankPaymentMethod(client, method, options));
}

/**
 * What is true of a payout originator, as an Observable that never completes by itself.
 *
 * @param originator the originator or its id
 * @example
 * watchPayoutOriginator(client, originator).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export function watchPayoutOriginator(
  client: Connection,
  originator: PayoutOriginator | PayoutOriginatorId,
  options: WatchOptions = {},
): Observable<Snapshot<PayoutOriginator>> {
  return toObservable(state.watchPayoutOriginator(client, originator, options));
}

/**
 * What the account has, as an Observable that never completes by itself.
 *
 * @example
 * watchBalances(client).pipe(values()).subscribe((balances) => console.log(balances.length));
 */
export function watchBalances(
  client: Connection,
  options: WatchOptions = {},
): Observable<Snapshot<readonly Balance[]>> {
  return toObservable(state.watchBalances(client, options));
}

/**
 * The exchange rates of this moment, as an Observable that never completes by itself.
 *
 * @example
 * watchRates(client).pipe(values()).subscribe((rates) => console.log(rates.length));
 */
export function watchRates(
  client: Connection,
  options: WatchOptions = {},
): Observable<Snapshot<readonly ConversionRate[]>> {
  return toObservable(state.watchRates(client, options));
}
