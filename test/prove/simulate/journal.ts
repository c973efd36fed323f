// A journal in memory that hands out what was written, frozen: a change of it throws, and nothing has to be copied. It can
// forget its last commits, and become an older copy of itself.
import type { Store, StoredValue } from 'paystate/stores';
import type { Restored, Rewinding } from '../../unit/flows/pay-lives.ts';

function frozen<T>(value: T): T {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** The members of a row of a journal that are checked. */
interface Row {
  readonly facts?: readonly { readonly is: string; readonly how?: string }[];
}

type Stored = StoredValue & { readonly open: boolean };

/** A commit, and what it has replaced. */
interface Commit {
  readonly key: string;
  readonly before: Stored | undefined;
  readonly at: number;
}

/** A commit that is so old has reached all copies of a database. */
const SURVIVES_MS = 10_000;
/** Who reads so often in ten minutes goes round and round, and is refused. */
const MOST_READS = 1_500;
const WINDOW_MS = 600_000;

export class FrozenJournal implements Store, Rewinding {
  readonly durable = false;
  readonly #rows = new Map<string, Stored>();
  readonly #commits: Commit[] = [];
  readonly #now: () => number;
  #wasDoubtful = false;
  #reads = { at: 0, count: 0 };
  #isSpinning = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** True if a request of the intent was ever in doubt: it was sent, and has no answer. */
  get wasDoubtful(): boolean {
    return this.#wasDoubtful;
  }

  /** True if a process has read it on and on. */
  get isSpinning(): boolean {
    return this.#isSpinning;
  }

  #versionOf(key: string): number {
    return this.#rows.get(key)?.version ?? 0;
  }

  #write(key: string, value: unknown, open: boolean): number {
    const { facts = [] } = (value ?? {}) as Row;
    this.#wasDoubtful ||= facts.some(({ is, how }) => is === 'answered' && how === 'none');
    const version = this.#versionOf(key) + 1;
    this.#commits.push({ key, before: this.#rows.get(key), at: this.#now() });
    this.#rows.set(key, { value: frozen(value), version, open });
    return version;
  }

  /** Takes the last commits back; those of a row that is new are kept, because nobody could know of it. */
  failOver(count: number): boolean {
    const lost = this.#commits
      .slice(-count)
      .filter(({ at, before }) => before && at > this.#now() - SURVIVES_MS);
    this.#takeBack(this.#commits.length - lost.length);
    return lost.length > 0;
  }

  restore(share: number): Restored {
    const kept = Math.floor(share * this.#commits.length);
    const at = this.#commits[kept]?.at ?? this.#now();
    this.#takeBack(kept);
    return { at, hasIntent: this.#rows.values().some(({ open }) => open) };
  }

  #takeBack(kept: number): void {
    for (const { key, before } of this.#commits.splice(kept).reverse()) {
      if (before) this.#rows.set(key, before);
      else this.#rows.delete(key);
    }
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const now = this.#now();
    const { at, count } = this.#reads;
    const isSame = now < at + WINDOW_MS;
    this.#reads = isSame ? { at, count: count + 1 } : { at: now, count: 1 };
    this.#isSpinning ||= this.#reads.count > MOST_READS;
    if (this.#isSpinning) throw new Error('the journal has been read too often');
    return this.#rows.get(key);
  }

  async put(key: string, value: unknown): Promise<number> {
    return this.#write(key, value, this.#rows.get(key)?.open ?? false);
  }

  async compareAndSet(
    key: string,
    version: number,
    value: unknown,
    open = false,
  ): Promise<boolean> {
    if (this.#versionOf(key) !== version) return false;
    this.#write(key, value, open);
    return true;
  }

  async listOpen(
    prefix: string,
  ): Promise<readonly { readonly key: string; readonly row: StoredValue }[]> {
    return [...this.#rows]
      .filter(([key, row]) => row.open && key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, row]) => ({ key, row }));
  }
}
