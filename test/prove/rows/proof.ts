// The form of a proof of the rows.
import type { RestartablePostgresql } from '../../runners/stores/postgresql.ts';

/** Figures of one run, and what was promised and did not hold. */
export interface Shown {
  readonly figures: readonly Readonly<Record<string, unknown>>[];
  readonly faults: readonly string[];
}

export interface Proof {
  readonly name: string;
  readonly shows: string;
  /** @param options numbers that make it smaller or longer */
  readonly play: (
    postgresql: RestartablePostgresql,
    options: Readonly<Record<string, number | undefined>>,
  ) => Promise<Shown>;
}

/** Collects what does not hold. */
export function judge(): { check(holds: boolean, fault: string): void; faults: string[] } {
  const faults: string[] = [];
  return { faults, check: (holds, fault) => void (holds || faults.push(fault)) };
}

/** The value below which this part of the values is. */
export function partOf(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Infinity;
}
