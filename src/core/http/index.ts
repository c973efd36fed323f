export {
  agreesWith,
  type Asked,
  isInclusive,
  isSameAmount,
  scale,
} from './agreement.ts';
export type { AttemptResult } from './attempt.ts';
export { basePeriod } from './base-period.ts';
export { bind, type Unbound } from './bind.ts';
export { readBody } from './body.ts';
export type { CallResult, Call, CallOptions, KeyedOptions } from './call.ts';
export {
  type CallAnswer,
  listenToAnswers,
  listenToChanges,
  recentAnswers,
  tellListeners,
} from './changes.ts';
export { connect, type ClientOptions } from './connect.ts';
export {
  type Connection,
  type DriftCheck,
  type DriftSubject,
  internals,
  type Capabilities,
  type Network,
  type Observers,
  type Priority,
  type RateLimit,
  type QueuePlace,
  type RateLimits,
  type RateLimitStore,
  type RequestView,
  type ResponseView,
  type RetryView,
  type Settings,
  type WaitView,
  quietly,
  rootOf,
  stateOf,
  withPriority,
} from './connection.ts';
export { correlationIdFor } from './correlation-id.ts';
export { workedAt } from './worked.ts';
export { checkCredential, type Credential, isLoginOver } from './credential.ts';
export type { Agreement, AnyEndpoint, Assumption, Bucket, Endpoint, Shape } from './endpoint.ts';
export type { CheckedRequest } from './job.ts';
export { numbersOf } from './numbers.ts';
export { allowSecretInBrowser } from './page-key.ts';
export {
  type BucketState,
  forecastBlock,
  type ForecastOptions,
  type RateLimitState,
  watchRateLimits,
} from './rate-limit-watch.ts';
export { blockIn, delayIn, newRateLog, partIn, type RateLog, type RatePlaces } from './rate-log.ts';
export type { RateLimitCounter, RateLimitCounts, RateLimitPlace } from './rate-limit-counter.ts';
export {
  block,
  blockedFor,
  count,
  holdPlaces,
  placesNow,
  placesOf,
  remaining,
  sentByAll,
  sentOf,
  takePlace,
  useRateLimitStore,
} from './rate-limiter.ts';
export { productionRateLimits, testRateLimits } from './rate-limits.ts';
export { refuseClient } from './refuse-client.ts';
export { request, type RequestOptions, type StandardSchema } from './request.ts';
export { serviceTime } from './retry-after.ts';
export { send } from './send.ts';
export type { Tap } from './tap.ts';
export type { Fetch } from './transport.ts';
export type { NameLifetime } from './unknown-outcomes.ts';
