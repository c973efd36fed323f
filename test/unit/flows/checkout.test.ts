import { describe, it, itLong } from '#test';
import { expect } from 'chai';
import type { Invoice, InvoiceQuote } from 'paystate';
import { checkout, type CheckoutView, countdown } from 'paystate/flows';
import { decodeBolt11 } from 'paystate/lightning';
import { inPage } from '../state/page.ts';
import {
  altered,
  type Answers,
  openShop,
  record,
  refusal,
  type Record,
  type Shop,
} from '../state/shop.ts';
import { internalsOf, withInternals } from '../core/internals.ts';

const phases = (log: Record<CheckoutView>) => log.values.map(({ phase }) => phase);
const codeOf = (view: CheckoutView | undefined) =>
  view?.phase === 'awaiting' ? view.quote : undefined;

async function open(shop: Shop): Promise<{ invoice: Invoice; log: Record<CheckoutView> }> {
  const invoice = await shop.invoice();
  const log = record(checkout(shop.client, { invoiceId: invoice.invoiceId }));
  await shop.sandbox.advance(1_000);
  return { invoice, log };
}

/** A shop whose quotes are changed before they arrive. */
const quotes =
  (change: (quote: InvoiceQuote) => unknown, changed = () => true): Answers =>
  async (url, ask) =>
    url.endsWith('/quote') && changed() ? altered(await ask(), change) : ask();

