export { makeAccountLimits, makeAccountProfile } from './accounts.ts';
export { makeBalance, makeRate } from './balances.ts';
export { makeBankPaymentMethod, makePayoutOriginator } from './banks.ts';
export { checkInboxStore } from './check-inbox-store.ts';
export { checkStore } from './check-store.ts';
export {
  type DeliveryOptions,
  type MadeDeliveryFault,
  makeDelivery,
} from './deliveries.ts';
export { signWebhook } from '../webhooks/secret.ts';
export { makeDeposit, makeDepositFee } from './deposits.ts';
export { makeEvent, makeSubscription } from './events.ts';
export { makeCurrencyExchangeQuote } from './exchanges.ts';
export type { BesideInbox } from './inbox-case.ts';
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
export type { MakeOptions, Members } from './members.ts';
export { nodeHandler, type NodeRequest, type NodeResponse } from '../host/node-handler.ts';
export { makeLnurlDetails, makeOnchainTier, makePaymentQuote } from './payment-quotes.ts';
export { makePayment } from './payments.ts';
export { makePayout } from './payouts.ts';
export { createRecorder, type Recorder, type RecorderOptions } from './recorder.ts';
export type {
  RecordedExchange,
  RecordedFailure,
  RecordedFetch,
  RecordedResponse,
  Recording,
} from './recording.ts';
export { replay, type ReplayOptions } from './replay.ts';
export { makeReceiveRequest } from './receive-requests.ts';
export { makeReceive } from './receives.ts';
export {
  type ErrorResponseOptions,
  makeErrorResponse,
  makePage,
} from './responses.ts';
export { torture } from './torture.ts';
export type {
  TortureMistake,
  TortureMistakeKind,
  TortureOptions,
  TortureReport,
  WebhookHandler,
} from './torture-model.ts';
export type { CrashOptions, LifeSchedule, NetworkFault, PlayedLife } from './crash-life.ts';
export { crashMatrix, type CrashReport } from './crash-matrix.ts';
export {
  type CrashPoint,
  type CrashProcess,
  type CrashProcessOptions,
  type CrashWorld,
  createProcess,
} from './crash-process.ts';
export { simulate, type SimulateOptions, type SimulationReport } from './simulate.ts';
