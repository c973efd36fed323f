// Live lists: what the service lists, and what this client knows of its rows.
import { expect } from 'chai';
import {
  createClient,
  type Invoice,
  InputError,
  invalidate,
  type KnownListSnapshot,
  type ListSnapshot,
  provide,
  type Watch,
  watchAllReceives,
  watchDeposits,
  watchInvoice,
  watchInvoices,
  watchPayouts,
  watchReceives,
  whereInvoice,
} from 'paystate';
import { describe, it, itLong, itWhole } from '#test';
import { methodDraft, openBank } from '../bank/bank.ts';
import { invoices } from './invoices.ts';
import { inPage } from './page.ts';
import { openShop, record, type Record, type Shop } from './shop.ts';

const LAG = 30_000;
const MINUTE = 60_000;

type Log<T> = Record<KnownListSnapshot<T>>;
const follow = <T>(watch: Watch<ListSnapshot<T>>): Log<T> => record(watch) as unknown as Log<T>;
const ids = (rows: readonly Invoice[]): readonly string[] => rows.map(({ invoiceId }) => invoiceId);
const statesOf = (log: Log<{ readonly state: string }>): readonly string[] =>
  log.values.at(-1)!.items.map(({ state }) => state);

/** A shop whose list of invoices comes from a copy that is so far behind. */
function lagging(): { shop: Shop; behind(ms: number): void } {
  let stale = 0;
  const shop: Shop = openShop({}, (url, ask) => {
    const { pathname: path } = new URL(url);
    if (stale === 0 || path !== '/v1/invoices') return ask();
    const end = shop.sandbox.fault({ method: 'GET', path, action: { stale } });
    const answer = ask();
    end();
    return answer;
  });
  shop.sandbox.fault({ path: '/none', action: { stale: 1 } })(); // a copy knows what was since the first such fault
  return { shop, behind: (ms) => void (stale = ms) };
}

