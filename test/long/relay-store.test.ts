// Protects: the relay's rows decide and write as one, in SQLite and PostgreSQL alike: one opens an order, one reads an invoice, no
// write is lost, no version is given twice, a dead process holds nothing.
// Part of `npm test`.
import { createRequire } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { createClient, type Invoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { postgresqlDriver, sqliteDriver, type SqlDriver } from 'paystate/stores';
import { after, before, describe, it } from '#test';
import { systemClock } from '../../dist/core/time.js';
import { SharedTurns } from '../../dist/relay/limits.js';
import { RelayTables } from '../../dist/relay/relay-tables.js';
import type { InvoiceWrite } from '../../dist/relay/relay-store.js';
import { RowsInboxStore } from '../../dist/relay/rows-inbox-store.js';
import { SqlRelayStore } from '../../dist/relay/sql-relay-store.js';
import { type Postgresql, startPostgresql } from '../runners/stores/postgresql.ts';

const MINUTE = 60_000;
const PAUSE = 30;
const { Pool } = createRequire(import.meta.url)('pg') as {
  readonly Pool: new (o: object) => never;
};

let postgresql: Postgresql | undefined;
before(async () => void (postgresql = await startPostgresql()));
after(() => postgresql?.stop());

/** The texts of all statements that SQLite was given. */
const asked = new Set<string>();

function openSqlite(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  const prepare = database.prepare.bind(database);
  database.prepare = (sql, ...options) => {
    asked.add(sql);
    return prepare(sql, ...options);
  };
  return database;
}

const drivers: Readonly<Record<string, () => SqlDriver | undefined>> = {
  SQLite: () => sqliteDriver(openSqlite()),
  PostgreSQL: () =>
    postgresql && postgresqlDriver(new Pool({ connectionString: postgresql.url, max: 20 })),
};

let accounts = 0;

function openStore(driver: SqlDriver) {
  const tables = new RelayTables({ driver, mayForget: true }, () => Date.now());
  let ids = 0;
  const account = `account${++accounts}`;
  const newId = () => `${account}-${++ids}`;
  const store = new SqlRelayStore(tables, newId);
  const parts = { tables, account, clock: systemClock, newId };
  const inboxOf = (id: string, isAlive = true) =>
    new RowsInboxStore({ ...parts, holder: { id, isAlive } });
  /** An inbox whose processes take turns; `taken` has the id of a process for each. */
  const taken: string[] = [];
  const inTurns = (id: string, interval: number, ending?: AbortSignal) =>
    new RowsInboxStore({
      ...{ ...parts, holder: { id, isAlive: true, ending } },
      turns: {
        ...{ kind: 'events', pace: { interval, burst: 0 } },
        noteTaken: () => void taken.push(id),
      },
    });
  return { account, store, inboxOf, inTurns, taken, tables };
}

const order = {
  orderId: 'o',
  hash: 'h',
  draft: { amount: { amount: '1', currency: 'EUR' } },
  until: Date.now() + 60 * MINUTE,
};
const invoiceOf = (invoiceId: string, state = 'UNPAID') =>
  ({ invoiceId, state, receiverId: 'r' }) as unknown as Invoice;
const writeOf = (invoiceId: string, state = 'UNPAID', isNews = true): InvoiceWrite => ({
  asOf: Date.now(),
  value: invoiceOf(invoiceId, state),
  held: { state, sentAt: Date.now(), since: Date.now() },
  unconfirmed: undefined,
  isNews,
});
const eventOf = (id: string, subject = 'invoice:i', kind: 'event' | 'redelivery' = 'event') => ({
  ...{ kind, id, subject, body: '{}', createdAt: 1, receivedAt: Date.now() },
});
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE));

