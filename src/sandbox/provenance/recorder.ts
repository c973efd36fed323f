import { badInput } from '../../core/errors/index.ts';
import type { AnyEndpoint } from '../../core/http/index.ts';
import { type BehaviourId, type KnownBehaviour, knownBehaviours } from './behaviours.ts';

/** Which assumed behaviours a test may rely on: with `true` none, with `allow` these. */
export type Strictness =
  | boolean
  | {
      /** Ids of the assumed behaviours that responses may rest on. */
      readonly allow: readonly BehaviourId[];
    };

/** A behaviour that responses relied on so far. */
export interface BehaviourUse extends Pick<KnownBehaviour, 'id' | 'source' | 'says'> {
  /** It decides about money. */
  readonly money: boolean;
  /** How many responses relied on it; changes that no request asked for count too. */
  readonly count: number;
  /** Where it was relied on first, such as `POST /v1/payouts`; absent where no request did. */
  readonly at?: string;
  /** How it can be verified. */
  readonly check: string;
}

/** Thrown where a response would rest on what strict mode does not allow; becomes the response. */
export class AssumptionError extends Error {
  readonly behaviour: KnownBehaviour;
  constructor(behaviour: KnownBehaviour) {
    super(behaviour.id);
    this.behaviour = behaviour;
  }
}

/** Records what responses rest on. */
export interface ProvenanceRecorder {
  /** A request begins; what is recorded until its end belongs to it. */
  begin(): void;
  /** What is done now rests on this behaviour. */
  record(id: BehaviourId): void;
  /**
   * In strict mode throws `AssumptionError` where the response rests on what is assumed and not
   * allowed. Called after the request has had its whole effect, so that the state of the world does
   * not depend on strict mode.
   */
  check(): void;
  /** The request ends; what its response rests on, the riskiest first. */
  end(row: AnyEndpoint | undefined): readonly BehaviourId[];
  report(): readonly BehaviourUse[];
}

interface Count {
  count: number;
  readonly at: string | undefined;
}

const CHECKS = {
  documented: "the service's own description says it",
  public: "public material says it: compare it with the service's reference",
  inferred: "it follows by reasoning: try it in the service's test environment",
  assumed: "no source says it: try it in the service's test environment, or ask the service",
} as const;

const RANKS = new Map([...knownBehaviours.keys()].map((id, rank) => [id, rank]));

/** The riskiest first: what is less founded, then money, then what was relied on more. */
function byRisk(a: BehaviourUse, b: BehaviourUse): number {
  const rankOf = ({ source, money }: BehaviourUse): number =>
    2 * ['assumed', 'inferred', 'public', 'documented'].indexOf(source) + (money ? 0 : 1);
  return rankOf(a) - rankOf(b) || b.count - a.count || RANKS.get(a.id)! - RANKS.get(b.id)!;
}

function useOf(id: BehaviourId, { count, at }: Count): BehaviourUse {
  const { source, says, money = false } = knownBehaviours.get(id)!;
  return { id, source, says, money, count, ...(at !== undefined && { at }), check: CHECKS[source] };
}

/** The ids that strict mode allows; absent where everything or nothing is. */
function allowedBy(strict: Strictness): ReadonlySet<BehaviourId> | undefined {
  if (typeof strict !== 'object') return undefined;
  for (const id of strict.allow)
    if (!knownBehaviours.has(id)) throw badInput('strict', 'allows a behaviour that is not known');
  return new Set(strict.allow);
}

export function createProvenanceRecorder(strict: Strictness): ProvenanceRecorder {
  const counts = new Map<BehaviourId, Count>();
  const allowed = allowedBy(strict);
  let current: Set<BehaviourId> | undefined;

  function count(id: BehaviourId, at: string | undefined): void {
    const entry = counts.get(id);
    if (entry) entry.count++;
    else counts.set(id, { count: 1, at });
  }

  return {
    begin() {
      current = new Set();
    },
    record(id) {
      if (!current) return count(id, undefined);
      current.add(id);
    },
    check() {
      if (strict === false) return;
      for (const id of current ?? []) {
        const behaviour = knownBehaviours.get(id)!;
        if (behaviour.source === 'assumed' && !allowed?.has(id))
          throw new AssumptionError(behaviour);
      }
    },
    end(row) {
      const ids = [...(current ?? [])].sort((a, b) => RANKS.get(a)! - RANKS.get(b)!);
      current = undefined;
      for (const id of ids) count(id, row && `${row.method} ${row.path}`);
      return ids;
    },
    report: () => Array.from(counts, ([id, counted]) => useOf(id, counted)).sort(byRisk),
  };
}

/** Records that what is done now rests on a behaviour. */
export function recordUse(
  { provenance }: { readonly provenance: ProvenanceRecorder },
  id: BehaviourId,
): void {
  provenance.record(id);
}