describe('a live list of invoices', () => {
  it('begins with what there is, the newest first, and says nothing of changes', async () => {
    const shop = openShop();
    const made = await invoices(shop, 3);
    const watch = watchInvoices(shop.client);
    expect(watch.current()).to.deep.equal({ freshness: 'loading' });
    const log = follow(watch);
    await shop.sandbox.advance(1_000);
    const [first] = log.values;
    expect(ids(first!.items)).to.deep.equal(ids(made).toReversed());
    expect(first).to.include({ freshness: 'live' });
    expect(first).to.deep.include({ added: [], changed: [], removed: [] });
    expect(watch.current()).to.equal(log.values.at(-1));
    expect(shop.requests.map(({ path, priority }) => [path, priority])).to.deep.equal([
      ['/v1/invoices', 'normal'],
    ]);
    log.stop();
  });

  it('says which row was paid, and keeps the others the same objects', async () => {
    const shop = openShop();
    const [one, other] = await invoices(shop, 2);
    const log = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(1_000);
    const before = log.values.at(-1)!;
    await shop.pay(other!);
    await shop.sandbox.advance(2_500);
    const now = log.values.at(-1)!;
    expect(statesOf(log)).to.deep.equal(['PAID', 'UNPAID']);
    expect(now.changed).to.deep.equal([other!.invoiceId]);
    expect([now.added, now.removed]).to.deep.equal([[], []]);
    expect(now.items[1]).to.equal(before.items[1]);
    expect(now.items[1]!.invoiceId).to.equal(one!.invoiceId);
    expect(now.freshness).to.equal('live');
    log.stop();
  });

  it('says which row was made elsewhere, and which does not meet its condition any more', async () => {
    const shop = openShop();
    const elsewhere = createClient(shop.sandbox.clientOptions);
    const [paid] = await invoices(shop, 2);
    const log = follow(watchInvoices(shop.client, { state: 'UNPAID' }));
    await shop.sandbox.advance(1_000);
    const made = await shop.sandbox.run(
      elsewhere.invoices.create({ amount: { amount: '1', currency: 'USD' } }),
    );
    await shop.sandbox.advance(2_500);
    expect(log.values.at(-1)).to.deep.include({ added: [made.invoiceId], removed: [] });
    await shop.pay(paid!);
    await shop.sandbox.advance(2_500);
    expect(log.values.at(-1)).to.deep.include({ added: [], removed: [paid!.invoiceId] });
    expect(log.values.at(-1)!.items).to.have.length(2);
    expect(log.values.at(-1)!.freshness).to.equal('live');
    log.stop();
  });

  itLong('emits the same content once, as the same object', async () => {
    const shop = openShop();
    await invoices(shop, 3);
    const watch = watchInvoices(shop.client);
    const log = follow(watch);
    await shop.sandbox.advance(5 * MINUTE);
    expect(log.values).to.have.length(1);
    const late = follow(watch);
    expect(late.values).to.deep.equal(log.values);
    expect(late.values[0]).to.equal(log.values[0]);
    log.stop();
    late.stop();
  });

  it('tells a later subscriber of no change that was before it, also after a read', async () => {
    const shop = openShop();
    const elsewhere = createClient(shop.sandbox.clientOptions);
    const [paid] = await invoices(shop, 3);
    const watch = watchInvoices(shop.client);
    const log = follow(watch);
    await shop.sandbox.advance(1_000);
    await shop.pay(paid!);
    await shop.sandbox.advance(2_500);
    const last = log.values.at(-1)!;
    expect(last.changed).to.deep.equal([paid!.invoiceId]);
    const late = follow(watch);
    await shop.sandbox.advance(20_000);
    const none = { added: [], changed: [], removed: [] };
    expect(late.values, 'the current rows, and again after a read').to.have.length(2);
    for (const heard of late.values) expect(heard).to.deep.equal({ ...last, ...none });
    expect(late.values[0]!.items).to.equal(last.items);
    expect(late.values[0]!.checkedAt).to.be.above(last.asOf);
    expect(watch.current()).to.equal(last);
    const { invoiceId } = await shop.sandbox.run(
      elsewhere.invoices.create({ amount: { amount: '1', currency: 'USD' } }),
    );
    await shop.sandbox.advance(20_000);
    for (const { values } of [log, late])
      expect(values.filter(({ added }) => added.includes(invoiceId))).to.have.length(1);
    log.stop();
    late.stop();
  });

  it('lists the oldest first where it is asked to, and no more than its limit', async () => {
    const shop = openShop();
    const made = await invoices(shop, 4);
    const oldest = follow(watchInvoices(shop.client, {}, { order: 'asc', limit: 3 }));
    const newest = follow(watchInvoices(shop.client, {}, { limit: 3 }));
    await shop.sandbox.advance(1_000);
    expect(ids(oldest.values.at(-1)!.items)).to.deep.equal(ids(made.slice(0, 3)));
    expect(ids(newest.values.at(-1)!.items)).to.deep.equal(ids(made.slice(1).toReversed()));
    const [fifth] = await invoices(shop, 1);
    await shop.sandbox.advance(2_500);
    expect(ids(oldest.values.at(-1)!.items)).to.deep.equal(ids(made.slice(0, 3)));
    expect(newest.values.at(-1)).to.deep.include({
      added: [fifth!.invoiceId],
      removed: [made[1]!.invoiceId],
    });
    oldest.stop();
    newest.stop();
  });

  itLong('takes two requests for 150 rows', async () => {
    const shop = openShop();
    const made = await invoices(shop, 160);
    const log = follow(watchInvoices(shop.client, {}, { limit: 150 }));
    await shop.sandbox.advance(500);
    expect(ids(log.values.at(-1)!.items)).to.deep.equal(ids(made.slice(10).toReversed()));
    const first = shop.requests.filter(({ reason = '' }) => reason.startsWith('first read'));
    expect(first).to.have.length(2);
    await shop.sandbox.advance(2 * MINUTE);
    expect(log.values.map(({ freshness }) => freshness)).to.deep.equal(['live']);
    log.stop();
  });

  it('takes the conditions of whereInvoice, and judges by them what it is told', async () => {
    const shop = openShop();
    const [one, other] = await invoices(shop, 2);
    const late = whereInvoice((f) =>
      f.state
        .in(['UNPAID', 'PENDING'])
        .and(f.currency.eq('USD'))
        .and(f.created.gt('2020-01-01T00:00:00Z')),
    );
    const log = follow(watchInvoices(shop.client, late));
    await shop.sandbox.advance(1_000);
    await shop.invoice(); // in EUR
    await shop.sandbox.run(shop.client.invoices.cancel(one!.invoiceId));
    expect(ids(log.values.at(-1)!.items)).to.deep.equal([other!.invoiceId]);
    log.stop();
  });

  it('judges what it is told by each member of its filter', async () => {
    const shop = openShop();
    const { client, sandbox } = shop;
    const create = (correlationId: string) =>
      sandbox.run(
        client.invoices.create({ amount: { amount: '1', currency: 'USD' }, correlationId }),
      );
    await create('before');
    await sandbox.advance(1_000);
    const now = new Date(sandbox.clock.now());
    const later = new Date(now.getTime() + MINUTE);
    const cases = [
      [{ createdBefore: now }, ['before']],
      [{ createdAfter: now }, ['order 7']],
      [{ createdAfter: new Date(0), createdBefore: now }, ['before']],
      [{ createdAfter: now, createdBefore: later }, ['order 7']],
      [{ correlationId: 'order 7' }, ['order 7']],
      [{ correlationId: 'order 8' }, []],
      [{ state: 'UNPAID', correlationId: 'order 8' }, []],
      [{ state: 'PAID', correlationId: 'order 7' }, []],
    ] as const;
    const logs = cases.map(([filter]) => follow(watchInvoices(client, filter)));
    await sandbox.advance(1_000);
    await create('order 7');
    const check = () => {
      for (const [at, [filter, expected]] of cases.entries()) {
        const { items } = logs[at]!.values.at(-1)!;
        const found = items.map(({ correlationId }) => correlationId);
        expect(found, JSON.stringify(filter)).to.deep.equal(expected);
      }
    };
    check();
    await sandbox.advance(LAG);
    check();
    for (const log of logs) log.stop();
  });

  it('shows what stands in the way of the first read, and when rows were confirmed', async () => {
    const shop = openShop();
    const { sandbox } = shop;
    await invoices(shop, 1);
    const watch = watchInvoices(shop.client);
    expect(watch.current()).to.equal(watch.current());
    const end = sandbox.fault({ method: 'GET', action: 'lost-before' });
    const stop = watch.subscribe(() => {});
    await sandbox.advance(10_000);
    expect(watch.current()).to.include({ freshness: 'loading' });
    expect(watch.current().error?.code).to.equal('UNREACHABLE');
    end();
    await sandbox.advance(MINUTE);
    const [live, now] = [watch.current(), sandbox.clock.now()];
    expect(live).to.include({ freshness: 'live', error: undefined });
    expect(now - live.checkedAt!).to.be.within(0, 20_000);
    await sandbox.advance(MINUTE);
    expect(watch.current()).to.equal(live);
    expect(live.checkedAt! - now).to.be.within(30_000, MINUTE);
    expect(live.asOf).to.be.at.most(now);
    stop();
  });

  it('refuses a limit, an order and dates that it cannot take', () => {
    const { client } = openShop();
    for (const limit of [0, -1, 1.5, 1_001, NaN, '10' as never])
      expect(() => watchInvoices(client, {}, { limit }), String(limit)).to.throw(
        InputError,
        /limit/,
      );
    expect(() => watchInvoices(client, {}, { order: 'up' as never })).to.throw(InputError, /order/);
    expect(() => watchInvoices(client, { createdAfter: 'yesterday' })).to.throw(
      InputError,
      /createdAfter/,
    );
    for (const watch of [watchPayouts, watchDeposits])
      expect(() => watch(client, { order: 'asc' } as never)).to.throw(InputError, /order/);
    expect(() => watchAllReceives(client, {}, { order: 'asc' } as never)).to.throw(
      InputError,
      /order/,
    );
  });
});

