import { describe, it } from '#test';
import { expect } from 'chai';
import {
  invalidate,
  provide,
  type Unsubscribe,
  watchBalances,
  watchInvoice,
  watchRates,
} from 'paystate';
import { openShop, record, refusal } from './shop.ts';

describe('watchInvoice', () => {
  it('sends nothing before somebody subscribes', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    shop.requests.length = 0;
    watchInvoice(shop.client, invoice);
    await shop.sandbox.advance(10_000);
    expect(shop.requests).to.have.length(0);
  });

  it('shows UNPAID, then PAID, and completes without being asked', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(5_000);
    await shop.pay(invoice);
    await shop.sandbox.advance(4_100);
    expect(seen.values.map(({ value, freshness }) => `${value.state} ${freshness}`)).to.deep.equal([
      'UNPAID live',
      'PAID live',
    ]);
    expect(seen.ended).to.equal('complete');
  });

  it('asks nothing more after the end', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    record(watchInvoice(shop.client, invoice));
    await shop.pay(invoice);
    await shop.sandbox.advance(4_100);
    shop.requests.length = 0;
    await shop.sandbox.advance(600_000);
    expect(shop.requests).to.have.length(0);
    expect(shop.timers()).to.equal(0);
  });

  it('emits when value or freshness changes and never else, and keeps the object', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const seen = record(watch);
    await shop.sandbox.advance(120_000);
    expect(shop.requests.length).to.be.greaterThan(30);
    expect(seen.values).to.have.length(1);
    expect(watch.current()).to.equal(seen.values[0]);
    const endFault = shop.sandbox.fault({
      method: 'GET',
      action: { status: 503, code: 'SERVICE_UNAVAILABLE' },
    });
    await shop.sandbox.advance(20_000);
    endFault();
    await shop.sandbox.advance(120_000);
    expect(seen.values.map(({ freshness, error }) => [freshness, error?.code])).to.deep.equal([
      ['live', undefined],
      ['stale', 'SERVICE_UNAVAILABLE'],
      ['live', undefined],
    ]);
    expect(seen.values[2]!.value).to.equal(seen.values[0]!.value);
  });

  it('costs the same for 200 watchers of one invoice as for one', async () => {
    const counts = [];
    for (const watchers of [1, 200]) {
      const shop = openShop();
      const invoice = await shop.invoice();
      shop.requests.length = 0;
      const all = Array.from({ length: watchers }, () =>
        record(watchInvoice(shop.client, invoice)),
      );
      await shop.sandbox.advance(60_000);
      counts.push(shop.requests.length);
      expect(all.every(({ values }) => values.length === 1)).to.equal(true);
    }
    expect(counts[0]).to.be.within(25, 35);
    expect(counts[1]).to.equal(counts[0]);
  });

  it('gives a late subscriber the last value at once', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    record(watch);
    await shop.sandbox.advance(1_000);
    expect(record(watch).values).to.have.length(1);
    expect(record(watchInvoice(shop.client, invoice.invoiceId)).values).to.have.length(1);
  });

  it('leaves no timer and no request behind after the last unsubscribe', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const first = record(watchInvoice(shop.client, invoice));
    const second = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    shop.sandbox.fault({ method: 'GET', action: { delay: 5_000 } });
    await shop.sandbox.advance(2_000);
    expect(shop.flying()).to.equal(1);
    first.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.be.greaterThan(0);
    second.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
    const asked = shop.requests.length;
    await shop.sandbox.advance(60_000);
    expect(shop.requests).to.have.length(asked);
    expect(second.values).to.have.length(1);
  });

  it('asks no more for what was left while its answer was on its way, and goes on with the others', async () => {
    const asked: string[] = [];
    const slow = new Set<string>();
    const shop = openShop({}, async (url, ask) => {
      asked.push(url);
      if (url.includes('/v1/events')) return refusal(403, 'FORBIDDEN'); // each is read by itself
      if ([...slow].some((id) => url.includes(id))) await shop.sandbox.clock.wait(500);
      return ask();
    });
    const [first, other] = [await shop.invoice(), await shop.invoice()];
    slow.add(first.invoiceId);
    const stays = record(watchInvoice(shop.client, other));
    const leaves = record(watchInvoice(shop.client, first));
    await shop.sandbox.advance(250);
    leaves.stop();
    await shop.sandbox.advance(1_000);
    asked.length = 0;
    await shop.sandbox.advance(60_000);
    expect(asked.filter((url) => url.includes(first.invoiceId))).to.deep.equal([]);
    expect(asked.filter((url) => url.includes(other.invoiceId))).not.to.deep.equal([]);
    stays.stop();
  });

  it('goes on when a listener leaves and another comes in the same turn', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const first = record(watch);
    await shop.sandbox.advance(1_000);
    shop.requests.length = 0;
    first.stop();
    const second = record(watch);
    await shop.sandbox.advance(500);
    expect(shop.requests.filter(({ reason: why }) => why.startsWith('first read'))).to.have.length(
      0,
    );
    // the first read after a subscription emits to it, also where nothing has changed
    expect(second.values).to.have.length(2);
    expect(second.values[1]).to.equal(second.values[0]);
  });

  it('starts anew after everybody has left, with the last value at hand', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const first = record(watch);
    await shop.sandbox.advance(1_000);
    first.stop();
    await shop.pay(invoice);
    await shop.sandbox.advance(60_000);
    const second = record(watch);
    expect(second.values.map(({ value }) => value.state)).to.deep.equal(['UNPAID']);
    await shop.sandbox.advance(1_000);
    expect(second.values.at(-1)!.value.state).to.equal('PAID');
  });

  it('looks once more after a hint during a look, however slow that was, and not without end', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    const endFault = shop.sandbox.fault({ method: 'GET', action: { delay: 1_500 } });
    await shop.sandbox.advance(1_500);
    expect(shop.flying()).to.equal(1);
    for (let n = 0; n < 10; n++) invalidate(shop.client, 'invoice', invoice.invoiceId);
    endFault();
    await shop.sandbox.advance(60_000);
    expect(shop.requests.filter(({ reason: why }) => why.startsWith('invalidated'))).to.have.length(
      1,
    );
    expect(shop.requests.length).to.be.below(40);
    seen.stop();
  });

  it('that ends while it begins leaves nothing behind', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const open = record(watchInvoice(shop.client, invoice, { until: 'never' }));
    await shop.pay(invoice);
    await shop.sandbox.advance(4_100);
    const late = record(watchInvoice(shop.client, invoice));
    expect([late.values.length, late.ended]).to.deep.equal([1, 'complete']);
    const over = record(watchInvoice(shop.client, invoice, { signal: AbortSignal.abort() }));
    expect(over.ended).to.equal('complete');
    expect(shop.timers()).to.be.above(0);
    open.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('can be iterated; leaving the loop ends the work', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const states = shop.sandbox.run(
      (async () => {
        for await (const { value } of watchInvoice(shop.client, invoice))
          if (value) return value.state;
        return 'nothing';
      })(),
    );
    expect(await states).to.equal('UNPAID');
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('ends without an error when its signal aborts', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const stop = new AbortController();
    const seen = record(watchInvoice(shop.client, invoice, { signal: stop.signal }));
    await shop.sandbox.advance(1_000);
    stop.abort();
    await shop.sandbox.advance(0);
    expect(seen.ended).to.equal('complete');
    expect(shop.timers()).to.equal(0);
    expect(record(watchInvoice(shop.client, invoice, { signal: stop.signal })).ended).to.equal(
      'complete',
    );
  });

  it('says in its status when it looked, when it looks next and why', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    expect(watch.status().reason).to.equal('not watched');
    record(watch);
    await shop.sandbox.advance(1_000);
    const now = shop.sandbox.clock.now();
    const { readAt, nextReadAt, noGapSince, reason } = watch.status();
    expect(readAt).to.be.within(now - 1_000, now);
    expect(noGapSince).to.equal(readAt);
    expect(nextReadAt).to.be.within(now + 1, now + 2_000);
    expect(reason).to.match(/^polling/);
    invalidate(shop.client, 'invoice', invoice.invoiceId);
    expect(watch.status().invalidatedAt, 'nothing keeps it from being read').to.equal(undefined);
  });

  it('refuses what is no invoice', () => {
    const shop = openShop();
    expect(() => watchInvoice(shop.client, '')).to.throw('invoice: must be the invoice or its id');
    expect(() => watchInvoice(shop.client, undefined as never)).to.throw(
      'invoice: must be the invoice or its id',
    );
  });

  it('ends a subscription by its function, by unsubscribe() and by using', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const ways = [
      (end: Unsubscribe) => end(),
      (end: Unsubscribe) => end.unsubscribe(),
      (end: Unsubscribe) => {
        const { dispose } = Symbol as unknown as { readonly dispose?: symbol };
        const ways = end as unknown as { readonly [way: symbol]: () => void };
        if (dispose) ways[dispose]!();
        else end();
      },
    ];
    for (const leave of ways) {
      const end = watchInvoice(shop.client, invoice).subscribe(() => {});
      await shop.sandbox.advance(1_000);
      expect(shop.timers()).to.be.greaterThan(0);
      leave(end);
      await shop.sandbox.advance(0);
      expect(shop.timers()).to.equal(0);
    }
  });
});

