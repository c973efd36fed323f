import type { Recording } from './recording.ts';

type List = 'ids' | 'exchanges' | 'deliveries' | 'states' | 'decisions' | 'clock';

/** An entry in a recording. Its `facts` are replaced when it's updated. */
interface Entry<Name extends List = List> {
  readonly list: Name;
  facts: Recording[Name][number];
  size: number;
  isDropped: boolean;
}

/** Approximate size of an entry in bytes, excluding its strings. */
const ENTRY_BYTES = 100;

/** Stores a recording's latest entries, within a size limit. */
export class Ring {
  readonly #most: number;
  /** Entries of all lists, oldest first. */
  readonly #entries: Entry[] = [];
  #size = 0;
  #dropped = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add<Name extends List>(list: Name, facts: Recording[Name][number], size: number): Entry<Name> {
    const entry: Entry<Name> = { list, facts, size: 0, isDropped: false };
    this.#entries.push(entry as Entry);
    this.update(entry, facts, size);
    return entry;
  }

  update<Name extends List>(
    entry: Entry<Name>,
    facts: Recording[Name][number],
    size: number,
  ): void {
    if (entry.isDropped) return;
    entry.facts = facts;
    this.#size += size + ENTRY_BYTES - entry.size;
    entry.size = size + ENTRY_BYTES;
    while (this.#size > this.#most) {
      const oldest = this.#entries.shift()!;
      oldest.isDropped = true;
      this.#size -= oldest.size;
      this.#dropped++;
    }
  }

  /** Returns a recording of the latest entries whose JSON fits into the limit. */
  recording(base: Pick<Recording, 'version' | 'seed' | 'clock'>): Recording {
    const kept: Entry[] = [];
    let room = this.#most - jsonSize(fillLists(base, [], this.#dropped)) - DIGITS;
    for (const entry of this.#entries.toReversed()) {
      room -= jsonSize(entry.facts) + 1;
      if (room < 0) break;
      kept.unshift(entry);
    }
    return fillLists(base, kept, this.#dropped + this.#entries.length - kept.length);
  }
}

/** Number of bytes to reserve for the digits of `dropped`. */
const DIGITS = 20;

function jsonSize(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function fillLists(
  base: Pick<Recording, 'version' | 'seed' | 'clock'>,
  entries: readonly Entry[],
  dropped: number,
): Recording {
  const list = <Name extends List>(name: Name): Recording[Name][number][] =>
    entries
      .filter((entry) => entry.list === name)
      .map(({ facts }) => facts as Recording[Name][number]);
  return {
    version: base.version,
    seed: base.seed,
    dropped,
    ids: list('ids'),
    exchanges: list('exchanges'),
    deliveries: list('deliveries'),
    states: list('states'),
    decisions: list('decisions'),
    clock: [...base.clock, ...list('clock')],
  };
}
