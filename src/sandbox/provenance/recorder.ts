import { badInput } from '../../core/errors/index.ts';
import type { AnyRow } from '../../core/http/index.ts';
import { known, type Known } from './behaviours.ts';

/** Which assumed behaviours a test may rely on: with `true` none, with `allow` these. */
export type Strictness = boolean | { readonly allow: readonly string[] };

/** A behaviour that answers relied on so far. */
export interface Relied extends Pick<Known, 'id' | 'source' | 'says'> {
  /** It decides about money. */
  readonly money: boolean;
  readonly count: number;
  /** Where it was relied on first, such as `POST /v1/payouts`; absent where no request did. */
  readonly at?: string;
  /** How it can be found out. */
  readonly check: string;
}

/** Thrown where an answer would rest on what strict mode does not allow; becomes the answer. */
export class Unfounded extends Error {
  readonly behaviour: Known;
  constructor(behaviour: Known) {
    super(behaviour.id);
    this.behaviour = behaviour;
  }
}

/** Keeps what answers rest on. */
export interface Reliance {
  /** A request begins; what is noted until its end is its own. */
  begin(): void;
  /** What is done now rests on this behaviour. */
  note(id: string): void;
  /**
   * In strict mode throws `Unfounded` where the answer rests on what is assumed and not allowed. It comes after everything was done:
   * a world that stops half way would be none.
   */
  check(): void;
  /** The request ends; what its answer rests on, the riskiest first. */
  end(row: AnyRow | undefined): readonly string[];
  report(): readonly Relied[];
}

interface Count {
  count: number;
  readonly at: string | undefined;
}

const CHECKS = {
  seed: "the service's own description says it",
  public: "public material says it: compare it with the service's reference",
  inferred: "it follows by reasoning: try it in the service's test environment",
  assumed: "nobody says it: try it in the service's test environment, or ask the service",
} as const;

const RANKS = new Map([...known.keys()].map((id, rank) => [id, rank]));

/** The riskiest first: what is less founded, then money, then what was relied on more. */
function byRisk(a: Relied, b: Relied): number {
  const place = ({ source, money }: Relied): number =>
    2 * ['assumed', 'inferred', 'public', 'seed'].indexOf(source) + (money ? 0 : 1);
  return place(a) - place(b) || b.count - a.count || RANKS.get(a.id)! - RANKS.get(b.id)!;
}

export function createReliance(strict: Strictness): Reliance {
  const counts = new Map<string, Count>();
  const allowed = typeof strict === 'object' ? new Set(strict.allow) : undefined;
  for (const id of allowed ?? [])
    if (!known.has(id)) throw badInput('strict', 'allows a behaviour that is not known');
  const isStrict = strict !== false;
  let current: Set<string> | undefined;

  function count(id: string, at: string | undefined): void {
    const entry = counts.get(id);
    if (entry) entry.count++;
    else counts.set(id, { count: 1, at });
  }

  return {
    begin() {
      current = new Set();
    },
    note(id) {
      if (!current) return count(id, undefined);
      current.add(id);
    },
    check() {
      if (!isStrict) return;
      for (const id of current ?? []) {
        const behaviour = known.get(id)!;
        if (behaviour.source === 'assumed' && !allowed?.has(id)) throw new Unfounded(behaviour);
      }
    },
    end(row) {
      const ids = [...(current ?? [])].sort((a, b) => RANKS.get(a)! - RANKS.get(b)!);
      current = undefined;
      for (const id of ids) count(id, row && `${row.method} ${row.path}`);
      return ids;
    },
    report: () =>
      Array.from(counts, ([id, { count: times, at }]): Relied => {
        const { source, says, money = false } = known.get(id)!;
        return {
          id,
          source,
          says,
          money,
          count: times,
          ...(at !== undefined && { at }),
          check: CHECKS[source],
        };
      }).sort(byRisk),
  };
}

/** Marks that what is done now rests on a behaviour. */
export function relies({ reliance }: { readonly reliance: Reliance }, id: string): void {
  reliance.note(id);
}
