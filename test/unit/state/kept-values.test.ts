// What a client knows of a resource outlives its last watch for five minutes, and is kept up to date.
import { expect } from 'chai';
import {
  AuthenticationError,
  createClient,
  firstValue,
  forget,
  type Invoice,
  invalidate,
  type KnownSnapshot,
  provide,
  watchInvoice,
} from 'paystate';
import { values, watchInvoice as watchInvoice$ } from 'paystate/rx';
import { firstValueFrom } from 'rxjs';
import { describe, it } from '#test';
import { altered, type Answers, openShop, record, recordAll, refusal, type Shop } from './shop.ts';

const MINUTE = 60_000;

/** A shop with an invoice that was watched for a second, and is not any more. */
async function left(
  shop: Shop = openShop(),
): Promise<{ readonly shop: Shop; readonly invoice: Invoice }> {
  const invoice = await shop.invoice();
  const log = record(watchInvoice(shop.client, invoice));
  await shop.sandbox.advance(1_000);
  log.stop();
  await shop.sandbox.advance(50);
  return { shop, invoice };
}

const shown = (log: { values: readonly KnownSnapshot<Invoice>[] }) =>
  log.values.map(({ value, freshness }) => `${value.state} ${freshness}`);

/** A shop whose reads of single invoices show this state, while it is set. */
function lagging(): { shop: Shop; lag(state: string | undefined): void } {
  let shownState: string | undefined;
  const answers: Answers = async (url, ask) =>
    shownState !== undefined && /\/v1\/invoices\/[^/?]+$/.test(url)
      ? altered(await ask(), (json: Invoice) => ({ ...json, state: shownState }))
      : ask();
  return { shop: openShop({}, answers), lag: (state) => void (shownState = state) };
}

describe('a value after its last watch', () => {
  it('is what a new watch begins with, as stale, and the read confirms it', async () => {
    const { shop, invoice } = await left();
    const fresh = watchInvoice(shop.client, invoice.invoiceId);
    expect(fresh.current()).to.nested.include({ freshness: 'stale', 'value.state': 'UNPAID' });
    expect(fresh.current()).to.equal(fresh.current());
    const log = recordAll(fresh);
    await shop.sandbox.advance(1_000);
    expect(log.values.map(({ freshness }) => freshness)).to.deep.equal(['stale', 'live']);
    log.stop();
  });

  it('is shared with the children of the client, and not with another client', async () => {
    const { shop, invoice } = await left();
    const child = shop.client.withOptions({ maxAttempts: 1 });
    expect(watchInvoice(child, invoice).current().freshness).to.equal('stale');
    const other = createClient(shop.sandbox.clientOptions);
    expect(watchInvoice(other, invoice).current().freshness).to.equal('loading');
  });

  it('is there for five minutes and no longer, also on the watch that had it', async () => {
    const { shop, invoice } = await left();
    const watch = watchInvoice(shop.client, invoice);
    await shop.sandbox.advance(5 * MINUTE - 1_000);
    expect(watch.current().freshness).to.equal('stale');
    await shop.sandbox.advance(1_000);
    expect(watch.current()).to.deep.equal({ freshness: 'loading' });
    const log = recordAll(watch);
    expect(log.values).to.deep.equal([{ freshness: 'loading' }]);
    await shop.sandbox.advance(1_000);
    log.stop();
    await shop.sandbox.advance(60 * MINUTE);
    expect(watch.current()).to.deep.equal({ freshness: 'loading' });
    expect([shop.timers(), shop.requests.at(-1)!.reason.startsWith('first')]).to.deep.equal([
      0,
      true,
    ]);
  });

  it('is not what an Observable of an hour ago gives first', async () => {
    const { shop, invoice } = await left();
    const invoice$ = watchInvoice$(shop.client, invoice).pipe(values());
    await shop.sandbox.run(firstValueFrom(invoice$));
    await shop.pay(invoice);
    await shop.sandbox.advance(60 * MINUTE);
    expect((await shop.sandbox.run(firstValueFrom(invoice$))).state).to.equal('PAID');
  });

  it('is kept of the ten thousand that were watched last', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const asOf = shop.sandbox.clock.now();
    const keep = (id: string) =>
      provide(shop.client, 'invoice', { ...invoice, invoiceId: id }, { asOf });
    for (let n = 0; n <= 10_000; n++) keep(`i${n}`);
    watchInvoice(shop.client, 'i1').subscribe(() => {})();
    await Promise.resolve();
    keep('new');
    const isKnown = (id: string) => watchInvoice(shop.client, id).current().value !== undefined;
    expect(['i0', 'i1', 'i2', 'i3', 'new'].map(isKnown)).to.deep.equal([
      false,
      true,
      false,
      true,
      true,
    ]);
  });

  it('is that of another watch of the same resource, while that one is live', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const log = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    const idle = watchInvoice(shop.client, invoice);
    expect(idle.current()).to.include({ freshness: 'stale', value: log.values[0]!.value });
    expect(idle.current()).to.equal(idle.current());
    const joined = record(idle);
    expect(shown(joined)).to.deep.equal(['UNPAID live']);
    log.stop();
    joined.stop();
  });
});

