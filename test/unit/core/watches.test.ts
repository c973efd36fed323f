// What a watch begins, it ends: also where there was nothing to wait for, and where a signal ends a subscription.
import { expect } from 'chai';
import { createClient, type Invoice, type Snapshot, watchInvoice } from 'paystate';
import { describe, it } from '#test';
import { DRAFT } from './shop.ts';
import { inPage } from '../state/page.ts';
import { openShop, record, refusal } from '../state/shop.ts';

describe('a watch whose work is over as soon as it begins', () => {
  it('leaves nothing behind', () =>
    inPage(async (page) => {
      const shop = openShop();
      const { sandbox, client, requests } = shop;
      const invoice = await shop.invoice();
      await shop.pay(invoice);
      const kept = record(watchInvoice(client, invoice.invoiceId, { until: 'never' }));
      await sandbox.advance(10_000);
      expect(kept.values.at(-1)!.value.state).to.equal('PAID');
      const quick = [1, 2, 3].map(() => record(watchInvoice(client, invoice.invoiceId)));
      await sandbox.advance(1);
      for (const { values, ended } of quick)
        expect([values.at(-1)!.value.state, ended]).to.deep.equal(['PAID', 'complete']);
      kept.stop();
      await sandbox.advance(1);
      expect([shop.timers(), page.listeners()]).to.deep.equal([0, 0]);
      const asked = requests.length;
      await sandbox.advance(3_600_000);
      expect(requests).to.have.length(asked);
    }));
});

describe('subscribe(to, { signal })', () => {
  it('unsubscribes at the abort, without complete or error, and ends the work', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const [left, stayed] = [logOf(), logOf()];
    const leave = new AbortController();
    watch.subscribe(left, { signal: leave.signal });
    const end = watch.subscribe(stayed);
    await shop.sandbox.advance(1_000);
    leave.abort();
    await shop.pay(invoice);
    await shop.sandbox.advance(4_100);
    expect(left.calls).to.deep.equal(['loading', 'UNPAID']);
    expect(stayed.calls).to.deep.equal(['loading', 'UNPAID', 'PAID', 'complete']);
    end();
    expect(shop.timers()).to.equal(0);
  });

  it('ends the work with the last subscription', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const leave = new AbortController();
    watchInvoice(shop.client, invoice).subscribe(() => {}, { signal: leave.signal });
    await shop.sandbox.advance(1_000);
    expect(shop.timers()).to.be.above(0);
    leave.abort();
    await shop.sandbox.advance(0);
    const asked = shop.requests.length;
    await shop.sandbox.advance(60_000);
    expect([shop.timers(), shop.requests.length]).to.deep.equal([0, asked]);
  });

  it('calls nothing where the signal has aborted already, not of a watch that is complete', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const [log, other] = [logOf(), logOf()];
    watch.subscribe(log, { signal: AbortSignal.abort() })();
    await shop.sandbox.advance(5_000);
    expect([log.calls, shop.requests.length, shop.timers()]).to.deep.equal([[], 1, 0]);
    watch.subscribe(other);
    await shop.sandbox.advance(1_000);
    await shop.pay(invoice);
    await shop.sandbox.advance(4_100);
    expect(other.calls.at(-1)).to.equal('complete');
    watch.subscribe(log, { signal: AbortSignal.abort() });
    expect(log.calls).to.deep.equal([]);
  });

  it('may abort within next: nothing more is called', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    await shop.pay(invoice);
    const watch = watchInvoice(shop.client, invoice);
    for (const wanted of [['loading'], ['loading', 'PAID']]) {
      const leave = new AbortController();
      const log = logOf((calls) => calls.length === wanted.length && leave.abort());
      watch.subscribe(log, { signal: leave.signal });
      await shop.sandbox.advance(5_000);
      expect(log.calls).to.deep.equal(wanted);
    }
    const all = logOf();
    watch.subscribe(all);
    await shop.sandbox.advance(5_000);
    expect(all.calls.at(-1)).to.equal('complete');
    const leave = new AbortController();
    const over = logOf(() => leave.abort());
    watch.subscribe(over, { signal: leave.signal });
    expect(over.calls).to.deep.equal(['PAID']);
  });

  it('keeps nothing at a signal that lives on after the watch', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const { signal, listeners } = countedSignal();
    watch.subscribe(() => {}, { signal })();
    expect(listeners()).to.equal(0);
    watch.subscribe(() => {}, { signal });
    expect(listeners()).to.equal(1);
    await shop.sandbox.advance(1_000);
    await shop.pay(invoice);
    await shop.sandbox.advance(4_100);
    expect([watch.current().value?.state, listeners()]).to.deep.equal(['PAID', 0]);
  });

  it('leaves a watch that ended with an error: retry() calls it no more', async () => {
    let isOpen = false;
    const shop = openShop({}, (url, ask) =>
      isOpen || !url.includes('/v1/invoices/') ? ask() : Promise.resolve(refusal(403, 'FORBIDDEN')),
    );
    const watch = watchInvoice(shop.client, 'a');
    const [left, stayed] = [logOf(), logOf()];
    const leave = new AbortController();
    watch.subscribe(left, { signal: leave.signal });
    watch.subscribe(stayed);
    await shop.sandbox.advance(4_000);
    expect(left.calls.at(-1)).to.equal('error');
    const told = left.calls.length;
    leave.abort();
    isOpen = true;
    watch.retry();
    await shop.sandbox.advance(1_000);
    expect([left.calls.length, stayed.calls.length > told]).to.deep.equal([told, true]);
  });
});

