// `client.invoices.watch` and the others: what watches is loaded for the first listener, the watches are those of
// `watchInvoice`, and a load that fails is tried again and says why.
import { expect } from 'chai';
import {
  createClient,
  InputError,
  type Invoice,
  provide,
  type Snapshot,
  watchInvoice,
} from 'paystate';
import { from, map } from 'rxjs';
import { describe, it } from '#test';
import { internalsOf } from '../core/internals.ts';
import { openShop, recordAll, type Shop } from './shop.ts';

interface EngineModule {
  readonly engine: object;
}

const told = ({ values }: { readonly values: readonly Snapshot<unknown>[] }) =>
  values.map(({ value, freshness, error }) =>
    [(value as Invoice | undefined)?.state, freshness, error?.code].filter(Boolean).join(' '),
  );

/** Loads the engine by a client of its own. */
async function loaded(): Promise<EngineModule> {
  const shop = openShop();
  const log = recordAll(shop.client.balances.watch());
  await shop.sandbox.advance(100);
  log.stop();
  return internalsOf(shop.client).state.get('state.engine') as EngineModule;
}

/** A shop whose first loads of the engine fail; counts them all, with their times. */
async function openPoor(
  failures: number,
  said: string = 'Failed to fetch dynamically imported module',
): Promise<{ shop: Shop; loads: number[] }> {
  const { engine } = await loaded();
  const shop = openShop();
  const loads: number[] = [];
  const { clock, state } = internalsOf(shop.client);
  const load = () => {
    loads.push(Math.round(clock.monotonic()));
    return loads.length > failures
      ? Promise.resolve({ engine })
      : Promise.reject(new TypeError(said));
  };
  state.set('state.engine', { load });
  return { shop, loads };
}

const waits = (times: readonly number[]) => times.slice(1).map((at, index) => at - times[index]!);

