// Live lists whose reads come from copies of the data that are up to 30 s behind, with their own filter and rows.
import { expect } from 'chai';
import {
  createClient,
  type Invoice,
  invalidate,
  type KnownListSnapshot,
  type ListSnapshot,
  type Watch,
  watchInvoice,
  watchInvoices,
} from 'paystate';
import { describe, it, itLong } from '#test';
import { type Copy, type CopiedShop, openCopied } from './copies.ts';
import { invoices } from './invoices.ts';
import { record, type Record } from './shop.ts';

const LAG = 30_000;
const MINUTE = 60_000;

type Log = Record<KnownListSnapshot<Invoice>>;
const follow = (watch: Watch<ListSnapshot<Invoice>>): Log => record(watch) as unknown as Log;
const idsOf = (rows: readonly Invoice[]): readonly string[] =>
  rows.map(({ invoiceId }) => invoiceId);
const idsIn = ({ values }: Log): readonly string[] => idsOf(values.at(-1)!.items);
const freshnessOf = ({ values }: Log): string => values.at(-1)!.freshness;

/** Has the lists of a shop read again at once, as if this had changed. */
async function readAgain({ client, sandbox }: CopiedShop, { invoiceId }: Invoice): Promise<void> {
  invalidate(client, 'invoice', invoiceId);
  await sandbox.advance(500);
}

/** A shop with invoices that every copy has, and a copy with them all. */
async function openOld(count: number) {
  const shop = openCopied();
  const made = await invoices(shop, count);
  await shop.sandbox.advance(2 * LAG);
  return { shop, made, old: shop.copy() };
}

/** Follows a list of open invoices, of which the second one is cancelled and has left it. */
async function openLeft(count: number) {
  const { shop, made, old } = await openOld(count);
  const log = follow(watchInvoices(shop.client, { state: 'UNPAID' }));
  await shop.sandbox.advance(LAG + 5_000); // so that its rows are not asked for by their ids
  shop.sandbox.move('invoice', made[1]!.invoiceId, 'CANCELLED');
  await readAgain(shop, made[1]!);
  return { shop, made, old, log };
}

/** Invoices that another client makes. */
async function madeElsewhere({ sandbox }: CopiedShop, count: number): Promise<readonly Invoice[]> {
  const { invoices: others } = createClient(sandbox.clientOptions);
  const draft = { amount: { amount: '1', currency: 'USD' } };
  const made: Invoice[] = [];
  for (let n = 0; n < count; n++) made.push(await sandbox.run(others.create(draft)));
  return made;
}

