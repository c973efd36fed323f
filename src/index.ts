export { type Client, type ClientOverrides, createClient } from './client.ts';
export {
  allowSecretInBrowser,
  type CallResult,
  clientStats,
  type ClientStats,
  type Bucket,
  type BucketState,
  type Call,
  type CallOptions,
  createConnection,
  type Connection,
  type ClientOptions,
  correlationIdFor,
  type Credential,
  type Fetch,
  type FetchInit,
  type FetchResponse,
  forecastBlock,
  forget,
  type ForecastOptions,
  type DriftCheck,
  type KeyedOptions,
  type Logger,
  type LogLevel,
  logTo,
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
export type { Clock } from './core/time.ts';
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
  Rows,
  Condition,
  TextField,
  TimeField,
} from './core/lists/index.ts';
export type {
  Observer,
  SubscribeOptions,
  Unsubscribe,
  Watch,
  WatchStatus,
} from './core/watch.ts';
export type { ConversionRate, Money } from './money/index.ts';
export type {
  AccountCurrency,
  AccountId,
  AccountLimit,
  AccountLimits,
  AccountProfile,
  AmountCycle,
  AmountLimit,
  CountCycle,
  CountLimit,
  UsedAmount,
  UsedCount,
} from './resources/accounts.ts';
export type { Balance } from './resources/balances.ts';
export type {
  BankPaymentMethod,
  BankPaymentMethodDraft,
  BankPaymentMethodFilter,
  BankPaymentMethodId,
  BankPaymentMethodState,
  SupportedAction,
  TransferType,
} from './resources/bank-payment-methods.ts';
export type {
  CurrencyExchangeQuote,
  CurrencyExchangeQuoteDraft,
  CurrencyExchangeQuoteId,
  CurrencyExchangeQuoteState,
} from './resources/currency-exchange-quotes.ts';
export type {
  Deposit,
  DepositDraft,
  DepositFee,
  DepositId,
  DepositOptions,
  DepositState,
} from './resources/deposits.ts';
export {
  type EventFields,
  type EventFilter,
  type EventId,
  type ServiceEvent,
  type ServiceEventSubject,
  whereEvent,
} from './resources/events.ts';
export {
  type Invoice,
  type InvoiceDraft,
  type InvoiceFields,
  type InvoiceFilter,
  type InvoiceId,
  type InvoiceQuote,
  type InvoiceQuoteDraft,
  type InvoiceState,
  type InvoiceTransaction,
  whereInvoice,
} from './resources/invoices.ts';
export {
  type Beneficiary,
  type BeneficiaryFields,
  type LightningQuoteDraft,
  type LnurlDetails,
  type LnurlQuoteDraft,
  type OnchainQuoteDraft,
  type OnchainTier,
  type OnchainTierChoice,
  type OnchainTiersDraft,
  type PaymentQuote,
  type PaymentQuoteId,
  chooseTier,
} from './resources/payment-quotes.ts';
export {
  type ExecutedPayment,
  type Payment,
  type PaymentId,
  type PaymentLightning,
  type PaymentOnchain,
  type PaymentState,
  completedAtOf,
  networkFeeOf,
  paymentStateOf,
} from './resources/payments.ts';
export type {
  Address,
  Party,
  PayoutOriginator,
  PayoutOriginatorDraft,
  PayoutOriginatorId,
  PayoutOriginatorState,
} from './resources/payout-originators.ts';
export type { Payout, PayoutDraft, PayoutId, PayoutState } from './resources/payouts.ts';
export type {
  AllReceivesFilter,
  Receive,
  ReceiveFilter,
  ReceiveId,
  ReceiveLightning,
  ReceiveOnchain,
  ReceiveP2p,
  ReceiveRequest,
  ReceiveRequestBolt11,
  ReceiveRequestBolt11Draft,
  ReceiveRequestDraft,
  ReceiveRequestFilter,
  ReceiveRequestId,
  ReceiveRequestOnchain,
  ReceiveRequestOnchainDraft,
  ReceiveState,
  Receives,
} from './resources/receive-requests.ts';
export type {
  Subscription,
  SubscriptionChange,
  SubscriptionDraft,
  SubscriptionId,
} from './resources/subscriptions.ts';
export type { Gap } from './resources/events.cursor.ts';
export { eventFeed, type FeedItem } from './resources/events.feed.ts';
export type { EventType } from './resources/events.types.ts';
export { ensureSubscription, type EnsureResult } from './resources/subscriptions.ensure.ts';
export type { CurrencyCode, FeePolicy, QuotedRate, SpendAmount } from './resources/amounts.ts';
export type { ResourceName, ResourceValues } from './resources/any-resource.ts';
export * from './state/index.ts';
