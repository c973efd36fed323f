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

const RANK = { UNPAID: 0, PENDING: 1, CANCELLED: 2, PAID: 3, REVERSED: 4 };
const SETTLED = ['PAID', 'CANCELLED', 'REVERSED'];

/** Parts of a span, cut where the truth changes: [{ from, to, state }]. */
const cut = (states, from, to) => {
  const within = states.filter(({ at }) => at > from && at < to).map(({ at }) => at);
  const edges = [from, ...within, to];
  return edges
    .slice(0, -1)
    .map((at, n) => ({ from: at, to: edges[n + 1], state: stateAt(states, at) }));
};

/** When this state was last true, at or before a time; undefined: never. */
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

/** What was said, each with the time until which it stood. */
export const spansOf = ({ said, ends }, end) =>
  said.map((one, n) => ({ ...one, to: said[n + 1]?.at ?? ends?.at ?? end }));

/**
 * The time for which a span said `live` to what was not so any more: { lie, allowed } of its worst part.
 * `setting`: { isLagging, isView, sleeps, hidden }.
 */
const lieOf = (span, states, { isLagging, isView, sleeps = [], hidden = [] }) => {
  let worst;
  for (const { to, state, from } of cut(states, span.at, span.to)) {
    if (to <= from || state === span.state || state === span.unconfirmed) continue;
    const last = lastTrue(states, span.state, from);
    const lie = last === undefined ? Infinity : awakeFor(sleeps, last, to);
    const isBack = RANK[span.state] > RANK[state];
    // a checkout has no word for a state that waits for its confirmation
    if (isBack && isView && last !== undefined && to - span.at <= CONFIRMATION + P99) continue;
    const wasHidden = hidden.some((one) => one.from < to && one.to > (last ?? to) - HIDDEN);
    const allowed =
      LAG + P99 + (isBack ? CONFIRMATION + (isLagging ? LAG : 0) : 0) + (wasHidden ? HIDDEN : 0);
    if (!worst || lie - allowed > worst.lie - worst.allowed)
      worst = { lie, allowed, at: to, said: span.state, was: state };
  }
  return worst;
};

/** Of one watch: `worst` { lie, allowed, … } or undefined, and `isFalse`. */
export const liesOf = (record, states, setting) => {
  const lies = spansOf(record, setting.end)
    .filter((span) => span.isLive && span.state !== undefined)
    .map((span) => lieOf(span, states, { ...setting, isView: record.kind === 'checkout' }))
    .filter(Boolean);
  const worst = lies.reduce(
    (a, b) => (a && a.lie - a.allowed >= b.lie - b.allowed ? a : b),
    undefined,
  );
  return { worst, isFalse: worst !== undefined && worst.lie > worst.allowed };
};

/** What is wrong with the end of a watch; undefined: nothing. */
export const wrongEndOf = (record, states, { end }) => {
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
  if (last.state !== now)
    return `says ${last.state}${last.isLive ? '' : ', not live'}, the service ${now}`;
  return last.isLive ? undefined : `right, but never live again`;
};

/** Spans in which a watch was not both live and true, from a time on. */
const badSpansOf = (record, states, from, end) => {
  const { said, ends } = record;
  const first = said[0]?.at ?? end;
  const bad = first > from ? [{ from, to: first }] : [];
  for (const span of spansOf(record, end)) {
    if (span.to <= from || span.isOff) continue;
    for (const part of cut(states, Math.max(span.at, from), span.to))
      if (!span.isLive || span.state !== part.state) bad.push({ from: part.from, to: part.to });
  }
  if (ends?.how === 'error') bad.push({ from: Math.max(from, ends.at), to: Infinity });
  return bad;
};

/** Milliseconds from a time until all watches were live and true at once; Infinity: never. */
export const recoveryOf = (records, history, from, end) => {
  const bad = records.flatMap((one) => badSpansOf(one, history.get(one.id), from, end));
  let at = from;
  for (const span of bad.sort((a, b) => a.from - b.from)) {
    if (span.from > at) break;
    at = Math.max(at, span.to);
  }
  return at >= end ? Infinity : at - from;
};

/** The longest time from a change in [from, to) until its watch was live and true again; 0 where nothing changed. */
export const slowestOf = (records, history, from, to) => {
  let slowest = 0;
  for (const record of records) {
    const states = history.get(record.id);
    for (const { at } of states) {
      if (at < from || at >= to || record.ends?.at < at) continue;
      const seen = spansOf(record, to).find(
        (one) => one.to > at && one.isLive && one.state === stateAt(states, Math.max(at, one.at)),
      );
      slowest = Math.max(slowest, seen ? Math.max(0, seen.at - at) : Infinity);
    }
  }
  return slowest;
};
