/** A read that shows nothing new is repeated so long after the first one, milliseconds. */
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

/** When to read again; on the clock of `first`. */
export function nextConfirmingRead({ count, first }: ConfirmingReads): number {
  return first + (DELAYS[count - 1] ?? DELAYS.at(-1)!);
}
