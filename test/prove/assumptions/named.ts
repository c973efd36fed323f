// Tests whose expectations name what the sandbox assumes. They run under every alternative of the other assumptions.
import type { AssumptionId } from 'paystate/sandbox';

/** Tests that name the same assumptions for the same reason. */
interface Named {
  readonly why: string;
  readonly ids: readonly AssumptionId[];
  /** Titles from the outermost `describe` on, joined by ` › `; a shorter one means all tests below. */
  readonly tests: readonly string[];
}

export const NAMED: readonly Named[] = [];

/** The assumptions that stay as usual for a test. */
export function namedBy(titles: readonly string[]): ReadonlySet<string> {
  const path = `${titles.join(' › ')} › `;
  const rows = NAMED.filter(({ tests }) => tests.some((test) => path.startsWith(`${test} › `)));
  return new Set(rows.flatMap(({ ids }) => ids));
}
