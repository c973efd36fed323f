// Many clients of one process, as a Worker has with one for each request: they share one reserve and one budget, and
// the shop's own calls go first however many they are.
import { expect } from 'chai';
import { createClient, watchInvoice } from 'paystate';
import { describe, itLong, itWhole } from '#test';
import { invoices } from './invoices.ts';
import { openProcess } from './one-process.ts';
import { openShop, record } from './shop.ts';

const MINUTE = 60_000;

/** Watches an invoice with each of `count` clients; `stop` ends all. */
async function openMany(count: number) {
  const shop = openShop();
  const all = await invoices(shop, count);
  await shop.sandbox.advance(11 * MINUTE);
  const { clientOptions } = shop.sandbox;
  let watching = 0;
  const logs = all.map((invoice) => {
    const client = createClient({ ...clientOptions, onRequest: () => void watching++ });
    return record(watchInvoice(client, invoice));
  });
  const stop = () => {
    for (const log of logs) log.stop();
  };
  return { shop, all, logs, stop, requests: () => watching };
}

/** Reads of the shop's own, `perMinute` for minutes; returns how long the slowest one took. */
async function slowestOf(
  { sandbox, client }: ReturnType<typeof openShop>,
  perMinute: number,
  minutes: number,
): Promise<number> {
  let slowest = 0;
  for (let n = 0; n < perMinute * minutes; n++) {
    const at = sandbox.clock.now();
    const end = () => {
      slowest = Math.max(slowest, sandbox.clock.now() - at);
    };
    client.balances.list().then(end, () => (slowest = Infinity));
    await sandbox.advance(MINUTE / perMinute);
  }
  await sandbox.advance(MINUTE);
  return slowest;
}

describe('many clients that watch', () => {
  for (const [declare, count] of [
    [itLong, 10],
    [itWhole, 30],
    [itWhole, 100],
  ] as const)
    declare(`let no own call wait, ${count} of them`, async () => {
      const many = await openMany(count);
      expect(await slowestOf(many.shop, 40, 22)).to.be.at.most(1_000);
      expect(many.shop.sandbox.blocks).to.equal(0);
      expect(many.logs.every(({ values }) => values.length > 0)).to.equal(true);
      many.stop();
      await many.shop.sandbox.advance(0);
      expect(many.shop.timers()).to.equal(0);
    });

  itLong('share one budget, and one that is left has all of it again', async () => {
    const many = await openMany(8);
    const countIn = async (minutes: number) => {
      const before = many.requests();
      await many.shop.sandbox.advance(minutes * MINUTE);
      return many.requests() - before;
    };
    await countIn(11);
    expect(await countIn(10)).to.be.within(300, 520);
    for (const log of many.logs.slice(1)) log.stop();
    await countIn(11);
    expect(await countIn(10)).to.be.within(285, 315);
    const [paid] = many.all;
    await many.shop.pay(paid!);
    await many.shop.sandbox.advance(4_500);
    expect(many.logs[0]!.values.at(-1)!.value.state).to.equal('PAID');
    many.stop();
  });

  itLong('that are gone without a word give their parts back within seconds', async () => {
    const shop = openShop();
    const { sandbox } = shop;
    const [one, ...others] = await invoices(shop, 8);
    await sandbox.advance(11 * MINUTE);
    const enter = openProcess(sandbox);
    const first = enter();
    const log = first.run(() => record(watchInvoice(first.client, one!)));
    const gone = others.map((invoice) => {
      const tenant = enter();
      tenant.run(() => record(watchInvoice(tenant.client, invoice)));
      return tenant;
    });
    const countIn = async (minutes: number) => {
      const before = first.sent();
      await sandbox.advance(minutes * MINUTE);
      return first.sent() - before;
    };
    await countIn(11);
    expect(await countIn(10), 'an eighth').to.be.within(38, 70);
    for (const tenant of gone) tenant.kill();
    const sent = gone.map((tenant) => tenant.sent());
    await countIn(11);
    expect(await countIn(10), 'all').to.be.within(285, 315);
    expect(gone.map((tenant) => tenant.sent())).to.deep.equal(sent);
    log.stop();
  });
});
