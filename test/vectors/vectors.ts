// Published test vectors are kept outside the project. Where a file is missing and cannot be fetched,
// one test is skipped and says so.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { it } from '#test';
import { fetchVectors } from './published.ts';

const beside = fileURLToPath(new URL('../../../shared/vectors/', import.meta.url));
const fetched = fileURLToPath(new URL('../../.cache/vectors/', import.meta.url));

/** Why a file could not be fetched. */
const reasons = new Map<string, string>();

const placeOf = (file: string): string | undefined =>
  [beside, fetched].map((folder) => folder + file).find(existsSync);

/** Fetches a file of vectors that this clone does not have, where the network allows it. */
export async function fetchMissing(file: string): Promise<void> {
  if (placeOf(file)) return;
  const reason = await fetchVectors(file, fetched);
  if (reason) reasons.set(file, reason);
}

/** One file of vectors; where it is missing, nothing, and a test that is skipped. */
export function vectorsIn<T>(file: string): T | undefined {
  const place = placeOf(file);
  it(`${file} is there`, ({ skip }) => {
    const reason = reasons.get(file) ?? 'they are kept outside of the project';
    if (!place) skip(`not run: the published vectors are not in this clone (${reason})`);
  });
  return place === undefined ? undefined : (JSON.parse(readFileSync(place, 'utf8')) as T);
}

/** What `read` returns, or the rule it refused by; anything but a typed refusal is passed on. */
export function outcomeOf<T>(read: () => T): { readonly value?: T; readonly rule?: string } {
  try {
    return { value: read() };
  } catch (error) {
    const { kind, validationErrors } = error as {
      kind?: string;
      validationErrors?: Record<string, { values?: { rule?: string } }[]>;
    };
    if (kind !== 'input') throw error;
    const [field = '?', issues] = Object.entries(validationErrors ?? {})[0] ?? [];
    return { rule: issues?.[0]?.values?.rule ?? field };
  }
}

/** One test over a whole list: counts those that hold, fails with all that do not. */
export function all<T>(name: string, list: readonly T[], holds: (one: T) => boolean): void {
  it(`${name} (${list.length})`, () => {
    const failed = list.filter((one) => !holds(one));
    console.log(`${name}: ${list.length - failed.length} of ${list.length}`);
    if (failed.length > 0) throw new Error(failed.map((one) => JSON.stringify(one)).join('\n'));
    if (list.length === 0) throw new Error('an empty list proves nothing');
  });
}
