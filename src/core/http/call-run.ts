import {
  AuthenticationError,
  type ErrorFacts,
  isHarmless,
  mayRepeat,
  findMeaning,
  type Next,
  chooseNext,
  type Outcome,
  type PaystateError,
  RateLimitError,
  RefusedError,
  UnreachableError,
} from '../errors/index.ts';
import { isolated } from '../watch.ts';
import { countRequest, countWait, dropKnown, noteAnswer, noteWorked } from './answers.ts';
import { attemptOnce, type AttemptResult, type Responded } from './attempt.ts';
import {
  type AnyJob,
  type CallOptions,
  type CallResult,
  type CheckedRequest,
  nameRequest,
} from './call.ts';
import {
  measureAge,
  type Classified,
  classify,
  type Failure,
  makeFailure,
  serviceTime,
} from './classify.ts';
import {
  type Connection,
  internals,
  type CallNumbers,
  type Priority,
  type RequestView,
  type Slot,
  slotState,
} from './connection.ts';
import { isLoginOver } from './credential.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { openRecord, type SendRecord } from './once.ts';
import { block, endBlock, RESERVE, takePlace } from './rate-limiter.ts';
import type { QueuePlace } from './rate-limits.ts';

/** The next step of a call after an attempt, and the reason for it. */
export interface CallDecision {
  /**
   * `retry` sends the request again, `wait` waits for the rate limit, `read-first` reads the
   * existing resource, and `give-up` ends the call with an error.
   */
  readonly kind: 'retry' | 'wait' | 'read-first' | 'give-up';
  /** The failure's error code. For `wait`, it's the cause, which is `limit`, `block` or `store`. */
  readonly why: string;
  /** Milliseconds until the retry, or until the rate limit might allow the request. */
  readonly delay?: number | undefined;
  /** Outcome reported by the error that ends the call. */
  readonly outcome?: Outcome | undefined;
  /** Recommended action after the error that ends the call. */
  readonly next?: Next | undefined;
  /** The missing scope that caused the call to fail. */
  readonly neededScope?: string | undefined;
}

/**
 * Observes the attempts and decisions of a client and its derived clients. Only this package may
 * register taps, because they receive secrets. A tap must not throw.
 */
export interface Tap {
  attempt(view: RequestView, request: CheckedRequest, attempt: Promise<AttemptResult>): void;
  /**
   * Called for each decision, with the attempt that it applies to. That attempt may not have been
   * sent yet.
   */
  decide(request: Omit<RequestView, 'sentAt'>, decision: CallDecision): void;
}

export const TAPS: Slot<Set<Tap>> = { name: 'core.taps', make: () => new Set() };

/**
 * Base of the exponential backoff. The maximum delay doubles with each attempt, and the actual
 * delay is a random fraction of it.
 */
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 20_000;

export interface RunOptions extends CallNumbers, Pick<CallOptions, 'signal' | 'reason'> {
  readonly queueTimeout: number;
}

export class CallRun<Value> {
  readonly #connection: Connection;
  readonly #endpoint: AnyEndpoint;
  readonly #job: AnyJob<Value>;
  readonly #options: RunOptions;
  readonly #request: CheckedRequest;
  readonly #priority: Priority;
  readonly #isHarmless: boolean;
  readonly #record: SendRecord;
  readonly #taps: ReadonlySet<Tap>;
  /**
   * Deadline in milliseconds on the monotonic clock. Before the first attempt, it limits the wait
   * for the rate limit. After that, it limits the whole call.
   */
  #end: number;
  /**
   * Number of attempts that may have had an effect because they were sent and not clearly refused.
   */
  #open: number = 0;
  #sent: number = 0;
  #waited: number = 0;
  #refusal: Failure | undefined;
  /** Current attempt number, starting at 1. */
  #attempt: number = 0;
  #sentView: RequestView | undefined;

  constructor(
    connection: Connection,
    endpoint: AnyEndpoint,
    job: AnyJob<Value>,
    options: RunOptions,
    request: CheckedRequest,
  ) {
    const { priority = endpoint.priority ?? 'high' } = connection[internals];
    const name = nameRequest(endpoint, job, request);
    this.#connection = connection;
    this.#endpoint = endpoint;
    this.#job = job;
    this.#options = options;
    this.#request = request;
    this.#priority = endpoint.priority === 'critical' ? 'critical' : priority;
    this.#isHarmless = isHarmless(endpoint.idempotency);
    this.#taps = slotState(connection, TAPS);
    this.#record = openRecord(connection, endpoint, name, request.body, job);
    this.#end = this.#endIn(options.queueTimeout);
  }

