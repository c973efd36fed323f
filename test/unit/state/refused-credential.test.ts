// A credential that has worked is not given up for a while of refusals; a way of asking that is refused is tried again.
import { expect } from 'chai';
import { type InvoiceId, watchBalances, watchInvoice } from 'paystate';
import { checkout, type CheckoutView } from 'paystate/flows';
import { describe, it, itLong } from '#test';
import { invoices } from './invoices.ts';
import { openShop, record, recordAll, refusal, type Shop } from './shop.ts';

const MINUTE = 60_000;
const UNKNOWN = '00000000-0000-4000-8000-000000000000' as InvoiceId;

type Refuses = (url: string) => Response | undefined;

/** A shop whose service refuses what is asked of it, while it is told to. */
function moody(signed = false): { shop: Shop; set(refuses: Refuses | undefined): void } {
  let refuses: Refuses | undefined;
  const shop = openShop({ signed }, async (url, ask) => refuses?.(url) ?? ask());
  return { shop, set: (next) => void (refuses = next) };
}

const UNAUTHORIZED = () => refusal(401, 'UNAUTHORIZED');
const isOne = (url: string) => /\/v1\/invoices\/[^/?]+$/.test(url);
const isList = (url: string) => /\/v1\/invoices\?/.test(url);

describe('a credential that has worked and is refused', () => {
  for (const [name, refuses, over] of [
    ['14 s of 401', UNAUTHORIZED, 14_000],
    ['70 s of 403', (url) => (isOne(url) ? refusal(403, 'FORBIDDEN') : undefined), 70_000],
  ] as readonly (readonly [string, Refuses, number])[])
    it(`ends no watch by ${name}: stale meanwhile, asked slowly, live again`, async () => {
      const { shop, set } = moody();
      const one = await shop.invoice();
      const log = record(watchInvoice(shop.client, one));
      await shop.sandbox.advance(5_000);
      set(refuses);
      shop.requests.length = 0;
      await shop.sandbox.advance(over);
      expect([log.values.at(-1)!.freshness, log.ended]).to.deep.equal(['stale', undefined]);
      expect(shop.requests.length).to.be.within(1, 3);
      set(undefined);
      await shop.sandbox.advance(2 * MINUTE - over + 5_000);
      expect([log.values.at(-1)!.freshness, log.ended]).to.deep.equal(['live', undefined]);
      log.stop();
    });

  it('is asked for once and not more for all watches, and any call that succeeds wakes them', async () => {
    const { shop, set } = moody();
    const all = await invoices(shop, 40);
    const logs = all.map((one) => record(watchInvoice(shop.client, one)));
    await shop.sandbox.advance(30_000);
    set(UNAUTHORIZED);
    shop.requests.length = 0;
    await shop.sandbox.advance(4 * MINUTE);
    expect(shop.requests.length, 'one at a time, after 1, 2 and 5 min').to.be.within(3, 12);
    expect(logs.every(({ values }) => values.at(-1)!.freshness === 'stale')).to.equal(true);
    set(undefined);
    await shop.sandbox.run(shop.client.balances.list());
    await shop.sandbox.advance(5_000);
    expect(logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
    for (const log of logs) log.stop();
  });

  it('has its patience anew after each success: two refusals hours apart are not one', async () => {
    const { shop, set } = moody();
    const log = record(watchInvoice(shop.client, await shop.invoice()));
    await shop.sandbox.advance(5_000);
    for (let time = 0; time < 2; time++) {
      set(UNAUTHORIZED);
      await shop.sandbox.advance(MINUTE / 2);
      expect([log.values.at(-1)!.freshness, log.ended]).to.deep.equal(['stale', undefined]);
      set(undefined);
      await shop.sandbox.advance(60 * MINUTE);
      expect([log.values.at(-1)!.freshness, log.ended]).to.deep.equal(['live', undefined]);
    }
    log.stop();
  });

  it('that never worked ends a watch within 3 s', async () => {
    const { shop, set } = moody();
    set(UNAUTHORIZED);
    const log = recordAll(watchInvoice(shop.client, UNKNOWN));
    await shop.sandbox.advance(3_000);
    expect(log.ended).to.nested.include({ 'error.code': 'UNAUTHORIZED' });
  });

  it('for one invoice alone ends that watch at the next read, for others are read meanwhile', async () => {
    const { shop, set } = moody();
    const one = await shop.invoice();
    const log = record(watchInvoice(shop.client, one));
    await shop.sandbox.advance(5_000);
    set((url) => (url.includes(UNKNOWN) ? refusal(403, 'FORBIDDEN') : undefined));
    const refused = recordAll(watchInvoice(shop.client, UNKNOWN));
    await shop.sandbox.advance(MINUTE + 5_000);
    expect(refused.ended).to.nested.include({ 'error.code': 'FORBIDDEN' });
    expect(log.values.at(-1)!.freshness).to.equal('live');
    log.stop();
  });

  itLong('for the codes of a checkout makes it wait, not end', async () => {
    const { shop, set } = moody(true);
    const { invoiceId } = await shop.invoice();
    const log = record<CheckoutView>(checkout(shop.client, { invoiceId, pauseAfter: Infinity }));
    await shop.sandbox.advance(5_000);
    expect(log.values.at(-1)!.phase).to.equal('awaiting');
    set((url) => (url.endsWith('/quote') ? refusal(403, 'FORBIDDEN') : undefined));
    await shop.sandbox.advance(2 * MINUTE);
    expect(log.values.at(-1)!.phase).to.equal('renewing');
    set(undefined);
    await shop.sandbox.advance(2 * MINUTE);
    expect(log.values.at(-1)!.phase).to.equal('awaiting');
    log.stop();
  });
});

describe('a way of asking that is refused', () => {
  itLong(
    'is left alone where lists are refused and single reads are not: no watch ends',
    async () => {
      const { shop, set } = moody();
      const all = await invoices(shop, 60);
      set((url) => (isList(url) ? refusal(403, 'FORBIDDEN') : undefined));
      const logs = all.map((one) => record(watchInvoice(shop.client, one)));
      await shop.sandbox.advance(MINUTE);
      expect(logs.filter(({ ended }) => ended)).to.deep.equal([]);
      expect(logs.every(({ values }) => values.at(-1)?.value.state === 'UNPAID')).to.equal(true);
      for (const log of logs) log.stop();
    },
  );

  itLong('once only is used again after a minute: lists and the feed', async () => {
    const { shop, set } = moody();
    const all = await invoices(shop, 200);
    const once = new Set<string>();
    set((url) => {
      const way = isList(url) ? 'list' : url.includes('/v1/events') ? 'feed' : '';
      if (way === '' || once.has(way)) return undefined;
      once.add(way);
      return refusal(403, 'FORBIDDEN');
    });
    const logs = all.map((one) => record(watchInvoice(shop.client, one)));
    await shop.sandbox.advance(3 * MINUTE);
    shop.requests.length = 0;
    await shop.sandbox.advance(3 * MINUTE);
    const used = new Set(shop.requests.map(({ path }) => path));
    expect([...used]).to.include.members(['/v1/events']);
    expect([...once].sort()).to.deep.equal(['feed', 'list']);
    expect(logs.filter(({ ended }) => ended)).to.deep.equal([]);
    for (const log of logs) log.stop();
  });
});

describe('retry', () => {
  it('of a watch that has failed reads again, for all listeners who have not left', async () => {
    const { shop, set } = moody();
    set(UNAUTHORIZED);
    const watch = watchInvoice(shop.client, UNKNOWN);
    const log = recordAll(watch);
    const stored: string[] = [];
    watch.subscribe(({ freshness }) => void stored.push(freshness));
    const left: string[] = [];
    watch
      .subscribe({ next: ({ freshness }) => void left.push(freshness), error() {} })
      .unsubscribe();
    await shop.sandbox.advance(3_000);
    expect(watch.current().freshness).to.equal('failed');
    const { retry } = watch;
    set(() => new Response(JSON.stringify(invoiceOf(UNKNOWN))));
    retry();
    expect(watch.current().freshness).to.equal('loading');
    await shop.sandbox.advance(200);
    expect(stored).to.deep.equal(['loading', 'loading', 'failed', 'loading', 'live']);
    expect(log.values.map(({ freshness }) => freshness)).to.deep.equal(stored);
    expect(left).to.deep.equal(['loading']);
    log.stop();
  });

  it('of one that is refused slowly reads at once; of one that is well it sends nothing', async () => {
    const { shop, set } = moody();
    const one = await shop.invoice();
    const watch = watchInvoice(shop.client, one);
    const log = record(watch);
    await shop.sandbox.advance(1_000);
    shop.requests.length = 0;
    watch.retry();
    await shop.sandbox.advance(100);
    expect(shop.requests.filter(({ reason }) => reason.startsWith('retry'))).to.deep.equal([]);
    set(UNAUTHORIZED);
    await shop.sandbox.advance(20_000);
    set(undefined);
    expect(log.values.at(-1)!.freshness).to.equal('stale');
    watch.retry();
    await shop.sandbox.advance(100);
    expect(log.values.at(-1)!.freshness).to.equal('live');
    log.stop();
    await shop.sandbox.advance(0);
    watch.retry();
    await shop.sandbox.advance(1_000);
    expect(shop.timers()).to.equal(0);
  });

  it('of a checkout that has failed begins it again', async () => {
    const { shop, set } = moody(true);
    set(UNAUTHORIZED);
    const sale = checkout(shop.client, { invoiceId: UNKNOWN });
    const log = record<CheckoutView>(sale);
    await shop.sandbox.advance(3_000);
    expect(log.values.at(-1)!.phase).to.equal('failed');
    set((url) => (isOne(url) ? new Response(JSON.stringify(invoiceOf(UNKNOWN))) : undefined));
    sale.retry();
    await shop.sandbox.advance(200);
    expect(log.values.at(-1)!.phase).to.equal('renewing');
    log.stop();
  });

  it('of a source without one does nothing', async () => {
    const { client, sandbox } = openShop();
    const watch = watchBalances(client);
    watch.retry();
    await sandbox.advance(100);
    expect(watch.current().freshness).to.equal('loading');
  });
});

function invoiceOf(invoiceId: InvoiceId): object {
  const amount = { amount: '1.00', currency: 'EUR' };
  const created = '2026-01-01T00:00:00Z';
  const parties = { issuerId: 'a', receiverId: 'a' };
  return { invoiceId, amount, state: 'UNPAID', created, ...parties };
}
