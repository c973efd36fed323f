// Measures how soon watches were live and true again.
import { cut, spansOf } from '../shared/watched/judge.ts';
import type { WatchRecord } from '../shared/watched/listener.ts';
import { type History, type State, stateAt, statesOf } from '../shared/watched/service.ts';

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Spans in which a watch was not both live and true, from a time on. */
function badSpansOf(
  record: WatchRecord,
  states: readonly State[],
  from: number,
  end: number,
): readonly Span[] {
  const { said, ends } = record;
  const first = said[0]?.at ?? end;
  const bad: Span[] = first > from ? [{ from, to: first }] : [];
  for (const span of spansOf(record, end)) {
    if (span.to <= from || span.isOff) continue;
    for (const part of cut(states, Math.max(span.at, from), span.to))
      if (!span.isLive || span.state !== part.state) bad.push({ from: part.from, to: part.to });
  }
  if (ends?.how === 'error') bad.push({ from: Math.max(from, ends.at), to: Infinity });
  return bad;
}

/** Milliseconds from a time until all watches were live and true at once; Infinity: never. */
export function recoveryOf(
  records: readonly WatchRecord[],
  history: History,
  from: number,
  end: number,
): number {
  const bad = records.flatMap((one) => badSpansOf(one, statesOf(history, one.id), from, end));
  let at = from;
  for (const span of bad.sort((a, b) => a.from - b.from)) {
    if (span.from > at) break;
    at = Math.max(at, span.to);
  }
  return at >= end ? Infinity : at - from;
}

/** The longest time from a change in [from, to) until its watch was live and true again; 0 where nothing changed. */
export function slowestOf(
  records: readonly WatchRecord[],
  history: History,
  from: number,
  to: number,
): number {
  let slowest = 0;
  for (const record of records) {
    const states = statesOf(history, record.id);
    for (const { at } of states) {
      if (at < from || at >= to || (record.ends && record.ends.at < at)) continue;
      const seen = spansOf(record, to).find(
        (one) => one.to > at && one.isLive && one.state === stateAt(states, Math.max(at, one.at)),
      );
      slowest = Math.max(slowest, seen ? Math.max(0, seen.at - at) : Infinity);
    }
  }
  return slowest;
}
