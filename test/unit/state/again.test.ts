import { describe, it, itLong } from '#test';
import { expect } from 'chai';
import { type Invoice, type KnownSnapshot, watchInvoice, watchRateLimits } from 'paystate';
import { checkout, type CheckoutView, countdown } from 'paystate/flows';
import { watchInvoice as watchInvoice$ } from 'paystate/rx';
import { filter, repeat, retry, share, take } from 'rxjs';
import { altered, type Answers, openShop, record, refusal, type Shop } from './shop.ts';

const HOUR = 3_600_000;
/** A value is kept for five. */
const MINUTES = 240_000;

const shown = (log: { values: readonly KnownSnapshot<Invoice>[] }) =>
  log.values.map(({ value, freshness }) => `${value.state} ${freshness}`);

/** A shop whose reads of invoices are answered by `answer`, for as long as it is set. */
function moody(
  options = {},
  path = /\/v1\/invoices\/[^/]+$/,
): {
  shop: Shop;
  set(answer: ((ask: () => Promise<Response>) => Promise<Response>) | undefined): void;
} {
  let mood: ((ask: () => Promise<Response>) => Promise<Response>) | undefined;
  const answers: Answers = (url, ask) => (mood && path.test(url) ? mood(ask) : ask());
  return { shop: openShop(options, answers), set: (answer) => void (mood = answer) };
}

const forbidden = () => Promise.resolve(refusal(403, 'FORBIDDEN'));
const away = () => Promise.reject(new TypeError('no network'));

