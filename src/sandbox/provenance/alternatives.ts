import { assumed } from './assumed.ts';

type Assumed = typeof assumed;

/** An assumption that has alternatives. */
interface Changeable {
  /** The value that holds where none is chosen. */
  readonly usual: string;
}

/** The id of an assumption that has alternatives; it is that of its behaviour. */
export type AssumptionId = {
  [Id in keyof Assumed]: Assumed[Id] extends Changeable ? Id : never;
}[keyof Assumed];

/** Values that an assumption can have. */
export type AssumptionValue<Id extends AssumptionId> = Id extends AssumptionId
  ? Assumed[Id]['usual'] | (keyof Assumed[Id]['or'] & string)
  : never;

/** Values of assumptions by their ids; what is absent stays as it is. */
export type Assumptions = {
  readonly [Id in AssumptionId]?: AssumptionValue<Id> | undefined;
};

/** All ids, in the order of the table. */
export const assumptionIds: readonly AssumptionId[] = /* @__PURE__ */ Object.keys(assumed).filter(
  isAssumption,
);

function isAssumption(id: string): id is AssumptionId {
  return Object.hasOwn(assumed, id) && 'usual' in assumed[id as keyof Assumed];
}

/** The values of an assumption, the usual one first, each with its sentence. */
export function listValues(
  id: AssumptionId,
): readonly { readonly value: string; readonly says: string }[] {
  const { says, usual, or } = assumed[id];
  return [
    { value: usual, says: says.join(' ') },
    ...Object.entries(or).map(([value, sentence]) => ({ value, says: sentence })),
  ];
}

/** An assumption of a sandbox that can be otherwise. */
export interface SandboxAssumption {
  /** The id of its behaviour. */
  readonly id: AssumptionId;
  /** The sentence that holds now. */
  readonly says: string;
  /** The alternative that holds now. */
  readonly value: string;
  /** All of them, the usual one first. */
  readonly options: readonly { readonly value: string; readonly says: string }[];
  /** Number of responses that relied on it; not all uses are counted. */
  readonly count: number;
}

/** The alternative of each assumption that holds in a sandbox. */
export class AssumptionSettings {
  readonly #chosen = new Map<string, string>();

  constructor(given: Assumptions = {}) {
    this.assume(given);
  }

  value<Id extends AssumptionId>(id: Id): AssumptionValue<Id> {
    return (this.#chosen.get(id) ?? assumed[id].usual) as AssumptionValue<Id>;
  }

  /** From now on these hold. */
  assume(given: Assumptions): void {
    for (const [id, value] of Object.entries(given))
      if (value !== undefined) this.#chosen.set(id, value);
  }

  /** The sentence that holds; absent where the behaviour has no alternatives. */
  sentence(id: string): string | undefined {
    if (!isAssumption(id)) return undefined;
    const now = this.value(id);
    return listValues(id).find(({ value }) => value === now)?.says;
  }

  /** All assumptions as they are now. */
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

/** Returns the alternative of an assumption that holds now. */
export function readAssumption<Id extends AssumptionId>(
  { assumptions }: Assuming,
  id: Id,
): AssumptionValue<Id> {
  return assumptions.value(id);
}

/** The values that are times, in milliseconds. */
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

/** The values that say how something is rounded. */
const ROUNDINGS = { up: 'up', nearest: 'half-even', down: 'down' } as const;

/** The assumptions all of whose values stand in a table. */
type AssumptionIn<Table> = {
  [Id in AssumptionId]: AssumptionValue<Id> extends keyof Table ? Id : never;
}[AssumptionId];

/** Returns the time that is assumed now, in milliseconds. */
export function assumedTime(world: Assuming, id: AssumptionIn<typeof TIMES_MS>): number {
  return TIMES_MS[readAssumption(world, id)];
}

/** Returns the rounding that is assumed now. */
export function assumedRounding(
  world: Assuming,
  id: AssumptionIn<typeof ROUNDINGS>,
): (typeof ROUNDINGS)[keyof typeof ROUNDINGS] {
  return ROUNDINGS[readAssumption(world, id)];
}
