// Says where watches were wrong, by the history of the service. All times are the world's, in milliseconds.
import { stateAt } from './service.mjs';

/** A replica is at most so far behind. */
export const LAG = 30_000;
/** The delay within which 99 of 100 changes have to be seen. */
export const P99 = 2_500;
/** A state that goes back is confirmed by a second read so much later. */
const CONFIRMATION = 5_000;
/** A hidden page reads once a minute. */
const HIDDEN = 60_000;

/** A request and its response take no longer here. */
const ON_ITS_WAY = 300;

const RANK = { UNPAID: 0, PENDING: 1, CANCELLED: 2, PAID: 3, REVERSED: 4 };
const SETTLED = ['PAID', 'CANCELLED', 'REVERSED'];

/** Parts of a span, cut where the truth changes: [{ from, to, state }]. */
export const cut = (states, from, to) => {
  const within = states.filter(({ at }) => at > from && at < to).map(({ at }) => at);
  const edges = [from, ...within, to];
  return edges
    .slice(0, -1)
    .map((at, n) => ({ from: at, to: edges[n + 1], state: stateAt(states, at) }));
};

/** Returns when this state was last true, at or before a time; undefined where it never was. */
const lastTrue = (states, state, at) => {
  for (let n = states.length - 1; n >= 0; n--)
    if (states[n].at <= at && states[n].state === state) return states[n + 1]?.at ?? at;
  return undefined;
};

/** Milliseconds between two times for which the machine was awake. */
export const awakeFor = (sleeps, from, to) =>
  sleeps.reduce(
    (left, sleep) => left - Math.max(0, Math.min(to, sleep.to) - Math.max(from, sleep.from)),
    to - from,
  );

/** Returns what was said, each with the time until which it was not replaced. */
export const spansOf = ({ said, ends }, end) =>
  said.map((one, n) => ({ ...one, to: said[n + 1]?.at ?? ends?.at ?? end }));

/** Since when the truth has been further on than what was shown. */
const aheadSince = (states, shown, at) => {
  let since = at;
  for (const one of states.filter((state) => state.at <= at).toReversed()) {
    if (!(RANK[one.state] > RANK[shown])) break;
    since = one.at;
  }
  return since;
};

/** For how long a part of a span may be wrong, and since when it counts: [{ since, allowed }]. */
const boundsOf = ({ from, state }, span, last, { isLagging, states }) => {
  const forward = LAG + P99;
  const back = forward + CONFIRMATION + (isLagging ? LAG : 0);
  if (last === undefined) return [{ since: -Infinity, allowed: forward }];
  if (RANK[span.state] > RANK[state]) return [{ since: last, allowed: back }];
  const since = aheadSince(states, span.state, from);
  if (since <= last) return [{ since: last, allowed: forward }];
  // it went back first, which is shown late, and then on
  return [
    { since, allowed: forward },
    { since: last, allowed: back + forward },
  ];
};

/**
 * The time for which a span said `live` to what was not so any more: { lie, allowed } of its worst part.
 * `setting`: { states, isLagging, isView, sleeps, hidden }.
 */
const lieOf = (span, setting) => {
  const { states, isView, sleeps = [], hidden = [] } = setting;
  let worst;
  for (const part of cut(states, span.at, span.to)) {
    const { to, state, from } = part;
    if (to <= from || state === span.state || state === span.unconfirmed) continue;
    const last = lastTrue(states, span.state, from);
    const isBack = last !== undefined && RANK[span.state] > RANK[state];
    // a checkout has no word for a state that waits for its confirmation
    if (isBack && isView && to - span.at <= CONFIRMATION + P99) continue;
    const wasHidden = hidden.some((one) => one.from < to && one.to > (last ?? to) - HIDDEN);
    for (const { since, allowed } of boundsOf(part, span, last, setting)) {
      const excess = awakeFor(sleeps, since, to) - allowed - (wasHidden ? HIDDEN : 0);
      const lie = awakeFor(sleeps, last ?? -Infinity, to);
      if (!worst || excess > worst.excess)
        worst = { lie, excess, at: to, said: span.state, was: state };
    }
  }
  return worst;
};

/** Returns of one watch `worst`, { lie, excess, … } or undefined, and `isFalse`. */
export const liesOf = (record, states, setting) => {
  const lies = spansOf(record, setting.end)
    .filter((span) => span.isLive && span.state !== undefined)
    .map((span) => lieOf(span, { ...setting, states, isView: record.kind === 'checkout' }))
    .filter(Boolean);
  const worst = lies.reduce((a, b) => (a && a.excess >= b.excess ? a : b), undefined);
  return { worst, isFalse: worst !== undefined && worst.excess > 0 };
};

/** A snapshot whose value was over already when it says that it was read; undefined: none. */
export const misdatedOf = ({ said }, states, { isLagging, isAhead }) => {
  if (isAhead) return undefined; // times of the device mean nothing then
  return said.find(({ state, asOf }) => {
    if (state === undefined || asOf === undefined) return false;
    const from = asOf - ON_ITS_WAY - (isLagging ? LAG : 0);
    const over = lastTrue(states, state, asOf + ON_ITS_WAY);
    return over < from && RANK[stateAt(states, from)] > RANK[state];
  });
};

/**
 * Returns what is wrong with the end of a watch, or undefined. Without the feed a settled value that is still watched is
 * read every half hour and says meanwhile that it is not live: the chapter promises no more.
 */
export const wrongEndOf = (record, states, { end, hasFeed = true }) => {
  const { ends } = record;
  const last = record.said.findLast(({ isOff }) => !isOff);
  const now = stateAt(states, end);
  if (ends?.how === 'error')
    return `ended with ${ends.error?.code ?? ends.error}, the service says ${now}`;
  if (ends) {
    if (!SETTLED.includes(last?.state)) return `ended at ${last?.state}, the service says ${now}`;
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
};
