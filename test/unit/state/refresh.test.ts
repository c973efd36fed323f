// `refresh()` reads now, and resolves to what is known then.
import { expect } from 'chai';
import { type Client, watchBalances, watchInvoice, watchRateLimits, watchRates } from 'paystate';
import { checkout, countdown, pay } from 'paystate/flows';
import { memoryStore } from 'paystate/stores';
import { describe, it } from '#test';
import { inPage } from './page.ts';
import { type Answers, openShop, record, recordAll, refusal, type Shop } from './shop.ts';

const isRead = (url: string) => /\/v1\/invoices\/[^/?]+$/.test(url);

/** A shop whose reads of invoices are answered by `answer`, while it is set. */
function moody(): { shop: Shop; set(answer: Answers | undefined): void } {
  let mood: Answers | undefined;
  const shop = openShop({}, (url, ask) => (mood && isRead(url) ? mood(url, ask) : ask()));
  return { shop, set: (answer) => void (mood = answer) };
}

describe('refresh()', () => {
  it('reads after the call, and resolves to what was read, the same for all listeners', async () => {
    const shop = openShop();
    const { client, sandbox } = shop;
    const invoice = await shop.invoice();
    const watch = watchInvoice(client, invoice);
    const log = record(watch);
    await sandbox.advance(20_000);
    sandbox.fault({ path: '/v1/events', action: { status: 503 } });
    sandbox.move('invoice', invoice.invoiceId, 'PENDING');
    const calledAt = sandbox.clock.now();
    const read = await sandbox.run(watch.refresh());
    expect(read).to.equal(watch.current());
    expect(read).to.equal(log.values.at(-1));
    expect(read.value?.state).to.equal('PENDING');
    expect(read.checkedAt).to.be.at.least(calledAt);
    expect(sandbox.clock.now() - calledAt).to.be.below(1_000);
    log.stop();
  });

  it('of a value that has not changed emits nothing, and says when it was checked', async () => {
    const shop = openShop();
    const watch = watchInvoice(shop.client, await shop.invoice());
    const log = record(watch);
    await shop.sandbox.advance(20_000);
    const count = log.values.length;
    const calledAt = shop.sandbox.clock.now();
    const read = await shop.sandbox.run(watch.refresh());
    expect(read.checkedAt).to.be.at.least(calledAt);
    expect([read === log.values.at(-1), log.values.length]).to.deep.equal([true, count]);
    log.stop();
  });

  it('of many calls within a base period sends at most two requests', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watches = [watchInvoice(shop.client, invoice), watchInvoice(shop.client, invoice)];
    const logs = watches.map((watch) => record(watch));
    await shop.sandbox.advance(20_000);
    shop.requests.length = 0;
    const calledAt = shop.sandbox.clock.now();
    const calls: Promise<unknown>[] = [];
    for (let n = 0; n < 50; n++) {
      calls.push(...watches.map((watch) => watch.refresh()));
      await shop.sandbox.advance(20);
    }
    const reads = () => shop.requests.filter(({ reason }) => reason.startsWith('refresh'));
    expect(reads(), 'the first is sent at once').to.have.length(1);
    expect(reads()[0]!.sentAt - calledAt).to.be.at.most(50);
    await shop.sandbox.run(Promise.all(calls));
    await shop.sandbox.advance(10_000);
    expect(reads().length, 'the others share one, a base period later').to.be.within(1, 2);
    for (const log of logs) log.stop();
  });

  it('without listeners subscribes for that time, and leaves nothing behind', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const read = await shop.sandbox.run(watch.refresh());
    expect(read).to.include({ freshness: 'live' });
    await shop.sandbox.advance(0);
    expect(watch.current()).to.include({ freshness: 'stale', value: read.value });
    expect([shop.timers(), shop.flying()]).to.deep.equal([0, 0]);
    const rates = await shop.sandbox.run(watchRates(shop.client).refresh());
    expect(rates.freshness).to.equal('live');
  });

  it('without listeners, many times in turn, shares a read in each base period', async () => {
    for (const answer of [undefined, async () => refusal(503, 'SERVICE_UNAVAILABLE')]) {
      const { shop, set } = moody();
      const { clock } = shop.sandbox;
      const invoice = await shop.invoice();
      set(answer);
      shop.requests.length = 0;
      const waits: number[] = [];
      const calls: Promise<void>[] = [];
      for (let n = 0; n < 100; n++) {
        const calledAt = clock.now();
        const call = watchInvoice(shop.client, invoice).refresh();
        calls.push(
          call.then(({ checkedAt, error }) => {
            waits.push(clock.now() - calledAt);
            expect(answer ? error !== undefined : checkedAt! >= calledAt).to.equal(true);
          }),
        );
        await shop.sandbox.advance(50);
      }
      await shop.sandbox.run(Promise.all(calls));
      expect(shop.requests.length, 'in five seconds').to.be.within(3, 4);
      expect(Math.max(...waits)).to.be.within(1_000, 2_500);
      await shop.sandbox.advance(0);
      expect([shop.timers(), shop.flying()]).to.deep.equal([0, 0]);
    }
  });

  it('without listeners waits for no base period where nothing can be asked', async () => {
    await inPage(async (page) => {
      const shop = openShop();
      const watch = watchInvoice(shop.client, await shop.invoice());
      await shop.sandbox.run(watch.refresh());
      page.network(false);
      shop.requests.length = 0;
      const calledAt = shop.sandbox.clock.now();
      expect(await shop.sandbox.run(watch.refresh())).to.equal(watch.current());
      expect([shop.sandbox.clock.now(), shop.requests]).to.deep.equal([calledAt, []]);
    });
  });

  it('waits for a read that was sent after the call, not for one under way', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const { clock } = shop.sandbox;
    let isHeld = false;
    set(async (_url, ask) => {
      const answer = await ask();
      if (isHeld) await clock.wait(1_000);
      return answer;
    });
    const log = record(watch);
    await shop.sandbox.advance(20_000);
    isHeld = true;
    const first = watch.refresh();
    await shop.sandbox.advance(500);
    shop.sandbox.move('invoice', invoice.invoiceId, 'PENDING');
    const second = watch.refresh();
    expect((await shop.sandbox.run(first)).value?.state).to.equal('UNPAID');
    expect((await shop.sandbox.run(second)).value?.state).to.equal('PENDING');
    log.stop();
  });

  it('resolves in an outage too, though another resource is asked for', async () => {
    let isAway = false;
    const shop = openShop({}, async (_url, ask) =>
      isAway ? refusal(503, 'SERVICE_UNAVAILABLE') : ask(),
    );
    const watches = [
      watchInvoice(shop.client, await shop.invoice()),
      watchBalances(shop.client),
    ] as const;
    const logs = watches.map((watch) => recordAll<unknown>(watch));
    await shop.sandbox.advance(20_000);
    isAway = true;
    await shop.sandbox.advance(60_000);
    const calledAt = shop.sandbox.clock.now();
    const both = await shop.sandbox.run(Promise.all(watches.map((watch) => watch.refresh())));
    expect(both.map(({ freshness }) => freshness)).to.deep.equal(['stale', 'stale']);
    expect(shop.sandbox.clock.now() - calledAt).to.be.below(5_000);
    for (const log of logs) log.stop();
  });

  for (const feed of [true, false])
    it(`again and again in a long outage waits for one base period at most, feed: ${feed}`, async () => {
      let isAway = false;
      const shop = openShop(
        {},
        async (_url, ask) => (isAway ? refusal(503, 'SERVICE_UNAVAILABLE') : ask()),
        { capabilities: { feed } },
      );
      const watch = watchInvoice(shop.client, await shop.invoice());
      const log = record(watch);
      await shop.sandbox.advance(20_000);
      isAway = true;
      await shop.sandbox.advance(5 * 60_000);
      for (let n = 0; n < 10; n++) {
        shop.requests.length = 0;
        const calledAt = shop.sandbox.clock.now();
        const calls = [1, 2, 3].map(() => watch.refresh());
        const known = await shop.sandbox.run(Promise.all(calls));
        expect(known.every(({ error }) => error !== undefined)).to.equal(true);
        expect(shop.sandbox.clock.now() - calledAt, String(n)).to.be.at.most(2_100);
        expect(shop.requests.length).to.be.at.most(1);
        await shop.sandbox.advance(100);
      }
      isAway = false;
      const calledAt = shop.sandbox.clock.now();
      expect(await shop.sandbox.run(watch.refresh())).to.include({ freshness: 'live' });
      expect(shop.sandbox.clock.now() - calledAt).to.be.below(5_000);
      log.stop();
    });

  it('of many resources in an outage sends one request in each base period', async () => {
    let isAway = false;
    const shop = openShop({}, async (_url, ask) =>
      isAway ? refusal(503, 'SERVICE_UNAVAILABLE') : ask(),
    );
    const watches = [];
    for (let n = 0; n < 20; n++) watches.push(watchInvoice(shop.client, await shop.invoice()));
    const logs = watches.map((watch) => record(watch));
    await shop.sandbox.advance(20_000);
    isAway = true;
    await shop.sandbox.advance(5 * 60_000);
    shop.requests.length = 0;
    const calls: Promise<unknown>[] = [];
    for (const watch of watches) {
      calls.push(watch.refresh());
      await shop.sandbox.advance(200);
    }
    expect(shop.requests.length, 'in four seconds').to.be.within(2, 3);
    await shop.sandbox.run(Promise.all(calls));
    for (const log of logs) log.stop();
  });

  it('never rejects: a read that fails is in the snapshot', async () => {
    const { shop, set } = moody();
    const watch = watchInvoice(shop.client, await shop.invoice());
    const log = record(watch);
    await shop.sandbox.advance(20_000);
    set(async () => refusal(503, 'SERVICE_UNAVAILABLE'));
    const failed = await shop.sandbox.run(watch.refresh());
    expect(failed.error?.code).to.be.a('string');
    expect(failed).to.include({ freshness: 'stale', value: log.values[0]!.value });
    const again = await shop.sandbox.run(watch.refresh());
    expect(again.error, 'in an outage too').not.to.equal(undefined);
    set(undefined);
    const read = await shop.sandbox.run(watch.refresh());
    expect(read).to.include({ freshness: 'live', error: undefined });
    log.stop();
  });

  it('resolves to the end where the service refuses it, and to what is so where it has ended', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    set(async () => refusal(403, 'FORBIDDEN'));
    const watch = watchInvoice(shop.client, invoice);
    const log = record(watch);
    await shop.sandbox.run(watch.refresh());
    await shop.sandbox.advance(3_000);
    expect(log.ended).to.nested.include({ 'error.code': 'FORBIDDEN' });
    set(undefined);
    await shop.pay(invoice);
    const paid = record(watch);
    await shop.sandbox.advance(10_000);
    expect(paid.ended).to.equal('complete');
    shop.requests.length = 0;
    expect(await watch.refresh()).to.equal(watch.current());
    expect(shop.requests).to.deep.equal([]);
  });

  it('resolves at once while the service refuses requests', async () => {
    const { shop, set } = moody();
    const watch = watchInvoice(shop.client, await shop.invoice());
    const log = record(watch);
    await shop.sandbox.advance(20_000);
    set(async () => refusal(429, 'RATE_LIMIT_EXCEEDED'));
    await shop.sandbox.advance(30_000);
    expect(watch.current().freshness).to.equal('blocked');
    shop.requests.length = 0;
    expect(await watch.refresh()).to.equal(watch.current());
    expect(shop.requests).to.deep.equal([]);
    log.stop();
  });

  it('resolves also where its only listener leaves meanwhile', async () => {
    const shop = openShop();
    const watch = watchInvoice(shop.client, await shop.invoice());
    const log = record(watch);
    await shop.sandbox.advance(20_000);
    const refreshed = watch.refresh();
    log.stop();
    expect((await shop.sandbox.run(refreshed)).freshness).to.equal('stale');
  });

  it('of a checkout reads its invoice', async () => {
    const shop = openShop({ signed: true });
    const { invoiceId } = await shop.invoice();
    const sale = checkout(shop.client, { invoiceId });
    const log = record(sale);
    await shop.sandbox.advance(20_000);
    shop.sandbox.fault({ path: '/v1/events', action: { status: 503 } });
    shop.sandbox.move('invoice', invoiceId, 'PENDING');
    const view = await shop.sandbox.run(sale.refresh());
    expect(view.invoice?.state).to.equal('PENDING');
    log.stop();
  });

  it('of what reads nothing is the current value: a countdown, rate limits, a run', async () => {
    const { client, sandbox } = openShop();
    const down = countdown(client, { expiresAt: sandbox.clock.monotonic() + 60_000 });
    expect(await sandbox.run(down.refresh())).to.equal(60);
    expect(await sandbox.run(watchRateLimits(client).refresh())).to.have.property('others');
    const run = payNothing(client);
    expect(await sandbox.run(run.refresh())).to.deep.equal({ phase: 'new' });
  });
});

function payNothing(client: Client): ReturnType<typeof pay> {
  return pay(client, {
    to: 'shop@payer.example',
    sourceCurrency: 'EUR',
    amount: { amount: '1', currency: 'EUR' },
    maxTotal: 'any',
    maxFee: 'any',
    intent: 'nothing',
    journal: memoryStore(),
  });
}
