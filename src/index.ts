export { type Client, type ClientOverrides, createClient } from './client.ts';
export {
  allowSecretInBrowser,
  type CallResult,
  type Bucket,
  type BucketState,
  type Call,
  type CallOptions,
  connect,
  type Connection,
  type ClientOptions,
  correlationIdFor,
  type Credential,
  type Fetch,
  forecastBlock,
  type ForecastOptions,
  type DriftCheck,
  type KeyedOptions,
  type Capabilities,
  type Observers,
  type Priority,
  productionRateLimits,
  type RateLimit,
  type RateLimits,
  type RateLimitState,
  request,
  type RequestOptions,
  type RequestView,
  type ResponseView,
  type RetryView,
  type WaitView,
  type StandardSchema,
  testRateLimits,
  watchRateLimits,
} from './core/http/index.ts';
export type { Clock } from './core/time/index.ts';
export {
  ResponseError,
  type Catalogue,
  type ErrorCause,
  type ErrorCode,
  type ErrorKind,
  hasCode,
  type Id,
  InputError,
  isPaystateError,
  type KnownCode,
  AuthenticationError,
  type Next,
  type Open,
  type Outcome,
  PaystateError,
  RateLimitError,
  RefusedError,
  type ServiceCode,
  type ServiceValues,
  WebhookError,
  UnreachableError,
  userMessage,
  type ValidationCode,
  type ValidationErrors,
  type ValidationIssue,
  type ValidationValues,
  type ValuesOf,
} from './core/errors/index.ts';
export type {
  List,
  ListOptions,
  OrderedTimeField,
  Page,
  Condition,
  TextField,
  TimeField,
} from './core/lists/index.ts';
export type { Observer, Unsubscribe, Watch, WatchStatus } from './core/watch/index.ts';
export type { ConversionRate, Money } from './money/index.ts';
export type * from './resources/accounts.ts';
export type * from './resources/balances.ts';
export type * from './resources/bank-payment-methods.ts';
export type * from './resources/currency-exchange-quotes.ts';
export type * from './resources/deposits.ts';
export type * from './resources/events.ts';
export type * from './resources/invoices.ts';
export type * from './resources/payment-quotes.ts';
export type * from './resources/payments.ts';
export type * from './resources/payout-originators.ts';
export type * from './resources/payouts.ts';
export type * from './resources/receive-requests.ts';
export type * from './resources/subscriptions.ts';
export type { BankPaymentMethodState } from './resources/bank-payment-methods.ts';
export type { CurrencyExchangeQuoteState } from './resources/currency-exchange-quotes.ts';
export type { DepositOptions, DepositState } from './resources/deposits.ts';
export { type InvoiceFields, type InvoiceState, whereInvoice } from './resources/invoices.ts';
export type { PaymentState } from './resources/payments.ts';
export type { PayoutOriginatorState } from './resources/payout-originators.ts';
export type { PayoutState } from './resources/payouts.ts';
export type { ReceiveState } from './resources/receive-requests.ts';
export type { Gap } from './resources/events.cursor.ts';
export { eventFeed, type FeedItem } from './resources/events.feed.ts';
export type { EventType } from './resources/events.types.ts';
export { type EventFields, whereEvent } from './resources/events.ts';
export { ensureSubscription, type EnsureResult } from './resources/subscriptions.ensure.ts';
export type * from './resources/amounts.ts';
export type * from './resources/parties.ts';
export type { ResourceName, ResourceValues } from './resources/any-resource.ts';
export * from './state/index.ts';
