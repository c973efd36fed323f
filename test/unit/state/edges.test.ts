// Small promises of watches: each resource has one, a wait leaves no listener, and status and `current` say what is so.
import { expect } from 'chai';
import { describe, it, itLong } from '#test';
import {
  firstValue,
  invalidate,
  waitUntilSettled,
  watchBalances,
  watchBankPaymentMethod,
  watchInvoice,
  watchPayoutOriginator,
} from 'paystate';
import { methodDraft, openBank, PERSON } from '../bank/bank.ts';
import { internalsOf } from '../core/internals.ts';
import { invoices } from './invoices.ts';
import { inPage } from './page.ts';
import { openShop, record, refusal } from './shop.ts';

const MINUTE = 60_000;

/** A signal that counts its listeners. */
function counting(): { readonly signal: AbortSignal; listeners(): number } {
  const { signal } = new AbortController();
  let listeners = 0;
  const { addEventListener: add, removeEventListener: remove } = signal;
  Object.assign(signal, {
    addEventListener(...rest: Parameters<typeof add>) {
      listeners++;
      add.apply(signal, rest);
    },
    removeEventListener(...rest: Parameters<typeof remove>) {
      listeners--;
      remove.apply(signal, rest);
    },
  });
  return { signal, listeners: () => listeners };
}