describe('what this client is told of a row', () => {
  it('by a call of its own is in its lists at once, whatever a lagging copy shows', async () => {
    const { shop, behind } = lagging();
    const [one] = await invoices(shop, 2);
    const open = follow(watchInvoices(shop.client, { state: 'UNPAID' }));
    const over = follow(watchInvoices(shop.client, { state: 'CANCELLED' }));
    const all = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(LAG + 5_000);
    behind(25_000);
    await shop.sandbox.run(shop.client.invoices.cancel(one!.invoiceId));
    const { length } = open.values;
    const check = () => {
      expect(ids(open.values.at(-1)!.items)).not.to.include(one!.invoiceId);
      expect(ids(over.values.at(-1)!.items)).to.deep.equal([one!.invoiceId]);
      expect(statesOf(all)).to.deep.equal(['UNPAID', 'CANCELLED']);
    };
    check();
    expect(open.values.at(-1)).to.deep.include({ removed: [one!.invoiceId] });
    for (let n = 0; n < 20; n++) {
      await shop.sandbox.advance(2_000);
      check();
    }
    behind(0);
    await shop.sandbox.advance(LAG);
    check();
    expect(open.values.length - length, 'no back and forth').to.be.at.most(3);
    for (const log of [open, over, all]) {
      expect(log.values.at(-1)!.freshness).to.equal('live');
      log.stop();
    }
  });

  itLong('before the list began is known to it', async () => {
    const { shop, behind } = lagging();
    const [one, other] = await invoices(shop, 2);
    await shop.sandbox.advance(LAG);
    await shop.sandbox.run(shop.client.invoices.cancel(one!.invoiceId));
    behind(20_000);
    const log = follow(watchInvoices(shop.client, { state: 'UNPAID' }));
    await shop.sandbox.advance(10_000);
    expect(log.values.map(({ items }) => ids(items))).to.deep.equal([[other!.invoiceId]]);
    log.stop();
  });

  it('who makes an invoice sees it in the list at once, also while copies do not have it', async () => {
    const { shop, behind } = lagging();
    await invoices(shop, 1);
    const log = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(LAG);
    behind(20_000);
    const { invoiceId } = await shop.invoice();
    expect(log.values.at(-1)).to.deep.include({ added: [invoiceId] });
    await shop.sandbox.advance(15_000);
    expect(ids(log.values.at(-1)!.items)[0]).to.equal(invoiceId);
    expect(log.values.filter(({ removed }) => removed.length > 0)).to.have.length(0);
    log.stop();
  });

  it('by a watch of one, and what a list reads is news for that watch', async () => {
    const { shop, behind } = lagging();
    const [one, other] = await invoices(shop, 2);
    const log = follow(watchInvoices(shop.client));
    const single = record(watchInvoice(shop.client, one!, { until: 'never' }));
    await shop.sandbox.advance(LAG);
    behind(20_000); // reads by an id alone are not behind
    await shop.pay(one!);
    await shop.sandbox.advance(3_000);
    expect(single.values.at(-1)!.value.state).to.equal('PAID');
    expect(statesOf(log)).to.deep.equal(['UNPAID', 'PAID']);
    await shop.sandbox.run(shop.client.invoices.cancel(other!.invoiceId));
    await shop.sandbox.advance(10_000);
    expect(statesOf(log)).to.deep.equal(['CANCELLED', 'PAID']);
    single.stop();
    log.stop();
  });

  it('by provide is shown as stale until it is read', async () => {
    const shop = openShop();
    const [one] = await invoices(shop, 2);
    const log = follow(watchInvoices(shop.client, { state: 'UNPAID' }));
    await shop.sandbox.advance(1_000);
    const asOf = shop.sandbox.clock.now();
    shop.sandbox.move('invoice', one!.invoiceId, 'PENDING');
    provide(shop.client, 'invoice', { ...one!, state: 'PENDING' }, { asOf });
    expect(log.values.at(-1)).to.include({ freshness: 'stale' });
    expect(log.values.at(-1)).to.deep.include({ removed: [one!.invoiceId] });
    await shop.sandbox.advance(500);
    expect(log.values.at(-1)).to.include({ freshness: 'live' });
    expect(log.values.at(-1)!.items).to.have.length(1);
    log.stop();
  });

  it('by an announcement is pending until a read shows it', async () => {
    const { shop, behind } = lagging();
    const [one] = await invoices(shop, 2);
    const log = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(LAG + 1_000);
    behind(10_000);
    await shop.pay(one!);
    invalidate(shop.client, 'invoice', one!.invoiceId);
    expect(log.values.at(-1)).to.include({ freshness: 'stale', pending: 'announced' });
    await shop.sandbox.advance(3_000);
    expect(log.values.at(-1)).to.include({ freshness: 'stale', pending: 'announced' });
    await shop.sandbox.advance(10_000);
    expect(log.values.at(-1)).to.include({ freshness: 'live', pending: undefined });
    expect(log.values.at(-1)!.changed).to.deep.equal([one!.invoiceId]);
    expect(statesOf(log)).to.deep.equal(['UNPAID', 'PAID']);
    invalidate(shop.client, 'invoice', 'no row of it');
    expect(log.values.at(-1)).to.include({ freshness: 'live', pending: undefined });
    log.stop();
  });
});

