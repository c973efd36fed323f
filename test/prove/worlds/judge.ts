// Judges what watches said in a world, by the service's own history.
import { spansOf } from '../shared/watched/judge.ts';
import { codeOf, type WatchRecord } from '../shared/watched/listener.ts';
import type { Network } from '../shared/watched/network.ts';
import { type History, type State, stateAt, statesOf } from '../shared/watched/service.ts';
import type { DrawnWorld } from './draw.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Time after the start of a read for which the value that it brought may be live. */
const LIVE_MS = 30 * SECOND_MS;
/** The same of more than a thousand watches, whose feed confirms them. */
const LIVE_BY_FEED_MS = 180 * SECOND_MS;
/** Timers, and the way of a response. */
const SLACK_MS = 250;
/** The client sends a request within this time while it may. */
const POLLED_MS = 20 * SECOND_MS + 2 * SLACK_MS;

export interface Evidence {
  readonly world: DrawnWorld;
  readonly history: History;
  readonly records: readonly WatchRecord[];
  /** When the service answered reads of each invoice. */
  readonly reads: ReadonlyMap<string, readonly number[]>;
  readonly log: Network['log'];
  /** When responses were a 429 of something before the service. */
  readonly strays: readonly number[];
  readonly begin: number;
  readonly endAt: number;
}

export interface Verdict {
  readonly faults: readonly string[];
  readonly longestFalse: number;
  readonly silence: number;
}

interface LiveSpan {
  readonly at: number;
  readonly to: number;
  readonly state?: string | undefined;
}

/** For how long something was live beyond its bound, at worst. */
function overAge(spans: readonly LiveSpan[], reads: readonly number[], bound: number): number {
  let worst = 0;
  for (const { at: from, to } of spans) {
    let last = -Infinity;
    let at = from;
    for (const read of [...reads, Infinity]) {
      if (read > at) {
        const until = Math.min(to, read);
        worst = Math.max(worst, until - Math.max(at, last + bound));
        at = until;
      }
      if (at >= to) break;
      last = read;
    }
  }
  return worst;
}

/** For how long a watch said live to what was not so any more, at worst. */
function falseFor(spans: readonly LiveSpan[], states: readonly State[]): number {
  let worst = 0;
  for (const { at: from, to, state } of spans)
    for (const [n, one] of states.entries()) {
      const next = states[n + 1]?.at ?? Infinity;
      if (one.state === state || one.at >= to || next <= from) continue;
      const left = states.findLastIndex((before) => before.state === state && before.at < one.at);
      if (left < 0) continue; // ahead of what a replica says
      worst = Math.max(worst, Math.min(to, next) - states[left + 1]!.at);
    }
  return worst;
}

/** The longest time without a request of the watches, outside of what a refusal asked for. */
function longestSilence({ log, strays, begin, endAt }: Evidence): number {
  const polls = log.filter(({ request }) => request.path !== '/v1/balances').map(({ at }) => at);
  let worst = 0;
  let last = begin;
  for (const at of [...polls.filter((one) => one >= begin && one < endAt), endAt]) {
    const isHeld = strays.some((one) => one > last - MINUTE_MS - SECOND_MS && one <= at);
    if (!isHeld) worst = Math.max(worst, at - last);
    last = at;
  }
  return worst;
}

/** Returns the fault at the end of one watch. */
function faultOf(
  { ends, id, said }: WatchRecord,
  states: readonly State[],
  at: number,
): string | undefined {
  if (ends?.how === 'error') return `${id} ended with ${codeOf(ends.error)}`;
  const last = said.findLast(({ state }) => state !== undefined);
  const isLate = last?.isLive && stateAt(states, at) === 'PAID' && last.state !== 'PAID';
  return isLate ? `${id} says ${last.state} in the end` : undefined;
}

export function judge(evidence: Evidence): Verdict {
  const { world, history, records, reads, endAt } = evidence;
  const bound = world.count > 1_000 && world.hasFeed ? LIVE_BY_FEED_MS : LIVE_MS;
  const faults: string[] = [];
  let [oldest, longestFalse] = [0, 0];
  for (const record of records) {
    const spans = spansOf(record, endAt).filter(({ isLive }) => isLive);
    const states = statesOf(history, record.id);
    oldest = Math.max(oldest, overAge(spans, reads.get(record.id) ?? [], bound));
    longestFalse = Math.max(longestFalse, falseFor(spans, states));
    const fault = faultOf(record, states, endAt - LIVE_MS - world.lag);
    if (fault) faults.push(fault);
  }
  const silence = longestSilence(evidence);
  if (oldest > SLACK_MS) faults.push(`live beyond its bound by ${oldest} ms`);
  if (longestFalse > bound + world.lag + SLACK_MS) faults.push(`false live for ${longestFalse} ms`);
  const isOver = records.every(({ ends }) => ends?.how === 'complete');
  if (!isOver && silence > POLLED_MS) faults.push(`nothing asked for ${silence} ms`);
  return { faults, longestFalse, silence };
}
