import {
  badInput,
  checkOptions,
  type ValidationCode,
  toValidationError,
  type Violation,
} from '../core/errors/index.ts';
import { checkClient, type Connection, internals } from '../core/http/index.ts';
import { frozenCopy, type Watch } from '../core/watch.ts';
import type { QuotedRate } from '../resources/amounts.ts';
import type { ResourceName, ResourceValues } from '../resources/any-resource.ts';
import { type Balance, resource as balances } from '../resources/balances.ts';
import {
  type BankPaymentMethod,
  type BankPaymentMethodId,
  resource as bankPaymentMethods,
} from '../resources/bank-payment-methods.ts';
import {
  type CurrencyExchangeQuote,
  type CurrencyExchangeQuoteId,
  resource as currencyExchangeQuotes,
} from '../resources/currency-exchange-quotes.ts';
import { type Deposit, type DepositId, resource as deposits } from '../resources/deposits.ts';
import { type Invoice, type InvoiceId, resource as invoices } from '../resources/invoices.ts';
import {
  type ExecutedPayment,
  type Payment,
  type PaymentId,
  resource as payments,
} from '../resources/payments.ts';
import {
  type PayoutOriginator,
  type PayoutOriginatorId,
  resource as payoutOriginators,
} from '../resources/payout-originators.ts';
import { type Payout, type PayoutId, resource as payouts } from '../resources/payouts.ts';
import { resource as rates } from '../resources/rates.ts';
import {
  type ReceiveRequest,
  type ReceiveRequestId,
  resource as receiveRequests,
  type Receives,
} from '../resources/receive-requests.ts';
import type { Watchable } from '../resources/resource.ts';
import { getKnown } from './known.ts';
import type { Snapshot, WatchOptions } from './snapshot.ts';
import { tellChange, watchEntity, watchOne } from './watch-one.ts';

export type { Receives } from '../resources/receive-requests.ts';
export * from './lists.ts';
export type {
  EmptySnapshot,
  Freshness,
  KnownSnapshot,
  Snapshot,
  WatchOptions,
} from './snapshot.ts';
export { firstValue, type SettledResult, type WaitOptions, waitUntilSettled } from './snapshot.ts';

/**
 * Watches an invoice. Emits its current value and how fresh the value is. No request is sent until
 * you subscribe, and all watches share their requests. Completes when the invoice is settled (PAID,
 * CANCELLED, REVERSED). A failed read doesn't end the watch. It only makes the value `stale`. `GET
 * /v1/invoices` (documented).
 *
 * @param invoice the invoice or its id
 * @throws through `error`: RefusedError if the service refuses to show it, AuthenticationError if
 * the credential has ended
 * @example
 * for await (const { value, freshness } of watchInvoice(client, invoice))
 *   console.log(value?.state, freshness);
 */
export function watchInvoice(
  client: Connection,
  invoice: Invoice | InvoiceId,
  options: WatchOptions = {},
): Watch<Snapshot<Invoice>> {
  return watchEntity(client, invoices, invoice, options);
}

/**
 * Watches a payment. Emits its current value and how fresh the value is. Completes when the payment
 * is COMPLETED or FAILED. A payment may stay PENDING for days. `GET /v1/payments/{paymentId}`
 * (documented).
 *
 * @param payment the payment or its id
 * @throws through `error`: RefusedError if the service refuses to show it, AuthenticationError if
 * the credential has ended
 * @example
 * for await (const { value, freshness } of watchPayment(client, payment))
 *   console.log(value?.state, freshness);
 */
export function watchPayment(
  client: Connection,
  payment: ExecutedPayment | PaymentId,
  options: WatchOptions = {},
): Watch<Snapshot<Payment>> {
  return watchEntity(client, payments, payment, options);
}

/**
 * Watches a payout. Emits its current value and how fresh the value is. Completes when the payout
 * is COMPLETED, FAILED or REVERSED. COMPLETED means that the money has left your account. The
 * payout may still be REVERSED, so use `until: 'never'` to keep watching. `GET
 * /v1/payouts/{payoutId}` (documented).
 *
 * @param payout the payout or its id
 * @throws through `error`: RefusedError if the service refuses to show it, AuthenticationError if
 * the credential has ended
 * @example
 * const watch = watchPayout(client, payout);
 * const stop = watch.subscribe(({ value }) => console.log(value?.state));
 * stop();
 */
export function watchPayout(
  client: Connection,
  payout: Payout | PayoutId,
  options: WatchOptions = {},
): Watch<Snapshot<Payout>> {
  return watchEntity(client, payouts, payout, options);
}

