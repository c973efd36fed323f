import { addressOf } from './address.ts';
import { attemptOnce, type Trial } from './attempt.ts';
import { budgetOf } from './budget.ts';
import { type Answered, type Call, callOf, type CallOptions } from './call.ts';
import type { Connection, RequestView } from './connection.ts';
import { checkIdempotencyKey } from './credential.ts';
import { isHarmless, mayRepeat, nextOf } from './decisions.ts';
import { InputError, type PaystateError, RefusedError, UnreachableError } from './errors.ts';
import { type Failure, judge, validationErrorsOf } from './judge.ts';
import { httpDate } from './retry-after.ts';
import { type AnyRow, Misfit, type Row } from './row.ts';

/** What one call sends, beside its row. */
export interface Job<Where, Draft, Answer> {
  readonly where: Where;
  readonly draft?: Draft;
  readonly idempotencyKey?: string | undefined;
  /** Names the thing that is created, for errors. */
  readonly correlationId?: string | undefined;
  /** Turns "you had this already", heard after a try in doubt, into the original; `since` is service time. */
  readonly resolve?: (refusal: RefusedError, since: number) => Promise<Answer>;
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
  const { signal } = options;
  const request = requestOf(connection, row, job);
  const lane = row.group === 'execute' ? 'execute' : (connection.lane ?? 'checkout');
  const budget = budgetOf(connection);
  const { attempts, attemptLimit, deadline } = { ...settings, ...(row.attemptLimit && { attemptLimit: row.attemptLimit }), ...given(options) };
  const end = clock.monotonic() + deadline;
  let doubtSince: number | undefined;

  for (let attempt = 1; ; attempt++) {
    await place(attempt - 1);
    const view: RequestView = { method: row.method, path: row.path, attempt, lane, why: options.why ?? '', at: clock.now() };
    const begun = clock.monotonic();
    tell(settings.onRequest, view);
    const trial = await attemptOnce(connection, request, Math.min(attemptLimit, end - begun), signal);
    const { failure, ...success } = judge(row, trial, clock.now(), settings.inspect);
    const status = trial.came === 'answer' ? trial.status : undefined;
    tell(settings.onResponse, { ...view, status, code: failure?.facts.code, duration: clock.monotonic() - begun });
    if (!failure) return answered(trial, (success as { value: Answer }).value, attempt);
    if (status === 429) budget.block(row.group, failure.wait ?? settings.limits[row.group].block);
    if (doubtSince !== undefined && job.resolve && failure.facts.code === row.original?.code && failure.error === RefusedError)
      return answered(trial, await job.resolve(errorOf(failure, attempt) as RefusedError, doubtSince + ahead(trial, clock.now())), attempt);
    if (failure.doubtful) doubtSince ??= view.at;
    if (signal?.aborted) throw isHarmless(row.repeat) ? signal.reason : errorOf(failure, attempt);
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
        throw errorOf(unsent('BUDGET_SPENT', 'the request limit leaves no place before the deadline', clock.now() + delay), sent);
      await clock.wait(delay, signal);
    }
  }

  function errorOf(failure: Failure, sent: number): PaystateError {
    const inDoubt = !isHarmless(row.repeat) && (failure.doubtful || doubtSince !== undefined);
    const outcome = inDoubt ? 'unknown' : 'not-done';
    const { correlationId } = job;
    return new failure.error(`${row.method} ${row.path}: ${failure.message}`, {
      ...failure.facts, outcome, attempts: sent, next: nextOf(row.repeat, failure.facts, outcome),
      ...(correlationId !== undefined && { correlationId }),
      ...(inDoubt && row.repeat === 'once' && { maybeCreated: true }),
    });
  }
}

function unsent(code: string, message: string, retryAt?: number): Failure {
  return { error: UnreachableError, message, facts: { code, ...(retryAt !== undefined && { retryAt }) }, doubtful: false, passing: false };
}

function answered<T>(trial: Trial, value: T, attempts: number): Answered<T> {
  const { status, headers } = trial as Extract<Trial, { came: 'answer' }>;
  return { value, status, headers, attempts };
}

/** How far the service's clock is ahead of ours, where its answer shows it; pages of another origin cannot see it. */
function ahead(trial: Trial, now: number): number {
  return trial.came === 'answer' ? (httpDate(trial.headers.get('date') ?? '') ?? now) - now : 0;
}

/** The options that were given: an `undefined` is no choice. */
function given(options: CallOptions): Partial<Record<'attempts' | 'attemptLimit' | 'deadline', number>> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => typeof value === 'number'));
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
  const { draft, idempotencyKey } = job;
  return {
    url: addressOf(connection.baseUrl, row, job.where as Readonly<Record<string, unknown>>, connection.settings.paths),
    method: row.method,
    ...(draft !== undefined && { body: JSON.stringify(checked(row, draft)) }),
    ...(idempotencyKey !== undefined && { idempotencyKey: checkIdempotencyKey(idempotencyKey) }),
  };
}

function checked(row: AnyRow, draft: unknown): unknown {
  try {
    return row.input ? row.input.read(draft) : draft;
  } catch (thrown) {
    if (!(thrown instanceof Misfit)) throw thrown;
    throw new InputError(`${row.method} ${row.path}: ${thrown.message}`, {
      code: 'INPUT_INVALID', outcome: 'not-done', next: 'fix-input', validationErrors: validationErrorsOf(thrown.breaches),
    });
  }
}
