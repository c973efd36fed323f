// Protects: what a checkout says of payments that fail, are late, are too small or too large, or are taken back.
import { expect } from 'chai';
import type { Invoice } from 'paystate';
import { describe, it, itLong, sized } from '#test';
import { checkout } from 'paystate/flows';
import { altered, openShop, record, refusal } from '../state/shop.ts';
import { asked, changed, codeOf, codesOf, openSale, phases } from './sale.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const received = (amount: string, completed: string) => ({
  transactionId: 't-1',
  state: 'COMPLETED',
  amountReceived: { amount, currency: 'EUR' },
  completed,
});

describe('a checkout that is paid', () => {
  it('says so at once, and that it was in time and exact', async () => {
    const shop = openShop({ signed: true });
    const { invoice, log } = await openSale(shop);
    await shop.sandbox.payer.pay(invoice.invoiceId);
    await shop.sandbox.advance(5_000);
    expect(log.values.at(-1)).to.include({ phase: 'paid', late: false, over: false });
    expect(phases(log).filter((phase) => phase === 'paid')).to.have.length(1);
    expect([log.ended, shop.timers()]).to.deep.equal(['complete', 0]);
  });

  it('says that the payment was late where it was completed after the end of the last code', async () => {
    const shop = openShop({ signed: true });
    const { log } = await openSale(shop);
    const code = codeOf(log.values.at(-1))!;
    shop.sandbox.fault({ method: 'POST', action: { status: 503, code: 'LN_UNAVAILABLE' } });
    await shop.sandbox.advance(25_000);
    void shop.sandbox.payer.pay(code.lnInvoice, { pendingFor: 20_000 });
    await shop.sandbox.advance(30_000);
    expect(log.values.at(-1)).to.include({ phase: 'paid', late: true, over: false });
    expect(log.ended).to.equal('complete');
  });

  it('says that more came in than was asked for', async () => {
    const shop = openShop({ signed: true }, async (url, ask) => {
      if (!url.includes('includeTransactions')) return ask();
      return altered(await ask(), (invoice: Invoice) => {
        const [one] = invoice.transactions!;
        return { ...invoice, transactions: [one, { ...one, transactionId: 'second' }] };
      });
    });
    const { invoice, log } = await openSale(shop);
    await shop.sandbox.payer.pay(invoice.invoiceId);
    await shop.sandbox.advance(5_000);
    expect(log.values.at(-1)).to.include({ phase: 'paid', late: false, over: true });
  });

  it('is over also where the payments cannot be read', async () => {
    const shop = openShop({ signed: true }, (url, ask) =>
      url.includes('includeTransactions') ? Promise.resolve(refusal(403, 'FORBIDDEN')) : ask(),
    );
    const { invoice, log } = await openSale(shop);
    await shop.sandbox.payer.pay(invoice.invoiceId);
    await shop.sandbox.advance(5_000);
    expect(log.values.at(-1)).to.include({ phase: 'paid', late: false, over: false });
    expect([log.ended, shop.timers()]).to.deep.equal(['complete', 0]);
  });

  it('and that was left before its end is not live', async () => {
    const shop = openShop({ signed: true });
    const invoice = await shop.invoice();
    const sale = checkout(shop.client, { invoiceId: invoice.invoiceId });
    const seen: string[] = [];
    const stop = sale.subscribe(({ phase }) => {
      seen.push(phase);
      if (phase === 'paid') queueMicrotask(() => stop());
    });
    await shop.sandbox.payer.pay(invoice.invoiceId);
    await shop.sandbox.advance(5_000);
    expect(seen.at(-1)).to.equal('paid');
    expect(sale.current()).to.not.include({ freshness: 'live' });
    const log = record(sale);
    await shop.sandbox.advance(5_000);
    expect(log.ended).to.equal('complete');
    expect(sale.current()).to.include({ phase: 'paid' });
  });

  it('is read every five minutes after that, however long the shop has been open', async () => {
    const shop = openShop({ signed: true });
    await shop.sandbox.advance(30 * HOUR);
    const { invoice, log } = await openSale(shop, { until: 'never' });
    await shop.sandbox.payer.pay(invoice.invoiceId);
    await shop.sandbox.advance(MINUTE);
    const readWithPayments = () =>
      shop.requests.filter(({ reason }) => reason === 'a settled invoice may still change').length;
    expect([log.values.at(-1)!.phase, readWithPayments()]).to.deep.equal(['paid', 0]);
    await shop.sandbox.advance(25 * MINUTE);
    expect(readWithPayments()).to.equal(5);
    log.stop();
  });

  it('though an earlier checkout has seen it cancelled does not end with what that one knew', async () => {
    const shop = openShop({ signed: true });
    const { invoice, log } = await openSale(shop);
    await shop.sandbox.run(shop.client.invoices.cancel(invoice.invoiceId));
    await shop.sandbox.advance(5_000);
    expect([phases(log).at(-1), log.ended]).to.deep.equal(['cancelled', 'complete']);
    shop.sandbox.move('invoice', invoice.invoiceId, 'PAID');
    const sale = checkout(shop.client, { invoiceId: invoice.invoiceId });
    const later = record(sale);
    await shop.sandbox.advance(40_000);
    expect([phases(later).at(-1), later.ended]).to.deep.equal(['paid', 'complete']);
    expect(sale.current().phase).to.equal('paid');
  });

  it('and that is watched for longer is not known any more once nobody watches', async () => {
    const shop = openShop({ signed: true });
    const { invoice, sale, log } = await openSale(shop, { until: 'never' });
    await shop.sandbox.payer.pay(invoice.invoiceId);
    await shop.sandbox.advance(5_000);
    expect([phases(log).at(-1), log.ended]).to.deep.equal(['paid', undefined]);
    log.stop();
    await shop.sandbox.advance(0);
    expect(sale.current()).to.deep.equal({ phase: 'loading' });
  });

  it('in part shows no code for the whole amount', async () => {
    let part: readonly object[] | undefined;
    const shop = openShop(
      { signed: true },
      changed('invoice', (invoice: Invoice) =>
        part ? { ...invoice, transactions: part } : invoice,
      ),
    );
    const { log } = await openSale(shop);
    const one = received('5.00', '2026-01-05T09:00:05+00:00');
    const other = { ...one, amountReceived: { amount: '5.00', currency: 'USD' } };
    part = [one, other]; // what cannot be compared may be all of it
    await shop.sandbox.advance(5_000);
    expect(log.values.at(-1)!.phase).to.equal('pending');
    part = [one];
    await shop.sandbox.advance(5_000);
    expect(log.values.at(-1)!.phase).to.equal('partial');
    const codes = codesOf(log);
    part = undefined;
    await shop.sandbox.advance(2 * MINUTE);
    expect(log.values.at(-1)!.phase).to.equal('partial');
    expect(codesOf(log)).to.deep.equal(codes);
    log.stop();
  });

  itLong(
    'sees a reversal without any event, and asks less than four times a minute until then',
    async () => {
      const shop = openShop({ signed: true }, undefined, { capabilities: { feed: false } });
      const { invoice, log } = await openSale(shop, { until: 'never' });
      await shop.sandbox.payer.pay(invoice.invoiceId);
      await shop.sandbox.advance(10_000);
      expect(log.values.at(-1)!.phase).to.equal('paid');
      const reads = asked(shop, '{invoiceId}').length;
      await shop.sandbox.advance(HOUR);
      // the watch keeps the value live by a read each 18 s; the checkout's own reads are twelve
      expect(asked(shop, '{invoiceId}').length - reads).to.be.within(170, 240);
      await shop.sandbox.advance(HOUR);
      expect(asked(shop, '{invoiceId}').length - reads).to.be.within(340, 480);
      await shop.sandbox.payer.reverse(invoice.invoiceId);
      await shop.sandbox.advance(HOUR + MINUTE);
      expect(log.values.at(-1)!.phase).to.equal('reversed');
      await shop.sandbox.advance(0);
      const all = shop.requests.length;
      await shop.sandbox.advance(48 * HOUR);
      expect(shop.requests).to.have.length(all);
      log.stop();
      await shop.sandbox.advance(0);
      expect(shop.timers()).to.equal(0);
    },
  );

  itLong('is looked at by its watch alone after a day', async () => {
    const shop = openShop({ signed: true }, undefined, { capabilities: { feed: false } });
    const { invoice, log } = await openSale(shop, { until: 'never' });
    await shop.sandbox.payer.pay(invoice.invoiceId);
    await shop.sandbox.advance(25 * HOUR);
    const all = shop.requests.length;
    const hours = sized(3, 12);
    await shop.sandbox.advance(hours * HOUR);
    expect(shop.requests.length - all, 'a read each 18 s').to.be.at.most(hours * 210);
    expect(log.values.at(-1)!.phase).to.equal('paid');
    log.stop();
  });
});