describe('the watch of a client’s member', () => {
  it('says loading at once, then what is so, and completes', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = shop.client.invoices.watch(invoice);
    expect(watch.current()).to.deep.equal({ freshness: 'loading' });
    expect(watch.current()).to.equal(watch.current());
    expect(shop.requests.filter(({ path }) => path.includes('{invoiceId}'))).to.deep.equal([]);
    const log = recordAll(watch);
    expect(told(log)).to.deep.equal(['loading']);
    await shop.sandbox.advance(1_000);
    await shop.pay(invoice);
    await shop.sandbox.advance(5_000);
    expect(told(log)).to.deep.equal(['loading', 'UNPAID live', 'PAID live']);
    expect(log.ended).to.equal('complete');
    expect(watch.current().value?.state).to.equal('PAID');
    expect(shop.timers()).to.equal(0);
  });

  it('is a watch of the same hub as watchInvoice, also of a derived client', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const child = shop.client.withOptions({ maxAttempts: 1 });
    const logs = [
      shop.client.invoices.watch(invoice),
      watchInvoice(shop.client, invoice),
      child.invoices.watch(invoice.invoiceId.toUpperCase()),
    ].map((watch) => recordAll(watch));
    const before = shop.requests.length;
    await shop.sandbox.advance(10_000);
    const reads = shop.requests.slice(before).filter(({ path }) => path.includes('{invoiceId}'));
    expect(reads.length).to.be.within(5, 7);
    const [first, ...others] = logs.map(({ values }) => values.at(-1));
    expect(first?.freshness).to.equal('live');
    for (const other of others) expect(other).to.equal(first);
    for (const log of logs) log.stop();
  });

  it('shares its hub with a watchInvoice that begins later', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const member = recordAll(shop.client.invoices.watch(invoice));
    await shop.sandbox.advance(3_000);
    const before = shop.requests.length;
    const other = recordAll(watchInvoice(shop.client, invoice));
    expect(other.values[0]).to.equal(member.values.at(-1));
    await shop.sandbox.advance(10_000);
    expect(shop.requests.length - before).to.be.within(4, 6);
    await shop.pay(invoice);
    await shop.sandbox.advance(5_000);
    expect([member.ended, other.ended]).to.deep.equal(['complete', 'complete']);
    expect(other.values.at(-1)).to.equal(member.values.at(-1));
  });

  it('can be iterated', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { value, freshness } of shop.client.invoices.watch(invoice)) {
        seen.push(`${value?.state} ${freshness}`);
        if (value?.state === 'UNPAID') void shop.pay(value);
      }
    })();
    await shop.sandbox.run(reading);
    expect(seen).to.deep.equal(['undefined loading', 'UNPAID live', 'PAID live']);
    const iterator = shop.client.payments.watch('none')[Symbol.asyncIterator]();
    const next = iterator.next();
    expect(await iterator.return?.()).to.deep.equal({ value: undefined, done: true });
    await next;
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('is there for each resource that can be watched', async () => {
    const { sandbox, client } = openShop();
    const watches = [
      client.balances.watch(),
      client.bankPaymentMethods.watch('a'),
      client.currencyExchangeQuotes.watch('a'),
      client.deposits.watch('a'),
      client.invoices.watch('a'),
      client.payments.watch('a'),
      client.payoutOriginators.watch('a'),
      client.payouts.watch('a'),
      client.rates.watch(),
      client.receiveRequests.watch('a'),
    ];
    const logs = watches.map((watch) => recordAll<{ readonly freshness: string }>(watch));
    await sandbox.advance(5_000);
    expect(logs.map(({ values }) => values.at(-1)?.freshness)).to.deep.equal(
      watches.map((_watch, at) => (at === 0 || at === 8 ? 'live' : 'failed')),
    );
    for (const log of logs) log.stop();
  });

  it('knows at once what the hub knows, when the engine is there', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const first = recordAll(shop.client.invoices.watch(invoice));
    await shop.sandbox.advance(1_000);
    first.stop();
    await shop.sandbox.advance(0);
    const other = { ...invoice, invoiceId: '00000000-0000-4000-8000-000000000001' };
    provide(shop.client, 'invoice', other, { asOf: 5 });
    const watch = shop.client.invoices.watch(other);
    expect(watch.current()).to.include({ freshness: 'stale', asOf: 5 });
    const [shown] = recordAll(watch).values;
    expect(shown).to.deep.include({ freshness: 'stale', value: other });
    expect(shown!.value, 'the caller may change its own').to.not.equal(other);
  });

  it('is what libraries take for a watch', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = shop.client.invoices.watch(invoice);
    expect(Object.isExtensible(watch)).to.equal(false);
    const { current, subscribe, retry } = watch;
    retry();
    expect(current()).to.deep.equal({ freshness: 'loading' });
    const states: (string | undefined)[] = [];
    const subscription = from(watch)
      .pipe(map(({ value }) => value?.state))
      .subscribe((state) => states.push(state));
    const end = subscribe(({ value }) => states.push(value?.state));
    await shop.sandbox.advance(1_000);
    expect(states).to.deep.equal([undefined, undefined, 'UNPAID', 'UNPAID']);
    subscription.unsubscribe();
    end.unsubscribe();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('refuses at once what is neither a resource nor an id', () => {
    const { client } = openShop();
    for (const wrong of [undefined, null, '', 7, {}, [], Promise.resolve()]) {
      const watch = () => client.invoices.watch(wrong as never);
      expect(watch).to.throw(/^invoice: must be the invoice or its id/);
      expect(() => client.payouts.watch(wrong as never)).to.throw(/^payout: must be/);
    }
  });

  it('lets a listener leave that does so when it is called with what is known', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const known = recordAll(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    internalsOf(shop.client).state.set('state.engine', {}); // the page has not imported it
    const watch = shop.client.invoices.watch(invoice);
    const calls: (string | undefined)[] = [];
    const stop = watch.subscribe(({ value }) => {
      calls.push(value?.state);
      if (calls.length === 2) stop(); // once, as operators such as `first` do
    });
    await shop.sandbox.advance(1_000);
    known.stop();
    await shop.sandbox.advance(0);
    expect(calls).to.deep.equal([undefined, 'UNPAID']);
    expect(watch.status().reason).to.equal('not watched');
    const sent = shop.requests.length;
    await shop.sandbox.advance(30_000);
    expect([shop.requests.length - sent, shop.timers()]).to.deep.equal([0, 0]);
  });

  it('sends nothing after a listener that left while it was loaded', async () => {
    const { shop, loads } = await openPoor(0);
    const invoice = await shop.invoice();
    const sent = shop.requests.length;
    const left = recordAll(shop.client.invoices.watch(invoice));
    left.stop();
    const leave = new AbortController();
    shop.client.invoices.watch(invoice).subscribe(() => {}, { signal: leave.signal });
    leave.abort();
    shop.client.invoices.watch(invoice).subscribe(() => {}, { signal: leave.signal });
    await shop.sandbox.advance(10_000);
    expect([loads.length, told(left), shop.requests.length - sent, shop.timers()]).to.deep.equal([
      2,
      ['loading'],
      0,
      0,
    ]);
  });
});

