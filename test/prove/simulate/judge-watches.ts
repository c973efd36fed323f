// Judges what watches said, by the history of the service, with tables of its own.
import { codeOf, type WatchRecord } from '../shared/watched/listener.ts';
import { type History, type State, statesOf } from '../shared/watched/service.ts';

const RANK: Readonly<Record<string, number>> = {
  UNPAID: 0,
  PENDING: 1,
  CANCELLED: 2,
  PAID: 3,
  REVERSED: 4,
};
const SETTLED: readonly (string | undefined)[] = ['PAID', 'CANCELLED', 'REVERSED'];
const rankOf = (state: string | undefined): number => RANK[state ?? ''] ?? NaN;

/**
 * Returns the fault of a watch that showed what never was, or went back although the service has
 * not.
 */
function untrueOf({ said }: WatchRecord, states: readonly State[]): string | undefined {
  const known = said.filter(({ state }) => state !== undefined);
  for (const [index, { at, state }] of known.entries()) {
    if (!states.some((one) => one.state === state && one.at <= at)) return `${state} was never so`;
    const before = known[index - 1]?.state;
    const fell = states.some(
      (one, n) => one.at <= at && rankOf(one.state) < rankOf(states[n - 1]?.state),
    );
    if (rankOf(state) < rankOf(before) && !fell) return `${before} and then ${state}`;
  }
  return undefined;
}

function endOf({ said, ends }: WatchRecord, states: readonly State[]): string | undefined {
  const truth = states.at(-1)?.state;
  const last = said.findLast(({ isOff }) => !isOff);
  if (ends?.how === 'error') return `ended with ${codeOf(ends.error)}`;
  if (!last || last.state !== truth) return `says ${last?.state}, the service ${truth}`;
  if (ends && !SETTLED.includes(last.state)) return `ended at ${last.state}`;
  if (!ends && SETTLED.includes(truth)) return `goes on after ${truth}`;
  return ends || last.isLive ? undefined : 'right, and not live';
}

/** Lists the faults of what was said; empty where all is well. */
export const judge = (records: readonly WatchRecord[], history: History): readonly string[] =>
  records.flatMap((record) => {
    const states = statesOf(history, record.id);
    const found = [untrueOf(record, states), endOf(record, states), ...record.faults];
    if (record.late > 0) found.push('heard something after its end');
    return found.filter((text) => text !== undefined).map((text) => `a watch: ${text}`);
  });