describe('invalidate and provide', () => {
  it('reach the watches of every resource', async () => {
    const { client, sandbox, requests } = openShop();
    const balances = record(watchBalances(client));
    const rates = record(watchRates(client));
    await sandbox.advance(1_000);
    requests.length = 0;
    invalidate(client, 'balances');
    invalidate(client, 'rates');
    await sandbox.advance(200);
    expect(requests.filter(({ reason }) => reason.startsWith('invalidated'))).to.have.length(2);
    provide(client, 'balances', [], { asOf: sandbox.clock.now() });
    expect(balances.values.at(-1)!.value).to.deep.equal([]);
    provide(client, 'rates', [], { asOf: sandbox.clock.now() });
    expect(rates.values.at(-1)!.value).to.deep.equal([]);
    balances.stop();
    rates.stop();
  });

  it('refuse a word that names no resource, an id that is missing, and a time that is none', () => {
    const { client } = openShop();
    // @ts-expect-error not a resource
    expect(() => invalidate(client, 'invioce', 'id')).to.throw('resource: must be one of invoice,');
    // @ts-expect-error an invoice has an id
    expect(() => invalidate(client, 'invoice')).to.throw('id: must be the id of');
    // @ts-expect-error there is one of them
    expect(() => invalidate(client, 'balances', 'id')).not.to.throw();
    // @ts-expect-error not a resource
    expect(() => provide(client, 'quote', {}, { asOf: 0 })).to.throw('resource: must be one of');
    // @ts-expect-error without the time of the read
    expect(() => provide(client, 'rates', [])).to.throw('options: must be an object');
    // @ts-expect-error without the time of the read
    expect(() => provide(client, 'rates', [], {})).to.throw('asOf: is required');
    expect(() => provide(client, 'rates', [], { asOf: NaN })).to.throw(
      'asOf: must be a time in milliseconds',
    );
  });
});
