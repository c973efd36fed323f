import { areEnough, countRead, nextConfirmingRead } from '../resources/confirming-reads.ts';
import { LAG } from '../resources/service-facts.ts';
import { type AnyEntry, isSettled } from './entry.ts';

/** Notes that this many changes were announced; they are believed when a read shows them. */
export function announce(entry: AnyEntry, changes: number, at: number): void {
  const open = (entry.announced?.changes ?? 0) + changes;
  if (open > 0) entry.announced = { changes: open, at, state: entry.held?.state };
}

/**
 * What a read sent at `sentAt` says of what was announced. A state that moved answers for one change,
 * a settled one for all, once no replica can hide that it moved on. Returns when to read again.
 */
export function confirm(entry: AnyEntry, sentAt: number): number {
  const { announced, held } = entry;
  if (!announced || sentAt < announced.at) return Infinity;
  const { state, changes, at } = announced;
  const hasMoved = held !== undefined && held.state !== state;
  const reads = countRead(hasMoved ? undefined : announced.reads, sentAt);
  const open = hasMoved ? changes - 1 : changes;
  const isShown = open <= 0 || (isSettled(entry) && sentAt >= at + LAG);
  const isOver = isShown || areEnough(reads, sentAt);
  entry.announced = isOver ? undefined : { changes: open, at, state: held?.state, reads };
  if (isOver) return Infinity;
  return isSettled(entry) ? at + LAG : nextConfirmingRead(reads);
}
