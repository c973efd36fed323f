import type { RateLimitCounts, RateLimitPlace } from '../core/http/index.ts';
import type { SqlRow } from '../stores/index.ts';
import type {
  HadTurns,
  ProcessSign,
  RelayStore,
  TurnPace,
  Turns,
  WindowPace,
} from './relay-store.ts';
import { signOfLife, signsFrom } from './relay-tables.ts';
import { INVOICE } from './rows-inbox-store.ts';
import { formatIds, SqlRelayRows } from './sql-relay-rows.ts';
import { CLOCK, MAX, NEVER, NOW, OPENED, formatRows, sql, SqlPart } from './sql-text.ts';
import { freedTurns, takenTurns, turnsLeft } from './sql-turns.ts';

/** How long after a block only half of the rate limit can be used, in milliseconds. */
const DAMPED = 600_000;

export class SqlRelayStore extends SqlRelayRows implements RelayStore {
  async dueAccounts(limit: number): Promise<readonly string[]> {
    const rows = await this.tables.read(
      sql`SELECT a.account FROM {}_account a WHERE a.feed_at <= ${NOW}
        OR EXISTS (SELECT 1 FROM {}_subject s WHERE s.account = a.account AND s.until <= ${NOW}
          AND s.due < ${NEVER} AND s.due <= ${NOW})
        OR EXISTS (SELECT 1 FROM {}_subject s WHERE s.account = a.account AND s.until <= ${NOW}
          AND s.fresh < ${NEVER} AND s.fresh <= ${NOW})
        OR EXISTS (SELECT 1 FROM {}_follow f WHERE f.account = a.account AND f.check_at <= ${NOW}
          AND f.read_until <= ${NOW})
        LIMIT ${limit}`,
    );
    return rows.map((row) => row['account'] as string);
  }

  async nextDue(account: string): Promise<number> {
    const formatFirst = (column: SqlPart) => sql`(SELECT ${column} FROM {}_subject
      WHERE account = ${account} AND ${column} < ${NEVER} AND until <= ${NOW}
      ORDER BY ${column} LIMIT 1)`;
    const [row] = await this.tables.read(
      sql`SELECT (SELECT feed_at FROM {}_account WHERE account = ${account}) AS feed,
        ${formatFirst(sql`due`)} AS due, ${formatFirst(sql`fresh`)} AS fresh,
        (SELECT min(until) FROM {}_subject WHERE holder IS NOT NULL AND account = ${account}
          AND until > ${NOW}) AS leased,
        (SELECT check_at FROM {}_follow WHERE account = ${account} AND read_until <= ${NOW}
          ORDER BY check_at LIMIT 1) AS follow,
        (SELECT min(read_until) FROM {}_follow WHERE reader IS NOT NULL AND account = ${account}
          AND read_until > ${NOW}) AS taken`,
    );
    return Math.min(...Object.values(row!).map((at) => (at as number | null) ?? Infinity));
  }

  async claimFeed(account: string, ms: number): Promise<boolean> {
    const [, taken] = await this.write(account, [
      sql`INSERT INTO {}_account (account) VALUES (${account}) ON CONFLICT (account) DO NOTHING`,
      sql`UPDATE {}_account SET feed_at = ${CLOCK} + ${ms}
        WHERE account = ${account} AND feed_at <= ${NOW} RETURNING account`,
    ]);
    return taken!.length > 0;
  }

  async endFeed(account: string, ms: number, trueAt: number): Promise<void> {
    await this.write(account, [
      sql`UPDATE {}_account SET feed_at = ${CLOCK} + ${ms}, true_at = ${MAX}(true_at,
        CAST(${trueAt} AS DOUBLE PRECISION)) WHERE account = ${account}`,
    ]);
  }

  async hasEvent(account: string, subject: string, since: number): Promise<boolean> {
    const rows = await this.tables.read(
      sql`SELECT 1 AS one FROM {}_event WHERE account = ${account} AND subject = ${subject}
        AND received_at >= ${since} LIMIT 1`,
    );
    return rows.length > 0;
  }