describe('a row that has left a list', () => {
  it('does not come back from an older copy, and the list is read again when that can be told', async () => {
    const { shop, made, old, log } = await openLeft(3);
    expect(idsIn(log)).to.deep.equal([made[2]!.invoiceId, made[0]!.invoiceId]);
    shop.show(old);
    for (let n = 0; n < 13; n++) {
      await readAgain(shop, made[0]!);
      await shop.sandbox.advance(1_500);
      expect(idsIn(log), String(n)).not.to.include(made[1]!.invoiceId);
    }
    shop.show();
    await shop.sandbox.advance(LAG);
    expect(idsIn(log)).to.have.length(2);
    expect(log.values.filter(({ added }) => added.length > 0)).to.deep.equal([]);
    expect(freshnessOf(log)).to.equal('live');
    log.stop();
  });

  it('does not come back by what another list has read of an older copy', async () => {
    const { shop, made, old, log } = await openLeft(2);
    expect(idsIn(log)).to.deep.equal([made[0]!.invoiceId]);
    shop.show(old);
    const all = follow(watchInvoices(shop.client));
    for (let n = 0; n < 10; n++) {
      await shop.sandbox.advance(1_000);
      expect(idsIn(log), String(n)).to.deep.equal([made[0]!.invoiceId]);
    }
    log.stop();
    all.stop();
  });

  it('comes back where it meets the condition again', async () => {
    const { shop, made } = await openOld(2);
    const [one] = made as [Invoice];
    const log = follow(watchInvoices(shop.client, { state: 'UNPAID' }));
    await shop.sandbox.advance(LAG + 5_000);
    shop.sandbox.move('invoice', one.invoiceId, 'PENDING');
    await readAgain(shop, one);
    expect(idsIn(log)).not.to.include(one.invoiceId);
    shop.sandbox.move('invoice', one.invoiceId, 'UNPAID');
    await shop.sandbox.advance(LAG + 5_000);
    expect(idsIn(log)).to.include(one.invoiceId);
    shop.sandbox.move('invoice', one.invoiceId, 'PENDING');
    await readAgain(shop, one);
    expect(idsIn(log), 'leaves again').not.to.include(one.invoiceId);
    log.stop();
  });

  it('is told of while a read that shows it again waits for another one to confirm that', async () => {
    const { shop, made } = await openOld(2);
    const [one] = made as [Invoice];
    const { client, sandbox } = shop;
    const log = follow(watchInvoices(client, { state: 'UNPAID' }));
    await sandbox.advance(1_000);
    sandbox.move('invoice', one.invoiceId, 'PENDING');
    await sandbox.run(client.invoices.get(one.invoiceId));
    expect(idsIn(log)).not.to.include(one.invoiceId);
    await sandbox.advance(26_000);
    sandbox.move('invoice', one.invoiceId, 'UNPAID');
    for (let n = 0; n < 12; n++) {
      await sandbox.advance(1_000);
      const { invoiceId } = await shop.invoice();
      expect(idsIn(log)).to.include(invoiceId);
    }
    await sandbox.advance(LAG);
    expect(idsIn(log)).to.include(one.invoiceId);
    log.stop();
  });

  it('because this client cancelled it is none of what a copy brings, nor of what another lists', async () => {
    const { shop, made, old } = await openOld(2);
    const [one, other] = made as [Invoice, Invoice];
    const log = follow(watchInvoices(shop.client, { state: 'UNPAID' }));
    await shop.sandbox.advance(1_000);
    await shop.sandbox.run(shop.client.invoices.cancel(one.invoiceId));
    shop.show(old);
    const late = follow(watchInvoices(shop.client, { state: 'UNPAID' }, { limit: 50 }));
    for (let n = 0; n < 10; n++) {
      await readAgain(shop, other);
      await shop.sandbox.advance(1_500);
      for (const each of [log, late]) expect(idsIn(each)).to.deep.equal([other.invoiceId]);
    }
    log.stop();
    late.stop();
  });
});

describe('a row that a copy does not have yet', () => {
  it('is asked for by its id, no more than 15 of them, and all stay', async () => {
    const { shop, old } = await openOld(1);
    const watch = watchInvoices(shop.client);
    const log = follow(watch);
    await shop.sandbox.advance(1_000);
    const young = await madeElsewhere(shop, 20);
    await readAgain(shop, young[0]!);
    expect(idsIn(log)).to.have.length(21);
    shop.show(old);
    shop.queries.length = 0;
    await shop.sandbox.run(watch.refresh());
    expect(idsIn(log)).to.have.length(21);
    expect(log.values.at(-1)).to.include({ freshness: 'stale', pending: undefined });
    const asked = shop.queries.flatMap((query) => query.get('$filter') ?? []);
    expect(asked[0]!.match(/invoiceId eq/g)).to.have.length(15);
    shop.show();
    await shop.sandbox.advance(2 * LAG);
    expect(idsIn(log)).to.have.length(21);
    expect(freshnessOf(log)).to.equal('live');
    expect(log.values.flatMap(({ removed }) => removed)).to.deep.equal([]);
    log.stop();
  });

  it('leaves once every copy must have it, if it is nowhere', async () => {
    const { shop, made, old } = await openOld(1);
    const log = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(1_000);
    const [young] = await madeElsewhere(shop, 1);
    await readAgain(shop, young!);
    expect(idsIn(log)).to.have.length(2);
    shop.show(old); // from now on the service has lost it
    await shop.sandbox.advance(20_000);
    expect(idsIn(log)).to.have.length(2);
    await shop.sandbox.advance(20_000);
    expect(idsIn(log)).to.deep.equal([made[0]!.invoiceId]);
    expect(freshnessOf(log)).to.equal('live');
    log.stop();
  });

  it('is not asked for where it is none of the list, or others have its place', async () => {
    const { shop, made } = await openOld(2);
    const full = follow(watchInvoices(shop.client, {}, { limit: 2, order: 'asc' }));
    const paid = follow(watchInvoices(shop.client, { state: 'PAID' }));
    await shop.sandbox.advance(1_000);
    const old = shop.copy();
    await madeElsewhere(shop, 2);
    await shop.sandbox.run(
      shop.client.invoices.create({ amount: { amount: '1', currency: 'USD' } }),
    );
    shop.show(old);
    shop.queries.length = 0;
    await shop.sandbox.advance(20_000);
    for (const query of shop.queries) expect(query.get('$filter')).not.to.match(/invoiceId/);
    expect(idsIn(full)).to.deep.equal(idsOf(made));
    expect(idsIn(paid)).to.deep.equal([]);
    for (const log of [full, paid])
      expect(log.values.map(({ freshness }) => freshness)).to.deep.equal(['live']);
    full.stop();
    paid.stop();
  });
});

