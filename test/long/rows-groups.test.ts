// Protects: events that are written together are kept as if they came one after the other: each once, those of one subject in
// their order, and an id that another subject has is told. What is committed together ends only what its own lease holds.
import { createRequire } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { postgresqlDriver, type PgPool, sqliteDriver, type SqlDriver } from 'paystate/stores';
import { after, before, describe, it } from '#test';
import { systemClock } from '../../dist/core/time.js';
import { RelayTables } from '../../dist/relay/relay-tables.js';
import { RowsInboxStore } from '../../dist/relay/rows-inbox-store.js';
import { sql } from '../../dist/relay/sql-text.js';
import { type Postgresql, startPostgresql } from '../runners/stores/postgresql.ts';

const { Pool } = createRequire(import.meta.url)('pg') as {
  readonly Pool: new (options: object) => PgPool;
};

let postgresql: Postgresql | undefined;
before(async () => void (postgresql = await startPostgresql()));
after(() => postgresql?.stop());

const drivers: Readonly<Record<string, () => SqlDriver | undefined>> = {
  SQLite: () => sqliteDriver(new DatabaseSync(':memory:')),
  PostgreSQL: () =>
    postgresql && postgresqlDriver(new Pool({ connectionString: postgresql.url, max: 4 })),
};

const eventOf = (id: string, subject: string) => ({
  ...{ kind: 'event' as const, id, subject, body: '{"text":"\\u0000 \\ud800"}' },
  ...{ createdAt: 1, receivedAt: Date.now() },
});

/** An inbox of this account, and the tables that it is in. */
function inboxOf(driver: SqlDriver, account: string) {
  const tables = new RelayTables({ driver, mayForget: true }, () => Date.now());
  let ids = 0;
  const inbox = new RowsInboxStore({
    ...{ tables, account, holder: { id: 'p', isAlive: true }, clock: systemClock },
    newId: () => `turn ${++ids}`,
  });
  return { tables, inbox };
}

for (const [name, open] of Object.entries(drivers))
  describe(`a group, ${name}`, () => {
    it('of events is kept as if each came alone', async ({ skip }) => {
      const driver = open();
      if (!driver) return skip('PostgreSQL is not installed');
      const { inbox } = inboxOf(driver, 'events');
      const events = [
        eventOf('b', 'invoice:2'),
        eventOf('c', 'invoice:2'),
        eventOf('a', 'invoice:1'),
        eventOf('b', 'invoice:2'),
        eventOf('a', 'invoice:3'),
        eventOf('half \ud800', 'invoice:1'),
      ];
      const added = await inbox.add(events);
      expect(added).to.deep.equal(['new', 'new', 'new', 'known', 'clash', 'new']);
      expect(await inbox.add(events.slice(0, 2))).to.deep.equal(['known', 'known']);
      const leases = await inbox.lease(Date.now(), 60_000);
      const kept = leases.map(({ subject, events: own }) => [subject, own.map(({ id }) => id)]);
      expect(Object.fromEntries(kept)).to.deep.equal({
        'invoice:1': ['a', 'half \ufffd'],
        'invoice:2': ['b', 'c'],
      });
      expect(leases[0]!.events[0]!.body).to.equal(events[0]!.body);
    });

    it('of commits ends what is leased, and nothing of a void lease', async ({ skip }) => {
      const driver = open();
      if (!driver) return skip('PostgreSQL is not installed');
      const { inbox, tables } = inboxOf(driver, 'commits');
      await inbox.add(['1', '2', '3'].map((id) => eventOf(id, `invoice:${id}`)));
      const leases = await inbox.lease(Date.now(), 60_000);
      await tables.batch([
        sql`UPDATE {}_subject SET number = number + 1 WHERE subject = 'invoice:2'`,
      ]);
      const due = Date.now() + 3_600_000;
      const committed = leases.map(async (lease) => {
        const commit = { state: { of: lease.subject }, due, done: lease.events };
        return [lease.subject, await inbox.commit(lease, commit)] as const;
      });
      expect(Object.fromEntries(await Promise.all(committed))).to.deep.equal({
        ...{ 'invoice:1': true, 'invoice:2': false, 'invoice:3': true },
      });
      const rows = await tables.read(sql`SELECT s.subject, s.state, s.holder, s.due, e.open
        FROM {}_subject s JOIN {}_event e ON e.account = s.account AND e.subject = s.subject
        WHERE s.account = 'commits' ORDER BY s.subject`);
      const kept = rows.map(({ subject, state, holder, open: left }) => [
        ...[subject, state, holder, left],
      ]);
      expect(kept).to.deep.equal([
        ['invoice:1', '{"of":"invoice:1"}', null, 0],
        ['invoice:2', null, 'p', 1],
        ['invoice:3', '{"of":"invoice:3"}', null, 0],
      ]);
      expect(Math.abs(Number(rows[0]!['due']) - due)).to.be.below(60_000);
    });
  });
