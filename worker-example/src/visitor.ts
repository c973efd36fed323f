import type { SqlDriver } from 'paystate/stores';
import { Rows } from './rows.ts';

const MOST = 10;
const MINUTE = 60_000;
const TABLES = [
  `CREATE TABLE IF NOT EXISTS shop_visitor (visitor TEXT PRIMARY KEY,
    seen DOUBLE PRECISION NOT NULL)`,
  'CREATE TABLE IF NOT EXISTS shop_visit (visitor TEXT NOT NULL, at DOUBLE PRECISION NOT NULL)',
  'CREATE INDEX IF NOT EXISTS shop_visit_by_visitor ON shop_visit (visitor, at)',
];

/**
 * Returns the address whose orders are counted together. Of an IPv6 address it's the network,
 * because one user has all addresses of a network.
 */
export function visitorOf(given: string | null): string {
  // a server that listens to both kinds shows an IPv4 address as IPv6
  const address = given?.replace(/^::ffff:(?=[\d.]+$)/i, '');
  if (!address?.includes(':')) return address ?? 'nearby';
  // `new URL` writes an IPv6 address in its one short form (RFC 5952)
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = '', after = ''] = short.split('::');
  const zeros = short.includes('::')
    ? 8 - `${before}:${after}`.split(':').filter(Boolean).length
    : 0;
  const groups = [...before.split(':'), ...Array<string>(zeros).fill('0'), ...after.split(':')];
  return `${groups.filter(Boolean).slice(0, 4).join(':')}::/64`;
}

/**
 * Allows each visitor ten orders a minute, so that no client uses up the shop's limit at the
 * service.
 */
export class Visitors {
  readonly #rows: Rows;
  readonly #now: () => number;

  constructor(driver: SqlDriver, now: () => number = Date.now) {
    this.#rows = new Rows(driver, 'SELECT at FROM shop_visit LIMIT 1', TABLES);
    this.#now = now;
  }

  /** Counts an order. Resolves to 0, or to the milliseconds until the next one is allowed. */
  async order(visitor: string): Promise<number> {
    const now = this.#now();
    const [, , counted, [first] = []] = await this.#rows.run(
      [
        // the row is locked until the end, so a visitor's orders are counted one after the other
        `INSERT INTO shop_visitor (visitor, seen) VALUES (?, ?)
          ON CONFLICT (visitor) DO UPDATE SET seen = excluded.seen`,
        ...[visitor, now],
      ],
      // after a clock was set back, no time is far in the future
      [
        'DELETE FROM shop_visit WHERE visitor = ? AND (at <= ? OR at > ?)',
        ...[visitor, now - MINUTE, now + MINUTE],
      ],
      [
        `INSERT INTO shop_visit (visitor, at) SELECT visitor, seen FROM shop_visitor
          WHERE visitor = ? AND (SELECT count(*) FROM shop_visit WHERE visitor = ?) < ${MOST}
          RETURNING at`,
        ...[visitor, visitor],
      ],
      ['SELECT min(at) AS at FROM shop_visit WHERE visitor = ?', visitor],
    );
    return counted!.length > 0 ? 0 : (first!['at'] as number) + MINUTE - now;
  }

  /** Forgets visitors who haven't ordered for a minute. */
  async forget(): Promise<void> {
    const old = this.#now() - MINUTE;
    await this.#rows.run(
      ['DELETE FROM shop_visit WHERE at <= ?', old],
      ['DELETE FROM shop_visitor WHERE seen <= ?', old],
    );
  }
}
