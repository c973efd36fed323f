// `checkedAt` follows each read that confirmed a value, without an emission.
import { expect } from 'chai';
import { type Invoice, provide, watchInvoice } from 'paystate';
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