describe('what is known otherwise', () => {
  it('by a watch of one row is in the list at once, and in one that begins later', async () => {
    const { shop, made, old } = await openOld(2);
    const [one] = made as [Invoice];
    const log = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(1_000);
    shop.show(old);
    shop.sandbox.move('invoice', one.invoiceId, 'PENDING');
    const single = record(watchInvoice(shop.client, one));
    await shop.sandbox.advance(500);
    expect(single.values.at(-1)!.value.state).to.equal('PENDING');
    expect(log.values.at(-1)!.items[1]).to.include({ state: 'PENDING' });
    await shop.sandbox.advance(20_000);
    const late = follow(watchInvoices(shop.client, {}, { limit: 50 }));
    await shop.sandbox.advance(500);
    for (const { values } of [log, late])
      expect(values.at(-1)!.items[1]).to.include({ state: 'PENDING' });
    for (const each of [log, late, single]) each.stop();
  });

  it('by another list is in this one, whatever copy this one reads', async () => {
    const { shop, made, old } = await openOld(2);
    const open = watchInvoices(shop.client, { state: 'UNPAID' });
    const [log, other] = [open, watchInvoices(shop.client)].map((watch) => follow(watch));
    await shop.sandbox.advance(5_000);
    shop.show(old, true);
    shop.sandbox.move('invoice', made[0]!.invoiceId, 'CANCELLED');
    await shop.sandbox.run(watchInvoices(shop.client).refresh());
    expect(idsIn(log!)).to.deep.equal([made[1]!.invoiceId]);
    log!.stop();
    other!.stop();
  });

  it('when the list begins: what was read of it lately, and that it has changed', async () => {
    const { shop, made, old } = await openOld(3);
    const { client, sandbox } = shop;
    const [cancelled, pending, changed] = made as [Invoice, Invoice, Invoice];
    const single = record(watchInvoice(client, pending));
    await sandbox.advance(1_000);
    sandbox.move('invoice', pending.invoiceId, 'PENDING');
    await sandbox.run(watchInvoice(client, pending).refresh());
    single.stop();
    await sandbox.run(client.invoices.cancel(cancelled.invoiceId));
    invalidate(client, 'invoice', changed.invoiceId);
    shop.show(old);
    const log = follow(watchInvoices(client));
    await sandbox.advance(500);
    const [{ items, freshness, pending: announced }] = log.values as [KnownListSnapshot<Invoice>];
    expect(items.map(({ state }) => state)).to.deep.equal(['UNPAID', 'PENDING', 'CANCELLED']);
    expect([freshness, announced]).to.deep.equal(['stale', 'announced']);
    shop.show();
    await sandbox.advance(2 * LAG);
    expect(freshnessOf(log)).to.equal('live');
    log.stop();
  });
});

