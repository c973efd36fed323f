import { assumed } from './assumed.ts';
import type { Behaviour, Behaviours } from './behaviour.ts';
import { inferred } from './inferred.ts';
import { publicly } from './public.ts';
import { seed } from './documented.ts';

/** Where a behaviour of the sandbox comes from: the service's own description, public material, reasoning, or our best guess. */
export type Source = 'seed' | 'public' | 'inferred' | 'assumed';

const TABLES: Readonly<Record<Source, Behaviours>> = { seed, public: publicly, inferred, assumed };

/**
 * Behaviours of the sandbox by what they rest on and by their ids, so that a test can tell a fact from a guess.
 *
 * @example
 * console.log(behaviours.assumed['payments.fees']);
 */
export const behaviours: Readonly<Record<Source, Readonly<Record<string, string>>>> = {
  seed: textsOf(seed),
  public: textsOf(publicly),
  inferred: textsOf(inferred),
  assumed: textsOf(assumed),
};

function textsOf(table: Behaviours): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(table).map(([id, { says }]) => [id, says]));
}

/** A behaviour with its name and where it comes from. */
export interface Known extends Behaviour {
  readonly id: string;
  readonly source: Source;
}

/** All of them by their ids, those with the highest risk first. */
export const known: ReadonlyMap<string, Known> = new Map(
  (['assumed', 'inferred', 'public', 'seed'] as const).flatMap((source) =>
    Object.entries(TABLES[source]).map(([id, one]) => [id, { id, source, ...one }] as const),
  ),
);
