// Waiting for a watched value: time over is no failure, and what is old does not count as read.
import { expect } from 'chai';
import { firstValue, watchBalances, watchInvoice, waitUntilSettled } from 'paystate';
import { describe, it } from '#test';
import { reasonOf } from '../core/shop.ts';
import { openShop, refusal } from './shop.ts';

describe('waitUntilSettled', () => {
  it('resolves when the invoice is settled, and leaves nothing behind', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const done = waitUntilSettled(watchInvoice(shop.client, invoice), { timeout: 60_000 });
    await shop.sandbox.advance(1_000);
    await shop.pay(invoice);
    const { settled, snapshot } = await shop.sandbox.run(done);
    expect([settled, snapshot.value?.state, snapshot.freshness]).to.deep.equal([
      true,
      'PAID',
      'live',
    ]);
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('takes no kept value for the end: it reads what has become of it', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    await shop.pay(invoice);
    const watch = watchInvoice(shop.client, invoice, { until: 'never' });
    const first = await shop.sandbox.run(waitUntilSettled(watch));
    expect(first.snapshot.value?.state).to.equal('PAID');
    await shop.sandbox.advance(60_000);
    expect(watch.current()).to.include({ freshness: 'stale', value: first.snapshot.value });
    shop.sandbox.move('invoice', invoice.invoiceId, 'REVERSED');
    const { settled, snapshot } = await shop.sandbox.run(waitUntilSettled(watch));
    expect([settled, snapshot.value?.state]).to.deep.equal([true, 'REVERSED']);
  });

  it('says after the time what is true then, in the time of the client, and fails nothing', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const begun = shop.sandbox.clock.now();
    const { settled, snapshot } = await shop.sandbox.run(
      waitUntilSettled(watchInvoice(shop.client, invoice), { timeout: 60_000 }),
    );
    expect([settled, snapshot.value?.state]).to.deep.equal([false, 'UNPAID']);
    expect(shop.sandbox.clock.now() - begun).to.equal(60_000);
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('rejects with what ends the watch, and with the reason of its signal', async () => {
    const shop = openShop({}, () => Promise.resolve(refusal(403, 'FORBIDDEN')));
    const refused = reasonOf(waitUntilSettled(watchInvoice(shop.client, 'a')));
    expect(await shop.sandbox.run(refused)).to.include({ code: 'FORBIDDEN' });
    const reason = new Error('gone');
    for (const signal of [AbortSignal.abort(reason)])
      expect(
        await shop.sandbox.run(
          reasonOf(waitUntilSettled(watchInvoice(shop.client, 'b'), { signal })),
        ),
      ).to.equal(reason);
    const stop = new AbortController();
    const waiting = reasonOf(
      waitUntilSettled(watchInvoice(shop.client, 'c'), { signal: stop.signal }),
    );
    stop.abort(reason);
    expect(await waiting).to.equal(reason);
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });
});

describe('firstValue', () => {
  it('gives a value that was read while it was waited for, not one that was kept', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    expect((await shop.sandbox.run(firstValue(watch))).state).to.equal('UNPAID');
    await shop.pay(invoice);
    await shop.sandbox.advance(3_600_000);
    expect((await shop.sandbox.run(firstValue(watch))).state).to.equal('PAID');
    const balances = await shop.sandbox.run(firstValue(watchBalances(shop.client)));
    expect(balances.length).to.be.above(0);
  });

  it('waits for the one that fits, and says so where the watch ends before', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const paid = firstValue(watch, { where: ({ state }) => state === 'PAID' });
    const never = reasonOf(firstValue(watch, { where: () => false }));
    const late = reasonOf(firstValue(watch, { where: () => false, timeout: 500 }));
    expect(await shop.sandbox.run(late)).to.include({ kind: 'unreachable', code: 'TIMEOUT' });
    await shop.pay(invoice);
    expect((await shop.sandbox.run(paid)).state).to.equal('PAID');
    expect(await shop.sandbox.run(never)).to.include({ kind: 'response', code: 'WATCH_ENDED' });
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });
});
