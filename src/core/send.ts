import { addressOf } from './address.ts';
import { attemptOnce, type Trial } from './attempt.ts';
import { budgetOf } from './budget.ts';
import { type Answered, type Call, callOf, type CallOptions } from './call.ts';
import type { Connection, Lane, RequestView } from './connection.ts';
import { checkIdempotencyKey } from './credential.ts';
import { isHarmless, mayRepeat, nextOf } from './decisions.ts';
import { driftListener } from './drift.ts';
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

async function deliver<Answer>(
  connection: Connection,
  row: AnyRow,
  job: Job<unknown, unknown, Answer>,
  options: CallOptions,
): Promise<Answered<Answer>> {
  const { clock, settings, random } = connection;
  const { signal } = options;
  const request = requestOf(connection, row, job);
  const lane = laneOf(connection, row);
  const budget = budgetOf(connection);
  const end = clock.monotonic() + (options.deadline ?? settings.deadline);
  const attempts = options.attempts ?? settings.attempts;
  const limit = options.attemptLimit ?? row.attemptLimit ?? settings.attemptLimit;
  let doubtSince: number | undefined;

  for (let attempt = 1; ; attempt++) {
    await place(attempt);
    const view: RequestView = Object.freeze({
      method: row.method, path: row.path, attempt, lane, why: options.why ?? '', at: clock.now(),
    });
    notify(() => settings.onRequest?.(view));
    const begun = clock.monotonic();
    const trial = await attemptOnce(connection, request, Math.min(limit, end - begun), signal);
    const verdict = judge(row, trial, clock.now(), settings.mode === 'strict', driftListener(connection, row));
    const status = trial.came === 'answer' ? trial.status : undefined;
    notify(() => settings.onResponse?.(Object.freeze({
      ...view, duration: clock.monotonic() - begun,
      ...(status !== undefined && { status }), ...(verdict.failed && { code: verdict.facts.code }),
    })));
    if (!verdict.failed && trial.came === 'answer')
      return { value: verdict.value as Answer, status: trial.status, headers: trial.headers, attempts: attempt };
    const failure = verdict as Failure;
    if (status === 429) budget.block(row.group, failure.wait ?? settings.limits[row.group].block);
    if (isOriginal(row, failure) && doubtSince !== undefined && job.resolve) {
      const since = doubtSince + (serviceTime(trial) ?? clock.now()) - clock.now();
      const value = await job.resolve(errorOf(failure, attempt) as RefusedError, since);
      return { value, status: status ?? 0, headers: new Headers(), attempts: attempt };
    }
    if (failure.doubtful) doubtSince ??= view.at;
    if (signal?.aborted) throw isHarmless(row.repeat) ? signal.reason : errorOf(failure, attempt);
    const wait = waitFor(failure, attempt);
    if (wait === undefined) throw errorOf(failure, attempt);
    notify(() => settings.onRetry?.(Object.freeze({ ...view, wait })));
    await clock.wait(wait, signal);
  }

  /** Waits until the budget has a place, or fails when that would be too late. */
  async function place(attempt: number): Promise<void> {
    for (;;) {
      if (signal?.aborted) throw doubtSince === undefined ? signal.reason : stopped('ABORTED', 'the caller gave up waiting', attempt);
      const delay = budget.delay(row.group, lane);
      if (delay === 0) return budget.spend(row.group, lane);
      if (clock.monotonic() + delay > end)
        throw stopped('BUDGET_SPENT', 'the request limit leaves no place before the deadline', attempt, clock.now() + delay);
      await clock.wait(delay, signal);
    }
  }

  function stopped(code: string, text: string, attempt: number, retryAt?: number): PaystateError {
    const facts = { code, ...(retryAt !== undefined && { retryAt }) };
    return errorOf({ failed: true, error: UnreachableError, message: text, facts, doubtful: false, passing: false }, attempt - 1);
  }

  /** Milliseconds until the next attempt; `undefined` where there is none. */
  function waitFor(failure: Failure, attempt: number): number | undefined {
    if (!failure.passing || attempt >= attempts || !mayRepeat(row.repeat, job.resolve !== undefined)) return undefined;
    const wait = failure.wait ?? random() * Math.min(CAP, BASE * 2 ** attempt);
    return clock.monotonic() + wait < end ? wait : undefined;
  }

  function errorOf(failure: Failure, attempt: number): PaystateError {
    const inDoubt = !isHarmless(row.repeat) && (failure.doubtful || doubtSince !== undefined);
    const outcome = inDoubt ? 'unknown' : 'not-done';
    const facts = {
      ...failure.facts, outcome, attempts: attempt, next: nextOf(row.repeat, failure.facts, outcome),
      ...(job.correlationId !== undefined && { correlationId: job.correlationId }),
      ...(inDoubt && row.repeat === 'once' && { maybeCreated: true }),
    } as const;
    return new failure.error(`${row.method} ${row.path}: ${failure.message}`, facts);
  }
}

/** The service's own time, where its answer shows it; pages of another origin cannot see it. */
function serviceTime(trial: Trial): number | undefined {
  return trial.came === 'answer' ? httpDate(trial.headers.get('date') ?? '') : undefined;
}

function isOriginal(row: AnyRow, failure: Failure): boolean {
  return failure.error === RefusedError && failure.facts.code === row.original?.code;
}

/** An observer that throws must not decide over money. */
function notify(tell: () => void): void {
  try {
    tell();
  } catch {
    // its own business
  }
}

function laneOf(connection: Connection, row: AnyRow): Lane {
  return row.group === 'execute' ? 'execute' : (connection.lane ?? 'checkout');
}

/** URL and body, checked before anything is sent. */
function requestOf(connection: Connection, row: AnyRow, job: Job<unknown, unknown, unknown>) {
  const url = addressOf(connection.baseUrl, row, job.where as Readonly<Record<string, unknown>>, connection.settings.paths);
  const key = job.idempotencyKey;
  return {
    url,
    method: row.method,
    ...(job.draft !== undefined && { body: JSON.stringify(checked(row, job.draft)) }),
    ...(key !== undefined && { idempotencyKey: checkIdempotencyKey(key) }),
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