  async takeEgress(address: string, bucket: string, pace: WindowPace): Promise<RateLimitPlace> {
    const isOpen = sql`(SELECT blocked_until <= ${NOW} FROM {}_egress
      WHERE address = ${address} AND bucket = ${bucket})`;
    const most = placesNow(address, bucket, pace.most);
    const turns = takenTurns(address, egressKind(bucket), 1, { ...pace, most }, isOpen);
    const rows = await this.tables.batch([
      sql`INSERT INTO {}_egress (address, bucket) VALUES (${address}, ${bucket})
        ON CONFLICT (address, bucket) DO NOTHING`,
      ...turns.take,
      turns.state,
      egressState(address, bucket, pace),
    ]);
    const [state, counts] = rows.slice(-2) as [readonly SqlRow[], readonly [SqlRow]];
    const blockedFor = Math.max(0, counts[0]['blocked'] as number);
    const { granted, delay } = turnsFrom(state[0]);
    return { delay: granted > 0 ? 0 : Math.max(blockedFor, delay), blockedFor };
  }

  async readEgress(address: string, bucket: string, pace: WindowPace): Promise<RateLimitCounts> {
    const [row] = await this.tables.read(egressState(address, bucket, pace));
    const blocked = (row!['blocked'] as number | null) ?? -Infinity;
    const blockedFor = Math.max(0, blocked);
    const [rest, reopens] = [row!['rest'] as number, row!['reopens'] as number];
    return {
      delay: Math.ceil(Math.max(blockedFor, rest > (pace.reserve ?? 0) ? 0 : reopens)),
      blockedFor: Math.ceil(blockedFor),
      used: row!['taken'] as number,
      part: blocked > -DAMPED ? 0.5 : 1,
    };
  }

  async blockEgress(address: string, bucket: string, ms: number): Promise<void> {
    await this.tables.batch([
      sql`INSERT INTO {}_egress (address, bucket, blocked_until)
        VALUES (${address}, ${bucket}, ${CLOCK} + ${ms}) ON CONFLICT (address, bucket) DO UPDATE
        SET blocked_until = ${MAX}({}_egress.blocked_until, excluded.blocked_until)`,
    ]);
  }

  async takeTurns(account: string, kind: string, wanted: number, pace: TurnPace): Promise<Turns> {
    const { take, state } = takenTurns(account, kind, wanted, pace);
    const rows = await this.write(account, [...take, state]);
    return turnsFrom(rows.at(-1)![0]);
  }

  async freeTurns(account: string, kind: string): Promise<void> {
    await this.write(account, [freedTurns(account, kind)]);
  }

  async hadTurns(
    account: string,
    kind: string,
    groups: readonly string[],
  ): Promise<ReadonlyMap<string, HadTurns>> {
    const rows = await this.tables.read(
      sql`SELECT s.who, s.granted AS count, s.turn - ${NOW} AS left_ms FROM ${formatIds(groups)}
        JOIN {}_share s ON s.account = ${account} AND s.kind = ${kind} AND s.who = given.id
        WHERE s.turn > ${NOW}`,
    );
    return new Map(
      rows.map(({ who, count, left_ms: left }) => [who, { count, left }] as [string, HadTurns]),
    );
  }

  async chargeTurns(
    account: string,
    kind: string,
    charges: readonly { readonly who: string; readonly count: number; readonly ms: number }[],
  ): Promise<void> {
    if (charges.length === 0) return;
    const given = [...charges].sort((a, b) => (a.who < b.who ? -1 : 1));
    const columns = { who: 'TEXT', count: 'INTEGER', ms: 'DOUBLE PRECISION' } as const;
    const goesOn = sql`{}_share.turn > ${CLOCK}`;
    await this.write(account, [
      sql`INSERT INTO {}_share (account, kind, who, turn, granted)
        SELECT CAST(${account} AS TEXT), CAST(${kind} AS TEXT), given.who, ${CLOCK} + given.ms,
          given.count FROM ${formatRows(columns, given)} WHERE 1 = 1 ORDER BY given.who
        ON CONFLICT (account, kind, who) DO UPDATE SET
          granted = excluded.granted + CASE WHEN ${goesOn} THEN {}_share.granted ELSE 0 END,
          turn = CASE WHEN ${goesOn} THEN {}_share.turn ELSE excluded.turn END`,
    ]);
  }

  async signOfLife(process: string): Promise<readonly ProcessSign[]> {
    return signsFrom(await this.tables.batch(signOfLife(process)));
  }

  bury(process: string): Promise<void> {
    return this.#bury(sql`= ${process}`);
  }

  buryOthers(process: string): Promise<void> {
    return this.#bury(sql`<> ${process}`);
  }