describe('a live list whose reads come from copies that lag', () => {
  it('never gives up a row that it had, nor takes one back that has left', async () => {
    const { shop, behind } = lagging();
    await invoices(shop, 1);
    const log = follow(watchInvoices(shop.client, { state: 'UNPAID' }));
    await shop.sandbox.advance(LAG + 5_000);
    const elsewhere = createClient(shop.sandbox.clientOptions);
    const { invoiceId } = await shop.sandbox.run(
      elsewhere.invoices.create({ amount: { amount: '1', currency: 'USD' } }),
    );
    await shop.sandbox.advance(2_500);
    expect(ids(log.values.at(-1)!.items)).to.include(invoiceId);
    behind(20_000); // before it was made
    await shop.sandbox.advance(10_000);
    expect(ids(log.values.at(-1)!.items)).to.include(invoiceId);
    behind(0);
    await shop.sandbox.advance(LAG);
    const { length } = log.values;
    await shop.sandbox.run(sandboxPays(shop, invoiceId));
    await shop.sandbox.advance(2_500);
    expect(ids(log.values.at(-1)!.items)).not.to.include(invoiceId);
    behind(20_000); // before it was paid
    await shop.sandbox.advance(15_000);
    expect(ids(log.values.at(-1)!.items)).not.to.include(invoiceId);
    expect(log.values.slice(length).filter(({ added }) => added.length > 0)).to.have.length(0);
    log.stop();
  });

  it('shows what it had before and what it is told, until it is read', async () => {
    const shop = openShop();
    const [one, other] = await invoices(shop, 2);
    const watch = watchInvoices(shop.client);
    const before = follow(watch);
    await shop.sandbox.advance(1_000);
    before.stop();
    await shop.sandbox.advance(MINUTE);
    shop.sandbox.fault({ path: '/v1/invoices', action: { status: 503 } });
    const log = follow(watch);
    await shop.sandbox.run(shop.client.invoices.cancel(one!.invoiceId));
    await shop.sandbox.advance(1_000);
    expect(statesOf(log)).to.deep.equal(['UNPAID', 'CANCELLED']);
    expect(log.values.at(-1)!.items[0]!.invoiceId).to.equal(other!.invoiceId);
    expect(log.values.at(-1)!.freshness).to.equal('stale');
    log.stop();
  });

  it('takes no row back that it had before its last watch ended', async () => {
    const { shop, behind } = lagging();
    const [one] = await invoices(shop, 2);
    await shop.sandbox.advance(LAG);
    await shop.pay(one!);
    const watch = watchInvoices(shop.client);
    const before = follow(watch);
    await shop.sandbox.advance(1_000);
    expect(statesOf(before)).to.deep.equal(['UNPAID', 'PAID']);
    before.stop();
    behind(20_000);
    await shop.sandbox.advance(5_000);
    const log = follow(watch);
    await shop.sandbox.advance(2 * MINUTE);
    for (const { items } of log.values) expect(items[1]!.state).to.equal('PAID');
    expect(log.values.at(-1)!.freshness).to.equal('live');
    log.stop();
  });

  it('asks for a row by its id that is missing and may be too young for a copy', async () => {
    const { shop } = lagging();
    await invoices(shop, 1);
    const log = follow(watchInvoices(shop.client, { state: 'UNPAID' }));
    await shop.sandbox.advance(1_000);
    const elsewhere = createClient(shop.sandbox.clientOptions);
    const { invoiceId } = await shop.sandbox.run(
      elsewhere.invoices.create({ amount: { amount: '1', currency: 'USD' } }),
    );
    await shop.sandbox.advance(2_500);
    await shop.sandbox.run(sandboxPays(shop, invoiceId));
    await shop.sandbox.advance(2_500);
    expect(log.values.at(-1)).to.deep.include({ removed: [invoiceId] });
    expect(log.values.at(-1)!.freshness).to.equal('live');
    log.stop();
  });
});

