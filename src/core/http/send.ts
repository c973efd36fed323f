import type { RefusedError } from '../errors/index.ts';
import { isolated } from '../watch/index.ts';
import { type AttemptResult, attemptOnce, type Responded } from './attempt.ts';
import { type Call, callOf, type CallOptions, type CallResult } from './call.ts';
import { endWith } from './call-error.ts';
import { beginCall, type CallState, countOpen } from './call-state.ts';
import { classify } from './classify.ts';
import type { Connection, RequestView } from './connection.ts';
import type { AnyEndpoint, Endpoint } from './endpoint.ts';
import { type Classified, failed, type Failure } from './failure.ts';
import { type AnyJob, checkRequest, type Job } from './job.ts';
import { numbersOf } from './numbers.ts';
import { acquire, block, delayFor } from './rate-limiter.ts';
import { earnRetry, planRetry } from './retry.ts';
import { serviceTime } from './retry-after.ts';
import { singleFlight } from './single-flight.ts';

/** Sends an endpoint's request: the only caller of `fetch`. Checks, waits for its place, repeats what may be repeated. */
export function send<Where, Draft, Value>(
  connection: Connection,
  endpoint: Endpoint<Where, Draft, Value>,
  job: Job<Where, Draft, Value>,
  options: CallOptions = {},
): Call<Value> {
  const any = endpoint as unknown as AnyEndpoint;
  return callOf(deliver(connection, any, job as AnyJob<Value>, options));
}

async function deliver<Value>(
  connection: Connection,
  endpoint: AnyEndpoint,
  job: AnyJob<Value>,
  options: CallOptions,
): Promise<CallResult<Value>> {
  const { settings, priority } = connection;
  const request = checkRequest(connection, endpoint, job);
  const { attemptTimeout = settings.attemptTimeout } = endpoint;
  const numbers = numbersOf(options, { ...settings, attemptTimeout });
  const begin = (signal: AbortSignal | undefined) =>
    sendUntilDone(
      beginCall(connection, endpoint, job, { ...options, ...numbers, signal }, request),
    );
  // a read with a priority, or with a time limit as resolvers have, was asked for now: one that was sent earlier is not the same
  const isShared =
    settings.dedupeReads &&
    endpoint.method === 'GET' &&
    !priority &&
    !(options.maxAttempts ?? options.attemptTimeout ?? options.callTimeout);
  return isShared
    ? singleFlight(connection, request.url, options.signal, begin)
    : begin(options.signal);
}

/** Attempts until there is a value, or a reason to give up. */
async function sendUntilDone<Value>(call: CallState<Value>): Promise<CallResult<Value>> {
  const { connection, endpoint, options } = call;
  const { clock, settings } = connection;
  for (let attempt = 1; ; attempt++) {
    await takePlace(call, attempt - 1);
    const view = viewOf(call, attempt);
    const { result, failure, value } = await attemptAs(call, view);
    if (!failure) return resultOf(result, value as Value, attempt);
    if (!result.reason && result.status === 429) block(connection, endpoint.bucket, failure.delay!);
    if (canResolve(call, failure))
      return resultOf(result, await resolveOriginal(call, failure, result, attempt), attempt);
    const delay = planNext(call, failure, result, view);
    show(settings.onRetry, { ...view, delay });
    await clock.wait(delay, options.signal);
  }
}

/** Waits until the rate limit has a place and takes it; throws where that would be too late. */
async function takePlace(call: CallState, attempts: number): Promise<void> {
  const { connection, endpoint, job, options, record, priority, end } = call;
  const { clock } = connection;
  for (;;) {
    job.lifetime?.remaining(clock, record); // the wait before may have been a night
    const delay = delayFor(connection, endpoint.bucket, priority);
    if (options.signal?.aborted) throw abortOf(call, attempts);
    if (delay === 0) return acquire(connection, endpoint.bucket, priority);
    if (clock.monotonic() + delay > end) {
      const message = 'no place in the rate limit in time';
      throw endWith(call, failed('QUEUE_TIMEOUT', message, {}, { delay }).failure, attempts);
    }
    await clock.wait(delay, options.signal);
  }
}