describe('checkout', () => {
  it('shows a code, and says paid by itself', async () => {
    const shop = openShop({ signed: true });
    const { log } = await open(shop);
    const code = codeOf(log.values.at(-1))!;
    expect(code.link).to.equal(`lightning:${code.lnInvoice}`);
    expect(code.qrText).to.equal(code.lnInvoice.toUpperCase());
    expect(code.amount.currency).to.equal('BTC');
    await shop.sandbox.payer.pay(code.lnInvoice);
    await shop.sandbox.advance(4_100);
    expect(phases(log)).to.deep.equal(['loading', 'renewing', 'awaiting', 'paid']);
    expect(log.ended).to.equal('complete');
    expect(shop.timers()).to.equal(0);
  });

  it('creates nothing', async () => {
    const shop = openShop({ signed: true });
    const { log } = await open(shop);
    await shop.sandbox.advance(120_000);
    log.stop();
    expect(
      shop.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/invoices'),
    ).to.have.length(1);
  });

  itLong(
    'renews before the end, keeps one code on show and never shows an old one again',
    async () => {
      const shop = openShop({ signed: true });
      const { log } = await open(shop);
      await shop.sandbox.advance(300_000);
      const shown = log.values.map(codeOf);
      const codes = shown.filter((code) => code !== undefined);
      expect(phases(log).slice(2)).to.deep.equal(Array(codes.length).fill('awaiting'));
      expect(codes.length).to.be.within(10, 14);
      expect(new Set(codes.map(({ lnInvoice }) => lnInvoice)).size).to.equal(codes.length);
      expect(log.values.at(-1)).to.include({ renewed: true });
      log.stop();
      await shop.sandbox.advance(0);
      expect(shop.timers()).to.equal(0);
    },
  );

  itLong(
    'takes the code off a second before its end when no new one comes, and shows the next',
    async () => {
      const shop = openShop({ signed: true });
      const { log } = await open(shop);
      const first = codeOf(log.values.at(-1))!;
      const endFault = shop.sandbox.fault({
        method: 'POST',
        action: { status: 503, code: 'LN_UNAVAILABLE' },
      });
      await shop.sandbox.advance(first.expiresAt - shop.sandbox.clock.monotonic() - 1_001);
      expect(codeOf(log.values.at(-1))!.lnInvoice).to.equal(first.lnInvoice);
      await shop.sandbox.advance(2);
      expect(log.values.at(-1)!.phase).to.equal('renewing');
      expect(log.values.at(-1)!.error).to.equal('LN_UNAVAILABLE');
      endFault();
      await shop.sandbox.advance(35_000);
      expect(log.values.at(-1)!.phase).to.equal('awaiting');
      expect(log.values.at(-1)!.error).to.equal(undefined);
    },
  );

  it('never over-states the end: it counts from the sending of the request', async () => {
    const shop = openShop({ signed: true });
    const invoice = await shop.invoice();
    shop.sandbox.fault({ method: 'POST', action: { delay: 4_000, processed: true } });
    const log = record(checkout(shop.client, { invoiceId: invoice.invoiceId }));
    await shop.sandbox.advance(6_000);
    const code = codeOf(log.values.at(-1))!;
    const end = decodeBolt11(code.lnInvoice).expiresAt;
    const shownEnd = shop.sandbox.clock.now() + code.expiresAt - shop.sandbox.clock.monotonic();
    expect(shownEnd).to.be.at.most(end + 1_000);
    expect(shownEnd).to.be.at.least(end - 5_000);
  });

  it('stops renewing while a payment runs', async () => {
    const shop = openShop({ signed: true });
    const { log } = await open(shop);
    void shop.sandbox.payer.pay(codeOf(log.values.at(-1))!.lnInvoice, { pendingFor: 60_000 }); // ends in a minute of virtual time
    await shop.sandbox.advance(5_000);
    expect(log.values.at(-1)!.phase).to.equal('pending');
    const quoted = shop.requests.filter(({ path }) => path.endsWith('/quote')).length;
    await shop.sandbox.advance(40_000);
    expect(shop.requests.filter(({ path }) => path.endsWith('/quote'))).to.have.length(quoted);
    await shop.sandbox.advance(60_000);
    expect(log.values.at(-1)!.phase).to.equal('paid');
  });

  it('takes the code away while the page is hidden, renews nothing, and shows it again where enough is left', () =>
    inPage(async (page) => {
      const shop = openShop({ signed: true });
      const { log } = await open(shop);
      const code = codeOf(log.values.at(-1))!;
      page.hide();
      expect(log.values.at(-1)!.phase).to.equal('paused');
      await shop.sandbox.advance(10_000);
      page.show();
      await shop.sandbox.advance(100); // the invoice is read first
      expect(codeOf(log.values.at(-1))).to.deep.equal(code);
      log.stop();
      await shop.sandbox.advance(0);
    }));

  it('renews before it shows when a hidden page comes back late', () =>
    inPage(async (page) => {
      const shop = openShop({ signed: true });
      const { log } = await open(shop);
      const code = codeOf(log.values.at(-1))!;
      page.hide();
      const asked = shop.requests.filter(({ path }) => path.endsWith('/quote')).length;
      await shop.sandbox.advance(21_000);
      expect(
        shop.requests.filter(({ path }) => path.endsWith('/quote')),
        'hidden',
      ).to.have.length(asked);
      page.show();
      expect(log.values.at(-1)!.phase).to.equal('renewing');
      await shop.sandbox.advance(100);
      expect(codeOf(log.values.at(-1))!.lnInvoice).to.not.equal(code.lnInvoice);
      page.hide();
      await shop.sandbox.advance(60_000);
      expect(
        shop.requests.filter(({ path }) => path.endsWith('/quote')),
        'hidden for long',
      ).to.have.length(asked + 1);
      log.stop();
      await shop.sandbox.advance(0);
    }));

  for (const [name, leaveAfter, action] of [
    ['while its code is on show', 5_000, undefined],
    ['while it asks for a code', 100, { delay: 3_000, processed: true }],
    ['while it waits to ask again', 3_000, { status: 503, code: 'LN_UNAVAILABLE' }],
  ] as const)
    it(`asks for nothing more when it is left ${name}`, async () => {
      const shop = openShop({ signed: true });
      const { invoiceId } = await shop.invoice();
      if (action) shop.sandbox.fault({ method: 'POST', action });
      const log = record(checkout(shop.client, { invoiceId }));
      await shop.sandbox.advance(leaveAfter);
      expect(shop.requests.filter(({ path }) => path.endsWith('/quote')).length).to.be.above(0);
      log.stop();
      await shop.sandbox.advance(0);
      const [asked, shown] = [shop.requests.length, log.values.length];
      expect(shop.timers()).to.equal(0);
      await shop.sandbox.advance(600_000);
      expect([shop.requests.length, log.values.length, shop.timers()]).to.deep.equal([
        asked,
        shown,
        0,
      ]);
    });

  it('says cancelled', async () => {
    const shop = openShop({ signed: true });
    const { invoice, log } = await open(shop);
    await shop.sandbox.run(shop.client.invoices.cancel(invoice.invoiceId));
    await shop.sandbox.advance(4_100);
    expect(log.values.at(-1)!.phase).to.equal('cancelled');
    expect(log.ended).to.equal('complete');
    // nothing came in that would have to be read
    expect(shop.requests.filter(({ reason }) => reason?.includes('payments'))).to.deep.equal([]);
  });

  for (const [problem, change] of [
    [
      'QUOTE_PRICE_DIFFERS',
      (quote: InvoiceQuote) => ({
        ...quote,
        targetAmount: { ...quote.targetAmount, amount: '12.49' },
      }),
    ],
    [
      'QUOTE_AMOUNT_DIFFERS',
      (quote: InvoiceQuote) => ({
        ...quote,
        sourceAmount: { ...quote.sourceAmount, amount: '0.00000001' },
      }),
    ],
    [
      'QUOTE_DESCRIPTION_DIFFERS',
      (quote: InvoiceQuote) => ({ ...quote, description: 'something else' }),
    ],
    [
      'QUOTE_END_DIFFERS',
      (quote: InvoiceQuote) => ({ ...quote, expiration: '2026-01-05T09:00:01+00:00' }),
    ],
    [
      'QUOTE_UNREADABLE',
      (quote: InvoiceQuote) => ({ ...quote, lnInvoice: quote.lnInvoice.replace(/.$/, 'q') }),
    ],
  ] as const)
    it(`shows no code that is not what was asked for: ${problem}`, async () => {
      const shop = openShop({ signed: true }, quotes(change));
      const { log } = await open(shop);
      const last = log.values.at(-1)!;
      expect(last).to.include({ phase: 'unsafe', problem });
      expect(log.values.some(codeOf)).to.equal(false);
      const asked = shop.requests.filter(({ path }) => path.endsWith('/quote')).length;
      await shop.sandbox.advance(60_000);
      expect(shop.requests.filter(({ path }) => path.endsWith('/quote'))).to.have.length(asked);
      log.stop();
    });

  it('blocks when the payee changes from one code to the next', async () => {
    const other = openShop({ signed: true, seed: 'somebody else' });
    const theirs = await other.invoice();
    let swap = false;
    const shop = openShop({ signed: true }, async (url, ask) => {
      const answer = await ask();
      if (!url.endsWith('/quote') || !swap) return answer;
      return altered(answer, (quote: InvoiceQuote) => ({
        ...quote,
        lnInvoice: stolen.lnInvoice,
        sourceAmount: stolen.sourceAmount,
        expiration: stolen.expiration,
      }));
    });
    const { log } = await open(shop);
    const stolen = await other.sandbox.run(other.client.invoices.quote(theirs.invoiceId));
    swap = true;
    await shop.sandbox.advance(30_000);
    expect(log.values.at(-1)).to.include({ phase: 'unsafe', problem: 'QUOTE_PAYEE_CHANGED' });
  });

  it('is blocked by a refusal for good, and says which', async () => {
    const shop = openShop({ signed: true }, (url, ask) =>
      url.endsWith('/quote') ? Promise.resolve(refusal(403, 'FORBIDDEN')) : ask(),
    );
    const { log } = await open(shop);
    expect(log.values.at(-1)).to.include({ phase: 'unsafe', problem: 'FORBIDDEN' });
  });

  it('hands on what ends the watch of its invoice', async () => {
    const shop = openShop({}, (url, ask) =>
      url.includes('/v1/invoices/') ? Promise.resolve(refusal(403, 'FORBIDDEN')) : ask(),
    );
    const log = record(checkout(shop.client, { invoiceId: 'a' }));
    await shop.sandbox.advance(3_000);
    expect(log.values.at(-1)!.phase).to.equal('failed');
    expect((log.ended as { error: { code: string } }).error.code).to.equal('FORBIDDEN');
    expect(shop.timers()).to.equal(0);
  });
});