describe('a full list', () => {
  it('that loses a row is stale until a read has filled its place', async () => {
    const shop = openShop();
    const made = await invoices(shop, 4);
    const log = follow(watchInvoices(shop.client, { state: 'UNPAID' }, { limit: 3 }));
    await shop.sandbox.advance(5_000);
    await shop.sandbox.run(shop.client.invoices.cancel(made[2]!.invoiceId));
    expect(log.values.at(-1)).to.include({ freshness: 'stale', pending: undefined });
    expect(log.values.at(-1)!.items).to.have.length(2);
    await shop.sandbox.advance(500);
    expect(log.values.at(-1)).to.include({ freshness: 'live' });
    expect(ids(log.values.at(-1)!.items)).to.deep.equal(
      [made[3]!, made[1]!, made[0]!].map(({ invoiceId }) => invoiceId),
    );
    log.stop();
  });

  it('does not grow by what watches of single invoices read', async () => {
    const shop = openShop();
    const made = await invoices(shop, 6);
    const log = follow(watchInvoices(shop.client, {}, { limit: 3 }));
    await shop.sandbox.advance(1_000);
    const singles = made.map((one) => record(watchInvoice(shop.client, one, { until: 'never' })));
    await shop.sandbox.advance(10_000);
    await shop.pay(made[0]!);
    await shop.sandbox.advance(10_000);
    expect(log.values.map(({ items, freshness }) => [freshness, items.length])).to.deep.equal([
      ['live', 3],
    ]);
    for (const one of [log, ...singles]) one.stop();
  });
});

/** Numbers that look random, the same for the same seed. */
function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

describe('a live list in a random world', () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8])
    itLong(
      `shows no row twice, none otherwise than told, and in the end what is so (${seed})`,
      async () => {
        const { shop, behind } = lagging();
        const { sandbox, client } = shop;
        const draw = drawing(seed);
        const elsewhere = createClient(sandbox.clientOptions);
        const made = await invoices(shop, 5);
        const log = follow(watchInvoices(client, { state: 'UNPAID' }, { limit: 10 }));
        const all = follow(watchInvoices(client, {}, { order: 'asc', limit: 200 }));
        const cancelled = new Set<string>();
        const check = () => {
          const open = log.values.at(-1)?.items ?? [];
          const rows = all.values.at(-1)?.items ?? [];
          for (const items of [open, rows]) expect(new Set(ids(items)).size).to.equal(items.length);
          expect(ids(open).filter((id) => cancelled.has(id))).to.deep.equal([]);
          for (const { invoiceId, state } of rows)
            if (cancelled.has(invoiceId)) expect(state).to.equal('CANCELLED');
        };
        for (let n = 0; n < 60; n++) {
          const { invoiceId } = made[draw(made.length)]!;
          const act = draw(5);
          behind(draw(3) === 0 ? draw(30_000) : 0);
          if (act === 0)
            made.push(
              await sandbox.run(
                elsewhere.invoices.create({ amount: { amount: '1', currency: 'USD' } }),
              ),
            );
          else if (act === 1)
            made.push(
              await sandbox.run(
                client.invoices.create({ amount: { amount: '1', currency: 'USD' } }),
              ),
            );
          else if (act === 2)
            await sandbox
              .run(client.invoices.cancel(invoiceId))
              .then(() => cancelled.add(invoiceId))
              .catch(() => {});
          else if (act === 3) void sandbox.payer.pay(invoiceId).catch(() => {});
          for (let step = 0; step < 4; step++) {
            await sandbox.advance(draw(3_000));
            check();
          }
        }
        behind(0);
        await sandbox.advance(2 * MINUTE);
        const truth = await sandbox.run(client.invoices.list().toArray({ limit: 500 }));
        expect(
          all.values.at(-1)!.items.map(({ invoiceId, state }) => [invoiceId, state]),
        ).to.deep.equal(truth.map(({ invoiceId, state }) => [invoiceId, state]));
        const unpaid = truth
          .filter(({ state }) => state === 'UNPAID')
          .toReversed()
          .slice(0, 10);
        expect(ids(log.values.at(-1)!.items)).to.deep.equal(ids(unpaid));
        for (const one of [log, all]) {
          expect(one.values.at(-1)!.freshness).to.equal('live');
          one.stop();
        }
      },
    );
});

