import { addressOf } from './address.ts';
import { attemptOnce, type Heard, type Trial } from './attempt.ts';
import { block, delayOf, RESERVE, spend } from './rate-limiter.ts';
import { type CallResult, type Call, callOf, type CallOptions } from './call.ts';
import {
  type Connection,
  internals,
  type Priority,
  type RequestView,
  stateOf,
} from './connection.ts';
import { checkIdempotencyKey } from './credential.ts';
import {
  InputError,
  isHarmless,
  AuthenticationError,
  mayRepeat,
  validationErrorOf,
  nextOf,
  type PaystateError,
  RefusedError,
  UnreachableError,
  validationErrorsOf,
} from '../errors/index.ts';
import { isolated } from '../watch/index.ts';
import { type Failure, failure as failed, classify } from './classify.ts';

import { serviceTime } from './retry-after.ts';
import { singleFlight } from './single-flight.ts';
import { type AnyEndpoint, type Endpoint } from './endpoint.ts';
import { triesOf, type Trust } from './unknown-outcomes.ts';
import { numbersOf, type Numbers } from './numbers.ts';

/** What one call sends, beside its row. */
export interface Job<Where, Draft, Answer> {
  readonly where: Where;
  readonly draft?: Draft | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Names the thing that is created, for errors. */
  readonly correlationId?: string | undefined;
  /**
   * Turns "you had this already" into the original, in the time that `rest` leaves. Heard after a try in doubt, of this
   * call or an earlier one: `since` is when the first such try was sent, in service time.
   */
  readonly resolve?: (refusal: RefusedError, rest: CallOptions, since?: number) => Promise<Answer>;
  /** Whether an answer can be about what was sent, for creations that give no name to compare. */
  fits?(answer: Answer): boolean;
  /** Resolves what was heard without any doubt too. */
  readonly adopts?: boolean;
  /** Key or correlationId were made by this call: what was made under them is its own. */
  readonly isOwn?: boolean;
  /** How long the name may be sent for, where that is bounded. */
  readonly trust?: Trust | undefined;
}

/** First wait and longest wait between attempts, milliseconds; the real one is random below. */
const BASE = 250;
const CAP = 20_000;
/** What a client may spend on attempts after the first: 5 each, 10 after a timeout; a call that needs none gives 1 back. */
const TOKENS = 500;

interface Retries {
  tokens: number;
}

/** Sends a row's request: the only caller of fetch. Checks, waits for its place, repeats what the row allows. */
export function send<Where, Draft, Answer>(
  connection: Connection,
  row: Endpoint<Where, Draft, Answer>,
  job: Job<Where, Draft, Answer>,
  options: CallOptions = {},
): Call<Answer> {
  return callOf(
    deliver(
      connection,
      row as unknown as AnyEndpoint,
      job as Job<unknown, unknown, Answer>,
      options,
    ),
  );
}

async function deliver<Answer>(
  connection: Connection,
  row: AnyEndpoint,
  job: Job<unknown, unknown, Answer>,
  options: CallOptions,
): Promise<CallResult<Answer>> {
  const { settings, priority = row.priority } = connection[internals];
  const request = requestOf(connection, row, job);
  const numbers = numbersOf(
    options,
    row.attemptTimeout ? { ...settings, attemptTimeout: row.attemptTimeout } : settings,
  );
  const work = (signal?: AbortSignal) =>
    sendUntil(connection, row, job, { ...options, ...numbers, signal }, request);
  // a read with a priority, or with a deadline as resolvers have, was asked for now: one that left before it is not the same
  const isShared =
    settings.dedupeReads &&
    row.method === 'GET' &&
    !priority &&
    !(options.maxAttempts ?? options.attemptTimeout ?? options.callTimeout);
  return isShared
    ? singleFlight(connection, request.url, options.signal, work)
    : work(options.signal);
}

