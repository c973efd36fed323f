import type { DurableStorage } from '../../core/platform.ts';
import type { DeliveryResult } from '../webhooks/transport.ts';

/** Everything that a sandbox cannot compute by itself. */
export type JournalEntry =
  /** The first entry. */
  | { readonly is: 'start'; readonly seed: number | string }
  | {
      readonly is: 'request';
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** Time was advanced. */
  | { readonly is: 'advance' }
  /** The result of a webhook, by its number in the order of sending. */
  | { readonly is: 'delivery'; readonly number: number; readonly result: DeliveryResult };

export type Timed<Entry> = Entry & {
  /** Time of the sandbox. */
  readonly at: number;
  /** Time of the machine. */
  readonly real: number;
};

export interface Journal {
  /** All entries, the oldest first. */
  read(): readonly Timed<JournalEntry>[];
  /** Kept when this returns. */
  append(entry: Timed<JournalEntry>): void;
  /** Forgets everything. */
  clear(): void;
}

/** A journal that ends with the process. */
export function journalInMemory(): Journal {
  let entries: Timed<JournalEntry>[] = [];
  return {
    read: () => entries,
    append: (entry) => void entries.push(entry),
    clear: () => {
      entries = [];
    },
  };
}

/** A journal in the SQLite database of a Durable Object. */
export function journalIn({ sql }: DurableStorage): Journal {
  sql.exec(
    'CREATE TABLE IF NOT EXISTS paystate_sandbox (number INTEGER PRIMARY KEY, entry TEXT NOT NULL)',
  );
  return {
    read: () =>
      sql
        .exec<{ entry: string }>('SELECT entry FROM paystate_sandbox ORDER BY number')
        .toArray()
        .map(({ entry }) => JSON.parse(entry) as Timed<JournalEntry>),
    append(entry) {
      sql.exec('INSERT INTO paystate_sandbox (entry) VALUES (?)', JSON.stringify(entry));
    },
    clear: () => void sql.exec('DELETE FROM paystate_sandbox'),
  };
}

/** Forms of real credentials: 64 hex digits, and three parts with dots. */
const REAL = /^Bearer +([\dA-F]{64}|eyJ[\w-]+\.[\w-]+\.[\w-]*)$/i;

/**
 * Whether an authorization looks like one of the real service; a sandbox's own keys look so too.
 */
export function looksReal(authorization: string | null): boolean {
  return REAL.test(authorization ?? '');
}
