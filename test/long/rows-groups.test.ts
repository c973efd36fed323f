// Protects: events that are written together are kept as if they came one after the other: each once, those of one subject in
// their order, and an id that another subject has is told.
import { createRequire } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { postgresqlDriver, type PgPool, sqliteDriver, type SqlDriver } from 'paystate/stores';
import { after, before, describe, it } from '#test';
import { systemClock } from '../../dist/core/time.js';
import { RelayTables } from '../../dist/relay/relay-tables.js';
import { RowsInboxStore } from '../../dist/relay/rows-inbox-store.js';
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

describe('a group of events', () => {
  for (const [name, open] of Object.entries(drivers))
    it(`is kept as if each came alone: ${name}`, async ({ skip }) => {
      const driver = open();
      if (!driver) return skip('PostgreSQL is not installed');
      const tables = new RelayTables({ driver, mayForget: true }, () => Date.now());
      let ids = 0;
      const inbox = new RowsInboxStore({
        ...{ tables, account: 'main', holder: { id: 'p', isAlive: true }, clock: systemClock },
        newId: () => `turn ${++ids}`,
      });
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
});