/** Tries until there is an answer, or a reason to give up. */
async function sendUntil<Answer>(
  connection: Connection,
  row: AnyEndpoint,
  job: Job<unknown, unknown, Answer>,
  options: CallOptions & Numbers,
  request: Ready,
): Promise<CallResult<Answer>> {
  const { clock, settings, priority: own = row.priority ?? 'high' } = connection[internals];
  const { signal, maxAttempts, attemptTimeout, callTimeout, reason = '' } = options;
  const { method, path, bucket, idempotency: repeat } = row;
  const priority = row.priority === 'critical' ? row.priority : own;
  const retries = stateOf(connection, 'core.retries', (): Retries => ({ tokens: TOKENS }));
  const harmless = isHarmless(repeat);
  const tries = triesOf(connection, row, nameOf(row, job, request), request.body, job);
  const end = clock.monotonic() + Math.min(callTimeout, job.trust?.left(clock, tries) ?? Infinity);
  let open = 0; // tries of this call that may have their effect: from their sending on, until they are cleanly refused
  const count = (by: 1 | -1): void => {
    if (harmless) return;
    open += by;
    tries.open += by;
  };
  let refusal: Failure | undefined; // what was said of the first credential
  let unsentTries = 0; // ended before there was a credential

  for (let attempt = 1; ; attempt++) {
    for (let delay = untilPlace(attempt); delay > 0; delay = untilPlace(attempt))
      await clock.wait(delay, signal);
    spend(connection, bucket, priority);
    const view: RequestView = { method, path, attempt, priority, reason, sentAt: clock.now() };
    const { trial, failure, value } = await attemptAs(view);
    if (!failure) return answered(trial, value as Answer, attempt);
    if (trial.status === 429 && !trial.why) block(connection, bucket, failure.wait!);
    if (
      job.resolve &&
      isOriginal(failure, row) &&
      (job.adopts || job.isOwn || tries.doubtSince !== undefined)
    )
      return answered(trial, await resolved(failure, trial, attempt), attempt);
    const wait = pauseAfter(failure, trial, view);
    tell(settings.onRetry, { ...view, delay: wait });
    await clock.wait(wait, signal);
  }

  /** Milliseconds until the budget has a place; fails when that would be too late. */
  function untilPlace(attempt: number): number {
    job.trust?.left(clock, tries); // the wait before may have been a night
    const delay = delayOf(connection, bucket, priority);
    if (signal?.aborted)
      throw open === 0
        ? signal.reason
        : errorOf(unsent('ABORTED', 'the caller gave up'), attempt - 1);
    if (delay > 0 && clock.monotonic() + delay > end)
      throw errorOf(
        unsent('QUEUE_TIMEOUT', 'no place in the rate limit in time', delay),
        attempt - 1,
      );
    return delay;
  }

  /** Sends once, judges what came, and lets the observers see both. */
  async function attemptAs(view: RequestView) {
    const begun = clock.monotonic();
    count(1);
    tell(settings.onRequest, view);
    const trial = await attemptOnce(
      connection,
      refusal ? { ...request, anew: true } : request,
      Math.min(attemptTimeout, end - begun),
      signal,
    );
    const { failure, value } = classify(row, request, trial, clock.now(), settings);
    if (failure && !failure.doubtful && !failure.taken) count(-1);
    if (trial.unsent) unsentTries++;
    if (!failure && view.attempt === 1) retries.tokens = Math.min(TOKENS, retries.tokens + 1);
    if (settings.onResponse)
      tell(settings.onResponse, {
        ...view,
        status: trial.why ? undefined : trial.status,
        code: failure?.facts.code,
        duration: clock.monotonic() - begun,
      });
    return { trial, failure, value };
  }

  function resolved(failure: Failure, trial: Trial, attempt: number): Promise<Answer> {
    const now = clock.now();
    const { doubtSince } = tries;
    const since = doubtSince && doubtSince + serviceTime((trial as Heard).headers, now) - now;
    const rest = { ...options, callTimeout: Math.max(1, end - clock.monotonic()) };
    return job.resolve!(errorOf(failure, attempt) as RefusedError, rest, since);
  }

  /** Milliseconds until the next try; fails where there must be none. A refused credential is replaced once, at once. */
  function pauseAfter(
    failure: Failure,
    trial: Trial,
    { attempt, sentAt: at }: RequestView,
  ): number {
    if (failure.doubtful && !harmless) tries.doubtSince ??= at;
    if (signal?.aborted)
      throw harmless || (trial.unsent && open === 0) ? signal.reason : errorOf(failure, attempt);
    const renews = isRenewable(failure, trial) && failure === (refusal ??= failure);
    const wait = renews
      ? 0
      : (failure.wait ?? connection[internals].random() * Math.min(CAP, BASE * 2 ** attempt));
    const isPassing = failure.passing && !(refusal && trial.unsent); // the service's word is told at once
    const mayGoOn = clock.monotonic() + wait < end && mayRepeat(repeat, job.resolve !== undefined);
    if (
      mayGoOn &&
      (renews || (isPassing && attempt < maxAttempts && takeRetry(retries, trial, priority)))
    )
      return wait;
    throw errorOf(failure, attempt);
  }

  function errorOf(found: Failure, attempt: number): PaystateError {
    const failure = refusal && found.facts.code === 'TOKEN_UNAVAILABLE' ? refusal : found; // no other credential: what the service said stands
    const mayRenew = found === refusal || (failure === refusal && found.error === UnreachableError); // or whoever has one is away
    const { facts, wait, error, message } = failure;
    const isState = isOtherState(facts.code) && isOtherState(row.original?.code) && !failure.taken; // one that no try of ours leads to
    const settled = (tries.open === 0 || isState) && facts.code !== 'RESPONSE_MISMATCH';
    const outcome = settled ? 'not-done' : 'unknown';
    if (!settled) tries.keep();
    return new error(`${method} ${path}: ${message}`, {
      ...facts,
      outcome,
      attempts: attempt - unsentTries,
      next: facts.next ?? (mayRenew && settled ? 'retry' : nextOf(repeat, facts, outcome)),
      correlationId: job.correlationId,
      idempotencyKey: job.idempotencyKey,
      retryAt: wait === undefined ? wait : clock.now() + wait,
      maybeCreated: (outcome === 'unknown' && repeat === 'none') || undefined,
    });
  }
}

