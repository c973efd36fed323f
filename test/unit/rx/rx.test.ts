import { describe, it } from '#test';
import { expect } from 'chai';
import { createClient, watchInvoice as watch } from 'paystate';
import {
  eventFeed,
  schedulerOf,
  toObservable,
  untilSettled,
  values,
  watchInvoice,
} from 'paystate/rx';
import { checkout } from 'paystate/flows';
import { delay, from, lastValueFrom, of, Subject, take, timeout, timer, toArray } from 'rxjs';
import { openShop, record, refusal } from '../state/shop.ts';

describe('paystate/rx', () => {
  it('watchInvoice starts on subscribe, shares, replays, completes and stops', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const invoice$ = watchInvoice(shop.client, invoice);
    shop.requests.length = 0;
    await shop.sandbox.advance(5_000);
    expect(shop.requests, 'cold').to.have.length(0);
    const first = record(invoice$);
    await shop.sandbox.advance(1_000);
    const late = record(invoice$);
    expect(late.values, 'replayed').to.have.length(1);
    await shop.pay(invoice);
    await shop.sandbox.advance(4_100);
    for (const log of [first, late]) {
      expect(log.values.map(({ value }) => value.state)).to.deep.equal(['UNPAID', 'PAID']);
      expect(log.ended).to.equal('complete');
    }
    expect(shop.timers()).to.equal(0);
  });

  it('unsubscribe leaves no timer and emits nothing more', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const log = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    log.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
    await shop.pay(invoice);
    await shop.sandbox.advance(60_000);
    expect(log.values).to.have.length(1);
    expect(log.ended).to.equal(undefined);
  });

  it('an error of a watch is an error of its Observable', async () => {
    const shop = openShop({}, (url, ask) =>
      url.includes('/v1/invoices/') ? Promise.resolve(refusal(403, 'FORBIDDEN')) : ask(),
    );
    const log = record(watchInvoice(shop.client, 'a'));
    await shop.sandbox.advance(3_000);
    expect((log.ended as { error: { code: string } }).error.code).to.equal('FORBIDDEN');
  });

  it('values() tells the values and keeps silent about freshness', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const log = record(watchInvoice(shop.client, invoice).pipe(values()));
    await shop.sandbox.advance(1_000);
    const endFault = shop.sandbox.fault({ method: 'GET', action: { status: 500 } });
    await shop.sandbox.advance(10_000);
    endFault();
    await shop.sandbox.advance(60_000);
    expect(log.values.map(({ state }) => state)).to.deep.equal(['UNPAID']);
  });

  it('untilSettled() ends a watch that was asked to go on', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const open = record(watchInvoice(shop.client, invoice, { until: 'never' }));
    const log = record(watchInvoice(shop.client, invoice, { until: 'never' }).pipe(untilSettled()));
    await shop.sandbox.advance(1_000);
    await shop.pay(invoice);
    await shop.sandbox.advance(4_100);
    expect(log.values.at(-1)!.value.state).to.equal('PAID');
    expect(log.ended).to.equal('complete');
    expect(open.ended).to.equal(undefined);
    open.stop();
  });

  it('events() emits each event of the account once', async () => {
    const shop = openShop();
    const log = record(eventFeed(shop.client));
    await shop.sandbox.advance(20_000);
    const invoice = await shop.invoice();
    await shop.pay(invoice);
    await shop.sandbox.advance(20_000);
    const own = log.values.filter(({ event }) => event?.data.entityId === invoice.invoiceId);
    expect(own.map(({ event }) => event!.eventType)).to.deep.equal([
      'invoice.created',
      'invoice.updated',
      'invoice.updated',
    ]);
    log.stop();
    await shop.sandbox.advance(10_000);
    expect(shop.timers()).to.equal(0);
  });

  it('events() ends with the refusal of a key without the scope', async () => {
    const { sandbox } = openShop();
    const client = createClient(sandbox.clientOptionsFor({ scopes: ['partner.invoice.read'] }));
    const log = record(eventFeed(client));
    await sandbox.advance(1_000);
    expect((log.ended as { error: { neededScope: string } }).error.neededScope).to.equal(
      'partner.webhooks.manage',
    );
  });

  it('schedulerOf() puts the operators of RxJS on virtual time', async () => {
    const { sandbox, client } = openShop();
    const scheduler = schedulerOf(client);
    const start = sandbox.clock.now();
    const ticks: number[] = [];
    timer(1_000, 1_000, scheduler)
      .pipe(take(3))
      .subscribe(() => ticks.push(scheduler.now() - start));
    const late = record(of('late').pipe(delay(2_500, scheduler)));
    const over = record(new Subject().pipe(timeout({ first: 3_000, scheduler })));
    await sandbox.advance(3_500);
    expect(ticks).to.deep.equal([1_000, 2_000, 3_000]);
    expect(late.values).to.deep.equal(['late']);
    expect((over.ended as { error: Error }).error.name).to.equal('TimeoutError');
  });

  it('schedulerOf() frees its timer on unsubscribe', async () => {
    const { sandbox, client, timers } = openShop();
    const log = record(timer(1_000, 1_000, schedulerOf(client)));
    await sandbox.advance(1_500);
    log.stop();
    await sandbox.advance(0);
    expect(timers()).to.equal(0);
  });

  it('toObservable() reads a list from the beginning for each subscription, and stops when it is left', async () => {
    const shop = openShop();
    for (let n = 0; n < 3; n++) await shop.invoice();
    const all = toObservable(shop.client.invoices.list({}, { pageSize: 1 }));
    shop.requests.length = 0;
    const first = shop.sandbox.run(lastValueFrom(all.pipe(toArray())));
    const whole = (await first).map(({ invoiceId }) => invoiceId);
    expect(whole).to.have.length(3);
    const again = await shop.sandbox.run(lastValueFrom(all.pipe(toArray())));
    expect(again.map(({ invoiceId }) => invoiceId)).to.deep.equal(whole);
    shop.requests.length = 0;
    await shop.sandbox.run(lastValueFrom(all.pipe(take(1))));
    await shop.sandbox.advance(5_000);
    expect(shop.requests.length).to.be.below(3);
  });

  it('from(watch) of RxJS understands a watch, and toObservable() any watch', async () => {
    const shop = openShop({ signed: true });
    const invoice = await shop.invoice();
    const states = lastValueFrom(from(watch(shop.client, invoice)).pipe(values(), toArray()));
    const phases = lastValueFrom(
      toObservable(checkout(shop.client, { invoiceId: invoice.invoiceId })).pipe(toArray()),
    );
    await shop.sandbox.advance(1_000);
    await shop.pay(invoice);
    expect((await shop.sandbox.run(states)).map(({ state }) => state)).to.deep.equal([
      'UNPAID',
      'PAID',
    ]);
    expect((await shop.sandbox.run(phases)).at(-1)!.phase).to.equal('paid');
  });
});