/**
 * Watches a deposit. Emits its current value and how fresh the value is. Completes when the deposit
 * is COMPLETED, FAILED or REVERSED. Banks can reverse a COMPLETED deposit, so use `until: 'never'`
 * to keep watching. `GET /v1/deposits/{depositId}` (documented).
 *
 * @param deposit the deposit or its id
 * @throws through `error`: RefusedError if the service refuses to show it, AuthenticationError if
 * the credential has ended
 * @example
 * const watch = watchDeposit(client, deposit);
 * const stop = watch.subscribe(({ value }) => console.log(value?.state));
 * stop();
 */
export function watchDeposit(
  client: Connection,
  deposit: Deposit | DepositId,
  options: WatchOptions = {},
): Watch<Snapshot<Deposit>> {
  return watchEntity(client, deposits, deposit, options);
}

/**
 * Watches the payments to a receive request. Emits all its receives and how fresh they are. The
 * watch never completes, because an address can be paid again. `GET
 * /v1/receive-requests/{receiveRequestId}/receives` (documented).
 *
 * @param request the receive request or its id
 * @throws through `error`: RefusedError if the service refuses to show it, AuthenticationError if
 * the credential has ended
 * @example
 * const watch = watchReceives(client, request);
 * const stop = watch.subscribe(({ value }) =>
 *   console.log(value?.receives.map(({ state }) => state)),
 * );
 * stop();
 */
export function watchReceives(
  client: Connection,
  request: ReceiveRequest | ReceiveRequestId,
  options: WatchOptions = {},
): Watch<Snapshot<Receives>> {
  return watchEntity(client, receiveRequests, request, options);
}

/**
 * Watches an exchange quote. Emits its current value and how fresh the value is. Completes when the
 * quote is COMPLETED or FAILED. A quote that isn't executed stays NEW. `GET
 * /v1/currency-exchange-quotes/{quoteId}` (documented).
 *
 * @param quote the quote or its id
 * @throws through `error`: RefusedError if the service refuses to show it, AuthenticationError if
 * the credential has ended
 * @example
 * const watch = watchCurrencyExchangeQuote(client, quote);
 * const stop = watch.subscribe(({ value }) => console.log(value?.state));
 * stop();
 */
export function watchCurrencyExchangeQuote(
  client: Connection,
  quote: CurrencyExchangeQuote | CurrencyExchangeQuoteId,
  options: WatchOptions = {},
): Watch<Snapshot<CurrencyExchangeQuote>> {
  return watchEntity(client, currencyExchangeQuotes, quote, options);
}

/**
 * Watches a bank payment method. Emits its current value and how fresh the value is. The watch
 * never completes, because a READY method can be SUSPENDED and become READY again. `GET
 * /v1/payment-methods/bank/{bankMethodId}` (documented).
 *
 * @param method the method or its id
 * @throws through `error`: RefusedError if the service refuses to show it or no longer has it,
 * AuthenticationError if the credential has ended
 * @example
 * const watch = watchBankPaymentMethod(client, method);
 * const stop = watch.subscribe(({ value }) => console.log(value?.state));
 * stop();
 */
export function watchBankPaymentMethod(
  client: Connection,
  method: BankPaymentMethod | BankPaymentMethodId,
  options: WatchOptions = {},
): Watch<Snapshot<BankPaymentMethod>> {
  return watchEntity(client, bankPaymentMethods, method, options);
}

/**
 * Watches a payout originator. Emits its current value and how fresh the value is. The watch never
 * completes. `GET /v1/payout-originators/{originatorId}` (documented).
 *
 * @param originator the originator or its id
 * @throws through `error`: RefusedError if the service refuses to show it or no longer has it,
 * AuthenticationError if the credential has ended
 * @example
 * const watch = watchPayoutOriginator(client, originator);
 * const stop = watch.subscribe(({ value }) => console.log(value?.state));
 * stop();
 */
export function watchPayoutOriginator(
  client: Connection,
  originator: PayoutOriginator | PayoutOriginatorId,
  options: WatchOptions = {},
): Watch<Snapshot<PayoutOriginator>> {
  return watchEntity(client, payoutOriginators, originator, options);
}

/**
 * Watches the account's balances. Emits their current values and how fresh they are. The watch
 * never completes. `GET /v1/balances` (documented).
 *
 * @throws through `error`: RefusedError if the service refuses to show them, AuthenticationError if
 * the credential has ended
 * @example
 * const watch = watchBalances(client);
 * const stop = watch.subscribe(({ value }) =>
 *   console.log(value?.map(({ currency, available }) => `${available} ${currency}`)),
 * );
 * stop();
 */
export function watchBalances(
  client: Connection,
  options: WatchOptions = {},
): Watch<Snapshot<readonly Balance[]>> {
  return watchOne(client, balances, 'all', options);
}

