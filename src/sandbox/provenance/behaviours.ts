import { assumed } from './assumed.ts';
import { documented, inferred, published } from './known.ts';

/** One behaviour of the sandbox, in words, and the responses that rest on it. */
interface Behaviour {
  /** Its statement, sentence by sentence. */
  readonly says: readonly string[];
  /** It decides about amounts: where it is wrong, money is wrong. */
  readonly money?: true;
  /**
   * Responses by method, path and code, with `*` for any text: `ok` for a success, `refused` for
   * any refusal. Finer distinctions are made in the code, by `recordUse` or on the refusal.
   */
  readonly on?: readonly string[];
}

type Behaviours = Readonly<Record<string, Behaviour>>;

/**
 * The grounds of a behaviour of the sandbox: the service's own description, public material,
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

/** The same, as a sandbox is now; `saysOf` has the sentences of what can be otherwise. */
export function behavioursNow(saysOf: (id: string) => string | undefined): typeof behaviours {
  const assumedNow = Object.entries(behaviours.assumed).map(([id, says]) => [
    id,
    saysOf(id) ?? says,
  ]);
  return { ...behaviours, assumed: Object.fromEntries(assumedNow) };
}

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
