import { JOURNAL_ROWS, type MoveRow } from '../flows/pay/row.ts';
import type { Store } from '../stores/store.ts';

/** Runs that were open when they were looked for, and how they stand. */
export class JournalRows {
  readonly #store: Store;
  readonly #keys: Set<string> = new Set();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Remembers the runs that are open now; nothing where the store fails. */
  note(): void {
    this.#list().catch(() => {});
  }

  /** Runs that are open, and those that were when this was asked or noted. A store lists only open ones. */
  async read(): Promise<readonly MoveRow[]> {
    await this.#list();
    const rows = await Promise.all([...this.#keys].map((key) => this.#store.get(key)));
    return rows.flatMap((row) => (row ? [row.value as MoveRow] : []));
  }

  async #list(): Promise<void> {
    for (const { key } of await this.#store.listOpen(JOURNAL_ROWS)) this.#keys.add(key);
  }
}