/**
 * Watches the exchange rates. Emits their current values and how fresh they are. The watch never
 * completes. Use these rates for display only, because only a quote guarantees a rate. `GET
 * /v1/rates/ticker` (documented).
 *
 * @throws through `error`: RefusedError if the service refuses to show them, AuthenticationError if
 * the credential has ended
 * @example
 * const watch = watchRates(client);
 * const stop = watch.subscribe(({ value }) => console.log(value?.length));
 * stop();
 */
export function watchRates(
  client: Connection,
  options: WatchOptions = {},
): Watch<Snapshot<readonly QuotedRate[]>> {
  return watchOne(client, rates, 'all', options);
}

/**
 * The names of all resources, checked by the compiler. `RESOURCES` isn't used here, because it
 * would add the schemas to the bundle of pages that only call `invalidate`.
 */
const NAMES: Readonly<Record<ResourceName, null>> = {
  invoice: null,
  payment: null,
  payout: null,
  deposit: null,
  receiveRequest: null,
  currencyExchangeQuote: null,
  bankPaymentMethod: null,
  payoutOriginator: null,
  balances: null,
  rates: null,
};

/** The resources that each client has only one of. */
type Single = 'balances' | 'rates';

/**
 * Marks a resource as possibly changed, so that its watches read it soon. If the resource isn't
 * being watched, no request is sent.
 *
 * @param id absent for `balances` and `rates`
 * @throws InputError if the name is unknown or the id is missing
 * @example
 * invalidate(client, 'invoice', invoiceId);
 * invalidate(client, 'balances');
 */
export function invalidate(client: Connection, resource: Single): void;
export function invalidate(
  client: Connection,
  resource: Exclude<ResourceName, Single>,
  id: string,
): void;
export function invalidate(client: Connection, resource: ResourceName, id?: string): void {
  checkClient(client);
  checkName(resource);
  const isSingle = resource === 'balances' || resource === 'rates';
  if (!isSingle && (typeof id !== 'string' || !id))
    throw badInput('id', `must be the id of one of the ${resource}`);
  tellChange(client, resource, isSingle ? 'all' : id!);
}

function checkName(resource: string): void {
  if (!Object.hasOwn(NAMES, resource))
    throw badInput('resource', `must be one of ${Object.keys(NAMES).join(', ')}`);
}

const RESOURCES: { readonly [Name in ResourceName]: Watchable<ResourceValues[Name]> } = {
  balances,
  bankPaymentMethod: bankPaymentMethods,
  currencyExchangeQuote: currencyExchangeQuotes,
  deposit: deposits,
  invoice: invoices,
  payment: payments,
  payout: payouts,
  payoutOriginator: payoutOriginators,
  rates,
  receiveRequest: receiveRequests,
};

/**
 * Passes a value that you read elsewhere, such as on your own server, to the watches of its
 * resource. If the value is newer than the current one, the watches show it as `stale` and read the
 * resource right away. Only a read makes a value `live`, and only a read completes the watch of a
 * settled resource. If nothing is watching the resource, the value is kept for five minutes, so a
 * page can start with the value that its server rendered.
 *
 * @param value the whole resource, as returned by the service
 * @param options `asOf`: when it was read, in milliseconds since 1970. A time in the future counts
 * as now
 * @throws InputError if the name is unknown, `asOf` isn't a time, or the value doesn't match the
 * resource's schema. The error names the field
 * @example
 * provide(client, 'invoice', invoice, { asOf: Date.now() - 500 });
 */
export function provide<Name extends ResourceName>(
  client: Connection,
  resource: Name,
  value: ResourceValues[Name],
  options: { readonly asOf: number },
): void {
  checkClient(client);
  checkName(resource);
  checkOptions<typeof options>(options ?? null, { asOf: 'number!' });
  if (!Number.isFinite(options.asOf))
    throw badInput('asOf', 'must be a time in milliseconds since 1970');
  const type: Watchable<ResourceValues[Name]> = RESOURCES[resource];
  const read = readProvided(type, value);
  const asOf = Math.min(options.asOf, client[internals].clock.now());
  const id = type.idOf(read);
  getKnown(client).tell(type, id, read, asOf, true);
}

/** Validates a provided value with its resource's schema. */
function readProvided<T extends object>({ watch }: Watchable<T>, value: T): T {
  try {
    const own = frozenCopy(value);
    watch.shape.read(own);
    return own;
  } catch (thrown) {
    const [{ field, advice, code }] = toValidationError(thrown).violations as [Violation];
    const path = field === 'body' ? 'value' : `value.${field}`;
    throw badInput(path, advice, { validation: code as ValidationCode });
  }
}
