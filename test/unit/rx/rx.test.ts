import { describe, it } from '#test';
import { expect } from 'chai';
import { createClient, watchInvoice as watch } from 'paystate';
import {
  checkout,
  eventFeed,
  type ListSnapshot,
  schedulerOf,
  toObservable,
  untilSettled,
  values,
  watchAllReceives,
  watchDeposits,
  watchInvoice,
  watchInvoices,
  watchPayouts,
  watchRateLimits,
} from 'paystate/rx';
import { countdown } from 'paystate/flows';
import {
  delay,
  from,
  lastValueFrom,
  type Observable,
  of,
  Subject,
  take,
  timeout,
  timer,
  toArray,
} from 'rxjs';
import { openShop, record, recordAll, refusal } from '../state/shop.ts';

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

  it('untilSettled() takes no kept value for the end: it reads what has become of it', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const invoice$ = watchInvoice(shop.client, invoice, { until: 'never' });
    await shop.pay(invoice);
    const before = record(invoice$);
    await shop.sandbox.advance(1_000);
    before.stop();
    await shop.sandbox.advance(60_000);
    shop.sandbox.move('invoice', invoice.invoiceId, 'REVERSED');
    const log = record(invoice$.pipe(untilSettled()));
    await shop.sandbox.advance(60_000);
    const [first, last] = [log.values[0]!, log.values.at(-1)!];
    expect([first.value.state, first.freshness]).to.deep.equal(['PAID', 'stale']);
    expect([last.value.state, last.freshness]).to.deep.equal(['REVERSED', 'live']);
    expect(log.ended).to.equal('complete');
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

  it('events() with `from` emits what happened since then, and not what was before', async () => {
    const { client, sandbox, invoice: create } = openShop();
    const [early, late] = [await create(), await sandbox.advance(60_000).then(create)];
    const from = new Date(sandbox.clock.now() - 30_000).toISOString();
    await sandbox.advance(60_000);
    const log = record(eventFeed(client, { from }));
    await sandbox.advance(20_000);
    const ids = log.values.map(({ event }) => event?.data.entityId);
    expect(ids).to.include(late.invoiceId).and.not.include(early.invoiceId);
    log.stop();
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

  it('schedulerOf() closes a task once it has run, unless the task schedules itself again', async () => {
    const { sandbox, client } = openShop();
    let isAgain = true;
    const task = schedulerOf(client).schedule(function () {
      if (isAgain) this.schedule(undefined, 1_000);
      isAgain = false;
    }, 1_000);
    await sandbox.advance(1_500);
    expect(task.closed, 'waits for its second run').to.equal(false);
    await sandbox.advance(1_000);
    expect(task.closed).to.equal(true);
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
    const { sandbox, client, invoice: create, pay } = openShop();
    const invoice = await create();
    const states = lastValueFrom(from(watch(client, invoice)).pipe(values(), toArray()));
    const seconds = lastValueFrom(
      toObservable(countdown(client, { expiresAt: sandbox.clock.monotonic() + 2_000 })).pipe(
        toArray(),
      ),
    );
    await sandbox.advance(3_000);
    await pay(invoice);
    expect((await sandbox.run(states)).map(({ state }) => state)).to.deep.equal(['UNPAID', 'PAID']);
    expect(await seconds).to.deep.equal([2, 1, 0]);
  });

  it('from(watch) takes the Observable in it: once unsubscribed it sends nothing more', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const log = record(from(watch(shop.client, invoice)));
    await shop.sandbox.advance(5_000);
    expect(log.values).to.have.length(1);
    log.stop();
    await shop.sandbox.advance(0);
    shop.requests.length = 0;
    await shop.sandbox.advance(600_000);
    expect([shop.requests.length, shop.timers()]).to.deep.equal([0, 0]);
  });

  it('checkout() shows a code and completes when it is paid; cold before, silent after', async () => {
    const shop = openShop({ signed: true });
    const { invoiceId } = await shop.invoice();
    const view$ = checkout(shop.client, { invoiceId });
    shop.requests.length = 0;
    await shop.sandbox.advance(5_000);
    expect(shop.requests, 'cold').to.have.length(0);
    const log = record(view$);
    await shop.sandbox.advance(1_000);
    const view = log.values.at(-1)!;
    expect(view.phase).to.equal('awaiting');
    const left = record(view$);
    left.stop();
    await shop.sandbox.payer.pay((view as { quote: { lnInvoice: string } }).quote.lnInvoice);
    await shop.sandbox.advance(4_100);
    expect([log.values.at(-1)!.phase, log.ended]).to.deep.equal(['paid', 'complete']);
    expect([left.ended, shop.timers()]).to.deep.equal([undefined, 0]);
  });

  it('watchInvoices() emits the rows of a list and what has changed, and stops', async () => {
    const shop = openShop();
    const [first, second] = [await shop.invoice(), await shop.invoice()];
    const unpaid = watchInvoices(shop.client, { state: 'UNPAID' }, { limit: 10 });
    shop.requests.length = 0;
    await shop.sandbox.advance(5_000);
    expect(shop.requests, 'cold').to.have.length(0);
    const log = recordAll(unpaid);
    await shop.sandbox.advance(1_000);
    const ids = () => log.values.at(-1)!.items?.map(({ invoiceId }) => invoiceId);
    expect(ids()).to.have.members([first.invoiceId, second.invoiceId]);
    await shop.pay(first);
    await shop.sandbox.advance(30_000);
    expect(ids()).to.deep.equal([second.invoiceId]);
    expect(log.values.flatMap(({ removed = [] }) => removed)).to.deep.equal([first.invoiceId]);
    log.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('watchPayouts(), watchDeposits() and watchAllReceives() emit lists', async () => {
    const { sandbox, client } = openShop();
    const logs = [watchPayouts(client), watchDeposits(client), watchAllReceives(client)].map(
      (list) => recordAll(list as Observable<ListSnapshot<unknown>>),
    );
    await sandbox.advance(5_000);
    for (const log of logs) {
      expect(log.values.at(-1)!.items).to.deep.equal([]);
      log.stop();
    }
  });

  it('watchRateLimits() counts requests, and sends none', async () => {
    const shop = openShop();
    const log = record(watchRateLimits(shop.client));
    const before = log.values.at(-1)!.others.used;
    await shop.sandbox.run(shop.client.balances.list());
    await shop.sandbox.advance(200);
    expect([log.values.at(-1)!.others.used - before, shop.requests.length]).to.deep.equal([1, 1]);
    log.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });
});