describe('a checkout whose quote is refused because the invoice is paid', () => {
  it('reads the invoice at once where a refused code says that its state has moved', async () => {
    for (const [code, isRead] of [
      ['INVALID_STATE_FOR_INVOICE_CANCELLED', true],
      ['LN_UNAVAILABLE', false],
    ] as const) {
      const trace: string[] = [];
      const shop = openShop({ signed: true }, async (url, ask) => {
        const isQuote = url.endsWith('/quote');
        if (isQuote) await shop.sandbox.clock.wait(1_000); // between two reads of the watch
        trace.push(`${isQuote ? 'quote' : 'read'} ${shop.sandbox.clock.monotonic()}`);
        return isQuote ? refusal(422, code) : ask();
      });
      const { log } = await openSale(shop);
      await shop.sandbox.advance(1_500);
      log.stop();
      const [quote, after] = trace.slice(trace.findIndex((one) => one.startsWith('quote')));
      const timeOf = (one: string | undefined) => Number(one?.split(' ')[1] ?? Infinity);
      expect(timeOf(after) - timeOf(quote) < 500, `${code}: ${trace.join()}`).to.equal(isRead);
    }
  });

  it('says that a payment is on its way while the invoice cannot be read, and reads it at once', async () => {
    let blind = false;
    const shop = openShop({ signed: true }, (url, ask) =>
      blind && /\/v1\/invoices\/[^/]+$/.test(url.split('?')[0]!)
        ? Promise.resolve(refusal(503, 'MAINTENANCE_MODE'))
        : ask(),
    );
    const { invoice, log } = await openSale(shop);
    blind = true;
    await shop.sandbox.payer.pay(invoice.invoiceId);
    await shop.sandbox.advance(35_000);
    expect(log.values.at(-1)).to.include({
      phase: 'pending',
      error: 'INVALID_STATE_FOR_INVOICE_PAID',
    });
    const before = log.values.length;
    await shop.sandbox.advance(10 * MINUTE);
    expect(
      phases(log)
        .slice(before)
        .filter((phase) => phase !== 'pending'),
    ).to.deep.equal([]);
    expect(log.values.at(-1)!.phase).to.equal('pending');
    blind = false;
    await shop.sandbox.advance(2 * MINUTE);
    expect(log.values.at(-1)!.phase).to.equal('paid');
  });
});

