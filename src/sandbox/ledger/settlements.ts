import type { Posting } from './ledger.ts';

/** Money that has reached its destination. */
export interface Settlement {
  /** Clock time, milliseconds since 1970. */
  readonly at: number;
  /** What happened, such as `payment COMPLETED`. */
  readonly why: string;
  /** Id of what was settled. */
  readonly entityId: string;
}

/**
 * The texts that commands carried, by the ids that came of them: says how often an intent was
 * settled.
 */
export interface Labels {
  /** A command was done: `words` are those of its body, and its key. */
  note(words: readonly unknown[], where: object, answer: unknown): void;
  settlements(label: string): readonly Settlement[];
}

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const SETTLED = / (PAID|COMPLETED)$/;

export function createLabels(postings: readonly Posting[]): Labels {
  const byId = new Map<string, Set<string>>();

  return {
    note(words, where, answer) {
      const heirs = Object.values(where).flatMap((id) => [...(byId.get(id as string) ?? [])]);
      const labels = [
        ...words.filter((word): word is string => typeof word === 'string'),
        ...heirs,
      ];
      if (labels.length === 0) return;
      for (const id of Object.values(answer ?? {})) {
        if (typeof id !== 'string' || id.length !== 36 || !ID.test(id) || labels.includes(id))
          continue;
        const known = byId.get(id) ?? new Set();
        byId.set(id, known);
        for (const label of labels) known.add(label);
      }
    },
    settlements(label) {
      const found = new Map<string, Settlement>();
      for (const { at, why, entityId } of postings)
        if (SETTLED.test(why) && byId.get(entityId)?.has(label))
          found.set(`${why} ${entityId} ${at}`, { at, why, entityId });
      return [...found.values()];
    },
  };
}
