import { assumed } from './assumed.ts';

type Assumed = typeof assumed;

interface Changeable {
  readonly usual: string;
}

/** Id of an assumption that has alternatives, such as `payments.fees`. */
export type AssumptionId = {
  [Id in keyof Assumed]: Assumed[Id] extends Changeable ? Id : never;
}[keyof Assumed];

export type AssumptionValue<Id extends AssumptionId> = Id extends AssumptionId
  ? Assumed[Id]['usual'] | (keyof Assumed[Id]['or'] & string)
  : never;

/** Assumption values by id. Absent assumptions keep their value. */
export type Assumptions = {
  readonly [Id in AssumptionId]?: AssumptionValue<Id> | undefined;
};

export const assumptionIds: readonly AssumptionId[] = /* @__PURE__ */ Object.keys(assumed).filter(
  isAssumption,
);

function isAssumption(id: string): id is AssumptionId {
  return Object.hasOwn(assumed, id) && 'usual' in assumed[id as keyof Assumed];
}

/** Returns all alternatives of an assumption, with the usual one first. */
export function listValues(
  id: AssumptionId,
): readonly { readonly value: string; readonly says: string }[] {
  const { says, usual, or } = assumed[id];
  return [
    { value: usual, says: says.join(' ') },
    ...Object.entries(or).map(([value, sentence]) => ({ value, says: sentence })),
  ];
}

/** An assumption about the service's undocumented behavior, with its alternatives. */
export interface SandboxAssumption {
  /** Assumption id, such as `payments.fees`. */
  readonly id: AssumptionId;
  /** Sentence that describes the current alternative. */
  readonly says: string;
  /** Value of the current alternative. */
  readonly value: string;
  /** All alternatives, with the usual one first. */
  readonly options: readonly { readonly value: string; readonly says: string }[];
  /** Number of responses known to have relied on the assumption. There may be more. */
  readonly count: number;
}

export class AssumptionSettings {
  readonly #chosen = new Map<string, string>();

  constructor(given: Assumptions = {}) {
    this.assume(given);
  }

  value<Id extends AssumptionId>(id: Id): AssumptionValue<Id> {
    return (this.#chosen.get(id) ?? assumed[id].usual) as AssumptionValue<Id>;
  }

  assume(given: Assumptions): void {
    for (const [id, value] of Object.entries(given))
      if (value !== undefined) this.#chosen.set(id, value);
  }

  /**
   * Returns a sentence that describes the current alternative, or `undefined` if the behavior has
   * no alternatives.
   */
  sentence(id: string): string | undefined {
    if (!isAssumption(id)) return undefined;
    const now = this.value(id);
    return listValues(id).find(({ value }) => value === now)?.says;
  }

  list(
    uses: readonly { readonly id: string; readonly count: number }[],
  ): readonly SandboxAssumption[] {
    const counts = new Map(uses.map(({ id, count }) => [id, count]));
    return assumptionIds.map((id) => ({
      id,
      says: this.sentence(id)!,
      value: this.value(id),
      options: listValues(id),
      count: counts.get(id) ?? 0,
    }));
  }
}

interface Assuming {
  readonly assumptions: AssumptionSettings;
}

export function readAssumption<Id extends AssumptionId>(
  { assumptions }: Assuming,
  id: Id,
): AssumptionValue<Id> {
  return assumptions.value(id);
}

/** Durations in milliseconds, by alternative name. */
const TIMES_MS = {
  none: 0,
  'at-once': 0,
  second: 1_000,
  seconds: 2_000,
  '2-s': 2_000,
  '3-s': 3_000,
  '5-s': 5_000,
  '10-s': 10_000,
  '15-s': 15_000,
  '30-s': 30_000,
  'half-minute': 30_000,
  '60-s': 60_000,
  minute: 60_000,
  '10-min': 600_000,
  hour: 3_600_000,
  day: 86_400_000,
  days: 172_800_000,
} as const;

const ROUNDINGS = { up: 'up', nearest: 'half-even', down: 'down' } as const;

/** Ids of the assumptions whose values are all keys of `Table`. */
type AssumptionIn<Table> = {
  [Id in AssumptionId]: AssumptionValue<Id> extends keyof Table ? Id : never;
}[AssumptionId];

export function assumedTime(world: Assuming, id: AssumptionIn<typeof TIMES_MS>): number {
  return TIMES_MS[readAssumption(world, id)];
}

export function assumedRounding(
  world: Assuming,
  id: AssumptionIn<typeof ROUNDINGS>,
): (typeof ROUNDINGS)[keyof typeof ROUNDINGS] {
  return ROUNDINGS[readAssumption(world, id)];
}
