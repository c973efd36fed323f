// Derives which tests name an alternative: those that fail over that alternative alone, without pins. `pins.json` keeps them.
// A test runs in the same way as in the suite, so that what is pinned is what fails by this alternative and by no other.
import { writeFileSync } from 'node:fs';
import type { Failure } from '../../api/strict.ts';
import type { Alternative } from './alternatives.ts';
import { NAMED, type Pins, PINS_FILE, pins } from './named.ts';
import { filesOf, playSuite, type SuiteRow, suiteFiles } from './suite.ts';

/** Says how an alternative's run differs from its pins. */
export interface Derived {
  readonly name: string;
  /** The tests that fail without pins. */
  readonly tests: readonly string[];
  /** Pinned tests that no longer exist, or that pass without the pin. */
  readonly stale: readonly string[];
  /** Tests that fail and are not pinned. */
  readonly missing: readonly Failure[];
}

/**
 * Runs the suite over one alternative without pins.
 *
 * @param isWhole runs all files, and not only those with pinned tests: `suite` finds missing pins too
 */
export async function derive(one: Alternative, isWhole: boolean): Promise<Derived> {
  const pinned = pins()[one.name] ?? [];
  const files = isWhole ? suiteFiles : filesOf(pinned, suiteFiles);
  const row: SuiteRow | undefined =
    files.length > 0 ? await playSuite([one], { files, withoutPins: true }) : undefined;
  const failed = row?.failed ?? [];
  const tests = [...new Set(failed.map(({ name }) => name))].sort();
  return {
    name: one.name,
    tests,
    stale: pinned.filter((name) => !tests.includes(name)),
    missing: failed.filter(({ name }) => !pinned.includes(name)),
  };
}

/** Makes these tests the pins of their alternatives; all other pins stay. */
export function keepPins(derived: readonly Derived[]): void {
  const all = { ...pins(), ...Object.fromEntries(derived.map(({ name, tests }) => [name, tests])) };
  const rows = Object.entries(all)
    .filter(([, tests]) => tests.length > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const sorted: Pins = Object.fromEntries(rows);
  writeFileSync(PINS_FILE, `${JSON.stringify(sorted, undefined, 1)}\n`);
}

/** Says in lines what is wrong with the pins of an alternative. */
export function differencesOf({ name: of, tests, stale, missing }: Derived): readonly string[] {
  const isSaid = tests.length === 0 || Object.hasOwn(NAMED, of.split('=')[0]!);
  return [
    ...(isSaid ? [] : ['NAMED does not say what its tests expect']),
    ...stale.map((name) => `stale, it passes without its pin or is gone: ${name}`),
    ...missing.map(({ name, message }) => `not pinned: ${name}\n    ${message.split('\n')[0]}`),
  ];
}