const sandboxPays = ({ sandbox }: Shop, invoiceId: string) => sandbox.payer.pay(invoiceId);

describe('a live list in trouble', () => {
  it('keeps its rows in an outage, is stale meanwhile, and live again after it', async () => {
    const shop = openShop();
    await invoices(shop, 2);
    const log = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(1_000);
    const end = shop.sandbox.fault({ action: 'lost-before' });
    await shop.sandbox.advance(MINUTE);
    expect(log.values.at(-1)).to.include({ freshness: 'stale' });
    expect(log.values.at(-1)!.items).to.equal(log.values[0]!.items);
    expect(log.values.at(-1)!.error).to.have.property('kind', 'unreachable');
    end();
    await shop.sandbox.advance(30_000);
    expect(log.values.at(-1)).to.include({ freshness: 'live', error: undefined });
    expect(
      log.values.filter(({ added, changed }) => added.length + changed.length > 0),
    ).to.have.length(0);
    log.stop();
  });

  it('says that the service blocks it', async () => {
    const shop = openShop();
    await invoices(shop, 1);
    const log = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(1_000);
    const end = shop.sandbox.fault({ method: 'GET', action: { status: 429 } });
    await shop.sandbox.advance(10_000);
    end();
    expect(log.values.at(-1)).to.include({ freshness: 'blocked' });
    expect(log.values.at(-1)!.items).to.have.length(1);
    log.stop();
  });

  it('of a credential without the scope ends FORBIDDEN, and begins again by retry', async () => {
    const shop = openShop();
    await invoices(shop, 1);
    const end = shop.sandbox.fault({
      path: '/v1/invoices',
      method: 'GET',
      action: { status: 403, code: 'FORBIDDEN' } as never,
    });
    const watch = watchInvoices(shop.client);
    const log = follow(watch);
    await shop.sandbox.advance(4_000);
    expect((log.ended as { error: { code: string } }).error.code).to.equal('FORBIDDEN');
    expect(watch.current()).to.include({ freshness: 'failed' });
    end();
    watch.retry();
    await shop.sandbox.advance(1_000);
    expect(log.values.at(-1)).to.include({ freshness: 'live' });
    log.stop();
  });

  it('is not live while its page is hidden, and reads at once when it is shown', async () => {
    await inPage(async (page) => {
      const shop = openShop();
      await invoices(shop, 1);
      const log = follow(watchInvoices(shop.client));
      await shop.sandbox.advance(5_000);
      page.hide();
      shop.requests.length = 0;
      await shop.sandbox.advance(3 * MINUTE);
      expect(shop.requests.length).to.be.within(1, 4);
      expect(log.values.at(-1)).to.include({ freshness: 'stale' });
      page.show();
      await shop.sandbox.advance(1_000);
      expect(log.values.at(-1)).to.include({ freshness: 'live' });
      log.stop();
    });
  });

  it('is never live for more than 30 s after a read', async () => {
    const shop = openShop();
    const [one] = await invoices(shop, 2);
    const watch = watchInvoices(shop.client);
    const log = follow(watch);
    await shop.sandbox.advance(20_000);
    const end = shop.sandbox.fault({
      method: 'GET',
      path: '/v1/invoices',
      action: { delay: 600_000 },
    });
    await shop.pay(one!);
    for (let n = 0; n < 40; n++) {
      await shop.sandbox.advance(1_000);
      const { freshness, items = [] } = watch.current();
      if (n > 31 && items[1]!.state === 'UNPAID') expect(freshness).to.equal('stale');
    }
    end();
    log.stop();
  });
});

