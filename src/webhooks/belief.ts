import type { StateMachine } from '../resources/state-machine.ts';
import { type Heard, type Memo, nameOf, openIn } from './memo.ts';

/** Looks that show nothing new are repeated so long after the first one, milliseconds. */
const LADDER = [2_000, 10_000, 30_000, 120_000, 600_000];
/** Nothing new is believed after so many looks over so long. */
const ENOUGH = { looks: 3, over: 60_000 };
/** A replica of the service is at most this far behind. */
const LAG = 30_000;
/** Our clock and the service's differ by less. */
const SKEW = 3_600_000;
/** What the history does not hold any more is a repeat of something old: one look, at most one a minute. */
const HISTORY = 30 * 86_400_000;
const OLD_PACE = 60_000;

/** What a look showed: a state, or that there is no such entity. */
export interface Look {
  readonly sentAt: number;
  readonly state?: string | undefined;
}

/** What a look means for the arrivals that wait for one. */
export interface Belief {
  readonly memo: Memo;
  /** The state is newer than the last one. */
  readonly news: boolean;
  /** Arrivals whose own effect is to run now. */
  readonly tell: readonly Heard[];
}

/** When to look for these arrivals: at once for a new one, else by the ladder. */
export function nextLook(memo: Memo, arrivals: readonly Heard[], now: number): number {
  const open = openIn(memo, arrivals);
  if (open.length === 0) return Infinity;
  if (open.every((arrival) => isOld(arrival, now)))
    return Math.max(now, (memo.lookedAt ?? -Infinity) + OLD_PACE, memo.nextLook ?? now);
  const isNews = open.some((arrival) => !memo.waiting.includes(nameOf(arrival)));
  return isNews ? now : (memo.nextLook ?? now);
}

function isOld({ createdAt }: Heard, now: number): boolean {
  return createdAt < now - HISTORY;
}

/** From when on no replica can hide what an arrival announces. */
function surelyShown({ arrivedAt, createdAt }: Heard): number {
  return Math.min(arrivedAt, createdAt + SKEW) + LAG;
}

/**
 * Weighs a look that was sent after all these arrivals had come. One newer state answers for one arrival; a settled
 * state answers for all, but where more may follow only when no replica can hide it any longer.
 */
export function weigh(
  life: StateMachine<string>,
  before: Memo,
  arrivals: readonly Heard[],
  { sentAt, state }: Look,
): Belief {
  const open = openIn(before, arrivals);
  const news = state !== undefined && isNewer(life, before.states, state);
  const looks = looksAfter(before, open, news, sentAt);
  const settled = state !== undefined && life.isSettled(state);
  const exhausted = looks.count >= ENOUGH.looks && sentAt - looks.first >= ENOUGH.over;
  const turn =
    state !== undefined && life.rank(state) === 0
      ? undefined
      : open.find((arrival) => !isCreation(arrival)); // nothing leads to a first state
  const answered = (arrival: Heard): boolean =>
    exhausted || (news && arrival === turn) || (state !== undefined && isCreation(arrival));
  const isSure = (arrival: Heard): boolean =>
    answered(arrival) ||
    isOld(arrival, sentAt) ||
    (settled && (isLast(life, state) || sentAt >= surelyShown(arrival)));
  const believed = open.filter(isSure);
  const rest = open.filter((arrival) => !isSure(arrival));
  return {
    news,
    tell:
      state === undefined
        ? []
        : open.filter(
            (arrival) => !before.told.includes(nameOf(arrival)) && (settled || isSure(arrival)),
          ),
    memo: {
      ...before,
      looks,
      failures: 0,
      lookedAt: sentAt,
      states: news ? [...before.states, state] : before.states,
      believed: [...before.believed, ...believed.map(nameOf)],
      waiting: rest.map(nameOf),
      nextLook:
        rest.length === 0
          ? undefined
          : settled
            ? Math.max(...rest.map(surelyShown))
            : looks.first + (LADDER[Math.max(looks.count, 1) - 1] ?? LADDER.at(-1)!),
    },
  };
}

/** Looks are counted anew for what is new: a state, or an arrival. */
function looksAfter(
  { looks, waiting }: Memo,
  open: readonly Heard[],
  news: boolean,
  sentAt: number,
): { count: number; first: number } {
  const fresh = news || !looks || open.some((arrival) => !waiting.includes(nameOf(arrival)));
  return fresh ? { count: 1, first: sentAt } : { count: looks.count + 1, first: looks.first };
}

function isNewer(life: StateMachine<string>, states: readonly string[], state: string): boolean {
  if (states.includes(state)) return false;
  const last = states.at(-1);
  const [from, to] = [last === undefined ? undefined : life.rank(last), life.rank(state)];
  return from === undefined || to === undefined || to > from;
}

/** Nothing can follow. */
function isLast({ transitions: moves }: StateMachine<string>, state: string): boolean {
  return moves[state]?.length === 0;
}

/** Whoever reads the entity at all has seen what this announces. */
function isCreation({ event }: Heard): boolean {
  return event?.eventType.endsWith('.created') === true;
}
