import { addressOf } from './address.ts';
import { attemptOnce, type Heard, type Trial } from './attempt.ts';
import { budgetOf } from './budget.ts';
import { type Answered, type Call, callOf, type CallOptions } from './call.ts';
import type { Connection, RequestView } from './connection.ts';
import { checkIdempotencyKey } from './credential.ts';
import { isHarmless, mayRepeat, nextOf } from './decisions.ts';
import { InputError, type PaystateError, RefusedError, UnreachableError, validationErrorsOf } from './errors.ts';
import { type Failure, judge } from './judge.ts';
import { serviceTime } from './retry-after.ts';
import { type AnyRow, misfitOf, type Row } from './row.ts';

/** What one call sends, beside its row. */
export interface Job<Where, Draft, Answer> {
  readonly where: Where;
  readonly draft?: Draft | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Names the thing that is created, for errors. */
  readonly correlationId?: string | undefined;
  /**
   * Turns "you had this already" into the original, in the time that `rest` leaves. Heard after a try in doubt:
   * `since` is when that was sent, in service time.
   */
  readonly resolve?: (refusal: RefusedError, rest: CallOptions, since?: number) => Promise<Answer>;
  /** Resolves what was heard without any doubt too. */
  readonly adopts?: boolean;
}

/** First wait and longest wait between attempts, milliseconds; the real one is random below. */
const BASE = 250;
const CAP = 20_000;

/** Sends a row's request: the only caller of fetch. Checks, waits for its place, repeats what the row allows. */
export function send<Where, Draft, Answer>(
  connection: Connection,
  row: Row<Where, Draft, Answer>,
  job: Job<Where, Draft, Answer>,
  options: CallOptions = {},
): Call<Answer> {
  return callOf(deliver(connection, row as unknown as AnyRow, job as Job<unknown, unknown, Answer>, options));
}

async function deliver<Answer>(connection: Connection, row: AnyRow, job: Job<unknown, unknown, Answer>, options: CallOptions): Promise<Answered<Answer>> {
  const { clock, settings } = connection;
  const request = requestOf(connection, row, job);
  const lane = row.group === 'execute' ? 'execute' : (connection.lane ?? 'checkout');
  const budget = budgetOf(connection);
  const { signal, attempts = settings.attempts, attemptLimit = row.attemptLimit ?? settings.attemptLimit, deadline = settings.deadline } = options;
  const end = clock.monotonic() + deadline;
  const harmless = isHarmless(row.repeat);
  let doubtSince: number | undefined;

  for (let attempt = 1; ; attempt++) {
    await place(attempt - 1);
    const view: RequestView = { method: row.method, path: row.path, attempt, lane, why: options.why ?? '', at: clock.now() };
    const begun = clock.monotonic();
    tell(settings.onRequest, view);
    const trial = await attemptOnce(connection, request, Math.min(attemptLimit, end - begun), signal);
    const { failure, ...success } = judge(row, trial, clock.now(), settings);
    const status = trial.why ? undefined : trial.status;
    tell(settings.onResponse, { ...view, status, code: failure?.facts.code, duration: clock.monotonic() - begun });
    if (!failure) return answered(trial, (success as { value: Answer }).value, attempt);
    if (status === 429) budget.block(row.group, failure.wait!);
    if (job.resolve && (job.adopts || doubtSince !== undefined) && failure.facts.code === row.original?.code && failure.error === RefusedError) {
      const now = clock.now();
      const since = doubtSince && doubtSince + serviceTime((trial as Heard).headers, now) - now;
      return answered(trial, await job.resolve(errorOf(failure, attempt) as RefusedError, { ...options, deadline: end - clock.monotonic() }, since), attempt);
    }
    if (failure.doubtful && !harmless) doubtSince ??= view.at;
    if (signal?.aborted) throw harmless ? signal.reason : errorOf(failure, attempt);
    const wait = failure.wait ?? connection.random() * Math.min(CAP, BASE * 2 ** attempt);
    const again = failure.passing && attempt < attempts && mayRepeat(row.repeat, job.resolve !== undefined);
    if (!again || clock.monotonic() + wait >= end) throw errorOf(failure, attempt);
    tell(settings.onRetry, { ...view, wait });
    await clock.wait(wait, signal);
  }

  /** Waits until the budget has a place, or fails when that would be too late. */
  async function place(sent: number): Promise<void> {
    for (;;) {
      const delay = budget.delay(row.group, lane);
      if (signal?.aborted) throw doubtSince === undefined ? signal.reason : errorOf(unsent('ABORTED', 'the caller gave up'), sent);
      if (delay === 0) return budget.spend(row.group, lane);
      if (clock.monotonic() + delay > end)
        throw errorOf(unsent('BUDGET_SPENT', 'no place in the request limit before the deadline', delay), sent);
      await clock.wait(delay, signal);
    }
  }

  function errorOf(failure: Failure, sent: number): PaystateError {
    const { facts, wait } = failure;
    const settled = doubtSince === undefined || facts.code.startsWith('INVALID_STATE_'); // a state that no try of ours leads to
    const outcome = settled ? 'not-done' : 'unknown';
    return new failure.error(`${row.method} ${row.path}: ${failure.message}`, {
      ...facts, outcome, attempts: sent, next: nextOf(row.repeat, facts, outcome), correlationId: job.correlationId,
      retryAt: wait === undefined ? wait : clock.now() + wait,
      maybeCreated: (outcome === 'unknown' && row.repeat === 'once') || undefined,
    });
  }
}

function unsent(code: string, message: string, wait?: number): Failure {
  return { error: UnreachableError, message, facts: { code }, doubtful: false, passing: false, wait };
}

function answered<T>(trial: Trial, value: T, attempts: number): Answered<T> {
  const { status, headers } = trial as Heard;
  return { value, status, headers, attempts };
}

/** Shows an observer a frozen view; one that throws must not decide over money. */
function tell<View extends object>(observer: ((view: View) => void) | undefined, view: View): void {
  try {
    observer?.(Object.freeze(view));
  } catch {
    // its own business
  }
}

/** URL and body, checked before anything is sent. */
function requestOf(connection: Connection, row: AnyRow, job: Job<unknown, unknown, unknown>) {
  const { idempotencyKey } = job;
  return {
    url: addressOf(connection.baseUrl, row, job.where as Readonly<Record<string, unknown>>, connection.settings.paths),
    method: row.method,
    body: job.draft === undefined ? undefined : bodyOf(row, job),
    idempotencyKey: idempotencyKey === undefined ? undefined : checkIdempotencyKey(idempotencyKey),
  };
}

function bodyOf(row: AnyRow, { draft, correlationId }: Job<unknown, unknown, unknown>): string {
  try {
    return JSON.stringify(row.input ? row.input.read(draft) : draft);
  } catch (thrown) {
    const { message, breaches } = misfitOf(thrown);
    throw new InputError(`${row.method} ${row.path}: ${message}`, {
      code: 'INPUT_INVALID', outcome: 'not-done', next: 'fix-input', validationErrors: validationErrorsOf(breaches), correlationId,
    });
  }
}
