export {
  makeAccountLimits,
  makeAccountProfile,
  makeBalance,
  makeCurrencyExchangeQuote,
  makeRate,
} from './accounts.ts';
export {
  makeBankPaymentMethod,
  makeDeposit,
  makeDepositFee,
  makePayout,
  makePayoutOriginator,
} from './banks.ts';
export { type BesideInbox, checkInboxStore } from './check-inbox-store.ts';
export { checkStore } from './check-store.ts';
export { type DeliveryOptions, type MadeDeliveryFault, makeDelivery } from './deliveries.ts';
export { makeEvent, makeSubscription } from './events.ts';
export { signWebhook } from '../webhooks/verify.ts';
export { makeInvoice, makeInvoiceQuote } from './invoices.ts';
export {
  createMarbles,
  type MarbleOptions,
  type MarbleRecording,
  type Marbles,
  type MarbleTime,
  type ObservableLike,
} from './marbles.ts';
export {
  type BookedPosting,
  type ChaiLike,
  chaiMatchers,
  type Matched,
  type Matchers,
  matchers,
  type PaidKind,
  type ShownState,
} from './matchers.ts';
export type { Maker, MakeOptions, Members } from './members.ts';
export { makeReceive, makeReceiveRequest } from './receive-requests.ts';
export { type ErrorResponseOptions, makeErrorResponse, makePage } from './responses.ts';
export { makeLnurlDetails, makeOnchainTier, makePayment, makePaymentQuote } from './payments.ts';
export type { CallDecision } from '../core/http/index.ts';
export {
  createRecorder,
  type RecordedFetch,
  type Recorder,
  type RecorderOptions,
} from './recorder.ts';
export { parseRecording } from './parse-recording.ts';
export type {
  RecordedClockReading,
  RecordedDecision,
  RecordedDelivery,
  RecordedExchange,
  RecordedFailure,
  RecordedResponse,
  RecordedState,
  Recording,
} from './recording.ts';
export { createReplay, type Replay, replay, type ReplayOptions } from './replay.ts';
export { type HarmlessOperation, readOnly, type ReadOnlyOptions } from './read-only.ts';
export { torture } from './torture.ts';
export type {
  TortureMistake,
  TortureMistakeKind,
  TortureOptions,
  TortureReport,
  WebhookHandler,
} from './torture.ts';