describe('retry() of a watch that ended with an error', () => {
  /** Two watched the same until the service refused it, which it does no longer. */
  const afterRefusal = async () => {
    let isOpen = false;
    const shop = openShop({}, (url, ask) =>
      isOpen || !url.includes('/v1/invoices') ? ask() : Promise.resolve(refusal(403, 'FORBIDDEN')),
    );
    const invoice = await shop.sandbox.run(
      createClient(shop.sandbox.clientOptions).invoices.create(DRAFT),
    );
    const watch = watchInvoice(shop.client, invoice);
    const logs = [record(watch), record(watch)] as const;
    await shop.sandbox.advance(700_000);
    for (const { ended } of logs) expect(ended).to.have.property('error');
    isOpen = true;
    return { shop, watch, logs };
  };

  it('begins nothing where nobody is left to hear of it', async () => {
    const { shop, watch, logs } = await afterRefusal();
    for (const log of logs) log.stop();
    const asked = shop.requests.length;
    watch.retry();
    await shop.sandbox.advance(60_000);
    expect([shop.requests.length, shop.timers()]).to.deep.equal([asked, 0]);
  });

  it('begins again for who stayed, and ends when they leave', async () => {
    const {
      shop,
      watch,
      logs: [left, stayed],
    } = await afterRefusal();
    left.stop();
    watch.retry();
    await shop.sandbox.advance(5_000);
    expect([left.values.length, stayed.values.at(-1)!.value.state]).to.deep.equal([0, 'UNPAID']);
    stayed.stop();
    await shop.sandbox.advance(1_000);
    const asked = shop.requests.length;
    await shop.sandbox.advance(60_000);
    expect([shop.requests.length, shop.timers()]).to.deep.equal([asked, 0]);
  });
});

/** An observer that writes down what it is called with. */
function logOf(then: (calls: readonly string[]) => unknown = () => {}) {
  const calls: string[] = [];
  const add = (call: string) => {
    calls.push(call);
    then(calls);
  };
  return {
    calls,
    next: ({ value, freshness }: Snapshot<Invoice>) => add(value?.state ?? freshness),
    error: () => add('error'),
    complete: () => add('complete'),
  };
}

/** A signal that counts its listeners. */
function countedSignal() {
  const { signal } = new AbortController();
  const listening = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (name: string, listener: EventListenerOrEventListenerObject) => {
    listening.add(listener);
    add(name, listener);
  };
  signal.removeEventListener = (name: string, listener: EventListenerOrEventListenerObject) => {
    listening.delete(listener);
    remove(name, listener);
  };
  return { signal, listeners: () => listening.size };
}
