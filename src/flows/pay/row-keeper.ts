import {
  type Fact,
  type Happening,
  joinFacts,
  type MoveRow,
  type View,
  readView,
} from './facts.ts';
import type { MoveJournal } from './journal.ts';
import type { Moved } from './order.ts';
import { stateIn } from './rail.ts';

export interface Writer {
  readonly intent: string;
  readonly by: string;
  now(): number;
}

/** Returns the facts to add to the given row, or `undefined` to write nothing. */
type Decide = (view: View, row: MoveRow) => readonly Happening[] | undefined;

/**
 * Reads and writes one journal row. If the store loses facts while this process is running, writes
 * them again.
 */
export class RowKeeper {
  /** The facts that this process has written or read. The store may lose the latest ones. */
  facts: readonly Fact[];
  readonly #journal: MoveJournal;
  readonly #writer: Writer;
  #movement: Moved | undefined;
  /** The number of facts written by this process, including those that the store lost. */
  #written: number;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(journal: MoveJournal, writer: Writer, after: RowKeeper | undefined) {
    this.#journal = journal;
    this.#writer = writer;
    this.facts = after ? after.facts : [];
    this.#movement = after ? after.#movement : undefined;
    this.#written = after ? after.#written : 0;
  }

  async read(): Promise<MoveRow> {
    const row = this.#restore(await this.#journal.get(this.#writer.intent));
    this.#keep(row);
    return row;
  }

  /**
   * Writes the facts returned by `decide`. Resolves to whether they were written. If the list is
   * empty, only restores facts that the store lost. Writes are sequential.
   */
  commit(decide: Decide, movement?: Moved): Promise<boolean> {
    const written = this.#writing.then(() => this.#write(decide, movement));
    this.#writing = written.catch(() => {});
    return written;
  }

  with(row: MoveRow, { round }: View, happened: readonly Happening[]): MoveRow {
    const { by, now } = this.#writer;
    const common = { by, at: now() };
    const made = happened.map((one, index): Fact => {
      const isNew = happened.slice(0, index + 1).some(({ is }) => is === 'again');
      return { ...one, ...common, i: this.#written + index, round: isNew ? round + 1 : round };
    });
    return { ...row, facts: [...row.facts, ...made] };
  }

  async #write(decide: Decide, movement: Moved | undefined): Promise<boolean> {
    const { intent, by } = this.#writer;
    const from = this.#written;
    let isDone = false;
    const row = await this.#journal.changeRow(intent, (stored) => {
      const joined = this.#restore(stored);
      // an earlier attempt at this write succeeded, but its response was lost
      isDone = joined.facts.some((one) => one.by === by && one.i >= from);
      if (isDone) return joined;
      const view = readView(joined);
      const happened = decide(view, joined);
      isDone = happened !== undefined;
      if (!happened) return undefined;
      if (happened.length === 0 && movement === undefined) return joined;
      return this.with({ ...joined, movement: movement ?? joined.movement }, view, happened);
    });
    if (row) this.#keep(row);
    return isDone;
  }

  #restore(stored: MoveRow): MoveRow {
    const facts = joinFacts(stored.facts, this.facts);
    if (facts === stored.facts) return stored;
    const own = this.#movement;
    const isNewer = own && (!stored.movement || stateIn(own as { state: string }) !== 'pending');
    return { ...stored, facts, movement: isNewer ? own : stored.movement };
  }

  #keep({ facts, movement }: MoveRow): void {
    this.facts = facts;
    this.#movement = movement;
    for (const { by, i } of facts)
      if (by === this.#writer.by) this.#written = Math.max(this.#written, i + 1);
  }
}
