// Judges what watches said in a world, by the service's own history.
import { type History, type State, stateAt, statesOf } from '../shared/watched/service.ts';
import { codeOf } from '../shared/watched/listener.ts';
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

/** Something that a watch said. */
interface WorldSaid {
  readonly at: number;
  readonly state?: string | undefined;
  readonly isLive: boolean;
  readonly isStale?: boolean;
}

/** All that a watch has said. */
export interface WorldRecord {
  readonly id: string;
  readonly said: WorldSaid[];
  /** It has completed. */
  isOver: boolean;
  error?: unknown;
  /** It can be live at all, by its own status; and why it is not now. */
  canBeLive: boolean;
  reason?: string | undefined;
}

/** When a response that showed an invoice was asked for, and when it came. */
export interface Read {
  readonly sentAt: number;
  readonly at: number;
}

export interface Evidence {
  readonly world: DrawnWorld;
  readonly history: History;
  readonly records: readonly WorldRecord[];
  readonly reads: ReadonlyMap<string, readonly Read[]>;
  /** When requests of the watches were sent. */
  readonly polls: readonly number[];
  /** When responses were a 429 of something before the service. */
  readonly strays: readonly number[];
  readonly begin: number;
  readonly calmAt: number;
  readonly endAt: number;
}

export interface Verdict {
  readonly faults: readonly string[];
  /** Watches that are not live in the end, and why one of them is not. */
  readonly dull: number;
  readonly why: string | undefined;
  /** For how long something was live beyond its bound. */
  readonly oldest: number;
  readonly longestFalse: number;
  /** Number of times that one was live and stale in turn. */
  readonly flickers: number;
  readonly silence: number;
  readonly recovery: number;
}

interface LiveSpan {
  readonly from: number;
  readonly to: number;
  readonly state: string | undefined;
}

/** Spans in which a watch said live. */
const liveSpans = ({ said }: WorldRecord, end: number): readonly LiveSpan[] =>
  said
    .map(({ at, state, isLive }, n) => ({ from: at, to: said[n + 1]?.at ?? end, state, isLive }))
    .filter(({ isLive, from, to }) => isLive && to > from);

/** For how long something was live beyond its bound, at worst. */
function overAge(spans: readonly LiveSpan[], reads: readonly Read[], bound: number): number {
  let worst = 0;
  for (const { from, to } of spans) {
    let last = -Infinity;
    let at = from;
    for (const read of [...reads, { at: Infinity, sentAt: Infinity }]) {
      if (read.at > at) {
        const until = Math.min(to, read.at);
        worst = Math.max(worst, until - Math.max(at, last + bound));
        at = until;
      }
      if (at >= to) break;
      last = Math.max(last, read.sentAt);
    }
  }
  return worst;
}

/** For how long a watch said live to what was not so any more, at worst. */
function falseFor(spans: readonly LiveSpan[], states: readonly State[]): number {
  let worst = 0;
  for (const { from, to, state } of spans)
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
function longestSilence({ polls, strays, begin, endAt }: Evidence): number {
  let worst = 0;
  let last = begin;
  for (const at of [...polls.filter((one) => one >= begin && one < endAt), endAt]) {
    const isHeld = strays.some((one) => one > last - MINUTE_MS - SECOND_MS && one <= at);
    if (!isHeld) worst = Math.max(worst, at - last);
    last = at;
  }
  return worst;
}

/** Returns after how long all that can be live was live for good. */
function liveAgain({ records, calmAt, endAt }: Evidence): number {
  const times = records.map(({ said, isOver, canBeLive }) => {
    if (isOver || !canBeLive) return 0;
    const dull = said.findLastIndex(({ isLive }) => !isLive);
    if (dull === said.length - 1) return endAt - calmAt;
    return dull < 0 ? 0 : Math.max(0, said[dull + 1]!.at - calmAt);
  });
  return Math.max(0, ...times);
}

/** Returns the fault at the end of one watch. */
function faultOf(record: WorldRecord, states: readonly State[], at: number): string | undefined {
  if (record.error !== undefined) return `${record.id} ended with ${codeOf(record.error)}`;
  const last = record.said.findLast(({ state }) => state !== undefined);
  const isLate = last?.isLive && stateAt(states, at) === 'PAID' && last.state !== 'PAID';
  return isLate ? `${record.id} says ${last.state} in the end` : undefined;
}

const flickersOf = ({ said }: WorldRecord, from: number): number =>
  said.filter(({ isStale, at }, n) => isStale && said[n - 1]?.isLive && at > from).length;

export function judge(evidence: Evidence): Verdict {
  const { world, history, records, reads, begin, endAt } = evidence;
  const bound = world.count > 1_000 && world.hasFeed ? LIVE_BY_FEED_MS : LIVE_MS;
  const faults: string[] = [];
  let [oldest, longestFalse, flickers] = [0, 0, 0];
  for (const record of records) {
    const spans = liveSpans(record, endAt);
    const states = statesOf(history, record.id);
    oldest = Math.max(oldest, overAge(spans, reads.get(record.id) ?? [], bound));
    longestFalse = Math.max(longestFalse, falseFor(spans, states));
    flickers = Math.max(flickers, flickersOf(record, begin + MINUTE_MS));
    faults.push(...[faultOf(record, states, endAt - LIVE_MS - world.lag) ?? []].flat());
  }
  const silence = longestSilence(evidence);
  if (oldest > SLACK_MS) faults.push(`live beyond its bound by ${oldest} ms`);
  if (longestFalse > bound + world.lag + SLACK_MS) faults.push(`false live for ${longestFalse} ms`);
  const isOver = records.every((record) => record.isOver);
  if (!isOver && silence > POLLED_MS) faults.push(`nothing asked for ${silence} ms`);
  const dull = records.filter((record) => !record.isOver && !record.said.at(-1)?.isLive);
  const [why] = dull.map(({ reason }) => reason);
  const recovery = liveAgain(evidence);
  return { faults, dull: dull.length, why, oldest, longestFalse, flickers, silence, recovery };
}