describe('many live lists', () => {
  itWhole('share the limits, and leave places for the caller', async () => {
    const shop = openShop();
    const made = await invoices(shop, 30);
    const logs = made
      .slice(0, 20)
      .map(({ created }) => follow(watchInvoices(shop.client, { createdAfter: created })));
    await shop.sandbox.advance(10 * MINUTE);
    expect(shop.requests.length, 'of 1,000').to.be.at.most(800);
    expect(shop.requests.filter(({ attempt }) => attempt > 1)).to.have.length(0);
    for (const log of logs) expect(log.values).not.to.have.length(0);
    await shop.sandbox.run(shop.client.invoices.get(made[0]!.invoiceId));
    for (const log of logs) log.stop();
  });

  itWhole(
    'of ten pages leave places for the caller, and are live or say that they are not',
    async () => {
      const shop = openShop();
      const made = await invoices(shop, 950);
      const watch = watchInvoices(shop.client, {}, { limit: 1_000 });
      const log = follow(watch);
      await shop.sandbox.advance(10 * MINUTE);
      expect(shop.requests.length, 'of 1,000').to.be.within(100, 800);
      expect(log.values.at(-1)!.items).to.have.length(950);
      const sentAt = shop.sandbox.clock.now();
      await shop.sandbox.run(shop.client.invoices.get(made[0]!.invoiceId));
      expect(shop.sandbox.clock.now() - sentAt).to.be.below(1_000);
      const flickers = log.values.filter(({ freshness }) => freshness === 'stale');
      expect(flickers.length).to.be.at.most(1);
      log.stop();
    },
  );

  it('of other limits are other lists', async () => {
    const shop = openShop();
    await invoices(shop, 3);
    const logs = [1, 2].map((limit) => follow(watchInvoices(shop.client, {}, { limit })));
    await shop.sandbox.advance(1_000);
    expect(logs.map(({ values }) => values.at(-1)!.items.length)).to.deep.equal([1, 2]);
    for (const log of logs) log.stop();
  });

  it('of the same condition share their reads', async () => {
    const shop = openShop();
    await invoices(shop, 2);
    const logs = [1, 2, 3].map(() => follow(watchInvoices(shop.client, { state: 'UNPAID' })));
    const open = whereInvoice((f) => f.state.eq('UNPAID'));
    logs.push(follow(watchInvoices(shop.client, open, { limit: 100, order: 'desc' })));
    await shop.sandbox.advance(1_000);
    expect(shop.requests).to.have.length(1);
    const [one] = logs.map(({ values }) => values[0]!.items);
    for (const { values } of logs) expect(values[0]!.items).to.equal(one);
    for (const log of logs) log.stop();
  });

  it('begin next to one of another condition that has just ended', async () => {
    const shop = openShop();
    const made = await invoices(shop, 2);
    const before = follow(watchInvoices(shop.client, { state: 'UNPAID' }));
    await shop.sandbox.advance(1_000);
    before.stop();
    await shop.sandbox.advance(0);
    const log = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(1_000);
    expect(ids(log.values.at(-1)!.items)).to.deep.equal(ids(made).toReversed());
    log.stop();
  });

  it('keep the filter that they were made with, whatever becomes of the object', async () => {
    const shop = openShop();
    await invoices(shop, 2);
    const filter: { state?: 'UNPAID' | 'PAID' } = { state: 'UNPAID' };
    const open = follow(watchInvoices(shop.client, filter));
    await shop.sandbox.advance(1_000);
    filter.state = 'PAID';
    const paid = follow(watchInvoices(shop.client, filter));
    await shop.sandbox.advance(2 * LAG);
    expect([open, paid].map(({ values }) => values.at(-1)!.items.length)).to.deep.equal([2, 0]);
    open.stop();
    paid.stop();
  });

  it('of receives keep theirs too', async () => {
    const { sandbox, client } = openShop();
    const request = await sandbox.run(client.receiveRequests.create({ onchain: {} }));
    void sandbox.payer.pay(request.onchain!.address, { amount: '0.001' });
    await sandbox.advance(1_000);
    const filter = { receiveRequestId: request.receiveRequestId };
    const log = follow(watchAllReceives(client, filter));
    await sandbox.advance(1_000);
    filter.receiveRequestId = '00000000-0000-4000-8000-000000000001';
    await sandbox.advance(2 * LAG);
    expect(log.values.at(-1)!.items).to.have.length(1);
    log.stop();
  });

  it('that nobody watches any more send nothing and hold no timer', async () => {
    const shop = openShop();
    await invoices(shop, 2);
    const watches = [watchInvoices(shop.client), watchInvoices(shop.client, { state: 'PAID' })];
    const logs = watches.map((watch) => follow(watch));
    const abort = new AbortController();
    const ended = follow(watchInvoices(shop.client, {}, { signal: abort.signal, limit: 5 }));
    await shop.sandbox.advance(5_000);
    abort.abort();
    expect(ended.ended).to.equal('complete');
    for (const log of logs) log.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
    shop.requests.length = 0;
    await shop.invoice();
    shop.requests.length = 0;
    await shop.sandbox.advance(MINUTE);
    expect(shop.requests).to.have.length(0);
    expect(watches[0]!.current()).to.include({ freshness: 'stale' });
    const again = follow(watches[0]!);
    const [kept] = again.values;
    await shop.sandbox.advance(1_000);
    expect(again.values.at(-1)!.added).to.have.length(1);
    expect(again.values.at(-1)!.items.at(-1), 'the same row').to.equal(kept!.items.at(-1));
    again.stop();
  });
});

