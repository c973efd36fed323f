// Checkouts must never show a code that has ended, nor two codes of one invoice at once.
import type { Span } from '../shared/watched/device.ts';
import { awakeFor, spansOf } from '../shared/watched/judge.ts';
import type { WatchRecord } from '../shared/watched/listener.ts';

/** Milliseconds that a code may be seen after its end, and two may be seen together: one step of a page. */
const STEP_MS = 1_000;
/** After a sleep a page first has to notice that it slept. */
const NOTICED_MS = 10_000;

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** A span in which a code was on show. */
interface OnShow {
  readonly code: string;
  readonly at: number;
  readonly to: number;
  readonly record: WatchRecord;
}

/** When each code ends, by the service. */
type Codes = ReadonlyMap<string, number>;

const endOf = (codes: Codes, { code }: OnShow): number => codes.get(code) ?? -Infinity;

const shownBy = (record: WatchRecord, end: number): readonly OnShow[] =>
  spansOf(record, end).flatMap(({ code, at, to }) =>
    code === undefined ? [] : [{ code, at, to, record }],
  );

const deadOf = (
  shown: readonly OnShow[],
  codes: Codes,
  sleeps: readonly Span[],
): readonly string[] =>
  shown
    .map((one) => ({ ...one, over: awakeFor(sleeps, endOf(codes, one), one.to) }))
    .filter(({ over, at, to }) => {
      const hasSlept = sleeps.some((one) => one.from < to && one.to > at - NOTICED_MS);
      return Math.min(over, awakeFor(sleeps, at, to)) > (hasSlept ? NOTICED_MS : STEP_MS);
    })
    .map(({ record, over }) => `dead code: ${record.name} showed one for ${seconds(over)}`);

const doubledOf = (
  shown: readonly OnShow[],
  codes: Codes,
  sleeps: readonly Span[],
): readonly string[] =>
  shown.flatMap((one, n) =>
    shown.slice(n + 1).flatMap((other) => {
      if (one.record.id !== other.record.id || one.code === other.code) return [];
      const end = Math.min(one.to, other.to, endOf(codes, one), endOf(codes, other));
      const both = awakeFor(sleeps, Math.max(one.at, other.at), end);
      return both > STEP_MS
        ? [`two codes: ${one.record.name} and ${other.record.name}, for ${seconds(both)}`]
        : [];
    }),
  );

export function codeFaultsOf(
  records: readonly WatchRecord[],
  codes: Codes,
  { end, sleeps }: { readonly end: number; readonly sleeps: readonly Span[] },
): readonly string[] {
  const shown = records.flatMap((record) => shownBy(record, end));
  return [...deadOf(shown, codes, sleeps), ...doubledOf(shown, codes, sleeps)];
}