describe('a load that fails', () => {
  it('is told, and tried again at growing distances until it succeeds', async () => {
    const { shop, loads } = await openPoor(4);
    const invoice = await shop.invoice();
    const watch = shop.client.invoices.watch(invoice);
    const log = recordAll(watch);
    await shop.sandbox.advance(100);
    expect(told(log)).to.deep.equal(['loading', 'loading UNREACHABLE']);
    expect(watch.current()).to.equal(log.values[1]);
    expect(watch.current().error).to.include({
      kind: 'unreachable',
      outcome: 'not-done',
      next: 'retry',
      message:
        'could not load the watch engine: Failed to fetch dynamically imported module; trying again',
    });
    await shop.sandbox.advance(20_000);
    expect(waits(loads)).to.deep.equal([1_000, 2_000, 4_000, 8_000]);
    expect(told(log)).to.deep.equal(['loading', 'loading UNREACHABLE', 'loading', 'UNPAID live']);
    log.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('is tried at least once a minute, and at once by retry()', async () => {
    const { shop, loads } = await openPoor(Infinity);
    const watch = shop.client.rates.watch();
    const log = recordAll(watch);
    await shop.sandbox.advance(600_000);
    expect(Math.max(...waits(loads))).to.equal(60_000);
    expect(log.values).to.have.length(2);
    const before = loads.length;
    watch.retry();
    await shop.sandbox.advance(0);
    expect(loads).to.have.length(before + 1);
    const joined = recordAll(watch);
    expect(joined.values.map(({ error }) => error?.code)).to.deep.equal(['UNREACHABLE']);
    log.stop();
    joined.stop();
    await shop.sandbox.advance(0);
    expect([shop.timers(), watch.current()]).to.deep.equal([0, { freshness: 'loading' }]);
    const asked = loads.length;
    await shop.sandbox.advance(600_000);
    expect(loads).to.have.length(asked);
    const again = recordAll(watch);
    await shop.sandbox.advance(10_000);
    expect(waits(loads.slice(asked))).to.deep.equal([1_000, 2_000, 4_000]);
    again.stop();
  });

  it('is what refresh() resolves to, which tries at once, until the engine is there', async () => {
    const { shop, loads } = await openPoor(2);
    const invoice = await shop.invoice();
    const watch = shop.client.invoices.watch(invoice);
    const failed = await shop.sandbox.run(watch.refresh());
    expect([failed.freshness, failed.error?.code]).to.deep.equal(['loading', 'UNREACHABLE']);
    expect(watch.current()).to.deep.equal({ freshness: 'loading' });
    const log = recordAll(watch);
    await shop.sandbox.advance(100);
    const read = await shop.sandbox.run(watch.refresh());
    expect([read.value?.state, read.freshness]).to.deep.equal(['UNPAID', 'live']);
    expect(waits(loads)).to.deep.equal([0, 100]);
    await shop.sandbox.advance(1_000);
    expect(told(log)).to.deep.equal(['loading', 'loading UNREACHABLE', 'loading', 'UNPAID live']);
    log.stop();
  });

  for (const said of [
    'import() is disallowed on ServiceWorkerGlobalScope by the HTML specification.',
    'error loading dynamically imported module: https://shop.example/engine.js',
    'Dynamic-import is not available in Worklets or ServiceWorkers',
  ])
    it(`that cannot succeed ends the watch and names the import: ${said}`, async () => {
      const { shop, loads } = await openPoor(Infinity, said);
      const invoice = await shop.invoice();
      const watch = shop.client.invoices.watch(invoice);
      const log = recordAll(watch);
      await shop.sandbox.advance(600_000);
      expect(told(log)).to.deep.equal(['loading', 'failed INPUT_INVALID']);
      expect([loads.length, shop.timers()]).to.deep.equal([1, 0]);
      expect(log.ended).to.deep.equal({ error: watch.current().error });
      expect(watch.current().error)
        .to.be.an.instanceOf(InputError)
        .with.property('message')
        .that.includes(said)
        .and.includes('watchInvoice(client, …) from paystate');
      const read = await shop.sandbox.run(watch.refresh());
      expect([read.freshness, read.error?.next]).to.deep.equal(['failed', 'fix-input']);
      log.stop();
    });

  it('is not needed for what the page watches by a function that it imported', async () => {
    const { shop, loads } = await openPoor(Infinity, 'import() is disallowed');
    const invoice = await shop.invoice();
    watchInvoice(shop.client, invoice);
    const log = recordAll(shop.client.invoices.watch(invoice));
    await shop.sandbox.advance(1_000);
    expect(told(log)).to.deep.equal(['loading', 'UNPAID live']);
    const other = recordAll(shop.client.balances.watch());
    await shop.sandbox.advance(1_000);
    expect(other.values.map(({ freshness }) => freshness)).to.deep.equal(['loading', 'failed']);
    expect(loads).to.have.length(1);
    log.stop();
    other.stop();
  });

  it('does not hold up the end of a watch by its signal', async () => {
    const { shop } = await openPoor(Infinity);
    const end = new AbortController();
    const log = recordAll(shop.client.invoices.watch('a', { signal: end.signal }));
    await shop.sandbox.advance(100_000);
    end.abort();
    await shop.sandbox.advance(0);
    expect([log.ended, shop.timers()]).to.deep.equal(['complete', 0]);
    const late = recordAll(shop.client.invoices.watch('a', { signal: end.signal }));
    await shop.sandbox.advance(0);
    expect([late.ended, told(late)]).to.deep.equal(['complete', ['loading']]);
  });

  it('is a matter of one client alone', async () => {
    const { shop } = await openPoor(Infinity);
    const poor = recordAll(shop.client.balances.watch());
    const other = createClient(shop.sandbox.clientOptions);
    const rich = recordAll(other.balances.watch());
    await shop.sandbox.advance(1_000);
    expect([poor, rich].map(({ values }) => values.at(-1)?.freshness)).to.deep.equal([
      'loading',
      'live',
    ]);
    poor.stop();
    rich.stop();
  });
});
