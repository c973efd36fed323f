/** A read that shows nothing new is repeated at these times after the first one, milliseconds. */
const DELAYS = [2_000, 10_000, 30_000, 120_000, 600_000];
/** So many reads over so long that show nothing new: what was announced was nothing. */
const ENOUGH = { reads: 3, over: 60_000 };

/** Reads since something was announced that have not shown it. */
export interface ConfirmingReads {
  readonly count: number;
  /** When the first of them was sent, milliseconds. */
  readonly first: number;
}

/** With one more read that was sent at `sentAt`. */
export function countRead(reads: ConfirmingReads | undefined, sentAt: number): ConfirmingReads {
  return reads ? { ...reads, count: reads.count + 1 } : { count: 1, first: sentAt };
}

/** So many reads, over so long, that what was announced is not going to show. */
export function areEnough({ count, first }: ConfirmingReads, sentAt: number): boolean {
  return count >= ENOUGH.reads && sentAt - first >= ENOUGH.over;
}

/**
 * When to read again after a read that was sent at `sentAt`: a read that was due for another reason
 * takes no place of the later ones. `from`: where the times begin; all on one clock.
 */
export function nextConfirmingRead(from: number, sentAt: number): number {
  const delay = DELAYS.find((one) => from + one > sentAt);
  return delay === undefined ? sentAt + DELAYS.at(-1)! : from + delay;
}
