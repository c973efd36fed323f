import { assumed } from './assumed.ts';
import type { Behaviour, Behaviours } from './behaviour.ts';
import { documented } from './documented.ts';
import { inferred } from './inferred.ts';
import { published } from './public.ts';

/**
 * What a behaviour of the sandbox rests on: the service's own description, public material,
 * reasoning, or our best guess.
 */
export type Provenance = 'documented' | 'public' | 'inferred' | 'assumed';

/** The id of a behaviour, such as `payments.fees`. */
export type BehaviourId =
  | keyof typeof documented
  | keyof typeof published
  | keyof typeof inferred
  | keyof typeof assumed;

const TABLES: Readonly<Record<Provenance, Behaviours>> = {
  documented,
  public: published,
  inferred,
  assumed,
};

/**
 * Behaviours of the sandbox by what they rest on and by their ids, so that a test can tell a fact
 * from a guess.
 *
 * @example
 * console.log(behaviours.assumed['payments.fees']);
 */
export const behaviours: Readonly<Record<Provenance, Readonly<Record<string, string>>>> = {
  documented: textsOf(documented),
  public: textsOf(published),
  inferred: textsOf(inferred),
  assumed: textsOf(assumed),
};

function textsOf(table: Behaviours): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(table).map(([id, { says }]) => [id, says.join(' ')]));
}

/** A behaviour with its id and what it rests on. */
export interface KnownBehaviour extends Omit<Behaviour, 'says'> {
  readonly id: BehaviourId;
  readonly source: Provenance;
  /** Its statement in one text. */
  readonly says: string;
}

/** All of them by their ids, those with the highest risk first. */
export const knownBehaviours: ReadonlyMap<BehaviourId, KnownBehaviour> = new Map(
  (['assumed', 'inferred', 'public', 'documented'] as const).flatMap((source) =>
    Object.entries(TABLES[source]).map(([key, one]) => {
      const id = key as BehaviourId;
      return [id, { ...one, id, source, says: one.says.join(' ') }] as const;
    }),
  ),
);
