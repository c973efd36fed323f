// Protects: a code that nobody looks at is not renewed, and none is shown after a pause before the invoice was read.
import { expect } from 'chai';
import { productionRateLimits } from 'paystate';
import { checkout, type CheckoutView } from 'paystate/flows';
import { describe, it, itLong } from '#test';
import { internalsOf, withInternals } from '../core/internals.ts';
import { inPage } from '../state/page.ts';
import { openShop, record, type Record, type Shop } from '../state/shop.ts';
import { asked, changed, codeOf, codesOf, openSale, phases } from './sale.ts';

const MINUTE = 60_000;
const last = (log: Record<CheckoutView>) => log.values.at(-1)!;
const READS = { method: 'GET', path: '/v1/invoices/{invoiceId}' };

/** A client whose wall clock has run ahead of its monotonic one. */
const sleeper = (shop: Shop) => {
  const { clock } = internalsOf(shop.client);
  let slept = 0;
  const client = withInternals(shop.client, {
    clock: { ...clock, now: () => clock.now() + slept },
  });
  return { client, sleep: (ms: number) => void (slept += ms) };
};

describe('a checkout that is not touched', () => {
  itLong(
    'takes its code off after ten minutes, asks for no other, and still says paid',
    async () => {
      const shop = openShop({ signed: true });
      const { invoice, log } = await openSale(shop);
      await shop.sandbox.advance(9 * MINUTE + 58_000);
      expect(last(log).phase).to.equal('awaiting');
      await shop.sandbox.advance(1_500);
      expect(last(log).phase).to.equal('paused');
      const quotes = asked(shop, '/quote').length;
      await shop.sandbox.advance(20 * MINUTE);
      expect(asked(shop, '/quote')).to.have.length(quotes);
      await shop.sandbox.payer.pay(invoice.invoiceId);
      await shop.sandbox.advance(MINUTE);
      expect([last(log).phase, log.ended]).to.deep.equal(['paid', 'complete']);
      expect(shop.timers()).to.equal(0);
    },
  );

  it('goes on where it is touched, for as long again', async () => {
    const shop = openShop({ signed: true });
    const { sale, log } = await openSale(shop, { pauseAfter: 2 * MINUTE });
    await shop.sandbox.advance(MINUTE);
    sale.touch();
    expect(last(log).phase).to.equal('awaiting');
    await shop.sandbox.advance(119_000);
    expect(phases(log)).to.not.include('paused');
    await shop.sandbox.advance(2_000);
    expect(last(log).phase).to.equal('paused');
    const [quotes, reads] = [asked(shop, '/quote').length, asked(shop, '{invoiceId}').length];
    await shop.sandbox.advance(MINUTE);
    sale.touch();
    expect(last(log).phase).to.equal('renewing');
    await shop.sandbox.advance(1_000);
    expect(last(log).phase).to.equal('awaiting');
    expect(asked(shop, '/quote')).to.have.length(quotes + 1);
    expect(asked(shop, '{invoiceId}').length).to.be.above(reads);
    log.stop();
    sale.touch();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  itLong('never pauses where that is wanted', async () => {
    const shop = openShop({ signed: true });
    const { log } = await openSale(shop, { pauseAfter: Infinity });
    await shop.sandbox.advance(30 * MINUTE);
    expect(phases(log)).to.not.include('paused');
    log.stop();
  });
});

describe('a checkout that comes back after a pause', () => {
  it('shows no code before the invoice was read', () =>
    inPage(async (page) => {
      const shop = openShop({ signed: true });
      const { log } = await openSale(shop);
      const code = codeOf(last(log))!;
      page.hide();
      await shop.sandbox.advance(3_000);
      const end = shop.sandbox.fault({ ...READS, action: { delay: 2_000, processed: true } });
      page.show();
      await shop.sandbox.advance(1_900);
      expect(last(log).phase).to.equal('renewing');
      await shop.sandbox.advance(500);
      expect(codeOf(last(log))).to.deep.equal(code);
      end();
      log.stop();
      await shop.sandbox.advance(0);
      expect(shop.timers()).to.equal(0);
    }));

  it('tries again where that read fails, and shows no code meanwhile', () =>
    inPage(async (page) => {
      const shop = openShop({ signed: true });
      const { log } = await openSale(shop);
      page.hide();
      const end = shop.sandbox.fault({
        ...READS,
        action: { status: 503, code: 'MAINTENANCE_MODE' },
      });
      const before = log.values.length;
      page.show();
      await shop.sandbox.advance(20_000);
      expect(codesOf({ ...log, values: log.values.slice(before) })).to.deep.equal([]);
      end();
      await shop.sandbox.advance(61_000);
      expect(last(log).phase).to.equal('awaiting');
      log.stop();
      await shop.sandbox.advance(0);
    }));

  it('shows no code of an invoice that was paid meanwhile', () =>
    inPage(async (page) => {
      const shop = openShop({ signed: true });
      const { invoice, log } = await openSale(shop);
      page.hide();
      await shop.sandbox.payer.pay(invoice.invoiceId);
      const before = log.values.length;
      page.show();
      await shop.sandbox.advance(5_000);
      expect(phases(log).slice(before)).to.deep.equal(['renewing', 'paid']);
    }));
});

describe('a checkout on a machine that sleeps', () => {
  it('shows no code that has ended meanwhile, also where the monotonic clock stood still', async () => {
    const shop = openShop({ signed: true });
    const { invoiceId } = await shop.invoice();
    const { client, sleep } = sleeper(shop);
    const log = record(checkout(client, { invoiceId }));
    await shop.sandbox.advance(1_000);
    const dead = codeOf(last(log))!;
    sleep(10 * MINUTE);
    await shop.sandbox.advance(1_100);
    expect(codeOf(last(log))?.lnInvoice).to.not.equal(dead.lnInvoice);
    await shop.sandbox.advance(1_000);
    expect(last(log).phase).to.equal('awaiting');
    expect(codesOf(log)).to.have.length(2);
    log.stop();
  });

  it('reads the invoice before it shows a code that is still good', async () => {
    const shop = openShop({ signed: true, quoteLifetimes: { converted: 3_600_000 } });
    const { invoiceId } = await shop.invoice();
    const { client, sleep } = sleeper(shop);
    const log = record(checkout(client, { invoiceId }));
    await shop.sandbox.advance(1_000);
    const code = codeOf(last(log))!;
    shop.sandbox.fault({ ...READS, action: { delay: 4_000, processed: true } });
    sleep(5 * MINUTE);
    await shop.sandbox.advance(1_100);
    expect(last(log).phase).to.equal('renewing');
    await shop.sandbox.advance(7_000);
    expect(codeOf(last(log))?.lnInvoice).to.equal(code.lnInvoice);
    expect(asked(shop, '/quote')).to.have.length(1);
    log.stop();
  });
});

describe('a checkout on a machine that sleeps while a code is on its way', () => {
  it('reads the invoice before it shows that code', async () => {
    const shop = openShop({ signed: true, quoteLifetimes: { converted: 3_600_000 } });
    const { invoiceId } = await shop.invoice();
    const { client, sleep } = sleeper(shop);
    const action = { delay: 3_000, processed: true };
    shop.sandbox.fault({ path: '/v1/invoices/{invoiceId}/quote', action });
    shop.sandbox.fault({ ...READS, action });
    const log = record(checkout(client, { invoiceId }));
    await shop.sandbox.advance(4_500);
    expect(asked(shop, '/quote')).to.have.length(1);
    sleep(5 * MINUTE);
    await shop.sandbox.advance(3_000);
    expect(last(log).phase).to.equal('renewing');
    await shop.sandbox.advance(5_000); // a read that was under way at the sleep ends first
    expect(last(log).phase).to.equal('awaiting');
    log.stop();
  });
});

describe('a checkout where many quotes are asked for', () => {
  const rateLimits = {
    ...productionRateLimits,
    'invoice-quotes': { limit: 10, window: MINUTE, block: MINUTE },
  };

  it('renews only for who asks, and refuses the shop nothing', async () => {
    const shop = openShop({ signed: true }, undefined, { rateLimits });
    const { sale, log } = await openSale(shop);
    const { invoiceId } = await shop.invoice();
    const quote = () => shop.sandbox.run(shop.client.invoices.quote(invoiceId));
    for (let nth = 0; nth < 6; nth++) await quote();
    const quotes = asked(shop, '/quote').length;
    await shop.sandbox.advance(35_000);
    expect(last(log).phase).to.equal('paused');
    expect(asked(shop, '/quote')).to.have.length(quotes);
    sale.touch();
    await shop.sandbox.advance(500);
    expect(last(log).phase).to.equal('awaiting');
    expect(asked(shop, '/quote')).to.have.length(quotes + 1);
    await quote();
    expect(asked(shop, '/quote')).to.have.length(quotes + 2);
    await shop.sandbox.advance(2 * MINUTE);
    expect(last(log).phase).to.equal('awaiting');
    log.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  itLong('renews the one that has waited longest first', async () => {
    const shop = openShop({ signed: true }, undefined, { rateLimits });
    const logs = [];
    for (let nth = 0; nth < 4; nth++) {
      logs.push((await openSale(shop)).log);
      await shop.sandbox.advance(2_300); // so that they look at different times
    }
    const { invoiceId } = await shop.invoice();
    for (let nth = 0; nth < 4; nth++) await shop.sandbox.run(shop.client.invoices.quote(invoiceId));
    await shop.sandbox.advance(40_000);
    expect(logs.map((log) => last(log).phase)).to.deep.equal(Array(4).fill('paused'));
    const order: number[] = [];
    for (let tick = 0; tick < 60 && order.length < 4; tick++) {
      await shop.sandbox.advance(500);
      logs.forEach((log, nth) => {
        if (codesOf(log).length > 1 && !order.includes(nth)) order.push(nth);
      });
    }
    expect(order).to.deep.equal([0, 1, 2, 3]);
    for (const log of logs) log.stop();
  });
});

describe('a checkout whose codes end at once', () => {
  for (const seconds of [0, 1])
    it(`waits longer and longer before it asks for another: ${seconds} s`, async () => {
      const shop = openShop(
        { signed: true },
        changed('quote', (quote: object) => ({ ...quote, expirationInSec: seconds })),
      );
      const { log } = await openSale(shop);
      await shop.sandbox.advance(MINUTE);
      expect(asked(shop, '/quote').length).to.be.within(4, 8);
      expect(codesOf(log)).to.deep.equal([]);
      expect(last(log)).to.include({ phase: 'renewing', error: 'RESPONSE_INVALID' });
      log.stop();
    });
});
