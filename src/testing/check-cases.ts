import { sameContent } from '../core/watch.ts';

/** What a store must do, by what is said of one that does not. */
export type Cases<T> = Readonly<Record<string, (given: T) => Promise<void>>>;

/** Runs all cases; what is wrong comes as one error. */
export async function runCases<T>(
  cases: Cases<T>,
  prepare: (number: number) => T | Promise<T>,
): Promise<void> {
  const problems: string[] = [];
  let number = 0;
  for (const [title, run] of Object.entries(cases))
    try {
      await run(await prepare(++number));
    } catch (thrown) {
      problems.push(`${title}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  if (problems.length === 0) return;
  throw new Error(`this store is not fit for use\n${problems.map((one) => `- ${one}`).join('\n')}`);
}

/** Fails where a store gave something else than it should. */
export function same(found: unknown, wanted: unknown, what: string): void {
  if (!sameContent(found, wanted))
    throw new Error(`${what}: ${textOf(found)} instead of ${textOf(wanted)}`);
}

function textOf(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 300);
}

/** A promise's end, of which only whether it was a refusal counts. */
export function isRefused(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    () => true,
  );
}
