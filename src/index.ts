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
  type Settings,
  type StandardSchema,
  testRateLimits,
  watchRateLimits,
} from './core/http/index.ts';
export { type Clock, systemClock } from './core/time/index.ts';
export {
  ResponseError,
  type Catalogue,
  decide,
  type Decision,
  decisionTable,
  type ErrorCode,
  type ErrorKind,
  hasCode,
  type Id,
  InputError,
  isPaystateError,
  type KnownCode,
  AuthenticationError,
  type Next,
  nextOf,
  type Open,
  type Outcome,
  PaystateError,
  type Phase,
  PHASES,
  RateLimitError,
  RefusedError,
  type Idempotency,
  REPEATS,
  SERVICE_CODES,
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
export type { SocketClass } from './core/platform/index.ts';
export type { Observer, Unsubscribe, Watch, WatchStatus } from './core/watch/index.ts';
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
} from './resources/accounts/model.ts';
export type { FeePolicy, SpendAmount } from './resources/amounts/model.ts';
export { balanceOf } from './resources/balances/figures.ts';
export type { ConversionRate, Money } from './money/index.ts';
export type { Balance } from './resources/balances/model.ts';
export { amountBy, currencyBy } from './resources/bank-payment-methods/currency.ts';
export type {
  BankPaymentMethod,
  BankPaymentMethodDraft,
  BankPaymentMethodFilter,
  BankPaymentMethodId,
  SupportedAction,
  TransferType,
} from './resources/bank-payment-methods/model.ts';
export {
  BANK_PAYMENT_METHOD_STATES,
  bankPaymentMethodStates,
  type BankPaymentMethodState,
} from './resources/bank-payment-methods/states.ts';
export type { Deposit, DepositDraft, DepositFee, DepositId } from './resources/deposits/model.ts';
export { fixedFeeOf, settlesAt } from './resources/deposits/settlement.ts';
export type { DepositOptions } from './resources/deposits/operations.ts';
export { DEPOSIT_STATES, depositStates, type DepositState } from './resources/deposits/states.ts';
export type { Gap } from './resources/events/cursor.ts';
export { eventFeed, type FeedItem } from './resources/events/event-feed.ts';
export type { EventFilter, EventId, ServiceEvent } from './resources/events/model.ts';
export { EVENT_TYPES, type EventType } from './resources/events/types.ts';
export { type EventFields, whereEvent } from './resources/events/where-event.ts';
export type {
  CurrencyExchangeQuote,
  CurrencyExchangeQuoteDraft,
  CurrencyExchangeQuoteId,
} from './resources/currency-exchange-quotes/model.ts';
export {
  CURRENCY_EXCHANGE_QUOTE_STATES,
  currencyExchangeQuoteStates,
  type CurrencyExchangeQuoteState,
} from './resources/currency-exchange-quotes/states.ts';
export type {
  Invoice,
  InvoiceDraft,
  InvoiceFilter,
  InvoiceId,
  InvoiceQuote,
  InvoiceQuoteDraft,
  InvoiceTransaction,
} from './resources/invoices/model.ts';
export { type InvoiceFields, whereInvoice } from './resources/invoices/where-invoice.ts';
export { INVOICE_STATES, invoiceStates, type InvoiceState } from './resources/invoices/states.ts';
export type { StateMachine } from './resources/state-machine.ts';
export type {
  PayoutOriginator,
  PayoutOriginatorDraft,
  PayoutOriginatorId,
} from './resources/payout-originators/model.ts';
export {
  PAYOUT_ORIGINATOR_STATES,
  payoutOriginatorStates,
  type PayoutOriginatorState,
} from './resources/payout-originators/states.ts';
export type { Address, Party } from './resources/parties/model.ts';
export type {
  Beneficiary,
  LightningQuoteDraft,
  LnurlDetails,
  LnurlQuoteDraft,
  OnchainQuoteDraft,
  OnchainTier,
  OnchainTiersDraft,
  PaymentQuote,
  PaymentQuoteId,
} from './resources/payment-quotes/model.ts';
export { completedOf, networkFeeOf } from './resources/payments/deprecated-members.ts';
export type {
  ExecutedPayment,
  PaymentLightning,
  PaymentOnchain,
  Payment,
  PaymentId,
} from './resources/payments/model.ts';
export { PAYMENT_STATES, paymentStates, type PaymentState } from './resources/payments/states.ts';
export type { Payout, PayoutDraft, PayoutId } from './resources/payouts/model.ts';
export { payoutReferenceLengths } from './resources/payouts/reference-lengths.ts';
export { PAYOUT_STATES, payoutStates, type PayoutState } from './resources/payouts/states.ts';
export type {
  AllReceivesFilter,
  Receive,
  ReceiveLightning,
  ReceiveOnchain,
  ReceiveP2p,
  ReceiveFilter,
  ReceiveId,
  ReceiveRequest,
  ReceiveRequestBolt11,
  ReceiveRequestBolt11Draft,
  ReceiveRequestDraft,
  ReceiveRequestFilter,
  ReceiveRequestId,
  ReceiveRequestOnchain,
  ReceiveRequestOnchainDraft,
} from './resources/receive-requests/model.ts';
export {
  RECEIVE_STATES,
  receiveStates,
  type ReceiveState,
} from './resources/receive-requests/states.ts';
export { ensureSubscription, type EnsureResult } from './resources/subscriptions/ensure.ts';
export type {
  Subscription,
  SubscriptionChange,
  SubscriptionDraft,
  SubscriptionId,
} from './resources/subscriptions/model.ts';
export type { ResourceName, ResourceValues } from './resources/resource-name.ts';
export {
  type Freshness,
  invalidate,
  provide,
  type Receives,
  type Snapshot,
  watchBalances,
  watchBankPaymentMethod,
  watchCurrencyExchangeQuote,
  watchDeposit,
  watchInvoice,
  type WatchOptions,
  watchPayment,
  watchPayout,
  watchPayoutOriginator,
  watchRates,
  watchReceives,
} from './state/index.ts';
