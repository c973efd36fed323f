// A journal in memory that hands out what was written, frozen: a change of it throws, and nothing has to be copied.
import type { Store, StoredValue } from 'paystate/stores';

function frozen<T>(value: T): T {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** The members of a row of a journal that are checked. */
interface Row {
  readonly facts?: readonly { readonly is: string; readonly how?: string }[];
}

export class FrozenJournal implements Store {
  readonly durable = false;
  readonly #rows = new Map<string, StoredValue & { readonly open: boolean }>();
  #wasDoubtful = false;

  /** True if a request of the intent was ever in doubt: it was sent, and has no answer. */
  get wasDoubtful(): boolean {
    return this.#wasDoubtful;
  }

  #versionOf(key: string): number {
    return this.#rows.get(key)?.version ?? 0;
  }

  #write(key: string, value: unknown, open: boolean): number {
    const { facts = [] } = (value ?? {}) as Row;
    this.#wasDoubtful ||= facts.some(({ is, how }) => is === 'answered' && how === 'none');
    const version = this.#versionOf(key) + 1;
    this.#rows.set(key, { value: frozen(value), version, open });
    return version;
  }

  async get(key: string): Promise<StoredValue | undefined> {
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
