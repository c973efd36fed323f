import type { PaystateError } from '../core/errors.ts';
import type { Freshness } from './seen.ts';

/** What a watch remembers of its failed looks; times are monotonic milliseconds. */
export interface Failures {
  /** Code of the failures in a row, with the time of the first one and how many were far enough apart. */
  readonly code?: string | undefined;
  readonly firstAt: number;
  readonly lastCountedAt: number;
  readonly counted: number;
  /** Failures in a row of any kind. */
  readonly inARow: number;
}

export const NO_FAILURES: Failures = { firstAt: 0, lastCountedAt: -Infinity, counted: 0, inARow: 0 };

export interface Circumstances {
  readonly now: number;
  readonly sentAt: number;
  /** When the watch began, monotonic. */
  readonly bornAt: number;
  /** The entity was read before. */
  readonly seen: boolean;
  /** The page knows that there is no network. */
  readonly offline: boolean;
  /** The kind can be deleted. */
  readonly deletable: boolean;
}

export interface Verdict {
  readonly fresh: Freshness;
  readonly failures: Failures;
  readonly ends: boolean;
}

/** How often, and how far apart in milliseconds, an answer must come before it ends a watch. */
interface Patience {
  readonly times: number;
  readonly apart: number;
  readonly over: number;
}

const SETTLING = 30_000;

/** Judges a failed look: trouble makes a value stale, and only a few answers end a watch. */
export function judgeFailure(error: PaystateError, before: Failures, at: Circumstances): Verdict {
  const code = error.status === undefined ? error.code : `${error.status} ${error.code}`;
  const again = before.code === code;
  const patience = patienceFor(error, at);
  const counts = !again || at.now - before.lastCountedAt >= (patience?.apart ?? 0);
  const failures: Failures = {
    code,
    firstAt: again ? before.firstAt : at.now,
    lastCountedAt: counts ? at.now : before.lastCountedAt,
    counted: (again ? before.counted : 0) + (counts ? 1 : 0),
    inARow: before.inARow + 1,
  };
  const ends = patience !== undefined && failures.counted >= patience.times && at.now - failures.firstAt >= patience.over;
  return { ends, failures, fresh: freshness(error, at) };
}

function freshness(error: PaystateError, at: Circumstances): Freshness {
  if (error.status === 429) return 'blocked';
  return at.offline && error.kind === 'unreachable' ? 'offline' : 'stale';
}

/** The answers that can end a watch; `undefined` for all that pass. */
function patienceFor(error: PaystateError, at: Circumstances): Patience | undefined {
  if (error.code === 'ANSWER_UNREADABLE') return { times: 5, apart: 0, over: 120_000 };
  if (error.kind === 'login') return { times: 2, apart: 10_000, over: 0 };
  if (error.kind !== 'refused') return undefined;
  if (error.status === 403) return at.seen ? { times: 3, apart: 30_000, over: 0 } : { times: 1, apart: 0, over: 0 };
  if (error.status !== 404 || (at.seen && !at.deletable)) return undefined;
  const settled = at.sentAt - at.bornAt >= SETTLING;
  return settled ? { times: 1, apart: 0, over: at.seen ? SETTLING : 0 } : undefined;
}
