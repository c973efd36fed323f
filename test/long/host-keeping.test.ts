// Protects: a relay whose database takes no writes says so, and an order that was not kept is `not-done`; what is old
// is forgotten as fast as 250 orders a minute bring it, subjects and dead letters included. In virtual time.
// Part of `npm test`.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { type ReceivedEvent, sqliteDriver } from 'paystate/stores';
import { describe, it } from '#test';
import { systemClock } from '../../dist/core/time.js';
import { RelayTables } from '../../dist/relay/relay-tables.js';
import { RowsInboxStore } from '../../dist/relay/rows-inbox-store.js';
import { SqlRelayStore } from '../../dist/relay/sql-relay-store.js';
import { DRAFT, openHere } from './host/here.ts';
import { openObjects } from './relay-objects.ts';

const SECOND = 1_000;
const DAY = 86_400_000;
const MONTH = 30 * DAY;
const WRITES = /^\s*(INSERT|UPDATE|DELETE)/;

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe('a database that answers and takes no writes', () => {
  it('is in the health of the relay, until it takes them again', async () => {
    const here = openHere();
    const { relay, sandbox, database } = here;
    await sandbox.run(relay.ready);
    await sandbox.advance(3 * SECOND);
    database.refuses = WRITES;
    await failureOf(sandbox.run(relay.createOrder('main', DRAFT)));
    await sandbox.advance(2 * SECOND);
    expect(relay.health()).to.include({ ok: false, databaseAge: 0 });
    database.refuses = undefined;
    await sandbox.advance(2 * SECOND);
    expect(relay.health()).to.include({ ok: true });
    database.refuses = /_order/; // one statement fails for reasons of its own
    await failureOf(sandbox.run(relay.createOrder('main', DRAFT)));
    await sandbox.advance(2 * SECOND);
    expect(relay.health()).to.include({ ok: true });
    await relay.close();
  });

  it('makes an order not-done, on rows and in an object', async () => {
    const here = openHere();
    await here.sandbox.run(here.relay.ready);
    here.database.refuses = WRITES;
    const said = { kind: 'unreachable', outcome: 'not-done', next: 'retry' };
    expect(await failureOf(here.sandbox.run(here.relay.createOrder('main', DRAFT)))).to.include(
      said,
    );
    await here.relay.close();
    const { account, relay, sandbox } = openObjects();
    await sandbox.run(relay.createOrder(DRAFT));
    account.refuses = WRITES;
    expect(await failureOf(sandbox.run(relay.createOrder(DRAFT)))).to.include(said);
  });

  it('leaves an order unknown where the driver does not know', async () => {
    const driver = sqliteDriver(new DatabaseSync(':memory:'));
    let isLost = false;
    const lost = Object.assign(new Error('no answer'), { outcome: 'unknown' });
    const here = openHere({
      driver: {
        ...driver,
        batch: (list: never, more: never) =>
          isLost ? Promise.reject(lost) : driver.batch(list, more),
      },
    } as never);
    await here.sandbox.run(here.relay.ready);
    isLost = true;
    const failure = await failureOf(here.sandbox.run(here.relay.createOrder('main', DRAFT)));
    expect(failure).to.include({ kind: 'unreachable', outcome: 'unknown' });
    await here.relay.close();
  });
});

describe('what is old', () => {
  /** An inbox on rows, and its time. */
  function openRows() {
    const time = { now: Date.now() };
    const db = new DatabaseSync(':memory:');
    const clock = { ...systemClock, now: () => time.now };
    const tables = new RelayTables({ driver: sqliteDriver(db), mayForget: true }, clock.now);
    const newId = (): string => crypto.randomUUID();
    const holder = { id: 'p', isAlive: true };
    const inbox = new RowsInboxStore({ tables, account: 'a', clock, newId, holder });
    const count = (table: string): number =>
      Number(db.prepare(`SELECT count(*) AS n FROM paystate_${table}`).get()!['n']);
    const store = new SqlRelayStore(tables, newId);
    return { time, inbox, store, count };
  }

  const eventOf = (n: number, subject: string, at: number): ReceivedEvent => ({
    ...{ kind: 'event', id: `event-${n}`, subject, body: '{}' },
    ...{ createdAt: at, receivedAt: at },
  });

  async function workOff(inbox: RowsInboxStore, now: number): Promise<void> {
    for (;;) {
      const leases = await inbox.lease(now, 60 * SECOND);
      if (leases.length === 0) return;
      await Promise.all(
        leases.map((lease) => inbox.commit(lease, { state: { n: 1 }, done: lease.events })),
      );
    }
  }

  it('goes as fast as 250 orders a minute bring it, subjects included', async () => {
    const { time, inbox, count } = openRows();
    const perFeed = 5 * 250;
    const events = Array.from({ length: 2 * perFeed }, (_, n) =>
      eventOf(n, `invoice:${n % perFeed}`, time.now),
    );
    await inbox.add(events);
    await workOff(inbox, time.now);
    time.now += 29 * DAY;
    await inbox.add([eventOf(9_999, 'invoice:0', time.now)]); // this one has come to life again
    await workOff(inbox, time.now);
    await inbox.forget(time.now - MONTH);
    expect([count('event'), count('subject')]).to.deep.equal([2 * perFeed + 1, perFeed]);
    time.now += 2 * DAY;
    await inbox.forget(time.now - MONTH);
    expect([count('event'), count('subject')]).to.deep.equal([1, 1]);
    time.now += MONTH;
    await inbox.forget(time.now - MONTH);
    expect([count('event'), count('subject')]).to.deep.equal([0, 0]);
  });

  it('is never what waits: an open event keeps its subject', async () => {
    const { time, inbox, count } = openRows();
    await inbox.add([eventOf(1, 'invoice:a', time.now)]);
    const [lease] = await inbox.lease(time.now, SECOND);
    await inbox.commit(lease!, { state: {}, due: time.now + 90 * DAY });
    time.now += 60 * DAY;
    await inbox.forget(time.now - MONTH);
    expect([count('event'), count('subject')]).to.deep.equal([1, 1]);
  });

  it('counts for dead letters, and in the end for their orders', async () => {
    const { time, inbox, store, count } = openRows();
    const order = { orderId: 'o', hash: 'h', draft: DRAFT, until: time.now + 2 * DAY };
    await store.addOrder('a', order as never);
    await store.setOrderInvoice('a', 'o', { invoiceId: 'i', receiverId: 'r' } as never);
    await store.holdOrder('a', 'o');
    await inbox.add([eventOf(1, 'invoice:i', time.now)]);
    const [lease] = await inbox.lease(time.now, SECOND);
    const letter = { key: 'k', subject: 'invoice:i', body: '{}' };
    await inbox.deadLetter(lease!, { state: {}, done: lease!.events }, letter);
    time.now += 29 * DAY;
    await inbox.forget(time.now - MONTH);
    await store.clean(MONTH, 500);
    expect([count('letter'), count('order')]).to.deep.equal([1, 1]);
    time.now += 2 * DAY;
    await inbox.forget(time.now - MONTH);
    expect(count('letter')).to.equal(0);
    time.now += 2 * MONTH + 2 * DAY;
    await store.clean(MONTH, 500);
    expect(count('order')).to.equal(0);
  });
});
