import { describe, it, itLong } from '#test';
import { expect } from 'chai';
import {
  createClient,
  type Invoice,
  type Observer,
  provide,
  type Snapshot,
  watchInvoice,
} from 'paystate';
import { checkout, type CheckoutView } from 'paystate/flows';
import { schedulerOf, toObservable } from 'paystate/rx';
import { config, interval, take } from 'rxjs';
import { openShop, record, type Shop } from './shop.ts';
import { reporting, withReports } from './reports.ts';

const fault = () => new Error('a bug of the page');
const throwing = (...names: (keyof Observer<unknown>)[]) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      () => {
        throw fault();
      },
    ]),
  );

const throwingOnValues = ({ value }: Snapshot<Invoice>) => {
  if (value) throw fault();
};

/** Reads of invoices so far. */
const reads = (shop: Shop) => shop.requests.filter(({ method }) => method === 'GET').length;

const stateOf = (log: { values: readonly { value: Invoice }[] }) => log.values.at(-1)?.value.state;

describe('an error of a listener', () => {
  it('in next is reported once for each call; the others are served and looking goes on', () =>
    withReports(async (reports) => {
      const shop = openShop();
      const invoice = await shop.invoice();
      const watch = watchInvoice(shop.client, invoice);
      watch.subscribe(throwingOnValues);
      const [same, other] = [record(watch), record(watchInvoice(shop.client, invoice))];
      await shop.sandbox.advance(5_000);
      expect(reports).to.have.length(1);
      expect(reads(shop)).to.be.above(1);
      await shop.pay(invoice);
      await shop.sandbox.advance(4_100);
      for (const log of [same, other])
        expect([stateOf(log), log.ended]).to.deep.equal(['PAID', 'complete']);
      expect(reports.map((error) => (error as Error).message)).to.deep.equal([
        fault().message,
        fault().message,
      ]);
      expect(shop.timers()).to.equal(0);
    }));

  it('in next, at the replay of what is known, does not keep it from hearing more', () =>
    withReports(async (reports) => {
      const shop = openShop();
      const invoice = await shop.invoice();
      const watch = watchInvoice(shop.client, invoice);
      record(watch);
      await shop.sandbox.advance(1_000);
      const heard: string[] = [];
      watch.subscribe(({ value }) => {
        heard.push(value!.state);
        throw fault();
      });
      expect(reports).to.have.length(1);
      await shop.pay(invoice);
      await shop.sandbox.advance(4_100);
      watch.subscribe({ ...throwing('next', 'complete') });
      expect(heard).to.deep.equal(['UNPAID', 'PAID']);
      expect(reports).to.have.length(4);
    }));

  it('in complete or error is reported, and the others hear the end', () =>
    withReports(async (reports) => {
      const shop = openShop();
      const invoice = await shop.invoice();
      const watch = watchInvoice(shop.client, invoice);
      watch.subscribe(throwing('complete'));
      const log = record(watch);
      await shop.pay(invoice);
      await shop.sandbox.advance(4_100);
      expect([reports.length, log.ended]).to.deep.equal([1, 'complete']);
      const closed = watchInvoice(shop.client, 'another');
      closed.subscribe(throwing('error'));
      const refused = record(closed);
      await shop.sandbox.advance(3_000);
      expect((refused.ended as { error: { code: string } }).error.code).to.equal('NOT_FOUND');
      expect(reports).to.have.length(2);
      expect(shop.timers()).to.equal(0);
    }));

  itLong('does not end a checkout for the others', () =>
    withReports(async (reports) => {
      const shop = openShop({ signed: true });
      const { invoiceId } = await shop.invoice();
      const sale = checkout(shop.client, { invoiceId });
      sale.subscribe(({ phase }) => {
        if (phase === 'awaiting') throw fault();
      });
      const log = record<CheckoutView>(sale);
      await shop.sandbox.advance(60_000);
      const codes = log.values.flatMap((view) =>
        view.phase === 'awaiting' ? [view.quote.lnInvoice] : [],
      );
      expect(codes.length).to.be.above(2);
      expect(reports).to.have.length(codes.length);
      await shop.sandbox.payer.pay(codes.at(-1)!);
      await shop.sandbox.advance(4_100);
      expect([log.values.at(-1)!.phase, log.ended]).to.deep.equal(['paid', 'complete']);
    }),
  );

  itLong('of one watch in 200 that throws each time leaves 199 as they are', () =>
    withReports(async (reports) => {
      const shop = openShop();
      const all: Invoice[] = [];
      for (let n = 0; n < 200; n++) all.push(await shop.invoice());
      const logs = all.map((invoice, n) => {
        const watch = watchInvoice(shop.client, invoice);
        if (n === 7) watch.subscribe(throwingOnValues);
        return record(watch);
      });
      await shop.sandbox.advance(60_000);
      await shop.pay(all[7]!);
      await shop.pay(all[8]!);
      await shop.sandbox.advance(10_000);
      expect(logs.filter((log) => stateOf(log) === 'PAID')).to.have.length(2);
      expect(logs.every(({ values }) => values.length > 0)).to.equal(true);
      expect(reports, 'read, announced, paid').to.have.length(3);
    }),
  );

  it('is thrown by a task of its own where the platform has no way to report it', () =>
    reporting(undefined, async () => {
      const shop = openShop();
      const invoice = await shop.invoice();
      const watch = watchInvoice(shop.client, invoice);
      const { setTimeout: usual } = globalThis;
      const tasks: (() => void)[] = [];
      const stopFaulty = watch.subscribe(({ value }) => {
        if (!value) return;
        globalThis.setTimeout = ((task: () => void) => tasks.push(task)) as unknown as typeof usual;
        throw fault();
      });
      const stop = watch.subscribe(() => void (globalThis.setTimeout = usual));
      await shop.sandbox.advance(1_000);
      stopFaulty();
      stop();
      expect(tasks).to.have.length(1);
      expect(tasks[0]).to.throw(fault().message);
    }));

  it('of an observer of requests is reported and decides over nothing', () =>
    withReports(async (reports) => {
      const { sandbox } = openShop();
      const throws = () => {
        throw fault();
      };
      const client = createClient({
        ...sandbox.clientOptions,
        onRequest: throws,
        onResponse: throws,
        onRetry: throws,
      });
      sandbox.fault({
        method: 'POST',
        nth: 1,
        action: { status: 503, code: 'SERVICE_UNAVAILABLE' },
      });
      const { state } = await sandbox.run(
        client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } }),
      );
      expect(state).to.equal('UNPAID');
      expect(reports).to.have.length(5);
    }));

  it('of work on schedulerOf() is reported and ends that work', () =>
    withReports(async (reports) => {
      const { sandbox, client, timers } = openShop();
      const action = schedulerOf(client).schedule(function again() {
        this.schedule(undefined, 1_000);
        throw fault();
      }, 1_000);
      const log = record(interval(1_000, schedulerOf(client)).pipe(take(3)));
      await sandbox.advance(10_000);
      expect([reports.length, action.closed, log.values.length, timers()]).to.deep.equal([
        1,
        true,
        3,
        0,
      ]);
    }));
});