describe('watches', () => {
  it('of bank methods and originators show what they are', async () => {
    const { client, run } = openBank();
    const method = await run(client.bankPaymentMethods.create(methodDraft('SEPA')));
    const originator = await run(client.payoutOriginators.create(PERSON));
    expect((await run(firstValue(watchBankPaymentMethod(client, method)))).id).to.equal(method.id);
    for (const one of [originator, originator.id])
      expect((await run(firstValue(watchPayoutOriginator(client, one)))).id).to.equal(
        originator.id,
      );
  });

  it('that are waited for leave no listener on the signal, however the wait ends', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const { signal, listeners } = counting();
    const watch = watchInvoice(shop.client, invoice);
    await shop.sandbox.run(firstValue(watch, { signal }));
    await shop.sandbox.run(waitUntilSettled(watch, { signal, timeout: 5_000 }));
    const refused = waitUntilSettled(watchInvoice(shop.client, 'unknown'), { signal });
    await shop.sandbox.run(refused.catch(() => {}));
    expect(listeners()).to.equal(0);
  });

  it('that go on after the end are not live while nobody listens', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    await shop.pay(invoice);
    const [open, over] = [
      watchInvoice(shop.client, invoice, { until: 'never' }),
      watchInvoice(shop.client, invoice),
    ];
    for (const watch of [open, over]) {
      const log = record(watch);
      await shop.sandbox.advance(1_000);
      log.stop();
    }
    await shop.sandbox.advance(1);
    expect([open, over].map((watch) => watch.current().freshness)).to.deep.equal(['stale', 'live']);
  });

  it('do not take back what another watch of the same has read since', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const [first, second] = [
      watchInvoice(shop.client, invoice),
      watchInvoice(shop.client, invoice),
    ];
    const early = record(first);
    await shop.sandbox.advance(500);
    early.stop();
    const later = record(second);
    shop.sandbox.move('invoice', invoice.invoiceId, 'PENDING');
    await shop.sandbox.advance(5_000);
    const again = record(first);
    expect(again.values.map(({ value, freshness }) => `${value.state} ${freshness}`)).to.deep.equal(
      ['PENDING live'],
    );
    again.stop();
    expect(later.values.at(-1)!.freshness).to.equal('live');
    later.stop();
  });

  it('take a call that was sent half a minute ago for a fresh read, and none before', async () => {
    let delay = 0;
    const shop = openShop({}, async (url, ask) => {
      if (!url.includes('includeTransactions'))
        return delay > 0 ? refusal(503, 'SERVICE_UNAVAILABLE') : ask();
      const response = await ask();
      await shop.sandbox.clock.wait(delay);
      return response;
    });
    const { invoiceId } = await shop.invoice();
    const log = record(watchInvoice(shop.client, invoiceId));
    await shop.sandbox.advance(1_000);
    delay = 30_001;
    await shop.sandbox.advance(2 * MINUTE);
    for (const freshness of ['stale', 'live'] as const) {
      const options = { includeTransactions: true, attemptTimeout: MINUTE };
      await shop.sandbox.run(shop.client.invoices.get(invoiceId, options));
      expect(log.values.at(-1)!.freshness).to.equal(freshness);
      delay--;
    }
    log.stop();
  });

  itLong('that are read in turn have no time of a next read, and others have one', async () => {
    const shop = openShop();
    const all = await invoices(shop, 200);
    const balances = record(watchBalances(shop.client));
    const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(2 * MINUTE);
    const { nextReadAt, blockedUntil, liveFor, reason } = watchInvoice(
      shop.client,
      all[0]!,
    ).status();
    expect([nextReadAt, blockedUntil, liveFor]).to.deep.equal([undefined, undefined, 30_000]);
    expect(reason).to.match(/^event feed, regular read, read every \d+ s$/);
    expect(Number(/(\d+) s$/.exec(reason!)![1])).to.be.within(5, 600);
    for (const log of [balances, ...logs]) log.stop();
  });

  itLong('that a feed covers are live again within seconds when the network is back', () =>
    inPage(async (page) => {
      const shop = openShop();
      const all = await invoices(shop, 40);
      const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
      await shop.sandbox.advance(2 * MINUTE);
      page.network(false);
      for (const { values } of logs)
        expect(values.at(-1)).to.nested.include({
          freshness: 'offline',
          'error.code': 'OFFLINE',
          'error.outcome': 'not-done',
        });
      await shop.sandbox.advance(1_000);
      page.network(true);
      await shop.sandbox.advance(4_000);
      for (const { values } of logs) {
        expect(values.at(-1)!.freshness).to.equal('live');
        expect(values.at(-1)!.error).to.equal(undefined);
      }
      for (const log of logs) log.stop();
      await shop.sandbox.advance(0);
    }),
  );

  itLong('do not change their plan more than once a minute, however many come and go', async () => {
    const shop = openShop();
    const all = await invoices(shop, 60);
    const few = all.slice(0, 10).map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(MINUTE);
    const plans: string[] = [];
    for (let n = 0; n < 40; n++) {
      const more = all.slice(10).map((invoice) => record(watchInvoice(shop.client, invoice)));
      for (let second = 0; second < 30; second++) {
        if (second === 12) for (const log of more) log.stop();
        await shop.sandbox.advance(1_000);
        plans.push(watchInvoice(shop.client, all[0]!).status().reason.split(',')[0]!);
      }
    }
    const changes = plans.filter((plan, n) => n > 0 && plan !== plans[n - 1]).length;
    expect(changes).to.be.at.most(20);
    expect(shop.sandbox.blocks).to.equal(0);
    for (const log of few) log.stop();
  });

  it('in a hidden page ask once a minute while the service is away too, and know soon that it is back', () =>
    inPage(async (page) => {
      let isDown = false;
      const shop = openShop({}, async (_url, ask) =>
        isDown ? refusal(503, 'SERVICE_UNAVAILABLE') : ask(),
      );
      const log = record(watchInvoice(shop.client, await shop.invoice()));
      await shop.sandbox.advance(MINUTE);
      page.hide();
      isDown = true;
      await shop.sandbox.advance(2 * MINUTE);
      shop.requests.length = 0;
      await shop.sandbox.advance(10 * MINUTE);
      expect(shop.requests.length).to.be.within(9, 11);
      expect(log.values.at(-1)!.freshness).to.equal('stale');
      isDown = false;
      page.show();
      await shop.sandbox.advance(1_000);
      expect(log.values.at(-1)!.freshness).to.equal('live');
      log.stop();
      await shop.sandbox.advance(0);
    }));
});

describe('what was announced', () => {
  it('is remembered for the lag of a copy, and not for as long as the client lives', async () => {
    const { client, sandbox } = openShop();
    for (let second = 0; second < 300; second++) {
      invalidate(client, 'invoice', `00000000-0000-4000-8000-${`${second}`.padStart(12, '0')}`);
      await sandbox.advance(1_000);
    }
    const { kept } = internalsOf(client).state.get('state.known') as {
      readonly kept: ReadonlyMap<string, unknown>;
    };
    expect(kept.size).to.be.within(25, 40);
  });
});
