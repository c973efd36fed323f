// The answers of the client's own calls enter its watches, so that no read from a lagging copy contradicts them as live.
import { expect } from 'chai';
import {
  type Invoice,
  watchBankPaymentMethod,
  watchCurrencyExchangeQuote,
  watchInvoice,
  watchPayout,
} from 'paystate';
import { describe, it } from '#test';
import { methodDraft, openBank } from '../bank/bank.ts';
import { altered, type Answers, openShop, record, type Shop } from './shop.ts';

const LAG = 30_000;

/** A shop whose reads of invoices come from a copy that shows the state from before, while it lags. */
function lagging(): { shop: Shop; lag(state: string | undefined): void } {
  let shown: string | undefined;
  const answers: Answers = async (url, ask) =>
    shown !== undefined && /\/v1\/invoices\/[^/?]+$/.test(url)
      ? altered(await ask(), (json: Invoice) => ({ ...json, state: shown }))
      : ask();
  return { shop: openShop({}, answers), lag: (state) => void (shown = state) };
}

describe('the answer of an own call', () => {
  it('that cancels an invoice ends its watch at once, whatever a lagging copy shows', async () => {
    const { shop, lag } = lagging();
    const { invoiceId } = await shop.invoice();
    const log = record(watchInvoice(shop.client, invoiceId));
    const later = record(watchInvoice(shop.client, invoiceId, { until: 'never' }));
    await shop.sandbox.advance(1_000);
    lag('UNPAID');
    await shop.sandbox.run(shop.client.invoices.cancel(invoiceId));
    expect([log.values.at(-1)!.value.state, log.ended]).to.deep.equal(['CANCELLED', 'complete']);
    await shop.sandbox.advance(LAG);
    const live = later.values.filter(({ freshness }) => freshness === 'live');
    const states = new Set(live.map(({ value }) => value.state));
    expect([...states]).to.deep.equal(['UNPAID', 'CANCELLED']);
    later.stop();
  });

  it('is kept for a watch that begins later: a lagging copy makes nothing else live', async () => {
    const { shop, lag } = lagging();
    const { invoiceId } = await shop.invoice();
    await shop.sandbox.run(shop.client.invoices.cancel(invoiceId));
    lag('UNPAID');
    const log = record(watchInvoice(shop.client, invoiceId));
    expect(log.values[0]).to.nested.include({ freshness: 'stale', 'value.state': 'CANCELLED' });
    await shop.sandbox.advance(LAG - 5_000);
    lag(undefined);
    await shop.sandbox.advance(LAG);
    const live = log.values.filter(({ freshness }) => freshness === 'live');
    expect(live.map(({ value }) => value.state)).to.deep.equal(['CANCELLED']);
    expect(log.ended).to.equal('complete');
  });

  it('that reads or lists it is taken in as a read of the watch, without its payments', async () => {
    const shop = openShop();
    const { client, sandbox } = shop;
    const [one, other] = [await shop.invoice(), await shop.invoice()];
    const logs = [one, other].map((invoice) => record(watchInvoice(client, invoice)));
    await sandbox.advance(1_000);
    sandbox.fault({ path: '/v1/events', action: { status: 503 } });
    for (const { invoiceId } of [one, other]) sandbox.move('invoice', invoiceId, 'PENDING');
    await sandbox.run(client.invoices.get(one.invoiceId, { includeTransactions: true }));
    expect(logs.map(({ values }) => values.at(-1)!.value.state)).to.deep.equal([
      'PENDING',
      'UNPAID',
    ]);
    expect(logs[0]!.values.at(-1)).to.include({ freshness: 'live' });
    expect(logs[0]!.values.at(-1)!.value).not.to.have.property('transactions');
    await sandbox.run(client.invoices.list({ state: 'PENDING' }).toArray({ limit: 10 }));
    expect(logs[1]!.values.at(-1)!.value.state).to.equal('PENDING');
    for (const log of logs) log.stop();
  });

  it('without a body says that something has changed: pending, and read at once', async () => {
    const { sandbox, client } = openShop();
    sandbox.fund('shop', { amount: '100', currency: 'EUR' });
    const quote = await sandbox.run(
      client.currencyExchangeQuotes.create({
        sell: 'EUR',
        buy: 'BTC',
        amount: { amount: '10.00', currency: 'EUR' },
      }),
    );
    const log = record(watchCurrencyExchangeQuote(client, quote));
    await sandbox.advance(1_000);
    await sandbox.run(client.currencyExchangeQuotes.execute(quote.id));
    expect(log.values.at(-1)).to.nested.include({
      'value.state': 'NEW',
      freshness: 'stale',
      pending: 'announced',
    });
    await sandbox.advance(300);
    expect(log.values.at(-1)!.value.state).not.to.equal('NEW');
    expect(log.values.at(-1)).to.include({ freshness: 'live', pending: undefined });
    log.stop();
  });

  it('that refuses because of a state says so too: paid, while a copy still shows the state before', async () => {
    const { shop, lag } = lagging();
    const { invoiceId } = await shop.invoice();
    const log = record(watchInvoice(shop.client, invoiceId));
    await shop.sandbox.advance(1_000);
    lag('UNPAID');
    for (const state of ['PENDING', 'PAID'] as const)
      shop.sandbox.move('invoice', invoiceId, state);
    await shop.sandbox.run(shop.client.invoices.cancel(invoiceId).catch(() => {}));
    expect(log.values.at(-1)).to.include({ freshness: 'stale', pending: 'announced' });
    await shop.sandbox.advance(20_000);
    expect(log.values.at(-1)).to.include({ freshness: 'stale', pending: 'announced' });
    lag(undefined);
    await shop.sandbox.advance(LAG);
    expect([log.values.at(-1)!.value.state, log.ended]).to.deep.equal(['PAID', 'complete']);
  });

  it('of payouts and bank accounts enters in the same way', async () => {
    const { sandbox, client } = openBank();
    const method = await sandbox.run(client.bankPaymentMethods.create(methodDraft('SEPA')));
    sandbox.move('bankPaymentMethod', method.id, 'READY');
    sandbox.fund('shop', { amount: '500', currency: 'EUR' });
    const payout = await sandbox.run(
      client.payouts.create({ paymentMethodId: method.id, amount: '100.00' }),
    );
    const log = record(watchPayout(client, payout.id));
    const bank = record(watchBankPaymentMethod(client, method.id));
    await sandbox.advance(1_000);
    const { state } = await sandbox.run(client.payouts.initiate(payout.id));
    expect(log.values.at(-1)!.value.state).to.equal(state);
    await sandbox.run(client.bankPaymentMethods.remove(method.id));
    expect(bank.values.at(-1)).to.include({ freshness: 'stale', pending: 'announced' });
    log.stop();
    bank.stop();
  });
});