/** The service says that the thing is in a state in which the command does nothing. */
function isOtherState(code: string | undefined): boolean {
  return code?.startsWith('INVALID_STATE_') === true;
}

/** The service says that it had this already. */
function isOriginal({ error, facts }: Failure, { original }: AnyEndpoint): boolean {
  return error === RefusedError && facts.code === original?.code;
}

function unsent(code: string, message: string, wait?: number): Failure {
  return failed(UnreachableError, message, { code }, false, false, wait).failure;
}

/** Pays for another attempt, unless that would leave too little for the priorities that go first. */
function takeRetry(retries: Retries, { why }: Trial, priority: Priority): boolean {
  const cost = why === 'TIMEOUT' ? 10 : 5;
  if (retries.tokens < cost + TOKENS * RESERVE[priority]) return false;
  retries.tokens -= cost;
  return true;
}

/** Says that the credential was refused; whether there may be another one. */
function isRenewable({ error }: Failure, { refuse }: Trial): boolean {
  if (error !== AuthenticationError || !refuse) return false;
  refuse();
  return true;
}

function answered<T>(trial: Trial, value: T, attempts: number): CallResult<T> {
  const { status, headers } = trial as Heard;
  return { value, status, headers, attempts };
}

/** Shows an observer a frozen view; one that throws must not decide over money. */
function tell<View extends object>(observer: ((view: View) => void) | undefined, view: View): void {
  isolated(() => observer?.(Object.freeze(view)));
}

type Ready = ReturnType<typeof requestOf>;

/** What names the thing that is to happen once: its key, its correlationId, or the address of what is to move. */
function nameOf(
  { idempotency: repeat }: AnyEndpoint,
  { correlationId }: Job<unknown, unknown, unknown>,
  { idempotencyKey, url }: Ready,
): string | undefined {
  return isHarmless(repeat)
    ? undefined
    : (idempotencyKey ??
        correlationId ??
        (repeat === 'same-request' ? url.toLowerCase() : undefined));
}

/** URL and body, checked before anything is sent. */
function requestOf(connection: Connection, row: AnyEndpoint, job: Job<unknown, unknown, unknown>) {
  const { idempotencyKey } = job;
  const { baseUrl, settings } = connection[internals];
  return {
    url: addressOf(baseUrl, row, job.where as Readonly<Record<string, unknown>>, settings.paths),
    method: row.method,
    body: job.draft === undefined ? undefined : bodyOf(row, job),
    idempotencyKey: idempotencyKey === undefined ? undefined : checkIdempotencyKey(idempotencyKey),
    asked: { ...(job.draft as object | undefined), ...(job.where as object) },
    fits: job.fits,
  };
}

function bodyOf(
  row: AnyEndpoint,
  { draft, correlationId, idempotencyKey }: Job<unknown, unknown, unknown>,
): string {
  try {
    return JSON.stringify(row.input ? row.input.read(draft) : draft);
  } catch (thrown) {
    const { message, violations: breaches } = validationErrorOf(thrown);
    throw new InputError(`${row.method} ${row.path}: ${message}`, {
      code: 'INPUT_INVALID',
      outcome: 'not-done',
      next: 'fix-input',
      validationErrors: validationErrorsOf(breaches),
      correlationId,
      idempotencyKey,
    });
  }
}
