// This measures how soon watches were live and true again.
import { cut, spansOf } from './judge.mjs';
import { stateAt } from './service.mjs';

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
