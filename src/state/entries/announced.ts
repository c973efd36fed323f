import { isConfirmedUnchanged, countRead, nextConfirmingRead } from '../../resources/held-state.ts';
import { LAG_MS } from '../../resources/service-facts.ts';
import { type AnyEntry, isSettled } from './entry.ts';

/** What is heard so long after it happened is read at a time of its own, milliseconds. */
const LATE = 1_500;
/** Of many times the third one in a row is at least so much later, milliseconds. */
const APART = 2_000;
/** The service's clock is printed in whole seconds: the age of an event may be off by this much. */
const AGE_ERROR_MS = 1_500;
/** A read sent this long after a change shows it for certain: `LAG` and a margin, milliseconds. */
const CERTAIN_MS = 35_000;

/**
 * Notes that a change was announced; it is believed when a read shows it, and until then the value
 * is pending. `age`: how long ago it happened, by the clock of who announced it; `NaN` where that is
 * not known. `isClaim`: something says that this very resource has changed, and not that it may have.
 */
export function announce(
  entry: AnyEntry,
  at: number,
  age: number = NaN,
  isClaim: boolean = true,
): void {
  const { changes = 0, surelyAt = [], isPending = false } = entry.announced ?? {};
  const early = age > LATE ? [at + LAG_MS - age] : [];
  const isShown = isShownAlready(entry, at - age);
  noteAnnounced(entry, {
    changes: isShown ? changes : changes + 1,
    at,
    times: [...surelyAt, ...early, at + LAG_MS],
    isPending: isPending || (isClaim && !isShown),
  });
}

/** Any change may have gone unheard: what a read shows now is read again when no copy can hide it. */
export function announceGap(entry: AnyEntry, at: number): void {
  const { changes = 0, surelyAt = [], isPending = false } = entry.announced ?? {};
  noteAnnounced(entry, { changes, at, times: [...surelyAt, at + LAG_MS], isPending });
}

/**
 * Reads have shown the change before it was announced: a state that has moved since answers for one
 * change, and so does any read that was sent long after it. `changedAt`: `NaN` where not known.
 */
function isShownAlready(entry: AnyEntry, changedAt: number): boolean {
  if (entry.announced) return false;
  const { movedAt = -Infinity } = entry;
  if (movedAt < changedAt - AGE_ERROR_MS || Number.isNaN(changedAt))
    return entry.lookedAt - changedAt >= CERTAIN_MS;
  entry.movedAt = undefined;
  return true;
}

interface Noted {
  readonly changes: number;
  readonly at: number;
  readonly times: number[];
  readonly isPending: boolean;
}

function noteAnnounced(entry: AnyEntry, { times, ...noted }: Noted): void {
  const surelyAt: number[] = [];
  for (const time of times.sort((a, b) => a - b)) {
    if (time - (surelyAt.at(-2) ?? -Infinity) < APART) surelyAt.pop();
    surelyAt.push(time);
  }
  entry.announced = { ...noted, surelyAt, state: entry.held?.state };
}

/**
 * What a read sent at `sentAt` says of what was announced. A state that moved answers for one change,
 * a settled one for all, as soon as no replica can show what was before: until then a state that came
 * back, or the first of two, may be a replica's. Returns when to read again.
 */
export function confirm(entry: AnyEntry, sentAt: number): number {
  const { announced } = entry;
  if (!announced || sentAt < announced.at) return Infinity;
  const { state: current } = entry.held!; // it was read
  const { state, changes, at } = announced;
  const hasMoved = state !== undefined && current !== state;
  const reads = countRead(hasMoved ? undefined : announced.reads, sentAt);
  const open = hasMoved ? changes - 1 : changes;
  if (hasMoved && changes > 0) entry.movedAt = undefined; // the move has answered for a change
  const isShown = open <= 0 || isSettled(entry);
  const surelyAt = announced.surelyAt.filter((time) => time > sentAt);
  const isOver = isShown ? surelyAt.length === 0 : isConfirmedUnchanged(reads, sentAt);
  // a settled state that was there before says nothing of a change: it may have been reversed
  const isAnswered = isShown && (hasMoved || state === undefined);
  const isPending = announced.isPending && !isAnswered && sentAt < at + LAG_MS;
  entry.announced = isOver
    ? undefined
    : { changes: open, at, surelyAt, state: current, reads, isPending };
  if (isOver) return Infinity;
  return Math.min(isShown ? Infinity : nextConfirmingRead(at, sentAt), ...surelyAt);
}
