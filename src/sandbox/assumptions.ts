import { assumed } from './behaviours/assumed.ts';
import type { Behaviour, Behaviours } from './behaviours/behaviour.ts';
import { inferred } from './behaviours/inferred.ts';
import { publicly } from './behaviours/public.ts';
import { seed } from './behaviours/seed.ts';

/** Where a behaviour of the sandbox comes from: the service's own description, public material, reasoning, or our best guess. */
export type Source = 'seed' | 'public' | 'inferred' | 'assumed';

const TABLES: Readonly<Record<Source, Behaviours>> = { seed, public: publicly, inferred, assumed };

/**
 * Behaviours of the sandbox by what they rest on, so that a test can tell a fact from a guess.
 *
 * @example
 * console.log(behaviours.assumed.join('\n'));
 */
export const behaviours: Readonly<Record<Source, readonly string[]>> = {
  seed: linesOf(seed), public: linesOf(publicly), inferred: linesOf(inferred), assumed: linesOf(assumed),
};

function linesOf(table: Behaviours): readonly string[] {
  return Object.values(table).map(({ says }) => says);
}

/** A behaviour with its name and where it comes from. */
export interface Known extends Behaviour {
  readonly id: string;
  readonly source: Source;
}

/** All of them by their ids, those with the highest risk first. */
export const known: ReadonlyMap<string, Known> = new Map(
  (['assumed', 'inferred', 'public', 'seed'] as const).flatMap((source) => Object.entries(TABLES[source]).map(([id, one]) => [id, { id, source, ...one }] as const)),
);