describe('a checkout whose quote is refused before the invoice was read again', () => {
  it('does not call live what it knew before', async () => {
    let isSlow = false;
    const shop = openShop({ signed: true }, async (url, ask) => {
      if (isSlow && /\/v1\/invoices\/[^/]+$/.test(url)) await shop.sandbox.clock.wait(8_000);
      return ask();
    });
    const { invoice, log } = await openSale(shop);
    await shop.sandbox.advance(24_000);
    isSlow = true;
    await shop.sandbox.advance(500);
    await shop.sandbox.payer.pay(invoice.invoiceId);
    await shop.sandbox.advance(20_000);
    const pending = log.values.flatMap((view) => (view.phase === 'pending' ? [view] : []));
    expect(pending.length).to.be.greaterThan(0);
    const isTrue = ({ invoice: { state }, freshness }: (typeof pending)[0]) =>
      state === 'PENDING' || freshness !== 'live';
    expect(pending.every(isTrue)).to.equal(true);
    expect(phases(log).at(-1)).to.equal('paid');
  });
});

describe('a checkout whose payment fails', () => {
  it('says that it seems to have failed and when it is known, and has a code at that moment', async () => {
    const shop = openShop({ signed: true });
    const { log } = await openSale(shop);
    const code = codeOf(log.values.at(-1))!;
    void shop.sandbox.payer.pay(code.lnInvoice, { pendingFor: 2_100, fails: true }).catch(() => {});
    await shop.sandbox.advance(9_000);
    const view = log.values.at(-1)!;
    expect(view).to.include({ phase: 'pending', unconfirmed: 'UNPAID' });
    const { knownAt } = view as { readonly knownAt: number };
    const left = knownAt - shop.sandbox.clock.monotonic();
    expect(left).to.be.within(15_000, 30_000);
    await shop.sandbox.advance(left - 500);
    expect(log.values.at(-1)!.phase).to.equal('pending');
    await shop.sandbox.advance(2_500);
    expect(log.values.at(-1)!.phase).to.equal('awaiting');
    log.stop();
  });
});
