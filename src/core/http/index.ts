export {
  agreesWith,
  canBeText,
  echoesIn,
  isInclusive,
  isRounded,
  isSameAmount,
  scale,
} from './agreement.ts';
export { serviceNow, serviceTime } from './classify.ts';
export { type AttemptResult, fetchBy, readBody, type Responded } from './attempt.ts';
export {
  beginPair,
  blockedFor,
  blockHere,
  count,
  placeHere,
  placesNow,
  countPlaces,
  useRateLimitStore,
} from './rate-limiter.ts';
export {
  basePeriod,
  countSent,
  type HubSeat,
  remaining,
  renewSeat,
} from './rate-readings.ts';
export {
  beginRead,
  bindTo,
  type Capabilities,
  type Connection,
  type DriftCheck,
  type DriftSubject,
  type Fetch,
  type FetchInit,
  type FetchResponse,
  guardRequests,
  internals,
  type Network,
  checkNumbers,
  OVERRIDES,
  type Observers,
  type Priority,
  quietly,
  type Slot,
  type RateLimitStore,
  checkClient,
  refuseClient,
  type RequestView,
  type ResponseView,
  type RetryView,
  findRoot,
  type Settings,
  slotState,
  type Unbound,
  type WaitView,
  withAge,
  withPriority,
} from './connection.ts';
export {
  type Call,
  CALL_OPTIONS,
  callBy,
  checkRequest,
  type CallOptions,
  KEYED_OPTIONS,
  type CallResult,
  type CheckedRequest,
  type KeyedOptions,
} from './call.ts';
export {
  type CallAnswer,
  clientStats,
  type ClientStats,
  listenToAnswers,
  listenToChanges,
  forget,
  listenToForget,
  recentAnswers,
  tellListeners,
  workedAt,
} from './answers.ts';
export { CLIENT_OPTIONS, type ClientOptions } from './client-options.ts';
export { createConnection } from './create-connection.ts';
export { type Logger, type LogLevel, logTo } from './log-to.ts';
export { correlationIdFor, type NameLifetime } from './once.ts';
export {
  allowSecretInBrowser,
  checkCredential,
  type Credential,
  isLoginOver,
} from './credential.ts';
export {
  type AnyEndpoint,
  type Asked,
  type Assumption,
  type Bucket,
  type Endpoint,
  readEndpoint,
  type SchemaStructure,
  type Shape,
} from './endpoint.ts';
export {
  type BucketState,
  forecastBlock,
  type ForecastOptions,
  type RateLimitState,
  watchRateLimits,
} from './rate-limit-watch.ts';
export {
  blockIn,
  delayIn,
  newRateLog,
  partIn,
  productionRateLimits,
  type QueuePlace,
  type RateLimit,
  type RateLimitCounter,
  type RateLimitCounts,
  type RateLimitPlace,
  type RateLimits,
  type RateLog,
  type RatePlaces,
  testRateLimits,
} from './rate-limits.ts';
export { request, type RequestOptions, send, type StandardSchema } from './send.ts';
export { type CallDecision, type Tap, TAPS } from './call-run.ts';
