import { assumed } from './assumed.ts';

type Assumed = typeof assumed;

interface Changeable {
  readonly usual: string;
}

/** Id of an assumption with alternatives, which is the id of its behaviour. */
export type AssumptionId = {
  [Id in keyof Assumed]: Assumed[Id] extends Changeable ? Id : never;
}[keyof Assumed];

export type AssumptionValue<Id extends AssumptionId> = Id extends AssumptionId
  ? Assumed[Id]['usual'] | (keyof Assumed[Id]['or'] & string)
  : never;

/** Values of assumptions, by id. Absent ones don't change. */
export type Assumptions = {
  readonly [Id in AssumptionId]?: AssumptionValue<Id> | undefined;
};

export const assumptionIds: readonly AssumptionId[] = /* @__PURE__ */ Object.keys(assumed).filter(
  isAssumption,
);

function isAssumption(id: string): id is AssumptionId {
  return Object.hasOwn(assumed, id) && 'usual' in assumed[id as keyof Assumed];
}

/** The usual value comes first. */
export function listValues(
  id: AssumptionId,
): readonly { readonly value: string; readonly says: string }[] {
  const { says, usual, or } = assumed[id];
  return [
    { value: usual, says: says.join(' ') },
    ...Object.entries(or).map(([value, sentence]) => ({ value, says: sentence })),
  ];
}

/** An assumption of a sandbox that has alternatives. */
export interface SandboxAssumption {
  /** Id of its behaviour. */
  readonly id: AssumptionId;
  /** What's currently assumed, as a sentence. */
  readonly says: string;
  /** The current alternative. */
  readonly value: string;
  /** All alternatives, with the usual one first. */
  readonly options: readonly { readonly value: string; readonly says: string }[];
  /** Number of responses that relied on it. Not every use is counted. */
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
   * Returns what's currently assumed as a sentence, or `undefined` for a behaviour without
   * alternatives.
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

/** In milliseconds. */
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

/** Assumptions whose values are all in a table. */
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