describe('a read of a list', () => {
  it('asks for no more rows than the list has', async () => {
    const { shop } = await openOld(3);
    const log = follow(watchInvoices(shop.client, {}, { limit: 2 }));
    await shop.sandbox.advance(500);
    expect(shop.queries.map((query) => query.get('$top'))).to.deep.equal(['2']);
    log.stop();
  });

  it('says which rows fit, also where this client compares otherwise', async () => {
    const { shop } = await openOld(1);
    const draft = { amount: { amount: '1', currency: 'USD' }, correlationId: 'Order 7' };
    const { invoiceId } = await shop.sandbox.run(shop.client.invoices.create(draft));
    await shop.sandbox.advance(2 * LAG);
    shop.show(shop.copy());
    const log = follow(watchInvoices(shop.client, { correlationId: 'order 7' }));
    await shop.sandbox.advance(5_000);
    expect(idsIn(log)).to.deep.equal([invoiceId]);
    const all = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(MINUTE);
    expect(idsIn(log), 'told of it by another list').to.deep.equal([invoiceId]);
    expect(log.values.flatMap(({ removed }) => removed)).to.deep.equal([]);
    log.stop();
    all.stop();
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

const RANK: Readonly<{ [State in string]?: number }> = {
  UNPAID: 0,
  PENDING: 1,
  PAID: 2,
  CANCELLED: 2,
};

describe('live lists in a random world of copies', () => {
  for (const seed of [11, 12, 13, 14, 15, 16])
    itLong(`are never live for long with what is not so (${seed})`, async () => {
      const shop = openCopied();
      const { client, sandbox } = shop;
      const draw = drawing(seed);
      await invoices(shop, 4);
      await sandbox.advance(LAG);
      const seconds: Copy[] = [];
      const told = new Map<string, string>();
      const lists = [
        { state: 'UNPAID', options: { limit: 5 } },
        { state: undefined, options: { limit: 100, order: 'asc' } },
        { state: 'PAID', options: { limit: 3 } },
        { state: 'CANCELLED', options: {} },
      ] as const;
      const logs: (Log | undefined)[] = lists.map(() => undefined);
      const open = (at: number) => {
        const { state, options } = lists[at]!;
        return follow(watchInvoices(client, { state }, options));
      };
      const wrongFor = lists.map(() => new Map<string, number>());
      const check = () => {
        const truth = new Map(shop.copy().map(({ invoiceId, state }) => [invoiceId, state]));
        for (const [at, log] of logs.entries()) {
          const { items = [], freshness } = log?.values.at(-1) ?? {};
          const rows = new Map(items.map(({ invoiceId, state }) => [invoiceId, state]));
          expect(rows.size, 'each row once').to.equal(items.length);
          for (const [id, state] of rows)
            expect(RANK[state]).to.be.at.least(RANK[told.get(id) ?? 'UNPAID']!, 'as told');
          const isFull = items.length >= (lists[at]!.options as { limit?: number }).limit!;
          const wrong = [...truth].filter(([id, state]) => {
            const belongs = !isFull && (lists[at]!.state ?? state) === state;
            return rows.has(id) ? rows.get(id) !== state : belongs;
          });
          const before = wrongFor[at]!;
          wrongFor[at] = new Map(
            freshness === 'live' ? wrong.map(([id]) => [id, (before.get(id) ?? 0) + 1]) : [],
          );
          for (const [id, count] of wrongFor[at]!)
            expect(count, `seconds of list ${at}, ${id}`).to.be.at.most((2 * LAG) / 1_000);
        }
      };
      for (let n = 0; n < 60; n++) {
        for (const [at, log] of logs.entries()) {
          if (!log && draw(6) === 0) logs[at] = open(at);
          else if (log && draw(40) === 0) {
            log.stop();
            logs[at] = undefined;
          }
        }
        const now = shop.copy();
        const { invoiceId, state } = now[draw(now.length)]!;
        const act = draw(7);
        if (act === 0) await madeElsewhere(shop, 1);
        else if (act === 1) await shop.invoice();
        else if (act === 2 && state === 'UNPAID') sandbox.move('invoice', invoiceId, 'CANCELLED');
        else if (act === 3 && state === 'UNPAID') sandbox.move('invoice', invoiceId, 'PENDING');
        else if (act === 4 && state === 'PENDING') sandbox.move('invoice', invoiceId, 'PAID');
        else if (act === 5 && state === 'UNPAID')
          told.set(invoiceId, (await sandbox.run(client.invoices.cancel(invoiceId))).state);
        else if (act === 6)
          told.set(invoiceId, (await sandbox.run(client.invoices.get(invoiceId))).state);
        const isBehind = draw(2) === 0;
        for (let second = draw(4); second >= 0; second--) {
          seconds.push(shop.copy());
          shop.show(isBehind ? seconds.at(-1 - draw(Math.min(28, seconds.length))) : undefined);
          await sandbox.advance(1_000);
          check();
        }
      }
      shop.show();
      for (const at of lists.keys()) logs[at] ??= open(at);
      await sandbox.advance(2 * MINUTE);
      for (const [at, { state, options }] of lists.entries()) {
        const { limit = 100, order = 'desc' } = options as { limit?: number; order?: string };
        const rows = shop.copy().filter((one) => (state ?? one.state) === one.state);
        const inOrder = order === 'asc' ? rows : rows.toReversed();
        const last = logs[at]!.values.at(-1)!;
        expect(last.freshness).to.equal('live');
        expect(last.items.map((one) => one.invoiceId + one.state)).to.deep.equal(
          inOrder.slice(0, limit).map((one) => one.invoiceId + one.state),
        );
        logs[at]!.stop();
      }
    });
});
