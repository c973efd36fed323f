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
 * Watches an invoice: what is true of it now, and how fresh that is. Nothing is sent before the
 * first subscriber; any number of watches share their requests. Completes when the invoice is
 * settled (PAID, CANCELLED, REVERSED); a failed read never ends it, it only makes the value
 * `stale`. `GET /v1/invoices` (documented).
 *
 * @param invoice the invoice or its id
 * @throws through `error`: RefusedError when the service refuses to show it, AuthenticationError
 * when the credential has ended
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
 * Watches a payment: what is true of it now, and how fresh that is. Completes when it is COMPLETED
 * or FAILED; PENDING may last for days and is neither. `GET /v1/payments/{paymentId}` (documented).
 *
 * @param payment the payment or its id
 * @throws through `error`: RefusedError when the service refuses to show it, AuthenticationError
 * when the credential has ended
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
 * Watches a payout: what is true of it now, and how fresh that is. Completes when it is COMPLETED,
 * FAILED or REVERSED; COMPLETED says that the money has left, and may still be REVERSED: `until:
 * 'never'` goes on. `GET /v1/payouts/{payoutId}` (documented).
 *
 * @param payout the payout or its id
 * @throws through `error`: RefusedError when the service refuses to show it, AuthenticationError
 * when the credential has ended
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
 * Watches a deposit: what is true of it now, and how fresh that is. Completes when it is COMPLETED,
 * FAILED or REVERSED; banks take COMPLETED ones back: `until: 'never'` goes on.
 * `GET /v1/deposits/{depositId}` (documented).
 *
 * @param deposit the deposit or its id
 * @throws through `error`: RefusedError when the service refuses to show it, AuthenticationError
 * when the credential has ended
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
 * Watches what comes in for a receive request: all its receives, and how fresh that is. Never
 * completes by itself: an address can be paid again.
 * `GET /v1/receive-requests/{receiveRequestId}/receives` (documented).
 *
 * @param request the request or its id
 * @throws through `error`: RefusedError when the service refuses to show it, AuthenticationError
 * when the credential has ended
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
 * Watches an exchange quote: what is true of it now, and how fresh that is. Completes when it is
 * COMPLETED or FAILED; one that is never executed stays NEW.
 * `GET /v1/currency-exchange-quotes/{quoteId}` (documented).
 *
 * @param quote the quote or its id
 * @throws through `error`: RefusedError when the service refuses to show it, AuthenticationError
 * when the credential has ended
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
 * Watches a bank payment method: what is true of it now, and how fresh that is. Never completes by
 * itself: READY may be SUSPENDED and come back. `GET /v1/payment-methods/bank/{bankMethodId}`
 * (documented).
 *
 * @param method the method or its id
 * @throws through `error`: RefusedError when the service refuses to show it or has it no more,
 * AuthenticationError when the credential has ended
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
 * Watches a payout originator: what is true of it now, and how fresh that is. Never completes by
 * itself. `GET /v1/payout-originators/{originatorId}` (documented).
 *
 * @param originator the originator or its id
 * @throws through `error`: RefusedError when the service refuses to show it or has it no more,
 * AuthenticationError when the credential has ended
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
 * Watches the account's balances: what is true of them now, and how fresh that is. Never completes
 * by itself. `GET /v1/balances` (documented).
 *
 * @throws through `error`: RefusedError when the service refuses to show them, AuthenticationError
 * when the credential has ended
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
 * Watches the exchange rates: what they are now, and how fresh that is. Never completes by itself.
 * For showing: only a quote holds a rate. `GET /v1/rates/ticker` (documented).
 *
 * @throws through `error`: RefusedError when the service refuses to show them, AuthenticationError
 * when the credential has ended
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
 * Has every name, by its type; `RESOURCES` would pull the schemas into pages that only invalidate.
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

/** The resources of which a client has one. */
type Single = 'balances' | 'rates';

/**
 * Says that a resource may have changed: its watches read it soon. Nothing is sent where it is not
 * watched.
 *
 * @param id none for `balances` and `rates`
 * @throws InputError for an unknown name, or where an id is missing
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

/** Throws for a word that is not the name of a resource. */
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
 * Hands a value that was read elsewhere, such as by your own server, to the watches of its
 * resource. They show it as `stale` where it is newer than what they have, and read it at once:
 * only a read makes it `live`, or ends a watch because it is settled. Without a listener they show
 * it as `stale` for five minutes, so that a page begins as its server has rendered it.
 *
 * @param value the whole resource, as the service gives it
 * @param options `asOf`: when it was read, milliseconds since 1970; a time in the future counts as
 * now
 * @throws InputError for an unknown name, for an `asOf` that is not a time, or for a value that
 * does not fit the schema of the resource: it names the member
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

/** Checks a value by the schema of its resource. */
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
