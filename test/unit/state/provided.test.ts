// A page that was rendered on a server shows at once what the server has read.
import { describe, it } from '#test';
import { expect } from 'chai';
import {
  type Payout,
  provide,
  watchInvoice,
  watchPayout,
  watchRates,
  watchReceives,
} from 'paystate';
import { openShop, record } from './shop.ts';

describe('a value that is provided before anybody watches', () => {
  it('is there as stale, the same object each time, and is read when somebody subscribes', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    shop.requests.length = 0;
    const watch = watchInvoice(shop.client, invoice.invoiceId);
    expect(watch.current().freshness).to.equal('loading');
    const asOf = shop.sandbox.clock.now();
    provide(shop.client, 'invoice', invoice, { asOf });
    const expected = { value: invoice, asOf, freshness: 'stale' };
    expect(watch.current()).to.deep.equal(expected);
    expect(watch.current()).to.equal(watch.current());
    await shop.sandbox.advance(10_000);
    expect([shop.requests.length, shop.timers()]).to.deep.equal([0, 0]);
    const logs = [watch, watchInvoice(shop.client, invoice)].map((each) => record(each));
    for (const { values } of logs) expect(values).to.deep.equal([expected]);
    await shop.sandbox.advance(1_000);
    for (const { values } of logs) expect(values.at(-1)!.freshness).to.equal('live');
    for (const log of logs) log.stop();
  });

  it('of long ago is stale, and shown, while the first read is under way', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const log = record(watchInvoice(shop.client, invoice.invoiceId));
    const asOf = shop.sandbox.clock.now() - 60_000;
    provide(shop.client, 'invoice', invoice, { asOf });
    expect(log.values.at(-1)).to.deep.include({ value: invoice, asOf, freshness: 'stale' });
    log.stop();
  });

  it('is that of its resource and id, and the newest one', async () => {
    const { client, sandbox, invoice: create } = openShop();
    const [one, other] = [await create(), await create()];
    const now = sandbox.clock.now();
    provide(client, 'invoice', { ...one, state: 'PENDING' }, { asOf: now });
    provide(client, 'invoice', one, { asOf: now - 1_000 });
    expect(watchInvoice(client, one).current()).to.deep.include({ asOf: now, freshness: 'stale' });
    expect(watchInvoice(client, other).current().freshness).to.equal('loading');
    provide(client, 'invoice', { ...one, state: 'PAID' }, { asOf: now });
    expect(watchInvoice(client, one).current().value?.state, 'of one moment').to.equal('PAID');
  });

  it('is found for every kind of resource: by its own id, by `id`, or as the whole list', () => {
    const { client, sandbox } = openShop();
    const asOf = sandbox.clock.now();
    const id = 'a';
    const payout = { id, state: 'NEW' } as Payout;
    const receives = { receiveRequestId: id, receives: [] };
    provide(client, 'payout', payout, { asOf });
    provide(client, 'receiveRequest', receives, { asOf });
    provide(client, 'rates', [], { asOf });
    const watches = [watchPayout(client, id), watchReceives(client, id), watchRates(client)];
    expect(watches.map((watch) => watch.current().value)).to.deep.equal([payout, receives, []]);
  });

  it('does not stay for ever: of very many the last hundred are kept', async () => {
    const { client, sandbox, invoice: create } = openShop();
    const invoice = await create();
    const asOf = sandbox.clock.now();
    for (let n = 0; n <= 100; n++)
      provide(client, 'invoice', { ...invoice, invoiceId: `i${n}` }, { asOf });
    const known = ['i0', 'i1', 'i100'].map(
      (id) => watchInvoice(client, id).current().value?.invoiceId,
    );
    expect(known).to.deep.equal([undefined, 'i1', 'i100']);
    provide(client, 'invoice', { ...invoice, invoiceId: 'i1' }, { asOf: asOf + 1 });
    provide(client, 'invoice', { ...invoice, invoiceId: 'i101' }, { asOf });
    const isKnown = (id: string) => watchInvoice(client, id).current().value !== undefined;
    expect(['i1', 'i2'].map(isKnown), 'the one that was provided anew').to.deep.equal([
      true,
      false,
    ]);
  });
});
