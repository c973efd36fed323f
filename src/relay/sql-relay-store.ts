import type { SqlRow } from '../stores/index.ts';
import type { ProcessSign, RelayStore, TurnPace, Turns } from './relay-store.ts';
import { signOfLife, signsFrom } from './relay-tables.ts';
import { idsOf, SqlRelayRows } from './sql-relay-rows.ts';
import { CLOCK, MAX, MIN, NEVER, NOW, rowsOf, sql, SqlPart, whole } from './sql-text.ts';

/** After a block a request counts twice for this long, milliseconds. */
const DAMPED = 600_000;

/** All that a relay keeps, as rows in an SQL database. */
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

  async claimFeed(account: string, ms: number): Promise<boolean> {
    const [, taken] = await this.write(account, [
      sql`INSERT INTO {}_account (account) VALUES (${account}) ON CONFLICT (account) DO NOTHING`,
      sql`UPDATE {}_account SET feed_at = ${CLOCK} + ${ms}
        WHERE account = ${account} AND feed_at <= ${NOW} RETURNING account`,
    ]);
    return taken!.length > 0;
  }

  async setTrueAt(account: string, at: number): Promise<void> {
    await this.write(account, [
      sql`UPDATE {}_account SET true_at = ${at} WHERE account = ${account} AND true_at < ${at}`,
    ]);
  }

  async hasEvent(account: string, subject: string, since: number): Promise<boolean> {
    const rows = await this.tables.read(
      sql`SELECT 1 AS one FROM {}_event WHERE account = ${account} AND subject = ${subject}
        AND received_at >= ${since} LIMIT 1`,
    );
    return rows.length > 0;
  }

  async takeEgress(
    address: string,
    bucket: string,
    { interval, burst }: TurnPace,
  ): Promise<{ delay: number; blockedFor: number; lead: number; isDamped: boolean }> {
    const cost = sql`CASE WHEN blocked_until > ${NOW} - ${DAMPED} THEN 2 * ${interval}
      ELSE ${interval} END`;
    const [, taken, [row]] = (await this.tables.batch([
      egressRow(address, bucket),
      sql`UPDATE {}_egress SET turn = ${MAX}(turn, ${CLOCK}) + ${cost}
        WHERE address = ${address} AND bucket = ${bucket} AND blocked_until <= ${CLOCK}
          AND turn <= ${CLOCK} + ${burst} RETURNING bucket`,
      egressState(address, bucket),
    ])) as unknown as [unknown, readonly SqlRow[], [SqlRow]];
    const { blockedFor, lead, isDamped } = egressFrom(row);
    const delay = taken.length > 0 ? 0 : Math.max(1, blockedFor, lead - burst);
    return { delay, blockedFor, lead, isDamped };
  }

  async readEgress(
    address: string,
    bucket: string,
  ): Promise<{ blockedFor: number; lead: number; isDamped: boolean }> {
    const [row] = await this.tables.read(egressState(address, bucket));
    return row ? egressFrom(row) : { blockedFor: 0, lead: 0, isDamped: false };
  }

  async blockEgress(address: string, bucket: string, ms: number): Promise<void> {
    await this.tables.batch([
      egressRow(address, bucket),
      sql`UPDATE {}_egress SET blocked_until = ${MAX}(blocked_until, ${CLOCK} + ${ms})
        WHERE address = ${address} AND bucket = ${bucket}`,
    ]);
  }

  async takeTurns(
    account: string,
    kind: string,
    wanted: number,
    { interval, burst }: TurnPace,
    groups: readonly string[],
  ): Promise<Turns> {
    const lead = sql`(${MAX}(turn, ${NOW}) - ${NOW})`;
    const most = sql`${MAX}(0, (${burst + interval} - ${lead}) / CAST(${interval} AS DOUBLE PRECISION))`;
    const free = sql`${MIN}(CAST(${wanted} AS INTEGER), ${whole(most)})`;
    const all = sql`account = ${account} AND kind = ${kind} AND who = ''`;
    const [, , [row], used] = (await this.write(account, [
      sql`INSERT INTO {}_share (account, kind, who, turn) VALUES (${account}, ${kind}, '', 0)
        ON CONFLICT (account, kind, who) DO UPDATE SET turn = {}_share.turn`,
      sql`UPDATE {}_share SET granted = ${free}, turn = ${MAX}(turn, ${NOW}) + ${interval} * ${free}
        WHERE ${all}`,
      sql`SELECT granted, turn - ${NOW} AS lead FROM {}_share WHERE ${all}`,
      sql`SELECT s.who, s.turn - ${NOW} AS ahead FROM ${idsOf(groups)}
        JOIN {}_share s ON s.account = ${account} AND s.kind = ${kind} AND s.who = given.id`,
    ])) as unknown as [unknown, unknown, [SqlRow], readonly SqlRow[]];
    return {
      granted: row['granted'] as number,
      delay: Math.max(1, (row['lead'] as number) - burst),
      used: new Map(used.map((row) => [row['who'] as string, row['ahead'] as number])),
    };
  }

  async chargeTurns(
    account: string,
    kind: string,
    charges: readonly { readonly who: string; readonly ms: number }[],
  ): Promise<void> {
    if (charges.length === 0) return;
    const given = [...charges].sort((a, b) => (a.who < b.who ? -1 : 1));
    await this.write(account, [
      sql`INSERT INTO {}_share (account, kind, who, turn)
        SELECT CAST(${account} AS TEXT), CAST(${kind} AS TEXT), given.who, ${CLOCK} + given.ms
          FROM ${rowsOf({ who: 'TEXT', ms: 'DOUBLE PRECISION' }, given)} WHERE 1 = 1
          ORDER BY given.who
        ON CONFLICT (account, kind, who) DO UPDATE
          SET turn = ${MAX}({}_share.turn, ${CLOCK}) + (excluded.turn - ${CLOCK})`,
    ]);
  }

  async signOfLife(process: string): Promise<readonly ProcessSign[]> {
    return signsFrom(await this.tables.batch(signOfLife(process)));
  }

  async bury(process: string): Promise<void> {
    await this.tables.batch([
      sql`UPDATE {}_subject SET until = 0, due = ${CLOCK}, holder = NULL, number = number + 1
        WHERE holder = ${process} AND until > 0`,
      sql`UPDATE {}_follow SET reader = NULL, read_until = 0 WHERE reader = ${process}`,
      sql`UPDATE {}_order SET opener = NULL, open_until = 0 WHERE opener = ${process}`,
      sql`DELETE FROM {}_proc WHERE id = ${process}`,
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
        (table) => sql`DELETE FROM ${tableOf(table)} WHERE account = ${account}`,
      ),
      sql`DELETE FROM {}_order WHERE account = ${account} AND invoice_id IS NOT NULL`,
      sql`UPDATE {}_account SET feed_at = 0, true_at = 0, cursor = NULL WHERE account = ${account}`,
    ]);
  }

  async clean(ms: number, limit: number): Promise<number> {
    const before = sql`${NOW} - ${ms}`;
    const [orders, unopened, shares] = await this.tables.batch([
      sql`DELETE FROM {}_order WHERE (account, order_id) IN (SELECT account, order_id FROM {}_order
        WHERE until < ${before} AND held_until < ${before} LIMIT ${limit}) RETURNING 1 AS one`,
      sql`DELETE FROM {}_order WHERE (account, order_id) IN (SELECT account, order_id FROM {}_order
        WHERE until < ${NOW} AND invoice_id IS NULL AND opener IS NULL AND held_until = 0
        LIMIT ${limit}) RETURNING 1 AS one`,
      sql`DELETE FROM {}_share WHERE (account, kind, who) IN
        (SELECT account, kind, who FROM {}_share
        WHERE turn < ${NOW} - 600000 AND who <> '' LIMIT ${limit}) RETURNING 1 AS one`,
    ]);
    return orders!.length + unopened!.length + shares!.length;
  }
}

function tableOf(name: string): SqlPart {
  return new SqlPart(({ prefix }) => `${prefix}_${name}`);
}

function egressRow(address: string, bucket: string): SqlPart {
  return sql`INSERT INTO {}_egress (address, bucket) VALUES (${address}, ${bucket})
    ON CONFLICT (address, bucket) DO NOTHING`;
}

function egressState(address: string, bucket: string): SqlPart {
  return sql`SELECT turn - ${NOW} AS lead, blocked_until - ${NOW} AS blocked FROM {}_egress
    WHERE address = ${address} AND bucket = ${bucket}`;
}

function egressFrom(row: SqlRow): { blockedFor: number; lead: number; isDamped: boolean } {
  const blocked = row['blocked'] as number;
  return {
    blockedFor: Math.max(0, blocked),
    lead: Math.max(0, row['lead'] as number),
    isDamped: blocked > -DAMPED,
  };
}