describe('a live list of another resource', () => {
  it('of payouts shows those that this client makes and sends', async () => {
    const { sandbox, client } = openBank();
    const method = await sandbox.run(client.bankPaymentMethods.create(methodDraft('SEPA')));
    sandbox.move('bankPaymentMethod', method.id, 'READY');
    sandbox.fund('shop', { amount: '500', currency: 'EUR' });
    const log = follow(watchPayouts(client));
    await sandbox.advance(1_000);
    expect(log.values.at(-1)!.items).to.deep.equal([]);
    const payout = await sandbox.run(
      client.payouts.create({ paymentMethodId: method.id, amount: '100.00' }),
    );
    expect(log.values.at(-1)).to.deep.include({ added: [payout.id] });
    const { state } = await sandbox.run(client.payouts.initiate(payout.id));
    expect(statesOf(log)).to.deep.equal([state]);
    await sandbox.advance(LAG);
    expect(log.values.at(-1)!.freshness).to.equal('live');
    log.stop();
  });

  it('of payouts keeps the order of the service, also where one is made elsewhere', async () => {
    const { sandbox, client } = openBank();
    const method = await sandbox.run(client.bankPaymentMethods.create(methodDraft('SEPA')));
    sandbox.move('bankPaymentMethod', method.id, 'READY');
    sandbox.fund('shop', { amount: '500', currency: 'EUR' });
    const elsewhere = createClient(sandbox.clientOptions);
    const draft = { paymentMethodId: method.id, amount: '10.00' };
    const make = async () => {
      await sandbox.run(elsewhere.payouts.create(draft));
      await sandbox.advance(1_000);
    };
    await make();
    await make();
    const [log, few] = [100, 2].map((limit) => follow(watchPayouts(client, { limit })));
    await sandbox.advance(LAG + 5_000);
    await make();
    await sandbox.advance(20_000);
    const listed = await sandbox.run(client.payouts.list().toArray({ limit: 10 }));
    const order = listed.map(({ id }) => id);
    expect(log!.values.at(-1)!.items.map(({ id }) => id)).to.deep.equal(order);
    expect(few!.values.at(-1)!.items.map(({ id }) => id)).to.deep.equal(order.slice(0, 2));
    for (const { values } of [log!, few!]) expect(values.at(-1)!.freshness).to.equal('live');
    log!.stop();
    few!.stop();
  });

  it('of deposits shows one that was made elsewhere', async () => {
    const { sandbox, client } = openBank();
    const method = await sandbox.run(client.bankPaymentMethods.create(methodDraft('ACH')));
    sandbox.move('bankPaymentMethod', method.id, 'READY');
    const log = follow(watchDeposits(client, { limit: 10 }));
    await sandbox.advance(1_000);
    const elsewhere = createClient(sandbox.clientOptions);
    const deposit = await sandbox.run(
      elsewhere.deposits.create({ paymentMethodId: method.id, amount: '50.00' }),
    );
    await sandbox.advance(20_000);
    expect(log.values.at(-1)!.items.map(({ id }) => id)).to.deep.equal([deposit.id]);
    log.stop();
  });

  itLong(
    'of receives is not concerned by changes of another request, nor of one that is complete',
    async () => {
      const { sandbox, client } = openShop();
      const make = () => sandbox.run(client.receiveRequests.create({ onchain: {} }));
      const [paid, pending, other] = [await make(), await make(), await make()];
      const only = [paid, pending].map(({ receiveRequestId }) =>
        follow(watchAllReceives(client, { receiveRequestId })),
      );
      void sandbox.payer.pay(paid.onchain!.address, { amount: '0.001' });
      await sandbox.advance(20 * MINUTE);
      void sandbox.payer.pay(pending.onchain!.address, { amount: '0.001' });
      await sandbox.advance(LAG);
      const log = follow(watchAllReceives(client));
      await sandbox.advance(LAG + 5_000);
      for (const { values } of only)
        expect(Math.max(...values.map(({ items }) => items?.length ?? 0))).to.equal(1);
      expect(
        log.values
          .at(-1)!
          .items.map(({ state }) => state)
          .toSorted(),
      ).to.deep.equal(['COMPLETED', 'PENDING']);
      for (const one of [paid, other]) {
        invalidate(client, 'receiveRequest', one.receiveRequestId);
        expect(log.values.at(-1)!.pending).to.equal(undefined);
      }
      invalidate(client, 'receiveRequest', pending.receiveRequestId);
      expect(log.values.at(-1)!.pending).to.equal('announced');
      for (const one of [log, ...only]) one.stop();
    },
  );

  itLong(
    'of receives shows what comes in for any request, and what a watch of one request reads',
    async () => {
      const { sandbox, client } = openShop();
      const request = await sandbox.run(client.receiveRequests.create({ onchain: {} }));
      const log = follow(watchAllReceives(client));
      await sandbox.advance(1_000);
      const single = record(watchReceives(client, request));
      void sandbox.payer.pay(request.onchain!.address, { amount: '0.001' });
      await sandbox.advance(3_000);
      expect(statesOf(log)).to.deep.equal(['PENDING']);
      expect(log.values.at(-1)!.added).to.have.length(1);
      await sandbox.advance(11 * MINUTE);
      expect(statesOf(log)).to.deep.equal(['COMPLETED']);
      expect(log.values.at(-1)!.freshness).to.equal('live');
      single.stop();
      log.stop();
    },
  );
});