describe('a watch that nobody listens to', () => {
  it('says nothing is live, and gives the kept value as stale until it has been read', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const first = record(watch);
    await shop.sandbox.advance(1_000);
    first.stop();
    await shop.sandbox.advance(0);
    expect(watch.current()).to.include({
      value: first.values[0]!.value,
      freshness: 'stale',
      asOf: first.values[0]!.asOf,
    });
    expect(watch.current()).to.equal(watch.current());
    await shop.pay(invoice);
    await shop.sandbox.advance(MINUTES);
    const second = record(watch);
    expect(shown(second)).to.deep.equal(['UNPAID stale']);
    expect(second.values[0]!.value).to.equal(first.values[0]!.value);
    await shop.sandbox.advance(1_000);
    expect(shown(second)).to.deep.equal(['UNPAID stale', 'PAID live']);
  });

  it('keeps the object where the read brings the same', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    record(watch).stop();
    const first = record(watch);
    await shop.sandbox.advance(1_000);
    first.stop();
    await shop.sandbox.advance(MINUTES);
    const second = record(watch);
    await shop.sandbox.advance(1_000);
    expect(shown(second)).to.deep.equal(['UNPAID stale', 'UNPAID live']);
    expect(second.values.map(({ value }) => value === first.values[0]!.value)).to.deep.equal([
      true,
      true,
    ]);
    expect(second.values[1]!.asOf - second.values[0]!.asOf).to.be.above(MINUTES - 1);
    second.stop();
  });

  itLong('stays stale, with the reason, while the service is away, and recovers', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const first = record(watch);
    await shop.sandbox.advance(1_000);
    first.stop();
    await shop.sandbox.advance(MINUTES);
    set(away);
    const second = record(watch);
    await shop.sandbox.advance(HOUR);
    expect(shown(second)).to.deep.equal(['UNPAID stale', 'UNPAID stale']);
    expect(second.values[1]!.error?.code).to.be.a('string');
    expect(second.values[1]!.asOf).to.equal(first.values[0]!.asOf);
    set(undefined);
    await shop.pay(invoice);
    await shop.sandbox.advance(61_000);
    expect(shown(second).at(-1)).to.equal('PAID live');
  });

  itLong('is not made live by the event feed before it has been read again', async () => {
    const { shop, set } = moody({}, /\/v1\/invoices/);
    const all: Invoice[] = [];
    for (let n = 0; n < 150; n++) all.push(await shop.invoice());
    const watches = all.map((invoice) => watchInvoice(shop.client, invoice.invoiceId));
    const logs = watches.map((watch) => record(watch));
    await shop.sandbox.advance(120_000);
    expect(watches[0]!.status().reason).to.match(/^event feed/);
    logs[0]!.stop();
    await shop.sandbox.advance(MINUTES);
    set(() => new Promise(() => {})); // no answer
    const again = record(watches[0]!);
    await shop.sandbox.advance(9_000);
    expect(shown(again)).to.deep.equal(['UNPAID stale']);
    set(undefined);
    await shop.sandbox.advance(30_000);
    expect(shown(again).at(-1)).to.equal('UNPAID live');
    for (const log of [again, ...logs]) log.stop();
  });

  it('that comes back within half a minute does not believe a replica that lags', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    const as = (state: string) => async (ask: () => Promise<Response>) =>
      altered(await ask(), (json: Invoice) => ({ ...json, state }));
    set(as('PENDING'));
    const watch = watchInvoice(shop.client, invoice);
    const first = record(watch);
    await shop.sandbox.advance(1_000);
    first.stop();
    await shop.sandbox.advance(5_000);
    set(as('UNPAID'));
    const second = record(watch);
    await shop.sandbox.advance(10_000);
    expect(shown(second)).to.deep.equal(['PENDING stale', 'PENDING stale']);
    second.stop();
    await shop.sandbox.advance(MINUTES);
    const third = record(watch);
    await shop.sandbox.advance(1_000);
    expect(shown(third), 'minutes later no replica is so far behind').to.deep.equal([
      'PENDING stale',
      'UNPAID live',
    ]);
    third.stop();
  });

  it('gives the last value and the end of a settled one, and of one that was asked to go on a stale value', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const open = watchInvoice(shop.client, invoice, { until: 'never' });
    const logs = [record(watch), record(open)];
    await shop.pay(invoice);
    await shop.sandbox.advance(4_100);
    logs[1]!.stop();
    await shop.sandbox.advance(MINUTES);
    const late = record(watch);
    expect([shown(late), late.ended]).to.deep.equal([['PAID live'], 'complete']);
    const again = record(open);
    expect(shown(again)).to.deep.equal(['PAID stale']);
    await shop.sandbox.advance(1_000);
    expect([shown(again), again.ended]).to.deep.equal([['PAID stale', 'PAID live'], undefined]);
    again.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('of a budget or a countdown says what is so now', async () => {
    const { sandbox, client } = openShop();
    const down = countdown(client, { expiresAt: sandbox.clock.monotonic() + 60_000 });
    for (const watch of [watchRateLimits(client), down]) {
      const log = record<unknown>(watch);
      await sandbox.advance(1_000);
      log.stop();
      await sandbox.advance(0);
      expect(watch.current()).to.equal(watch.current());
    }
    expect(down.current()).to.equal(58);
    await sandbox.advance(HOUR);
    expect(down.current()).to.equal(0);
    const late = record(down);
    expect([late.values, late.ended]).to.deep.equal([[0], 'complete']);
  });

  it('of a checkout begins without a code, and asks for one when the invoice has been read', async () => {
    const shop = openShop({ signed: true });
    const { invoiceId } = await shop.invoice();
    const sale = checkout(shop.client, { invoiceId });
    const first = record<CheckoutView>(sale);
    await shop.sandbox.advance(1_000);
    expect(first.values.at(-1)!.phase).to.equal('awaiting');
    first.stop();
    await shop.sandbox.advance(0);
    expect(sale.current()).to.deep.equal({ phase: 'loading' });
    await shop.sandbox.advance(MINUTES);
    shop.requests.length = 0;
    const second = record<CheckoutView>(sale);
    expect(second.values.map(({ phase }) => phase)).to.deep.equal(['renewing']);
    expect(second.values[0]).to.include({ freshness: 'stale' });
    await shop.sandbox.advance(1_000);
    expect(second.values.at(-1)).to.include({
      phase: 'awaiting',
      freshness: 'live',
      renewed: false,
    });
    const sent = shop.requests.filter(({ path }) => !path.endsWith('/ticker'));
    expect(sent.map(({ method }) => method)).to.deep.equal(['GET', 'POST']);
    second.stop();
  });
});

