// The browser's own Observable takes a watch as what it is, an async iterable: Chromium has that class.
import { describe, it } from '#test';
import { expect } from 'chai';
import { type Invoice, type Snapshot, watchInvoice } from 'paystate';
import { closedShop, expectSilence, openInvoice } from './shop-page.ts';

interface NativeObserver<T> {
  next?(value: T): void;
  error?(reason: unknown): void;
  complete?(): void;
}

interface NativeObservable<T> {
  subscribe(to: NativeObserver<T> | ((value: T) => void), options?: { signal?: AbortSignal }): void;
  map<To>(by: (value: T) => To): NativeObservable<To>;
  toArray(): Promise<T[]>;
}

const native = (
  globalThis as unknown as { Observable: { from<T>(of: AsyncIterable<T>): NativeObservable<T> } }
).Observable;

const stateOf = ({ value, freshness }: Snapshot<Invoice>) => value?.state ?? freshness;

function logOf() {
  const calls: string[] = [];
  const add = (call: string) => void calls.push(call);
  const ends = { error: (reason: unknown) => add(`${reason}`), complete: () => add('complete') };
  return { calls, observer: { next: (seen: Snapshot<Invoice>) => add(stateOf(seen)), ...ends } };
}

describe('Observable.from(watch) of the browser', () => {
  it('is cold, follows the watch, and completes with it', async () => {
    const shop = await openInvoice();
    const seen = native.from(watchInvoice(shop.client, shop.created));
    await shop.sandbox.advance(5_000);
    expect([shop.timers(), shop.requests.length]).to.deep.equal([0, 1]);
    const states = seen.map(stateOf).toArray();
    await shop.sandbox.advance(5_000);
    await shop.pay(shop.created);
    expect(await shop.sandbox.run(states)).to.deep.equal(['loading', 'UNPAID', 'PAID']);
    await expectSilence(shop);
  });

  it('ends the watch at the abort of its signal, without a further call', async () => {
    const shop = await openInvoice();
    const leave = new AbortController();
    const { calls, observer } = logOf();
    native
      .from(watchInvoice(shop.client, shop.created))
      .subscribe(observer, { signal: leave.signal });
    await shop.sandbox.advance(5_000);
    expect(calls).to.deep.equal(['loading', 'UNPAID']);
    leave.abort();
    await expectSilence(shop);
    await shop.pay(shop.created);
    await shop.sandbox.advance(10_000);
    expect(calls).to.deep.equal(['loading', 'UNPAID']);
  });

  it('sends nothing where its signal has aborted already', async () => {
    const shop = await openInvoice();
    const { calls, observer } = logOf();
    const seen = native.from(watchInvoice(shop.client, shop.created));
    seen.subscribe(observer, { signal: AbortSignal.abort() });
    await expectSilence(shop);
    expect(calls).to.deep.equal([]);
  });

  it('has the error that ends a watch', async () => {
    const shop = closedShop();
    const { calls, observer } = logOf();
    native.from(watchInvoice(shop.client, 'a')).subscribe(observer);
    await shop.sandbox.advance(10_000);
    expect(calls.at(-1)).to.match(/FORBIDDEN/);
    await expectSilence(shop);
  });

  it('has the subscribe of a watch: one program serves both', async () => {
    const shop = await openInvoice();
    const watch = watchInvoice(shop.client, shop.created);
    const program = (
      seen: Pick<NativeObservable<Snapshot<Invoice>>, 'subscribe'>,
      signal: AbortSignal,
    ) => {
      const { calls, observer } = logOf();
      seen.subscribe(observer, { signal });
      return calls;
    };
    const leave = new AbortController();
    const both = [program(watch, leave.signal), program(native.from(watch), leave.signal)];
    await shop.sandbox.advance(5_000);
    leave.abort();
    await expectSilence(shop);
    expect(both).to.deep.equal([
      ['loading', 'UNPAID'],
      ['loading', 'UNPAID'],
    ]);
  });
});