describe('the rows of a relay', () => {
  for (const [name, open] of Object.entries(drivers)) {
    const itHolds = (title: string, test: (world: ReturnType<typeof openStore>) => Promise<void>) =>
      it(`${title}: ${name}`, ({ skip }) => {
        const driver = open();
        return driver ? test(openStore(driver)) : skip('PostgreSQL is not installed');
      });

    itHolds('keep an order once, and let one process at a time open it', async (world) => {
      const { account, store } = world;
      expect(await store.addOrder(account, order)).to.equal(order.until);
      const later = { ...order, until: order.until + MINUTE };
      expect(await store.addOrder(account, later), 'it ends as it did').to.equal(order.until);
      const other = { ...order, hash: 'other' };
      expect(await store.addOrder(account, other)).to.equal(undefined);
      const opened = await Promise.all(
        Array.from({ length: 20 }, (_, n) => store.openOrder(account, 'o', `p${n}`, MINUTE)),
      );
      expect(opened.filter((one) => one!.isOurTurn)).to.have.length(1);
      await store.bury(`p${opened.findIndex((one) => one!.isOurTurn)}`);
      expect((await store.openOrder(account, 'o', 'slow', 1))!.isOurTurn).to.equal(true);
      await pause();
      expect((await store.openOrder(account, 'o', 'late', MINUTE))!.isOurTurn).to.equal(true);
      await store.leaveOrder(account, 'o', 'slow'); // its turn is over: nothing changes
      expect((await store.openOrder(account, 'o', 'next', MINUTE))!.isOurTurn).to.equal(false);
      await store.leaveOrder(account, 'o', 'late');
      expect((await store.openOrder(account, 'o', 'next', MINUTE))!.isOurTurn).to.equal(true);
      const made = ['i1', 'i2'].map((id) => store.setOrderInvoice(account, 'o', invoiceOf(id)));
      expect(new Set(await Promise.all(made)).size, 'the first stays').to.equal(1);
      const { order: kept, isOurTurn } = (await store.openOrder(account, 'o', 'p', 1))!;
      expect([kept.invoiceId, isOurTurn]).to.deep.equal([(await Promise.all(made))[0], false]);
      expect([...(await store.findOrdered(account, [kept.invoiceId!, 'x']))]).to.deep.equal([
        kept.invoiceId,
      ]);
      expect(await store.order('another', 'o')).to.equal(undefined);
    });

    itHolds('write an invoice only over what was read, with versions that rise', async (world) => {
      const { account, store } = world;
      const first = [1, 2, 3].map(() => store.writeInvoice(account, 'i', 0, writeOf('i')));
      expect((await Promise.all(first)).filter(Boolean)).to.have.length(1);
      const versions: number[] = [];
      for (let n = 0; n < 5; n += 1) {
        const [row] = await store.invoices(account, ['i', 'none']);
        versions.push(row!.version);
        const writes = [1, 2, 3].map(() =>
          store.writeInvoice(account, 'i', row!.revision, writeOf('i', 'PAID')),
        );
        expect((await Promise.all(writes)).filter(Boolean)).to.have.length(1);
      }
      expect(new Set(versions).size).to.equal(5);
      expect([...versions].sort((a, b) => a - b)).to.deep.equal(versions);
      expect(versions[0]! > Date.now() - MINUTE, 'as large as the time').to.equal(true);
      const known = { account, invoiceId: 'i', version: versions.at(-1)!, seen: 9e15 };
      expect(await store.newer([known])).to.have.length(1);
      const [row] = await store.invoices(account, ['i']);
      expect(await store.newer([{ ...known, version: row!.version }])).to.have.length(0);
      await store.writeInvoice(account, 'i', row!.revision, writeOf('i', 'PAID', false));
      expect(await store.newer([{ ...known, version: row!.version }]), 'no news').to.have.length(0);
    });

    itHolds('make one code at a time', async ({ account, store }) => {
      await store.writeInvoice(account, 'i', 0, writeOf('i'));
      const claims = [1, 2, 3, 4].map((n) => store.claimQuote(account, 'i', `p${n}`, MINUTE));
      expect((await Promise.all(claims)).filter(Boolean)).to.have.length(1);
      const [before] = await store.invoices(account, ['i']);
      await store.setQuote(account, 'i', { quote: {} as never, validity: 1, endsAt: 2 });
      const [row] = await store.invoices(account, ['i']);
      expect(row!.quote!.endsAt).to.equal(2);
      expect(row!.version).to.be.above(before!.version);
      expect(await store.claimQuote(account, 'i', 'p', MINUTE)).to.equal(true);
    });

    itHolds('give each check to one process, and forget what nobody shows', async (world) => {
      const { account, store } = world;
      const ids = Array.from({ length: 50 }, (_, n) => `i${n}`);
      await store.follow(account, ids, MINUTE);
      const checks = await Promise.all(
        [1, 2, 3].map((n) => store.takeChecks(account, `p${n}`, 20, MINUTE)),
      );
      const taken = checks.flat().map(({ invoiceId }) => invoiceId);
      expect(new Set(taken).size).to.equal(taken.length);
      expect(await store.countFollowed(account)).to.equal(50);
      expect(await store.claimRead(account, taken[0]!, 'another', MINUTE)).to.equal(false);
      await store.endChecks(
        account,
        'p1',
        checks[0]!.map(({ invoiceId }) => ({ invoiceId, checkIn: 0 })),
      );
      const again = await store.takeChecks(account, 'p', 50, MINUTE);
      expect(again.length).to.equal(50 - checks[1]!.length - checks[2]!.length);
      await store.bury('p2');
      expect(await store.takeChecks(account, 'p', 50, MINUTE)).to.have.length(checks[1]!.length);
      await store.drop(account, ids);
      expect(await store.countFollowed(account)).to.equal(0);
    });

    itHolds(
      'say since when something is true, but not over an event that is not read',
      async (world) => {
        const { account, store, inboxOf } = world;
        await store.writeInvoice(account, 'i', 0, { ...writeOf('i'), asOf: 1 });
        await store.follow(account, ['i'], MINUTE);
        const seen = async () => (await store.invoices(account, ['i']))[0]!.seen;
        const now = Date.now();
        await store.confirm(account, now, [{ invoiceId: 'i', mayLag: false }]);
        expect(await seen()).to.equal(now);
        await inboxOf('p').add([eventOf('e')]);
        await store.confirm(account, now + 1, [{ invoiceId: 'i', mayLag: true }]);
        expect(await seen(), 'a copy may hide it').to.equal(now);
        await store.claimFeed(account, 0);
        await store.endFeed(account, 0, now + MINUTE);
        expect(await seen(), 'the feed does not say it').to.equal(now);
        await store.confirm(account, now + MINUTE, [{ invoiceId: 'i', mayLag: true }]);
        await store.endFeed(account, 0, now + 2 * MINUTE);
        expect(await seen()).to.equal(now + 2 * MINUTE);
      },
    );

    itHolds('count requests of one address for all, and a block for each', async (world) => {
      const { account: address, store } = world;
      const pace = { most: 5, window: 10 * MINUTE };
      const taken = await Promise.all(
        Array.from({ length: 20 }, () => store.takeEgress(address, 'others', pace)),
      );
      expect(taken.filter(({ delay }) => delay === 0)).to.have.length(5);
      const { used, delay: full } = await store.readEgress(address, 'others', pace);
      expect([used, full > 9 * MINUTE]).to.deep.equal([5, true]);
      await store.blockEgress(address, 'others', MINUTE);
      await store.blockEgress(address, 'others', 1);
      const { blockedFor, delay } = await store.takeEgress(address, 'others', pace);
      expect(blockedFor).to.be.within(MINUTE / 2, MINUTE);
      expect(delay).to.be.at.least(blockedFor);
      const { blockedFor: other, used: none } = await store.readEgress(address, 'rates', pace);
      expect([other, none]).to.deep.equal([0, 0]);
    });

    itHolds('leave a part of what one address may to what must not wait', async (world) => {
      const { account: address, store } = world;
      const take = (reserve: number) =>
        store.takeEgress(address, 'others', { most: 10, window: MINUTE, reserve });
      const takenOf = async (reserve: number): Promise<number> => {
        const taken = await Promise.all(Array.from({ length: 12 }, () => take(reserve)));
        return taken.filter(({ delay }) => delay === 0).length;
      };
      expect([await takenOf(4), await takenOf(4), await takenOf(0)]).to.deep.equal([6, 0, 4]);
      await store.blockEgress(address, 'others', 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const { used, part } = await store.readEgress(address, 'others', {
        most: 10,
        window: MINUTE,
      });
      expect([used, part]).to.deep.equal([10, 0.5]);
    });

    itHolds('give no turn twice, and know who has had how many', async ({ account, store }) => {
      const pace = { most: 10, window: MINUTE };
      const turns = await Promise.all(
        Array.from({ length: 5 }, () => store.takeTurns(account, 'open', 4, pace)),
      );
      expect(turns.map(({ granted }) => granted).reduce((a, b) => a + b)).to.equal(10);
      const { granted, delay } = await store.takeTurns(account, 'open', 1, pace);
      expect(granted).to.equal(0);
      expect(delay).to.be.within(MINUTE / 2, MINUTE);
      expect((await store.takeTurns(account, 'read', 3, pace)).granted).to.equal(3);
      await store.freeTurns(account, 'open');
      expect((await store.takeTurns(account, 'open', 4, pace)).granted).to.equal(4);
      const charge = (count: number, ms: number) =>
        store.chargeTurns(account, 'open', [{ who: 'a', count, ms }]);
      await charge(2, MINUTE);
      await charge(3, MINUTE);
      const had = await store.hadTurns(account, 'open', ['a', 'b']);
      expect([had.has('b'), had.get('a')!.count]).to.deep.equal([false, 5]);
      expect(had.get('a')!.left).to.be.within(MINUTE / 2, MINUTE);
      await store.chargeTurns(account, 'open', [{ who: 'c', count: 1, ms: 1 }]);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect((await store.hadTurns(account, 'open', ['c'])).size).to.equal(0);
    });

    itHolds('spread the last turns of a window evenly', async ({ account, store }) => {
      const pace = { most: 10, window: 2_000, spread: 4 };
      const take = async (wanted: number) => store.takeTurns(account, 'open', wanted, pace);
      expect((await take(8)).granted).to.equal(6);
      expect((await take(8)).granted).to.equal(1);
      const { granted, delay } = await take(8);
      expect(granted).to.equal(0);
      expect(delay).to.be.within(1, 500);
      await new Promise((resolve) => setTimeout(resolve, delay));
      expect((await take(8)).granted).to.equal(1);
    });

    itHolds('keep even requests for what must not wait', async ({ account, store }) => {
      const pace = { most: 24, window: MINUTE, spread: 8 };
      const take = async (reserve: number) =>
        (await store.takeTurns(account, 'open', 24, { ...pace, reserve })).granted;
      expect([await take(8), await take(8), await take(8)]).to.deep.equal([8, 1, 0]);
      expect([await take(0), await take(0)]).to.deep.equal([7, 0]);
    });

    itHolds('let even requests use nearly all of a window', async ({ account, store }) => {
      const pace = { most: 24, window: 1_000, spread: 12 };
      const granted: number[] = [];
      for (let n = 0; n < 36; n++) {
        granted.push((await store.takeTurns(account, 'open', 1, pace)).granted);
        await new Promise((resolve) => setTimeout(resolve, 55));
      }
      expect(granted).to.not.include(0);
    });

    itHolds('void what a dead process had, and let it write no more', async (world) => {
      const { account, store, inboxOf } = world;
      const [dead, alive] = [inboxOf('dead'), inboxOf('alive')];
      await store.claimFeed(account, MINUTE);
      await dead.add([eventOf('e')]);
      expect(await store.dueAccounts(1_000)).to.include(account);
      const [lease] = await dead.lease(0, MINUTE);
      const later = Date.now() + 5 * MINUTE;
      expect(await dead.commit(lease!, { state: { n: 1 }, due: later, until: later })).to.equal(
        true,
      );
      expect(await alive.lease(0, MINUTE)).to.have.length(0);
      expect(await store.dueAccounts(1_000)).to.not.include(account);
      await store.bury('dead');
      expect(await dead.commit(lease!, { state: 'late' }), 'its lease is void').to.equal(false);
      expect(await store.dueAccounts(1_000)).to.include(account);
      const [next] = await alive.lease(0, MINUTE);
      expect([next!.state, next!.events.length]).to.deep.equal([{ n: 1 }, 1]);
      let isWritten = false;
      const late = await dead.commit(lease!, { state: 'late' }, () => (isWritten = true));
      expect([late, isWritten]).to.deep.equal([false, true]); // asked for, and not committed
      expect(await alive.commit(next!, { state: undefined, done: next!.events })).to.equal(true);
      const silent = await inboxOf('silent', false)
        .commit(next!, { state: 1 })
        .catch((error: Error) => error.message);
      expect(silent).to.contain('4 s');
    });

    itHolds('lose no event that comes while its subject is worked on', async ({ inboxOf }) => {
      const inbox = inboxOf('p');
      expect(
        await inbox.add([eventOf('e'), eventOf('e'), eventOf('e', 'invoice:j')]),
      ).to.deep.equal(['new', 'known', 'clash']);
      const [lease] = await inbox.lease(0, MINUTE);
      await inbox.add([eventOf('f')]);
      await inbox.commit(lease!, { state: 1, done: lease!.events });
      const [next] = await inbox.lease(0, MINUTE);
      expect(next!.events.map(({ id }) => id)).to.deep.equal(['f']);
      expect((await inbox.counts()).open).to.equal(1);
      const letter = { key: 'k', subject: 'invoice:i', body: 'b' };
      expect(await inbox.deadLetter(next!, { state: 2, done: next!.events }, letter)).to.equal(
        true,
      );
      expect(await inbox.deadLetters()).to.deep.equal([letter]);
      expect(await inbox.requeue('k', eventOf('k', 'invoice:i', 'redelivery'))).to.equal(true);
      expect(await inbox.requeue('k', eventOf('k2', 'invoice:i', 'redelivery'))).to.equal(false);
      expect((await inbox.lease(0, MINUTE))[0]!.events).to.have.length(1);
    });

    itHolds('let one process at a time take all that is due, orders first', async (world) => {
      const { account, store, inTurns, taken } = world;
      const inboxes = ['p', 'q', 'r'].map((id) => inTurns(id, 100));
      const leaseAll = async () => {
        const leases = await Promise.all(inboxes.map((inbox) => inbox.lease(0, MINUTE)));
        return leases
          .map((list) => list.map(({ subject }) => subject))
          .filter(({ length }) => length);
      };
      expect(await leaseAll(), 'nothing is due').to.deep.equal([]);
      await store.addOrder(account, order);
      await store.setOrderInvoice(account, 'o', invoiceOf('ordered'));
      const strangers = Array.from({ length: 150 }, (_, n) => eventOf(`e${n}`, `invoice:${n}`));
      await inboxes[0]!.add([...strangers, eventOf('paid', 'invoice:ordered')]);
      const since = performance.now();
      const [first, second, ...others] = (await leaseAll()).sort((a, b) => b.length - a.length);
      expect([first!.length, second!.length, others]).to.deep.equal([100, 51, []]);
      expect(first).to.include('invoice:ordered');
      expect(performance.now() - since, 'the second waits for its turn').to.be.at.least(95);
      expect(new Set(taken).size).to.equal(2);
      await inboxes[1]!.add([eventOf('next', 'invoice:next')]);
      expect(await leaseAll()).to.deep.equal([['invoice:next']]);
      expect(taken).to.have.length(3);
    });

    itHolds(
      'share turns to read among processes, and refuse one that comes too late',
      async (world) => {
        const { account, store } = world;
        const turnsOf = (kind: string, limit: number, window: number) => {
          const { clientOptions } = createSandbox({ clock: 'real' });
          const rateLimits = { others: { limit, window, block: window } };
          const client = createClient({ ...clientOptions, rateLimits });
          return new SharedTurns(client, store, account, { kind, part: 1, priority: 'high' });
        };
        const [one, other] = [turnsOf('events', 20, 1_000), turnsOf('events', 20, 1_000)];
        const since = performance.now();
        for (let n = 0; n < 3; n++) await Promise.all([one.next(), other.next()]);
        const { interval, burst } = one.pace;
        const least = 5 * interval - burst; // six turns, however many processes
        expect(performance.now() - since).to.be.at.least(least - 5);
        one.noteTaken();
        const before = performance.now();
        await one.next(); // it was taken with the work
        expect(performance.now() - before).to.be.below(interval);
        const slow = turnsOf('checks', 1, 600_000);
        expect(await slow.takeNow()).to.equal(true);
        expect(await slow.takeNow()).to.equal(false);
        const late = await slow.next().catch((error: unknown) => error);
        expect(late).to.include({ code: 'QUEUE_TIMEOUT', outcome: 'not-done' });
      },
    );

    itHolds('take nothing more in a process that ends', async ({ inTurns }) => {
      const over = new AbortController();
      const [inbox, other] = [inTurns('p', MINUTE, over.signal), inTurns('q', MINUTE)];
      await inbox.add([eventOf('e')]);
      expect(await inbox.lease(0, MINUTE)).to.have.length(1);
      await inbox.add([eventOf('f', 'invoice:j')]);
      const waiting = inbox.lease(0, MINUTE);
      await pause();
      over.abort();
      expect(await waiting).to.deep.equal([]);
      const refused = inTurns('r', MINUTE, over.signal);
      expect(await refused.lease(0, MINUTE)).to.deep.equal([]);
      expect((await other.counts()).open).to.equal(2);
    });

    itHolds('forget what is over in small batches, and a service that has ended', async (world) => {
      const { account, store } = world;
      const old = { ...order, until: Date.now() - 2 * MINUTE };
      for (let n = 0; n < 5; n += 1) await store.addOrder(account, { ...old, orderId: `old${n}` });
      await store.addOrder(account, { ...old, orderId: 'held' });
      await store.holdOrder(account, 'held');
      await store.addOrder(account, order);
      while ((await store.clean(MINUTE, 2)) > 0);
      expect(await store.order(account, 'old0')).to.equal(undefined);
      expect((await store.order(account, 'held'))!.orderId).to.equal('held');
      await store.setOrderInvoice(account, 'held', invoiceOf('i'));
      await store.setNote(account, 'world', { id: 'w' });
      await store.forgetService(account);
      expect(await store.order(account, 'held')).to.equal(undefined);
      expect((await store.order(account, 'o'))!.orderId).to.equal('o');
      expect(await store.note(account, 'world')).to.equal(undefined);
    });
  }

  it('are found by an index in SQLite, by every statement of the tests above', async () => {
    const database = openSqlite();
    await openStore(sqliteDriver(database)).store.order('a', 'o');
    const plansOf = (sql: string) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail));
    const statements = [...asked].filter((sql) =>
      /^\s*(SELECT|UPDATE|DELETE|INSERT|WITH)/.test(sql),
    );
    // The turns that are left are one row, made of the parts of one window. All accounts are asked what is due, and shares of more than ten minutes are swept.
    const scanned = statements
      .flatMap(plansOf)
      .flatMap((plan) => /^SCAN (?!json_each|CONSTANT|[tpw]\b)(\w+)/.exec(plan)?.[1] ?? []);
    expect(scanned.toSorted()).to.deep.equal(['a', 'paystate_share']);
    // An account whose service has ended is deleted whole. Otherwise only its own row and its letters,
    // which are few, are read by the account alone.
    const wholes = statements
      .filter((sql) => !/^\s*DELETE FROM \w+\s+WHERE account = \?\s*$/.test(sql))
      .flatMap(plansOf)
      .filter((plan) => /INDEX sqlite_autoindex_\w+ \(account=\?\)/.test(plan))
      .map((plan) => plan.split(' ')[1]);
    expect([...new Set(wholes)]).to.deep.equal(['a', 'paystate_account', 'paystate_letter']);
  });
});