describe('a listener', () => {
  it('that another one stops in the same round is not called any more', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const stops: (() => void)[] = [];
    const heard: string[] = [];
    for (const name of ['a', 'b', 'c'])
      stops.push(
        watch.subscribe(({ value }) => {
          if (!value) return;
          heard.push(name);
          if (name === 'a') stops[1]!();
        }),
      );
    await shop.sandbox.advance(1_000);
    expect(heard).to.deep.equal(['a', 'c']);
    for (const stop of stops) stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('that makes a newer value inside next: the others hear values in their order, and none after the end', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    watch.subscribe(({ value }) => {
      if (value?.state !== 'UNPAID') return;
      for (const state of ['PENDING', 'PAID'] as const)
        shop.sandbox.move('invoice', invoice.invoiceId, state);
      const paid = { ...invoice, state: 'PAID' };
      provide(shop.client, 'invoice', paid, { asOf: shop.sandbox.clock.now() });
    });
    const [same, other] = [
      record(watch),
      record(watchInvoice(shop.client, invoice, { until: 'never' })),
    ];
    await shop.sandbox.advance(1_000);
    const shown = (log: typeof same) =>
      log.values.map(({ value, freshness }) => `${value.state} ${freshness}`);
    expect(shown(same)).to.deep.equal(['PAID stale', 'PAID live']);
    expect(shown(other)).to.deep.equal(['PAID stale', 'PAID live']);
    expect(same.ended).to.equal('complete');
    other.stop();
  });

  it('that subscribes inside next hears the value once, and the end', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const logs: { values: unknown[]; ended?: unknown }[] = [];
    watch.subscribe(({ value }) => void (value && logs.length < 3 && logs.push(record(watch))));
    await shop.sandbox.advance(1_000);
    expect(logs.map(({ values }) => values.length)).to.deep.equal([1]);
    await shop.pay(invoice);
    await shop.sandbox.advance(4_100);
    expect(logs.map(({ values, ended }) => [values.length, ended])).to.deep.equal([
      [2, 'complete'],
      [1, 'complete'],
    ]);
  });

  it('of an Observable may throw: RxJS reports it, and the others are served', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const before = config.onUnhandledError;
    const reported = new Promise((resolve) => void (config.onUnhandledError = resolve));
    const buggy = toObservable(watch).subscribe(throwingOnValues);
    const log = record(toObservable(watch));
    await shop.sandbox.advance(1_000);
    expect(((await reported) as Error).message).to.equal(fault().message);
    config.onUnhandledError = before;
    buggy.unsubscribe();
    await shop.pay(invoice);
    await shop.sandbox.advance(4_100);
    expect([stateOf(log), log.ended]).to.deep.equal(['PAID', 'complete']);
  });
});