describe('a watch that ended with an error', () => {
  it('begins anew with the next subscription', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    set(forbidden);
    const first = record(watch);
    await shop.sandbox.advance(3_000);
    expect((first.ended as { error: { code: string } }).error.code).to.equal('FORBIDDEN');
    set(undefined);
    const second = record(watch);
    expect(second.ended).to.equal(undefined);
    await shop.sandbox.advance(1_000);
    expect(shown(second)).to.deep.equal(['UNPAID live']);
    second.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('can be subscribed to again from inside error, whoever else watches the same', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    let refusals = 2;
    set((ask) => (refusals-- > 0 ? forbidden() : ask()));
    const logs: { ended?: unknown; values: readonly KnownSnapshot<Invoice>[] }[] = [];
    for (const watch of [watchInvoice(shop.client, invoice), watchInvoice(shop.client, invoice)])
      watch.subscribe({ error: () => void logs.push(record(watch)) });
    await shop.sandbox.advance(5_000);
    expect(logs.map((log) => [shown(log), log.ended])).to.deep.equal([
      [['UNPAID live'], undefined],
      [['UNPAID live'], undefined],
    ]);
  });
});

describe('operators of RxJS', () => {
  it('retry({ count, delay }) asks again as often as it says', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    set(forbidden);
    shop.requests.length = 0;
    const {
      sandbox: { clock },
    } = shop;
    const pause = async () => clock.wait(1_000);
    const log = record(watchInvoice$(shop.client, invoice).pipe(retry({ count: 3, delay: pause })));
    await shop.sandbox.advance(20_000);
    expect(shop.requests).to.have.length(2 * 4);
    expect((log.ended as { error: { code: string } }).error.code).to.equal('FORBIDDEN');
  });

  it('retry() goes on until the service relents, without a growing stack', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    let refusals = 50;
    set((ask) => (refusals-- > 0 ? forbidden() : ask()));
    const log = record(watchInvoice$(shop.client, invoice).pipe(retry()));
    await shop.sandbox.advance(60_000);
    expect([shown(log), log.ended]).to.deep.equal([['UNPAID live'], undefined]);
    log.stop();
  });

  it('repeat() of what was left begins anew, and share() keeps one watch for all', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    shop.requests.length = 0;
    const log = record(
      watchInvoice$(shop.client, invoice).pipe(
        filter(({ value }) => value !== undefined),
        take(1),
        repeat({ count: 3, delay: () => shop.sandbox.clock.wait(60_000) }),
      ),
    );
    await shop.sandbox.advance(300_000);
    expect([shown(log), log.ended]).to.deep.equal([
      ['UNPAID live', 'UNPAID stale', 'UNPAID stale'],
      'complete',
    ]);
    const shared = watchInvoice$(shop.client, invoice).pipe(share());
    const [one, two] = [record(shared), record(shared)];
    await shop.sandbox.advance(1_000);
    one.stop();
    two.stop();
    await shop.sandbox.advance(MINUTES);
    const three = record(shared);
    await shop.sandbox.advance(1_000);
    expect([one, two, three].map(shown)).to.deep.equal([
      ['UNPAID stale', 'UNPAID live'],
      ['UNPAID live'],
      ['UNPAID stale', 'UNPAID live'],
    ]);
    three.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });
});

async function last<T>(iterator: AsyncIterator<T>): Promise<T | undefined> {
  for (let value: T | undefined; ; ) {
    const next = await iterator.next();
    if (next.done) return value;
    value = next.value;
  }
}

describe('an iterator of a watch', () => {
  it('that was left, before or after its first value, asks nothing more', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const [unused, used] = [watch[Symbol.asyncIterator](), watch[Symbol.asyncIterator]()];
    await unused.return!();
    expect(await shop.sandbox.run(unused.next())).to.deep.equal({ done: true, value: undefined });
    const [first, second] = [used.next(), used.next()];
    await shop.sandbox.run(first);
    await used.return!();
    expect(await shop.sandbox.run(second)).to.deep.equal({ done: true, value: undefined });
    expect(await shop.sandbox.run(used.next())).to.deep.equal({ done: true, value: undefined });
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('throws the error once', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    set(forbidden);
    const iterator = watchInvoice(shop.client, invoice)[Symbol.asyncIterator]();
    const thrown = await shop.sandbox.run(
      last(iterator).catch((error: { code: string }) => error.code as never),
    );
    expect(thrown).to.equal('FORBIDDEN');
    expect(await shop.sandbox.run(iterator.next())).to.deep.equal({ done: true, value: undefined });
  });
});
