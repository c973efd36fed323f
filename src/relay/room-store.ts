import type { DurableStorage } from '../core/platform.ts';
import { type InvoiceQuote, invoiceStates } from '../resources/invoices.ts';
import type { InvoiceMessage, InvoiceVersion } from './calls.ts';

const DAY = 86_400_000;
/** How many messages are kept for pages that were away. */
const RING = 64;

/** A code that can be paid, and until when by the room's clock. */
export interface RoomQuote {
  readonly quote: InvoiceQuote;
  /** Milliseconds it was good for. */
  readonly validity: number;
  readonly endsAt: number;
}

/** Everything that a room knows: one row, so that it changes as a whole. */
export interface RoomFacts {
  readonly epoch: string;
  readonly seq: number;
  readonly invoiceId: string;
  readonly version?: InvoiceVersion | undefined;
  readonly held?: RoomQuote | undefined;
  /** Until then at least the version was true, by the clock of this room. */
  readonly confirmedAt?: number | undefined;
  /** Time of the last request. */
  readonly touchedAt: number;
}

export type RoomChange = Pick<RoomFacts, 'version' | 'confirmedAt'> | Pick<RoomFacts, 'held'>;

/** A room's facts in its object's SQLite: they outlive sleep, eviction and restart. */
export class RoomStore {
  readonly #storage: DurableStorage;

  constructor(storage: DurableStorage) {
    this.#storage = storage;
    storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS facts (one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT NOT NULL)',
    );
    storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS ring (seq INTEGER PRIMARY KEY, json TEXT NOT NULL)',
    );
  }

  facts(): RoomFacts | undefined {
    const [row] = this.#storage.sql.exec<{ json: string }>('SELECT json FROM facts').toArray();
    return row && (JSON.parse(row.json) as RoomFacts);
  }

  write(facts: RoomFacts): void {
    this.#storage.sql.exec(
      'INSERT OR REPLACE INTO facts (one, json) VALUES (1, ?)',
      JSON.stringify(facts),
    );
  }

  /** Writes what has changed under the next number, which is taken inside this one transaction. */
  publish(change: RoomChange): RoomFacts {
    return this.#storage.transactionSync(() => {
      const before = this.facts()!;
      const facts: RoomFacts = { ...before, ...change, seq: before.seq + 1 };
      this.write(facts);
      this.#storage.sql.exec(
        'INSERT INTO ring (seq, json) VALUES (?, ?)',
        facts.seq,
        JSON.stringify(facts),
      );
      this.#storage.sql.exec('DELETE FROM ring WHERE seq <= ?', facts.seq - RING);
      return facts;
    });
  }

  /** What a page has missed, oldest first; `undefined` where that is not kept any more. */
  since(epoch: string, seq: number): readonly RoomFacts[] | undefined {
    const facts = this.facts();
    if (facts?.epoch !== epoch || seq > facts.seq || seq < 0) return undefined;
    const rows = this.#storage.sql
      .exec<{ json: string }>('SELECT json FROM ring WHERE seq > ? ORDER BY seq', seq)
      .toArray();
    return rows.length === facts.seq - seq
      ? rows.map((row) => JSON.parse(row.json) as RoomFacts)
      : undefined;
  }
}

/** The facts as a message that is sent now: a code that has expired is not in it. */
export function messageOf(
  { epoch, seq, version, held, confirmedAt }: RoomFacts,
  now: number,
  snapshot?: true,
): InvoiceMessage {
  const left = held ? Math.floor((held.endsAt - now) / 1_000) : 0;
  return {
    epoch,
    seq,
    sentAt: now,
    ...(version && { asOf: version.asOf, confirmedAt, value: version.value }),
    ...(version?.unconfirmed && { unconfirmed: version.unconfirmed }),
    ...(held && left > 0 && { quote: { ...held.quote, expirationInSec: left }, secondsLeft: left }),
    ...(snapshot && { snapshot }),
  };
}

/** A code with less than this left is renewed before a page is given it. */
export function isWorthGiving({ endsAt, validity }: RoomQuote, now: number): boolean {
  return endsAt - now > Math.max(8_000, validity / 3);
}

/**
 * When a room ends: a day after its invoice was last seen settled, or after 30 days without a
 * request.
 */
export function endOf({ version, touchedAt }: RoomFacts): number {
  const isSettled = version !== undefined && invoiceStates.isSettled(version.value.state);
  return isSettled ? Math.max(version.asOf, touchedAt) + DAY : touchedAt + 30 * DAY;
}
