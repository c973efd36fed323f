// Says where watches were wrong, by the history of the service. All times are the world's, in milliseconds.
import type { Span } from './device.ts';
import { codeOf, type Said, type WatchRecord } from './listener.ts';
import { type State, stateAt } from './service.ts';

/** A replica is at most so far behind. */
const LAG_MS = 30_000;
/** The delay within which 99 of 100 changes have to be seen. */
const P99_MS = 2_500;
/** A state that goes back is confirmed by a second read so much later. */
const CONFIRMATION_MS = 5_000;
/** A hidden page reads once a minute. */
const HIDDEN_MS = 60_000;
/** A request and its response take no longer here. */
const ON_ITS_WAY_MS = 300;

const RANK: Readonly<Record<string, number>> = {
  UNPAID: 0,
  PENDING: 1,
  CANCELLED: 2,
  PAID: 3,
  REVERSED: 4,
};
const SETTLED: readonly (string | undefined)[] = ['PAID', 'CANCELLED', 'REVERSED'];

/** Returns the rank of a state; NaN, which nothing is further than, for what is no state. */
const rankOf = (state: string | undefined): number => RANK[state ?? ''] ?? NaN;

/** The facts of a run in addition to what was said. */
export interface Setting {
  /** When it ended. */
  readonly end: number;
  readonly sleeps?: readonly Span[];
  /** Spans in which nobody could see the page. */
  readonly hidden?: readonly Span[] | undefined;
  /** Reads came from a replica that was behind. */
  readonly isLagging?: boolean | undefined;
  /** The clock of the device was wrong. */
  readonly isAhead?: boolean | undefined;
  readonly hasFeed?: boolean | undefined;
}

/** A part of a span in which the truth was one. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly state: string | undefined;
}

/** Parts of a span, cut where the truth changes. */
function cut(states: readonly State[], from: number, to: number): readonly Part[] {
  const within = states.filter(({ at }) => at > from && at < to).map(({ at }) => at);
  const starts = [from, ...within];
  return starts.map((at, n) => ({
    from: at,
    to: starts[n + 1] ?? to,
    state: stateAt(states, at),
  }));
}

/** Returns when this state was last true, at or before a time; undefined where it never was. */
function lastTrue(
  states: readonly State[],
  state: string | undefined,
  at: number,
): number | undefined {
  const n = states.findLastIndex((one) => one.at <= at && one.state === state);
  return n < 0 ? undefined : (states[n + 1]?.at ?? at);
}

/** Milliseconds between two times for which the machine was awake. */
export const awakeFor = (sleeps: readonly Span[], from: number, to: number): number =>
  sleeps.reduce(
    (left, sleep) => left - Math.max(0, Math.min(to, sleep.to) - Math.max(from, sleep.from)),
    to - from,
  );

/** Something that was said, and until when it was not replaced. */
export type SaidSpan = Said & { readonly to: number };

export const spansOf = (
  { said, ends }: Pick<WatchRecord, 'said' | 'ends'>,
  end: number,
): readonly SaidSpan[] =>
  said.map((one, n) => ({ ...one, to: said[n + 1]?.at ?? ends?.at ?? end }));

/** Since when the truth has been further on than what was shown. */
function aheadSince(states: readonly State[], shown: string | undefined, at: number): number {
  let since = at;
  for (const one of states.filter((state) => state.at <= at).toReversed()) {
    if (!(rankOf(one.state) > rankOf(shown))) break;
    since = one.at;
  }
  return since;
}

/** For how long a part of a span may be wrong, and since when it counts. */
interface Bound {
  readonly since: number;
  readonly allowed: number;
}

function boundsOf(
  { from, state }: Part,
  span: SaidSpan,
  last: number | undefined,
  { isLagging, states }: Setting & { readonly states: readonly State[] },
): readonly Bound[] {
  const forward = LAG_MS + P99_MS;
  const back = forward + CONFIRMATION_MS + (isLagging ? LAG_MS : 0);
  if (last === undefined) return [{ since: -Infinity, allowed: forward }];
  if (rankOf(span.state) > rankOf(state)) return [{ since: last, allowed: back }];
  const since = aheadSince(states, span.state, from);
  if (since <= last) return [{ since: last, allowed: forward }];
  // it went back first, which is shown late, and then on
  return [
    { since, allowed: forward },
    { since: last, allowed: back + forward },
  ];
}

