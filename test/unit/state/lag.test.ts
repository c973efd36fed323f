import { describe, it } from '#test';
import { expect } from 'chai';
import { type Invoice, watchInvoice } from 'paystate';
import { openShop, record, type Shop } from './shop.ts';

const MINUTE = 60_000;

/** A shop whose reads of invoices come from a copy so far behind; its feed shows all at once. */
function replica(): { shop: Shop; behind(ms: number): void } {
  let stale = 0;
  const shop: Shop = openShop({}, (url, ask) => {
    const path = new URL(url).pathname;
    if (stale === 0 || !path.startsWith('/v1/invoices')) return ask();
    const end = shop.sandbox.fault({ method: 'GET', path, action: { stale } });
    const answer = ask();
    end();
    return answer;
  });
  shop.sandbox.fault({ path: '/none', action: { stale: 1 } })(); // a copy knows what was since the first such fault
  return { shop, behind: (ms) => void (stale = ms) };
}

/** Watches an invoice beside a settled one, which is left to the feed, and waits until both are. */
async function byFeed(shop: Shop) {
  const [settled, invoice] = [await shop.invoice(), await shop.invoice()];
  await shop.pay(settled);
  const other = record(watchInvoice(shop.client, settled, { until: 'never' }));
  const watch = watchInvoice(shop.client, invoice);
  const log = record(watch);
  await shop.sandbox.advance(2 * MINUTE);
  expect(watch.status().reason).to.match(/^event feed/);
  return {
    invoice,
    lastState: () => log.values.at(-1)!.value.state,
    stop: () => [log, other].forEach((one) => void one.stop()),
  };
}

/** Lets someone pay, and returns at once. */
const pay = ({ sandbox }: Shop, { invoiceId }: Invoice, pendingFor: number, fails: boolean) =>
  void sandbox.payer.pay(invoiceId, { pendingFor, fails }).catch(() => {});

describe('a watch whose reads come from copies that lag', () => {
  it('reads an announced change again as soon as no copy can hide it, whatever was read before', async () => {
    const { shop, behind } = replica();
    const { invoice, lastState, stop } = await byFeed(shop);
    pay(shop, invoice, 15_000, true);
    await shop.sandbox.advance(14_000);
    expect(lastState()).to.equal('PENDING');
    behind(10_000);
    await shop.sandbox.advance(4_000); // the first read after it failed: PENDING
    behind(0);
    await shop.sandbox.advance(10_000); // the next ones: UNPAID
    behind(20_000);
    await shop.sandbox.advance(6_000); // the one that was to confirm it: PENDING
    behind(30_000);
    await shop.sandbox.advance(20_000);
    expect(lastState()).to.equal('UNPAID');
    stop();
  });

  it('counts the half minute of a lag from the news on, not from the first read that shows some of it', async () => {
    const { shop, behind } = replica();
    const { invoice, lastState, stop } = await byFeed(shop);
    behind(20_000);
    pay(shop, invoice, 10_000, false);
    await shop.sandbox.advance(12_500);
    expect(lastState(), 'before any payment').to.equal('UNPAID');
    behind(10_000);
    await shop.sandbox.advance(2_000);
    expect(lastState(), 'while it was under way').to.equal('PENDING');
    behind(30_000);
    await shop.sandbox.advance(28_000);
    expect(lastState()).to.equal('PAID');
    stop();
  });
});