  async run(): Promise<CallResult<Value>> {
    const { clock, settings } = this.#connection[internals];
    const { bucket } = this.#endpoint;
    for (;;) {
      this.#attempt += 1;
      this.#sentView = undefined;
      const { isProbe } = await this.#awaitPlace();
      if (this.#attempt === 1) this.#end = this.#endIn(this.#options.callTimeout);
      const view = this.#view(clock.now());
      this.#sentView = view;
      const { result, failure, value } = await this.#send(view);
      if (failure && !result.reason && result.status === 429)
        await block(this.#connection, bucket, failure.delay!);
      else if (isProbe && !result.reason) endBlock(this.#connection, bucket);
      if (!failure || this.#canResolve(failure)) {
        const { status, headers } = result as Responded;
        const read = failure ? await this.#resolve(failure, headers) : (value as Value);
        // The outcome of the lost attempt is now known, and later calls with the same key created
        // nothing.
        this.#record.unknownSince = undefined;
        const attempts = this.#attempt;
        return { value: read, status, headers, attempts, waited: this.#waited };
      }
      const delay = this.#planRetry(failure, result);
      this.#tell({ kind: 'retry', why: failure.facts.code, delay });
      show(settings.onRetry, { ...view, delay });
      await this.#wait(delay);
    }
  }

  async #awaitPlace(): Promise<QueuePlace> {
    const { bucket, method } = this.#endpoint;
    const { signal } = this.#options;
    for (;;) {
      this.#checkWanted();
      const isRead = method === 'GET';
      const place = await takePlace(this.#connection, bucket, this.#priority, isRead, signal);
      if (this.#isPlaced(place)) return place;
      await this.#wait(place.delay);
    }
  }

  #view(sentAt: number): RequestView {
    const { operation, method, path } = this.#endpoint;
    const { reason = '' } = this.#options;
    const attempt = this.#attempt;
    return { operation, method, path, attempt, priority: this.#priority, reason, sentAt };
  }

  async #wait(ms: number): Promise<void> {
    const { clock } = this.#connection[internals];
    const begunAt = clock.monotonic();
    await clock.wait(ms, this.#options.signal);
    const waited = clock.monotonic() - begunAt;
    this.#waited += waited;
    countWait(this.#connection, waited);
  }

  /** Returns the deadline for a timeout, or the idempotency key's expiry if that's earlier. */
  #endIn(ms: number): number {
    const { clock } = this.#connection[internals];
    const left = this.#job.lifetime?.remaining(clock, this.#record) ?? Infinity;
    return clock.monotonic() + Math.min(ms, left);
  }

  /** Throws if the call was aborted or if its idempotency key has expired. */
  #checkWanted(): void {
    const { signal } = this.#options;
    // Throws if the idempotency key has expired during the wait.
    this.#job.lifetime?.remaining(this.#connection[internals].clock, this.#record);
    if (signal?.aborted)
      throw this.#open === 0
        ? signal.reason
        : this.#endWith(makeFailure('ABORTED', 'the call was aborted').failure);
  }

  /**
   * Returns true if the request may be sent now. Otherwise reports the wait, or throws if it would
   * be too long.
   */
  #isPlaced({ delay, cause }: QueuePlace): boolean {
    const { clock, settings } = this.#connection[internals];
    const { bucket } = this.#endpoint;
    const isLate = clock.monotonic() + delay > this.#end;
    if (isLate && (delay > 0 || this.#sent > 0)) {
      const limit = this.#attempt === 1 ? 'queueTimeout' : 'callTimeout';
      const message = `timed out waiting for the rate limit (${limit})`;
      throw this.#endWith(
        makeFailure('QUEUE_TIMEOUT', message, {}, { error: RateLimitError, delay }).failure,
      );
    }
    if (delay > 0) this.#tell({ kind: 'wait', why: cause, delay });
    if (delay > 0 || cause === 'store')
      show(settings.onWait, { ...this.#view(clock.now()), bucket, cause, delay });
    return delay === 0;
  }

  async #send(view: RequestView): Promise<Classified & { readonly result: AttemptResult }> {
    const { clock, settings } = this.#connection[internals];
    const { attemptTimeout, signal } = this.#options;
    const begunAt = clock.monotonic();
    const timeout = Math.min(attemptTimeout, this.#end - begunAt);
    this.#countOpen(1);
    show(settings.onRequest, view);
    const isRenewal = !!this.#refusal;
    const attempt = attemptOnce(this.#connection, this.#request, isRenewal, timeout, signal);
    for (const tap of this.#taps) tap.attempt(view, this.#request, attempt);
    this.#record.underWay++;
    const result = await attempt;
    this.#record.underWay--;
    const receivedAt = clock.monotonic();
    const classified = classify(this.#endpoint, this.#request, result, clock.now(), settings, {
      sentAt: begunAt,
      receivedAt,
    });
    const { failure, value } = classified;
    this.#count(failure, result, view.sentAt);
    if (settings.onResponse)
      show(settings.onResponse, {
        ...view,
        status: result.reason ? undefined : result.status,
        code: failure?.facts.code,
        traceId: failure?.facts.traceId,
        duration: receivedAt - begunAt,
      });
    if (!failure) noteWorked(this.#connection, this.#endpoint.scope, receivedAt);
    else if (result.reason && result.login && isLoginOver(result.login))
      dropKnown(this.#connection, true);
    if (!result.reason && (!failure || failure.error === RefusedError)) {
      const age = measureAge(this.#connection, result, begunAt, receivedAt);
      this.#connection[internals].noteAge?.(age);
      noteAnswer(this.#connection, {
        endpoint: this.#endpoint,
        where: this.#job.where,
        value,
        refusal: failure?.facts,
        sentAt: begunAt - age,
      });
    }
    return { ...classified, result };
  }

  /**
   * Updates the counts of sent and pending attempts, and records when the outcome became unknown.
   */
  #count(failure: Failure | undefined, { isSent }: AttemptResult, sentAt: number): void {
    if (isSent) {
      this.#sent++;
      countRequest(this.#connection, this.#priority, this.#attempt);
    }
    if (!failure) {
      if (this.#attempt === 1) earnRetry(this.#connection);
    } else if (!failure.ambiguous && !failure.exists) this.#countOpen(-1);
    else if (failure.ambiguous && !this.#isHarmless) this.#record.unknownSince ??= sentAt;
    // The service confirms that this command was executed, so the outcome is known again.
    else if (!this.#job.resolve && failure.facts.code === this.#endpoint.original?.code)
      this.#record.unknownSince = undefined;
  }

  #countOpen(by: 1 | -1): void {
    if (this.#isHarmless) return;
    this.#open += by;
    this.#record.open += by;
  }

  /**
   * Checks whether the request was refused because of an existing resource that this call may
   * return. The call, or an earlier one with an unknown outcome, may have created it.
   */
  #canResolve({ error, facts }: Failure): boolean {
    const { adopts, isOwn, resolve } = this.#job;
    return (
      !!resolve &&
      error === RefusedError &&
      facts.code === this.#endpoint.original?.code &&
      (adopts || isOwn || this.#record.unknownSince !== undefined)
    );
  }

  #resolve(failure: Failure, headers: Headers): Promise<Value> {
    const { clock } = this.#connection[internals];
    const { unknownSince } = this.#record;
    const now = clock.now();
    const since = unknownSince && unknownSince + serviceTime(headers, now) - now;
    const left = Math.max(1, this.#end - clock.monotonic());
    const { attemptTimeout, maxAttempts, signal } = this.#options;
    const rest = { attemptTimeout, callTimeout: left, maxAttempts, queueTimeout: left, signal };
    this.#tell({ kind: 'read-first', why: failure.facts.code });
    return this.#job.resolve!(this.#errorOf(failure) as RefusedError, rest, since);
  }

  /**
   * Returns the delay before a retry in milliseconds, and charges the retry budget. Throws if the
   * call may not be retried.
   */
  #planRetry(failure: Failure, result: AttemptResult): number {
    const { clock, random } = this.#connection[internals];
    const { signal, maxAttempts } = this.#options;
    if (signal?.aborted)
      throw this.#isHarmless || (!result.isSent && this.#open === 0)
        ? signal.reason
        : this.#endWith(failure);
    if (result.reason && result.steering) {
      this.#endWith(failure);
      throw result.steering;
    }
    const isRenewed = this.#rejectCredential(failure, result);
    const delay = isRenewed
      ? 0
      : (failure.delay ??
        random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#attempt));
    // If there's no other credential, the caller gets the service's refusal immediately.
    const isRefused = this.#refusal && result.reason === 'TOKEN_UNAVAILABLE';
    const mayPass = failure.transient && !isRefused && this.#attempt < maxAttempts;
    const cost = result.reason === 'TIMEOUT' ? 10 : 5;
    if (
      clock.monotonic() + delay < this.#end &&
      // A request with a refused credential had no effect, so commands may be repeated too.
      (isRenewed ||
        (mayRepeat(this.#endpoint.idempotency, !!this.#job.resolve) &&
          mayPass &&
          payRetry(this.#connection, this.#priority, cost)))
    )
      return delay;
    throw this.#endWith(failure);
  }

  /**
   * Reports to the token function that the service refused its token. Returns true the first time,
   * because the call may then try another token.
   */
  #rejectCredential(failure: Failure, { sender }: AttemptResult): boolean {
    if (failure.error !== AuthenticationError || !sender?.reject) return false;
    sender.reject();
    const isFirst = !this.#refusal;
    this.#refusal ??= failure;
    return isFirst;
  }

  /** Creates the error that ends the call, and reports it to the taps. */
  #endWith(failure: Failure): PaystateError {
    const error = this.#errorOf(failure);
    const { code: why, outcome, next, neededScope } = error;
    this.#tell({ kind: 'give-up', why, outcome, next, neededScope });
    return error;
  }

  #tell(decision: CallDecision): void {
    for (const tap of this.#taps) tap.decide(this.#sentView ?? this.#view(0), decision);
  }

  /**
   * Creates the error for a failure. If the outcome is unknown, keeps the record for later calls.
   */
  #errorOf(found: Failure): PaystateError {
    const { correlationId, idempotencyKey } = this.#job;
    const { operation, idempotency } = this.#endpoint;
    const refusal = this.#refusal;
    // If there's no other credential, the error describes the service's refusal.
    const lacksToken = found.facts.code === 'TOKEN_UNAVAILABLE';
    const { error, message, facts, delay } = (lacksToken && refusal) || found;
    const isSettled = this.#isSettledBy(facts.code);
    const outcome = isSettled ? 'not-done' : 'unknown';
    if (!isSettled) this.#record.keep();
    const mayRenew =
      refusal && (found === refusal || (lacksToken && found.error === UnreachableError));
    const next = mayRenew && isSettled ? 'retry' : chooseNext(idempotency, facts, outcome);
    const isKeyRefused = next === 'login' && !this.#connection[internals].canLogIn;
    const all: ErrorFacts = {
      ...facts,
      operation,
      outcome,
      attempts: this.#sent,
      waited: this.#waited || undefined,
      next: facts.next ?? (isKeyRefused ? 'fix-credential' : next),
      correlationId,
      idempotencyKey,
      retryAt: delay === undefined ? delay : this.#connection[internals].clock.now() + delay,
      maybeCreated: (!isSettled && idempotency === 'none') || undefined,
    };
    return new error(describeFailure(operation, message, all), all);
  }

  /**
   * Checks whether the command definitely had no effect. Either no attempt could have had one, or
   * the resource is in a state that none of the attempts could have caused.
   */
  #isSettledBy(code: string): boolean {
    const { isUnknown, isState, exists } = findMeaning(code);
    if (isUnknown) return false;
    const wanted = findMeaning(this.#endpoint.original?.code ?? '');
    return this.#record.open === 0 || (isState && !exists && wanted.isState) === true;
  }
}

/** Calls an observer with a frozen view. If the observer throws, the call isn't affected. */
function show<View extends object>(observer: ((view: View) => void) | undefined, view: View): void {
  if (observer) isolated(() => observer(Object.freeze(view)));
}

/**
 * Size of a client's retry budget in tokens. A retry costs 5 tokens, or 10 after a timeout. A call
 * that succeeds on its first attempt earns 1 token.
 */
const MAX_RETRY_TOKENS = 500;

const RETRIES: Slot<{ tokens: number }> = {
  name: 'core.retries',
  make: () => ({ tokens: MAX_RETRY_TOKENS }),
};

function earnRetry(connection: Connection): void {
  const bucket = slotState(connection, RETRIES);
  bucket.tokens = Math.min(MAX_RETRY_TOKENS, bucket.tokens + 1);
}

/**
 * Charges a retry to the budget. Returns false if that would leave too few tokens for higher
 * priorities.
 */
function payRetry(connection: Connection, priority: Priority, cost: number): boolean {
  const bucket = slotState(connection, RETRIES);
  if (bucket.tokens < cost + MAX_RETRY_TOKENS * RESERVE[priority]) return false;
  bucket.tokens -= cost;
  return true;
}

function describeFailure(
  operation: string,
  event: string,
  { code, outcome, next, status, traceId }: ErrorFacts,
): string {
  const unknown = outcome === 'unknown' ? ', may have been done' : '';
  const facts = [code, status, traceId && `trace ${traceId}`].filter(Boolean).join(', ');
  return `${operation}: ${event}${unknown}; ${next!.replace('-', ' ')} (${facts})`;
}