/** The worst part of what a watch said live of what was not so any more. */
export interface Lie {
  /** For how long. */
  readonly lie: number;
  /** For how much longer than is allowed. */
  readonly excess: number;
  readonly at: number;
  readonly said: string | undefined;
  readonly was: string | undefined;
}

interface LieSetting extends Setting {
  readonly states: readonly State[];
  /** It is a checkout, which has no word for a state that waits for its confirmation. */
  readonly isView: boolean;
}

function lieOf(span: SaidSpan, setting: LieSetting): Lie | undefined {
  const { states, isView, sleeps = [], hidden = [] } = setting;
  let worst: Lie | undefined;
  for (const part of cut(states, span.at, span.to)) {
    const { to, state, from } = part;
    if (to <= from || state === span.state || state === span.unconfirmed) continue;
    const last = lastTrue(states, span.state, from);
    const isBack = last !== undefined && rankOf(span.state) > rankOf(state);
    if (isBack && isView && to - span.at <= CONFIRMATION_MS + P99_MS) continue;
    const wasHidden = hidden.some((one) => one.from < to && one.to > (last ?? to) - HIDDEN_MS);
    for (const { since, allowed } of boundsOf(part, span, last, setting)) {
      const excess = awakeFor(sleeps, since, to) - allowed - (wasHidden ? HIDDEN_MS : 0);
      const lie = awakeFor(sleeps, last ?? -Infinity, to);
      if (!worst || excess > worst.excess)
        worst = { lie, excess, at: to, said: span.state, was: state };
    }
  }
  return worst;
}

/** The worst lie of one watch that took longer than is allowed; `worst` also where it is allowed. */
export function liesOf(
  record: WatchRecord,
  states: readonly State[],
  setting: Setting,
): { readonly worst: Lie | undefined; readonly isFalse: boolean } {
  const given = { ...setting, states, isView: record.kind === 'checkout' };
  const lies = spansOf(record, setting.end)
    .filter((span) => span.isLive && span.state !== undefined)
    .map((span) => lieOf(span, given))
    .filter((lie) => lie !== undefined);
  const worst = lies.toSorted((one, other) => other.excess - one.excess)[0];
  return { worst, isFalse: worst !== undefined && worst.excess > 0 };
}

/** A snapshot whose value was over already when it says that it was read. */
export function misdatedOf(
  { said }: WatchRecord,
  states: readonly State[],
  { isLagging, isAhead }: Setting,
): (Said & { readonly asOf: number }) | undefined {
  if (isAhead) return undefined; // times of the device mean nothing then
  for (const one of said) {
    const { state, asOf } = one;
    if (state === undefined || asOf === undefined) continue;
    const from = asOf - ON_ITS_WAY_MS - (isLagging ? LAG_MS : 0);
    const over = lastTrue(states, state, asOf + ON_ITS_WAY_MS) ?? Infinity;
    if (over < from && rankOf(stateAt(states, from)) > rankOf(state)) return { ...one, asOf };
  }
  return undefined;
}

/**
 * Returns what is wrong with the end of a watch, or undefined. Without the feed a settled value that
 * is still watched is read every half hour and says meanwhile that it is not live: the chapter
 * promises no more.
 */
export function wrongEndOf(
  record: WatchRecord,
  states: readonly State[],
  { end, hasFeed = true }: Setting,
): string | undefined {
  const { ends } = record;
  const last = record.said.findLast(({ isOff }) => !isOff);
  const now = stateAt(states, end);
  if (ends?.how === 'error') return `ended with ${codeOf(ends.error)}, the service says ${now}`;
  if (ends) {
    if (!last || !SETTLED.includes(last.state))
      return `ended at ${last?.state}, the service says ${now}`;
    const then = states.some(({ at, state }) => state === last.state && at <= ends.at);
    return then ? undefined : `ended at ${last.state}, which was never so`;
  }
  if (record.said.at(-1)?.isOff) return undefined;
  if (!last) return 'has said nothing';
  const isAtRest = SETTLED.includes(last.state) && SETTLED.includes(now) && !last.isLive;
  if (!hasFeed && isAtRest) return undefined;
  if (last.state !== now)
    return `says ${last.state}${last.isLive ? '' : ', not live'}, the service ${now}`;
  return last.isLive ? undefined : `right, but never live again`;
}
