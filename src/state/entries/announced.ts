import { areEnough, countRead, nextConfirmingRead } from '../../resources/confirming-reads.ts';
import { LAG } from '../../resources/service-facts.ts';
import { type AnyEntry, isSettled } from './entry.ts';

/** What is heard so long after it happened is read at a time of its own, milliseconds. */
const LATE = 1_500;
/** Of many times the third one in a row is at least so much later, milliseconds. */
const APART = 2_000;

/**
 * Notes that a change was announced; it is believed when a read shows it. `age`: how long ago it
 * happened, by the clock of who announced it; `NaN` where that is not known.
 */
export function announce(entry: AnyEntry, at: number, age: number = NaN): void {
  const { changes = 0, surelyAt = [] } = entry.announced ?? {};
  const early = age > LATE ? [at + LAG - age] : [];
  noteAnnounced(entry, changes + 1, at, [...surelyAt, ...early, at + LAG]);
}

/** Any change may have gone unheard: what a read shows now is read again when no copy can hide it. */
export function announceGap(entry: AnyEntry, at: number): void {
  const { changes = 0, surelyAt = [] } = entry.announced ?? {};
  noteAnnounced(entry, changes, at, [...surelyAt, at + LAG]);
}

function noteAnnounced(entry: AnyEntry, changes: number, at: number, times: number[]): void {
  const surelyAt: number[] = [];
  for (const time of times.sort((a, b) => a - b)) {
    if (time - (surelyAt.at(-2) ?? -Infinity) < APART) surelyAt.pop();
    surelyAt.push(time);
  }
  entry.announced = { changes, at, surelyAt, state: entry.held?.state };
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
  const isShown = open <= 0 || isSettled(entry);
  const surelyAt = announced.surelyAt.filter((time) => time > sentAt);
  const isOver = isShown ? surelyAt.length === 0 : areEnough(reads, sentAt);
  entry.announced = isOver ? undefined : { changes: open, at, surelyAt, state: current, reads };
  if (isOver) return Infinity;
  return Math.min(isShown ? Infinity : nextConfirmingRead(at, sentAt), ...surelyAt);
}