/** The caller's reason while nothing can have changed, else an error of unknown outcome. */
function abortOf(call: CallState, attempts: number): unknown {
  if (call.open === 0) return call.options.signal!.reason;
  return endWith(call, failed('ABORTED', 'the caller gave up').failure, attempts);
}

function viewOf({ connection, endpoint, options, priority }: CallState, attempt: number) {
  const { method, path } = endpoint;
  const { reason = '' } = options;
  return { method, path, attempt, priority, reason, sentAt: connection.clock.now() };
}

/** Sends once, classifies the result, counts it, and shows both to the observers. */
async function attemptAs(
  call: CallState,
  view: RequestView,
): Promise<Classified & { readonly result: AttemptResult }> {
  const { connection, endpoint, request, options, end, refusal } = call;
  const { clock, settings } = connection;
  const begunAt = clock.monotonic();
  const timeout = Math.min(options.attemptTimeout, end - begunAt);
  countOpen(call, 1);
  show(settings.onRequest, view);
  const result = await attemptOnce(connection, request, !!refusal, timeout, options.signal);
  const classified = classify(endpoint, request, result, clock.now(), settings);
  const { failure } = classified;
  if (failure && !failure.ambiguous && !failure.exists) countOpen(call, -1);
  if (result.isUnsent) call.unsent++;
  if (!failure && view.attempt === 1) earnRetry(connection);
  if (settings.onResponse)
    show(settings.onResponse, {
      ...view,
      status: result.reason ? undefined : result.status,
      code: failure?.facts.code,
      duration: clock.monotonic() - begunAt,
    });
  return { ...classified, result };
}

/** The service says that the thing exists, and this call, or an earlier one of unknown outcome, may have made it. */
function canResolve({ endpoint, job, record }: CallState, { kind, facts }: Failure): boolean {
  const isOriginal = kind === 'refused' && facts.code === endpoint.original?.code;
  const mayBeOurs = job.adopts || job.isOwn || record.unknownSince !== undefined;
  return isOriginal && job.resolve !== undefined && mayBeOurs;
}

/** Reads what exists, in the time that is left. */
function resolveOriginal<Value>(
  call: CallState<Value>,
  failure: Failure,
  result: AttemptResult,
  attempt: number,
): Promise<Value> {
  const { connection, job, options, record, end } = call;
  const { clock } = connection;
  const now = clock.now();
  const ahead = serviceTime((result as Responded).headers, now) - now;
  const since = record.unknownSince && record.unknownSince + ahead;
  const rest = { ...options, callTimeout: Math.max(1, end - clock.monotonic()) };
  return job.resolve!(endWith(call, failure, attempt) as RefusedError, rest, since);
}

/** Notes what stays unknown; milliseconds until the next attempt, or throws where there must be none. */
function planNext(
  call: CallState,
  failure: Failure,
  result: AttemptResult,
  { attempt, sentAt }: RequestView,
): number {
  const { harmless, record, options, open } = call;
  if (failure.ambiguous && !harmless) record.unknownSince ??= sentAt;
  if (options.signal?.aborted && (harmless || (result.isUnsent && open === 0)))
    throw options.signal.reason;
  const delay = options.signal?.aborted ? undefined : planRetry(call, failure, result, attempt);
  if (delay === undefined) throw endWith(call, failure, attempt);
  return delay;
}

function resultOf<Value>(result: AttemptResult, value: Value, attempts: number): CallResult<Value> {
  const { status, headers } = result as Responded;
  return { value, status, headers, attempts };
}

/** Shows an observer a frozen view; what it throws must not decide over money. */
function show<View extends object>(observer: ((view: View) => void) | undefined, view: View): void {
  isolated(() => observer?.(Object.freeze(view)));
}
