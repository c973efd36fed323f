import { isLoginOver } from '../core/http/index.ts';
import type { PaystateError } from '../core/errors/index.ts';

/** What a watch remembers of its failed looks; times are monotonic milliseconds. */
export interface Failures {
  /** Status and code of the failures in a row, with the time of the first one and how many were far enough apart. */
  readonly code?: string;
  readonly firstAt: number;
  readonly countedAt: number;
  readonly counted: number;
  /** Failures in a row of any kind. */
  readonly inARow: number;
}

export const NO_FAILURES: Failures = { firstAt: 0, countedAt: 0, counted: 0, inARow: 0 };

export interface Circumstances {
  readonly now: number;
  /** How long the watch had been there when the look was sent. */
  readonly age: number;
  /** The entity was read before. */
  readonly seen: boolean;
  /** The kind can be deleted. */
  readonly deletable?: boolean | undefined;
}

export interface Verdict {
  readonly failures: Failures;
  readonly ends: boolean;
}

/** How often an answer must come, how far apart, and over what time, before it ends a watch. Milliseconds. */
type Patience = readonly [times: number, apart: number, over: number];

const ENDLESS: Patience = [Infinity, 0, 0];
const SETTLING = 30_000;

/** Judges a failed look: only a few answers end a watch. */
export function judgeFailure(error: PaystateError, before: Failures, at: Circumstances): Verdict {
  const { now } = at;
  const [times, apart, over] = patienceFor(error, at);
  const code = `${error.status} ${error.code}`;
  const { firstAt, countedAt, counted } =
    before.code === code ? before : { firstAt: now, countedAt: -Infinity, counted: 0 };
  const counts = now - countedAt >= apart;
  const failures = {
    code,
    firstAt,
    countedAt: counts ? now : countedAt,
    counted: counts ? counted + 1 : counted,
    inARow: before.inARow + 1,
  };
  return { failures, ends: failures.counted >= times && now - firstAt >= over };
}

function patienceFor(error: PaystateError, { age, seen, deletable }: Circumstances): Patience {
  const { code, kind, status } = error;
  if (code === 'RESPONSE_INVALID') return [5, 0, 120_000];
  if (isLoginOver(error)) return [2, 10_000, 0];
  if (kind !== 'refused') return ENDLESS;
  if (status === 403) return seen ? [3, 30_000, 0] : [1, 0, 0];
  const isGone = status === 404 && age >= SETTLING && (!seen || deletable);
  return isGone ? [1, 0, seen ? SETTLING : 0] : ENDLESS;
}
