// A page that was rendered on a server shows at once what the server has read.
import { describe, it } from '#test';
import { expect } from 'chai';
import {
  type Invoice,
  provide,
  waitUntilSettled,
  watchCurrencyExchangeQuote,
  watchDeposit,
  watchInvoice,
  watchPayout,
  watchRates,
  watchReceives,
} from 'paystate';
import { makeCurrencyExchangeQuote, makeDeposit, makePayout, makeReceive } from 'paystate/testing';
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
    const expected = { value: invoice, asOf, checkedAt: asOf, freshness: 'stale' };
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
    const receives = { receiveRequestId: 'a', receives: [makeReceive()] };
    const [payout, deposit, quote] = [makePayout(), makeDeposit(), makeCurrencyExchangeQuote()];
    provide(client, 'payout', payout, { asOf });
    provide(client, 'receiveRequest', receives, { asOf });
    provide(client, 'rates', [], { asOf });
    provide(client, 'deposit', deposit, { asOf });
    provide(client, 'currencyExchangeQuote', quote, { asOf });
    const watches = [
      watchPayout(client, payout.id),
      watchReceives(client, 'a'),
      watchRates(client),
      watchDeposit(client, deposit.id),
      watchCurrencyExchangeQuote(client, quote.id),
    ];
    const values = watches.map((watch) => watch.current().value);
    expect(values).to.deep.equal([payout, receives, [], deposit, quote]);
  });

  it('does not stay for ever: of very many the last ten thousand are kept', async () => {
    const { client, sandbox, invoice: create } = openShop();
    const invoice = await create();
    const asOf = sandbox.clock.now();
    for (let n = 0; n <= 10_000; n++)
      provide(client, 'invoice', { ...invoice, invoiceId: `i${n}` }, { asOf });
    const known = ['i0', 'i1', 'i10000'].map(
      (id) => watchInvoice(client, id).current().value?.invoiceId,
    );
    expect(known).to.deep.equal([undefined, 'i1', 'i10000']);
    provide(client, 'invoice', { ...invoice, invoiceId: 'i1' }, { asOf: asOf + 1 });
    provide(client, 'invoice', { ...invoice, invoiceId: 'i10001' }, { asOf });
    const isKnown = (id: string) => watchInvoice(client, id).current().value !== undefined;
    expect(['i1', 'i2'].map(isKnown), 'the one that was provided anew').to.deep.equal([
      true,
      false,
    ]);
  });
});

describe('a value that is provided to a watch', () => {
  it('is shown as stale until a read confirms it, which then ends the watch', async () => {
    const shop = openShop();
    const { client, sandbox } = shop;
    const invoice = await shop.invoice();
    const watch = watchInvoice(client, invoice);
    const log = record(watch);
    const settled = waitUntilSettled(watch);
    let isOver = false;
    void settled.then(() => (isOver = true));
    await sandbox.advance(1_000);
    for (const state of ['PENDING', 'PAID'] as const)
      sandbox.move('invoice', invoice.invoiceId, state);
    provide(client, 'invoice', { ...invoice, state: 'PAID' }, { asOf: sandbox.clock.now() });
    await Promise.resolve();
    expect(log.values.at(-1)).to.nested.include({ freshness: 'stale', 'value.state': 'PAID' });
    expect([log.ended, isOver]).to.deep.equal([undefined, false]);
    await sandbox.advance(200);
    expect(log.values.at(-1)).to.nested.include({ freshness: 'live', 'value.state': 'PAID' });
    expect([log.ended, isOver]).to.deep.equal(['complete', true]);
  });

  it('that no read confirms ends nothing, is never live, and gives way', async () => {
    const shop = openShop();
    const { client, sandbox } = shop;
    const invoice = await shop.invoice();
    const log = record(watchInvoice(client, invoice));
    await sandbox.advance(1_000);
    provide(client, 'invoice', { ...invoice, state: 'PAID' }, { asOf: sandbox.clock.now() });
    await sandbox.advance(60_000);
    const said = log.values.map(({ value, freshness, unconfirmed }) =>
      [value.state, freshness, unconfirmed].join(' '),
    );
    expect(said).to.deep.equal([
      'UNPAID live ',
      'PAID stale ',
      'PAID stale UNPAID',
      'UNPAID live ',
    ]);
    expect(log.ended).to.equal(undefined);
    log.stop();
  });

  it('as of the future counts as of now: the next one replaces it', async () => {
    const { client, sandbox, invoice: create } = openShop();
    const invoice = await create();
    const now = sandbox.clock.now();
    provide(client, 'invoice', invoice, { asOf: now + 3_600_000 });
    expect(watchInvoice(client, invoice).current().asOf).to.equal(now);
    await sandbox.advance(1_000);
    provide(client, 'invoice', { ...invoice, state: 'PENDING' }, { asOf: now + 1_000 });
    expect(watchInvoice(client, invoice).current().value?.state).to.equal('PENDING');
  });

  for (const [name, value, field] of [
    ['two members alone', { invoiceId: 'i', state: 'PAID' }, 'value.'],
    ['an amount that is a number', { amount: { amount: 12.5, currency: 'EUR' } }, 'value.amount.'],
    ['a state that is no text', { state: 7 }, 'value.state'],
    ['nothing', undefined, 'value'],
  ] as const)
    it(`is refused where it has ${name}: the error names the member`, async () => {
      const { client, sandbox, invoice: create } = openShop();
      const invoice = await create();
      const log = record(watchInvoice(client, invoice));
      await sandbox.advance(1_000);
      const given = (name.startsWith('an') || field === 'value.state'
        ? { ...invoice, ...(value as object) }
        : value) as unknown as Invoice;
      expect(() => provide(client, 'invoice', given, { asOf: sandbox.clock.now() }))
        .to.throw()
        .that.satisfies(
          ({ kind, message }: { readonly kind: string; readonly message: string }) =>
            kind === 'input' && message.startsWith(field),
        );
      expect([log.values.length, log.ended]).to.deep.equal([1, undefined]);
      log.stop();
    });
});