describe('a watch that has completed', () => {
  it('keeps its last value and its end, also where that value was stale', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const endless = record(watchInvoice(shop.client, invoice, { until: 'never' }));
    await shop.pay(invoice);
    await shop.sandbox.advance(10_000);
    invalidate(shop.client, 'invoice', invoice.invoiceId);
    const watch = watchInvoice(shop.client, invoice);
    const first = record(watch);
    expect([shown(first), first.ended]).to.deep.equal([['PAID stale'], 'complete']);
    endless.stop();
    await shop.sandbox.advance(60 * MINUTE);
    const second = record(watch);
    expect([shown(second), second.ended]).to.deep.equal([['PAID stale'], 'complete']);
  });
});

describe('what is kept follows, while nobody watches,', () => {
  it('the answers to own calls', async () => {
    const { shop, invoice } = await left();
    await shop.sandbox.advance(2 * MINUTE);
    await shop.sandbox.run(shop.client.invoices.cancel(invoice.invoiceId));
    const at = shop.sandbox.clock.now();
    await shop.sandbox.advance(2 * MINUTE);
    const watch = watchInvoice(shop.client, invoice);
    expect(watch.current()).to.nested.include({ freshness: 'stale', 'value.state': 'CANCELLED' });
    expect(at - watch.current().asOf!).to.be.within(0, 2_000);
    const log = record(watch);
    await shop.sandbox.advance(1_000);
    expect(shown(log)).to.deep.equal(['CANCELLED stale', 'CANCELLED live']);
    expect(log.ended).to.equal('complete');
  });

  it('lists that own calls read, and keeps nothing of what was never watched', async () => {
    const { shop, invoice } = await left();
    const other = await shop.invoice();
    await shop.sandbox.advance(MINUTE);
    for (const { invoiceId } of [invoice, other])
      shop.sandbox.move('invoice', invoiceId, 'PENDING');
    await shop.sandbox.run(shop.client.invoices.list({ state: 'PENDING' }).toArray({ limit: 10 }));
    const [kept, unknown] = [invoice, other].map((one) => watchInvoice(shop.client, one).current());
    expect(kept).to.nested.include({ freshness: 'stale', 'value.state': 'PENDING' });
    expect(unknown).to.deep.equal({ freshness: 'loading' });
  });

  it('an answer that goes back only when a read confirms it', async () => {
    const { shop, lag } = lagging();
    const { invoice } = await left(shop);
    await shop.sandbox.run(shop.client.invoices.cancel(invoice.invoiceId));
    lag('UNPAID');
    const watch = watchInvoice(shop.client, invoice);
    const { asOf, checkedAt } = watch.current();
    await shop.sandbox.advance(1_000);
    await shop.sandbox.run(shop.client.invoices.get(invoice.invoiceId));
    expect(watch.current()).to.nested.include({ 'value.state': 'CANCELLED', asOf, checkedAt });
    const log = record(watch);
    await shop.sandbox.advance(15_000);
    lag(undefined);
    await shop.sandbox.advance(20_000);
    const live = log.values.filter(({ freshness }) => freshness === 'live');
    expect(live.map(({ value }) => value.state)).to.deep.equal(['CANCELLED']);
  });

  it('announcements: the next watch is pending, and a lagging copy makes nothing live', async () => {
    const { shop, lag } = lagging();
    const { invoice } = await left(shop);
    shop.sandbox.move('invoice', invoice.invoiceId, 'PENDING');
    invalidate(shop.client, 'invoice', invoice.invoiceId);
    lag('UNPAID');
    const watch = watchInvoice(shop.client, invoice);
    expect(watch.current()).to.include({ freshness: 'stale', pending: 'announced' });
    const log = record(watch);
    await shop.sandbox.advance(20_000);
    expect(new Set(shown(log))).to.deep.equal(new Set(['UNPAID stale']));
    lag(undefined);
    await shop.sandbox.advance(15_000);
    expect(shown(log).at(-1)).to.equal('PENDING live');
    log.stop();
  });

  it('an announcement from while it was watched, if no read has shown it', async () => {
    const { shop, lag } = lagging();
    const invoice = await shop.invoice();
    const log = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    lag('UNPAID');
    invalidate(shop.client, 'invoice', invoice.invoiceId);
    await shop.sandbox.advance(5_000);
    log.stop();
    await shop.sandbox.advance(1_000);
    const again = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(10_000);
    expect(again.values.every(({ pending }) => pending === 'announced')).to.equal(true);
    again.stop();
  });
});

