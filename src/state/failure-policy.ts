import { isLoginOver } from '../core/http/index.ts';
import type { PaystateError } from '../core/errors/index.ts';
import { LAG } from '../resources/service-facts.ts';

/** What a watch remembers of its failed reads; times are monotonic milliseconds. */
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

/** A failed read of a watch. */
export interface FailedRead {
  readonly now: number;
  /** How long the watch had been there when the read was sent. */
  readonly age: number;
  /** The resource was read before. */
  readonly isKnown: boolean;
  /** The service may delete it. */
  readonly canBeDeleted?: boolean | undefined;
}

/** What follows from a failed read. */
export interface FailureDecision {
  readonly failures: Failures;
  readonly ends: boolean;
}

/** How often a response must come, how far apart, and over what time, before it ends a watch. Milliseconds. */
type FailurePolicy = readonly [times: number, apart: number, over: number];

const ENDLESS: FailurePolicy = [Infinity, 0, 0];

/** Decides what a failed read means: only a few responses end a watch. */
export function classifyFailure(
  error: PaystateError,
  before: Failures,
  at: FailedRead,
): FailureDecision {
  const { now } = at;
  const [times, apart, over] = policyFor(error, at);
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

function policyFor(
  error: PaystateError,
  { age, isKnown, canBeDeleted }: FailedRead,
): FailurePolicy {
  const { code, kind, status } = error;
  if (code === 'RESPONSE_INVALID') return [5, 0, 120_000];
  if (isLoginOver(error)) return [2, 10_000, 0];
  if (kind !== 'refused') return ENDLESS;
  if (status === 403) return isKnown ? [3, 30_000, 0] : [1, 0, 0];
  // within the lag a replica may not have it yet
  const isGone = status === 404 && age >= LAG && (!isKnown || canBeDeleted);
  return isGone ? [1, 0, isKnown ? LAG : 0] : ENDLESS;
}
