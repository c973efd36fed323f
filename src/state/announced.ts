import { areEnough, countRead, nextConfirmingRead } from '../resources/confirming-reads.ts';
import { LAG } from '../resources/service-facts.ts';
import { type AnyEntry, isSettled } from './entry.ts';

/** Notes that a change was announced; it is believed when a read shows it. */
export function announce(entry: AnyEntry, at: number): void {
  const changes = (entry.announced?.changes ?? 0) + 1;
  entry.announced = { changes, at, state: entry.held?.state };
}

/**
 * What a read sent at `sentAt` says of what was announced. A state that moved answers for one change,
 * a settled one for all, once no replica can hide that it moved on. Returns when to read again.
 */
export function confirm(entry: AnyEntry, sentAt: number): number {
  const { announced, held } = entry;
  if (!announced || sentAt < announced.at) return Infinity;
  const { state, changes, at } = announced;
  const hasMoved = state !== undefined && held?.state !== state;
  const reads = countRead(hasMoved ? undefined : announced.reads, sentAt);
  const open = hasMoved ? changes - 1 : changes;
  const isShown = open <= 0 || (isSettled(entry) && sentAt >= at + LAG);
  const isOver = isShown || areEnough(reads, sentAt);
  entry.announced = isOver ? undefined : { changes: open, at, state: held?.state, reads };
  if (isOver) return Infinity;
  return isSettled(entry) ? at + LAG : nextConfirmingRead(at, sentAt);
}