describe('countdown', () => {
  it('tells whole seconds, rounded down, and completes at 0', async () => {
    const { sandbox, client, timers } = openShop();
    const log = record(countdown(client, { expiresAt: sandbox.clock.monotonic() + 3_500 }));
    await sandbox.advance(600);
    expect(log.values.at(-1), '2.9 s are left').to.equal(2);
    await sandbox.advance(3_400);
    expect(log.values).to.deep.equal([3, 2, 1, 0]);
    expect(log.ended).to.equal('complete');
    expect(timers()).to.equal(0);
  });

  it('does not care about a clock that is wrong or jumps', async () => {
    const shop = openShop();
    let wrong = 3_600_000;
    const { clock } = internalsOf(shop.client);
    const log = record(
      countdown(
        withInternals(shop.client, { clock: { ...clock, now: () => clock.now() + wrong } }),
        { expiresAt: clock.monotonic() + 5_000 },
      ),
    );
    await shop.sandbox.advance(2_000);
    wrong = -3_600_000;
    await shop.sandbox.advance(3_000);
    expect(log.values).to.deep.equal([5, 4, 3, 2, 1, 0]);
  });

  it('leaves no timer behind', async () => {
    const { sandbox, client, timers } = openShop();
    const log = record(countdown(client, { expiresAt: sandbox.clock.monotonic() + 60_000 }));
    await sandbox.advance(1_500);
    log.stop();
    await sandbox.advance(0);
    expect(timers()).to.equal(0);
  });
});
