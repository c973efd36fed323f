export {
  makeAccountLimits,
  makeAccountProfile,
  makeBalance,
  makeRate,
  makeSubscription,
} from './accounts.ts';
export { makeBankPaymentMethod, makePayoutOriginator } from './banks.ts';
export {
  type DeliveryOptions,
  type MadeDeliveryFault,
  makeDelivery,
  signWebhook,
} from './deliveries.ts';
export { makeEvent } from './events.ts';
export { makeInvoice, makeInvoiceQuote } from './invoices.ts';
export type { MakeOptions, Members } from './members.ts';
export { nodeHandler, type NodeRequest, type NodeResponse } from './node-handler.ts';
export {
  makeLnurlDetails,
  makeOnchainTier,
  makePayment,
  makePaymentQuote,
} from './payments.ts';
export { createRecorder, type Recorder, type RecorderOptions } from './recorder.ts';
export type {
  RecordedExchange,
  RecordedFailure,
  RecordedFetch,
  RecordedResponse,
  Recording,
} from './recording.ts';
export { replay, type ReplayOptions } from './replay.ts';
export { makeReceive, makeReceiveRequest } from './receives.ts';
export {
  type ErrorResponseOptions,
  makeErrorResponse,
  makePage,
} from './responses.ts';
export {
  makeCurrencyExchangeQuote,
  makeDeposit,
  makeDepositFee,
  makePayout,
} from './transfers.ts';
