// `checkedAt` follows each read that confirmed a value, without an emission.
import { expect } from 'chai';
import { type Invoice, provide, watchInvoice, watchInvoices } from 'paystate';
import { describe, it } from '#test';
import { altered, openShop, record } from './shop.ts';

describe('checkedAt', () => {
  it('follows the reads of a live value in place, and asOf stays', async () => {
    const { client, sandbox, invoice: create } = openShop();
    const watch = watchInvoice(client, await create());
    const log = record(watch);
    await sandbox.advance(1_000);
    const first = watch.current();
    const { asOf } = first;
    expect(first.checkedAt).to.equal(asOf);
    let before = asOf!;
    for (let minute = 0; minute < 5; minute++) {
      await sandbox.advance(60_000);
      const now = watch.current();
      expect(now).to.equal(first);
      expect(now.asOf).to.equal(asOf);
      expect(now.checkedAt).to.be.within(before + 1, sandbox.clock.now());
      expect(sandbox.clock.now() - now.checkedAt!).to.be.below(30_000);
      before = now.checkedAt!;
    }
    expect(log.values).to.have.length(1);
    log.stop();
  });

  it('stays where a read fails or says otherwise, and begins again with a new value', async () => {
    let isLagging = false;
    let isAway = false;
    const {
      client,
      sandbox,
      invoice: create,
    } = openShop({}, async (url, ask) => {
      if (!/\/v1\/invoices\/[^/?]+$/.test(url)) return ask();
      if (isAway) throw new TypeError('no network');
      return isLagging
        ? altered(await ask(), (json: Invoice) => ({ ...json, state: 'UNPAID' }))
        : ask();
    });
    const invoice = await create();
    const watch = watchInvoice(client, invoice);
    const log = record(watch);
    await sandbox.advance(20_000);
    sandbox.move('invoice', invoice.invoiceId, 'PENDING');
    await sandbox.advance(5_000);
    const moved = watch.current();
    expect(moved.value?.state).to.equal('PENDING');
    expect(moved.checkedAt).to.be.at.least(moved.asOf!);
    isLagging = true;
    const at = moved.checkedAt;
    await sandbox.advance(15_000);
    expect(watch.current()).to.include({ unconfirmed: 'UNPAID' });
    expect(watch.current().checkedAt! - at!, 'a read in between at most').to.be.below(5_000);
    isLagging = false;
    await sandbox.advance(30_000);
    isAway = true;
    await sandbox.advance(5_000);
    const { checkedAt } = watch.current();
    await sandbox.advance(60_000);
    expect(watch.current()).to.include({ freshness: 'stale', checkedAt });
    log.stop();
  });

  it('is absent before the first read, and that of the reader for a provided value', async () => {
    const { client, sandbox, invoice: create } = openShop();
    const invoice = await create();
    const watch = watchInvoice(client, invoice);
    expect(watch.current()).not.to.have.property('checkedAt');
    const asOf = sandbox.clock.now() - 5_000;
    provide(client, 'invoice', invoice, { asOf });
    expect(watch.current()).to.include({ asOf, checkedAt: asOf });
  });

  it('follows the reads also after the wall clock was set back', async () => {
    let ahead = 3_600_000;
    const {
      client,
      sandbox,
      invoice: create,
    } = openShop({}, undefined, {}, (clock) => ({
      ...clock,
      now: () => clock.now() + ahead,
    }));
    const invoice = await create();
    const watches = [watchInvoice(client, invoice), watchInvoices(client)];
    const logs = watches.map((watch) => record<{ readonly freshness: string }>(watch));
    await sandbox.advance(10_000);
    ahead = 0;
    await sandbox.advance(30_000);
    const before = watches.map((watch) => watch.current().checkedAt!);
    await sandbox.advance(30_000);
    for (const [at, watch] of watches.entries()) {
      const { checkedAt } = watch.current();
      expect(checkedAt).to.be.above(before[at]!);
      expect(sandbox.clock.now() - checkedAt!).to.be.within(0, 30_000);
      expect(logs[at]!.values, 'nothing is emitted for it').to.have.length(1);
      logs[at]!.stop();
    }
  });

  it('stays writable for the watch where a receiver has frozen all of a snapshot', async () => {
    const { client, sandbox, invoice: create } = openShop();
    const watch = watchInvoice(client, await create());
    const freeze = (one: unknown): void => {
      if (typeof one !== 'object' || one === null) return;
      Object.freeze(one);
      for (const key of Reflect.ownKeys(one)) freeze((one as { [key: PropertyKey]: unknown })[key]);
    };
    const stop = watch.subscribe((snapshot) => freeze(snapshot));
    await sandbox.advance(1_000);
    const first = watch.current();
    await sandbox.advance(60_000);
    expect(watch.current()).to.equal(first);
    expect(first.checkedAt! - first.asOf!).to.be.above(30_000);
    const reads = [{ ...first }, structuredClone(first), JSON.parse(JSON.stringify(first))];
    for (const copy of reads) expect(copy).to.include({ checkedAt: first.checkedAt });
    expect(new Proxy(first, {}).checkedAt).to.equal(first.checkedAt);
    stop();
  });

  it('goes with what is kept', async () => {
    const { client, sandbox, invoice: create } = openShop();
    const invoice = await create();
    const watch = watchInvoice(client, invoice);
    const log = record(watch);
    await sandbox.advance(60_000);
    const { asOf, checkedAt } = watch.current();
    expect(checkedAt).to.be.above(asOf!);
    log.stop();
    await sandbox.advance(1_000);
    for (const idle of [watch, watchInvoice(client, invoice)])
      expect(idle.current()).to.include({ asOf, checkedAt, freshness: 'stale' });
  });
});
