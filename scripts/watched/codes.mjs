// Checkouts must never show a code that has ended, nor two codes of one invoice at once.
import { awakeFor, spansOf } from './judge.mjs';

/** Milliseconds that a code may be seen after its end, and two may be seen together: one step of a page. */
const STEP = 1_000;
/** After a sleep a page first has to notice that it slept. */
const NOTICED = 10_000;

const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;

/** Spans in which a code was on show: { code, at, to, record }. */
const shownBy = (record, end) =>
  spansOf(record, end)
    .filter(({ code }) => code !== undefined)
    .map(({ code, at, to }) => ({ code, at, to, record }));

/** `codes`: when each code ends, by the service. */
const deadOf = (shown, codes, sleeps) =>
  shown
    .map((one) => ({ ...one, over: awakeFor(sleeps, codes.get(one.code) ?? -Infinity, one.to) }))
    .filter(({ over, at, to }) => {
      const hasSlept = sleeps.some((one) => one.from < to && one.to > at - NOTICED);
      return Math.min(over, awakeFor(sleeps, at, to)) > (hasSlept ? NOTICED : STEP);
    })
    .map(({ record, over }) => `dead code: ${record.name} showed one for ${seconds(over)}`);

const doubledOf = (shown, codes, sleeps) =>
  shown.flatMap((one, n) =>
    shown.slice(n + 1).flatMap((other) => {
      const ends = [one.to, other.to, codes.get(one.code), codes.get(other.code)];
      const both = awakeFor(sleeps, Math.max(one.at, other.at), Math.min(...ends));
      const isDoubled = one.record.id === other.record.id && one.code !== other.code && both > STEP;
      return isDoubled
        ? [`two codes: ${one.record.name} and ${other.record.name}, for ${seconds(both)}`]
        : [];
    }),
  );

export const codeFaultsOf = (records, codes, { end, sleeps }) => {
  const shown = records.flatMap((record) => shownBy(record, end));
  return [...deadOf(shown, codes, sleeps), ...doubledOf(shown, codes, sleeps)];
};