  async #bury(which: SqlPart): Promise<void> {
    await this.tables.batch([
      sql`UPDATE {}_subject SET until = 0, due = ${CLOCK}, holder = NULL, number = number + 1
        WHERE holder ${which} AND until > 0`,
      sql`UPDATE {}_follow SET reader = NULL, read_until = 0 WHERE reader ${which}`,
      sql`UPDATE {}_order SET opener = NULL, open_until = ${OPENED} WHERE opener ${which}`,
      sql`DELETE FROM {}_proc WHERE id ${which}`,
    ]);
  }

  async note<T>(account: string, name: string): Promise<T | undefined> {
    const [row] = await this.tables.read(
      sql`SELECT value FROM {}_note WHERE account = ${account} AND name = ${name}`,
    );
    return row && (JSON.parse(row['value'] as string) as T);
  }

  async setNote(account: string, name: string, value: object): Promise<void> {
    await this.write(account, [
      sql`INSERT INTO {}_note (account, name, value)
        VALUES (${account}, ${name}, ${JSON.stringify(value)})
        ON CONFLICT (account, name) DO UPDATE SET value = excluded.value`,
    ]);
  }

  async forgetService(account: string): Promise<void> {
    await this.write(account, [
      ...['invoice', 'follow', 'note', 'event', 'subject', 'letter', 'share'].map(
        (table) => sql`DELETE FROM ${formatTable(table)} WHERE account = ${account}`,
      ),
      sql`DELETE FROM {}_order WHERE account = ${account} AND invoice_id IS NOT NULL`,
      sql`UPDATE {}_account SET feed_at = 0, true_at = 0, cursor = NULL WHERE account = ${account}`,
    ]);
  }

  async clean(ms: number, limit: number): Promise<number> {
    const before = sql`${NOW} - ${ms}`;
    const rows = await this.tables.batch([
      // a stored event might still show that the order is paid
      sql`DELETE FROM {}_order WHERE (account, order_id) IN (SELECT o.account, o.order_id
        FROM {}_order o WHERE o.until < ${before}
          AND (o.held_until < ${before} OR o.until < ${before} - ${2 * ms})
          AND NOT EXISTS (SELECT 1 FROM {}_event e WHERE e.account = o.account AND e.open = 1
            AND e.subject = ${INVOICE} || o.invoice_id)
          AND (o.invoice_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM {}_event e
            WHERE e.account = o.account AND e.open = 1))
        LIMIT ${limit}) RETURNING 1 AS one`,
      sql`DELETE FROM {}_order WHERE (account, order_id) IN (SELECT account, order_id FROM {}_order
        WHERE until < ${NOW} AND invoice_id IS NULL AND open_until = 0 AND held_until = 0
        LIMIT ${limit}) RETURNING 1 AS one`,
      sql`DELETE FROM {}_share WHERE (account, kind, who) IN
        (SELECT account, kind, who FROM {}_share
        WHERE turn < ${NOW} - 3600000 AND who <> '' LIMIT ${limit}) RETURNING 1 AS one`,
    ]);
    return rows.flat().length;
  }
}

function formatTable(name: string): SqlPart {
  return new SqlPart(({ prefix }) => `${prefix}_${name}`);
}

const egressKind = (bucket: string): string => `egress ${bucket}`;

function placesNow(address: string, bucket: string, most: number): SqlPart {
  return sql`CAST(${most} AS INTEGER) / CASE WHEN (SELECT blocked_until FROM {}_egress
    WHERE address = ${address} AND bucket = ${bucket}) > ${NOW} - ${DAMPED} THEN 2 ELSE 1 END`;
}

function egressState(address: string, bucket: string, { most, window }: WindowPace): SqlPart {
  const places = placesNow(address, bucket, most);
  return sql`SELECT w.rest, w.taken, w.oldest + CAST(${window} AS DOUBLE PRECISION) - ${NOW} AS reopens,
      (SELECT blocked_until - ${NOW} FROM {}_egress
        WHERE address = ${address} AND bucket = ${bucket}) AS blocked
    FROM ${turnsLeft(address, egressKind(bucket), places, window)}`;
}

function turnsFrom(row: SqlRow | undefined): Turns {
  const { granted = 0, delay = 1 } = (row ?? {}) as Partial<Turns>;
  return { granted, delay: Math.max(1, Math.ceil(delay)) };
}