describe('the first read that ends after a subscription', () => {
  it('emits to that subscriber, also where nothing has changed, and to no other', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const logs = [record(watch)];
    await shop.sandbox.advance(1_000);
    logs.push(record(watch), record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(MINUTE);
    expect(logs.map(({ values: all }) => all.length)).to.deep.equal([1, 2, 2]);
    for (const { values: all } of logs.slice(1)) expect(all[1]).to.equal(all[0]);
    for (const log of logs) log.stop();
  });

  it('emits while stale, and where it fails like the one before', async () => {
    let isAway = false;
    const shop = openShop({}, (url, ask) => {
      if (isAway && url.includes('/v1/invoices')) throw new TypeError('no network');
      return ask();
    });
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const first = record(watch);
    await shop.sandbox.advance(1_000);
    isAway = true;
    await shop.sandbox.advance(MINUTE);
    const count = first.values.length;
    const second = record(watch);
    await shop.sandbox.advance(MINUTE);
    expect(second.values.map(({ freshness }) => freshness)).to.deep.equal(['stale', 'stale']);
    expect(first.values.length).to.equal(count);
    for (const log of [first, second]) log.stop();
  });
});

describe('forget()', () => {
  it('drops what is kept and provided', async () => {
    const { shop, invoice } = await left();
    const other = await shop.invoice();
    provide(shop.client, 'invoice', other, { asOf: shop.sandbox.clock.now() });
    const watches = [invoice, other].map((one) => watchInvoice(shop.client, one));
    const freshness = () => watches.map((watch) => watch.current().freshness);
    expect(freshness()).to.deep.equal(['stale', 'stale']);
    shop.client.forget();
    expect(freshness()).to.deep.equal(['loading', 'loading']);
  });

  it('drops answers to calls from before the first watch', async () => {
    for (const isForgotten of [false, true]) {
      const shop = openShop();
      const { invoiceId } = await shop.invoice();
      await shop.sandbox.run(shop.client.invoices.cancel(invoiceId));
      if (isForgotten) shop.client.forget();
      const log = recordAll(watchInvoice(shop.client, invoiceId));
      expect(log.values[0]!.freshness).to.equal(isForgotten ? 'loading' : 'stale');
      log.stop();
    }
  });

  it('lets open watches go on: they are stale and read again', async () => {
    const shop = openShop();
    const log = record(watchInvoice(shop.client, await shop.invoice()));
    await shop.sandbox.advance(20_000);
    shop.requests.length = 0;
    forget(shop.client);
    expect(log.values.at(-1)!.freshness).to.equal('stale');
    await shop.sandbox.advance(1_000);
    expect(log.values.at(-1)!.freshness).to.equal('live');
    expect(shop.requests.length).to.be.within(1, 2);
    log.stop();
  });

  it('keeps nothing of a watch that ends before it is read again', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const log = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(20_000);
    log.stop();
    shop.client.forget();
    await shop.sandbox.advance(0);
    expect(watchInvoice(shop.client, invoice).current().freshness).to.equal('loading');
  });

  it('happens when the login server ends the login, without a watch too', async () => {
    let isLoggedIn = true;
    const base = openShop().sandbox.clientOptions;
    const shop = openShop({}, undefined, {
      apiKey: undefined,
      token: async () => {
        if (isLoggedIn) return base.apiKey!;
        throw new AuthenticationError('log in', {
          code: 'LOGIN_REQUIRED',
          outcome: 'not-done',
          next: 'login',
        });
      },
    });
    const { invoice } = await left(shop);
    expect(watchInvoice(shop.client, invoice).current().freshness).to.equal('stale');
    isLoggedIn = false;
    const refused = shop.client.invoices.get(invoice.invoiceId).catch(({ code }) => code as string);
    expect(await shop.sandbox.run(refused)).to.equal('LOGIN_REQUIRED');
    expect(watchInvoice(shop.client, invoice).current().freshness).to.equal('loading');
  });

  it('happens when refusals of the credential have ended a watch', async () => {
    let isRefused = false;
    const shop = openShop({}, async (_url, ask) =>
      isRefused ? refusal(401, 'UNAUTHORIZED') : ask(),
    );
    const { invoice } = await left(shop);
    const other = await shop.invoice();
    await shop.sandbox.advance(MINUTE);
    isRefused = true;
    const log = record(watchInvoice(shop.client, other));
    await shop.sandbox.advance(9 * MINUTE);
    expect(log.ended).to.equal(undefined);
    provide(shop.client, 'invoice', invoice, { asOf: shop.sandbox.clock.now() });
    expect(watchInvoice(shop.client, invoice).current().freshness).to.equal('stale');
    for (let minute = 0; minute < 4 && !log.ended; minute++) await shop.sandbox.advance(MINUTE);
    expect((log.ended as { error: { code: string } }).error.code).to.equal('UNAUTHORIZED');
    expect(watchInvoice(shop.client, invoice).current().freshness).to.equal('loading');
  });
});

describe('one value', () => {
  it('of firstValue is one that was read since', async () => {
    const { shop, invoice } = await left();
    await shop.pay(invoice);
    await shop.sandbox.advance(MINUTE);
    const { state } = await shop.sandbox.run(firstValue(watchInvoice(shop.client, invoice)));
    expect(state).to.equal('PAID');
  });
});
