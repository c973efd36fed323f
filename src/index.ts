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
export type * from './resources/accounts/model.ts';
export type * from './resources/balances/model.ts';
export type * from './resources/bank-payment-methods/model.ts';
export type * from './resources/currency-exchange-quotes/model.ts';
export type * from './resources/deposits/model.ts';
export type * from './resources/events/model.ts';
export type * from './resources/invoices/model.ts';
export type * from './resources/payment-quotes/model.ts';
export type * from './resources/payments/model.ts';
export type * from './resources/payout-originators/model.ts';
export type * from './resources/payouts/model.ts';
export type * from './resources/receive-requests/model.ts';
export type * from './resources/subscriptions/model.ts';
export type { BankPaymentMethodState } from './resources/bank-payment-methods/states.ts';
export type { CurrencyExchangeQuoteState } from './resources/currency-exchange-quotes/states.ts';
export type { DepositState } from './resources/deposits/states.ts';
export type { InvoiceState } from './resources/invoices/states.ts';
export type { PaymentState } from './resources/payments/states.ts';
export type { PayoutOriginatorState } from './resources/payout-originators/states.ts';
export type { PayoutState } from './resources/payouts/states.ts';
export type { ReceiveState } from './resources/receive-requests/states.ts';
export type { DepositOptions } from './resources/deposits/operations.ts';
export type { Gap } from './resources/events/cursor.ts';
export { eventFeed, type FeedItem } from './resources/events/event-feed.ts';
export type { EventType } from './resources/events/types.ts';
export { type EventFields, whereEvent } from './resources/events/where-event.ts';
export { type InvoiceFields, whereInvoice } from './resources/invoices/where-invoice.ts';
export { ensureSubscription, type EnsureResult } from './resources/subscriptions/ensure.ts';
export type * from './resources/amounts/model.ts';
export type * from './resources/parties/model.ts';
export type { ResourceName, ResourceValues } from './resources/resource-name.ts';
export * from './state/index.ts';
