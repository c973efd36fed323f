import { expect } from 'chai';
import {
  type Balance,
  invalidate,
  type KnownSnapshot,
  type Snapshot,
  type Watch,
  watchBalances,
  watchBankPaymentMethod,
  watchCurrencyExchangeQuote,
  watchDeposit,
  watchPayout,
  watchPayoutOriginator,
  watchRates,
} from 'paystate';
import * as rx from 'paystate/rx';
import type { Observable } from 'rxjs';
import { describe, it, itLong } from '#test';
import { methodDraft, PERSON } from './bank.ts';
import { altered, openShop, record, type Shop } from '../state/shop.ts';
import { untilReady } from './bank-time.ts';

const statesOf = (log: { readonly values: readonly KnownSnapshot<{ readonly state: string }>[] }) =>
  log.values.map(({ value }) => value.state);

const readyMethod = async ({ client, sandbox }: Shop, type: 'ACH' | 'SEPA' = 'SEPA') => {
  const method = await sandbox.run(client.bankPaymentMethods.create(methodDraft(type)));
  await untilReady(sandbox);
  return method;
};

/** So many watches that the feed is the cheaper way; ends them. */
const crowded = async ({ client, sandbox }: Shop): Promise<() => void> => {
  const stops: (() => void)[] = [];
  for (let count = 0; count < 30; count++) {
    const log = record(
      watchPayoutOriginator(client, await sandbox.run(client.payoutOriginators.create(PERSON))),
    );
    stops.push(() => log.stop());
  }
  await sandbox.advance(60_000);
  return () => {
    for (const stop of stops) stop();
  };
};

type Watcher = (
  shop: Shop,
  thing: { readonly id: string },
  options?: { readonly until?: 'never' },
) => Watch<Snapshot<{ readonly state: string }>> | Observable<Snapshot<{ readonly state: string }>>;

/** How each thing is made, moved and what its watch then says. */
const LIVES: readonly {
  name: string;
  watch: Watcher;
  observe: Watcher;
  make(shop: Shop): Promise<{ readonly id: string }>;
  act(shop: Shop, id: string): unknown;
  states: readonly string[];
  ends: boolean;
}[] = [
  {
    name: 'exchange quote',
    states: ['NEW', 'PENDING', 'COMPLETED'],
    ends: true,
    watch: ({ client }, quote) => watchCurrencyExchangeQuote(client, quote.id),
    observe: ({ client }, quote) => rx.watchCurrencyExchangeQuote(client, quote.id),
    make: ({ client, sandbox }) =>
      sandbox.run(
        client.currencyExchangeQuotes.create({
          sell: 'EUR',
          buy: 'BTC',
          amount: { amount: '10', currency: 'EUR' },
        }),
      ),
    async act({ client, sandbox }, id) {
      sandbox.fault({ subject: 'currencyExchangeQuote', delay: 10_000 });
      await sandbox.run(client.currencyExchangeQuotes.execute(id));
    },
  },
  {
    name: 'payout',
    states: ['NEW', 'INITIATED', 'COMPLETED'],
    ends: true,
    watch: ({ client }, payout) => watchPayout(client, payout.id),
    observe: ({ client }, payout) => rx.watchPayout(client, payout.id),
    make: async (shop) =>
      shop.sandbox.run(
        shop.client.payouts.create({ paymentMethodId: (await readyMethod(shop)).id, amount: '10' }),
      ),
    async act({ client, sandbox }, id) {
      sandbox.fault({ subject: 'payout', delay: 10_000 });
      await sandbox.run(client.payouts.initiate(id));
    },
  },
  {
    name: 'deposit',
    states: ['PENDING', 'COMPLETED'],
    ends: true,
    watch: ({ client }, deposit) => watchDeposit(client, deposit.id),
    observe: ({ client }, deposit) => rx.watchDeposit(client, deposit.id),
    make: async (shop) =>
      shop.sandbox.run(
        shop.client.deposits.create({
          paymentMethodId: (await readyMethod(shop, 'ACH')).id,
          amount: '10',
        }),
      ),
    act: ({ sandbox }, id) => sandbox.move('deposit', id, 'COMPLETED'),
  },
  {
    name: 'bank method',
    states: ['PENDING', 'READY', 'SUSPENDED'],
    ends: false,
    watch: ({ client }, method) => watchBankPaymentMethod(client, method.id),
    observe: ({ client }, method) => rx.watchBankPaymentMethod(client, method.id),
    async make({ client, sandbox }) {
      sandbox.fault({ subject: 'bankPaymentMethod', delay: 10_000 });
      return sandbox.run(client.bankPaymentMethods.create(methodDraft('SEPA')));
    },
    async act({ sandbox }, id) {
      await sandbox.advance(10_000);
      sandbox.move('bankPaymentMethod', id, 'SUSPENDED');
    },
  },
  {
    name: 'originator',
    states: ['PENDING_REVIEW', 'APPROVED', 'INACTIVE'],
    ends: false,
    watch: ({ client }, originator) => watchPayoutOriginator(client, originator.id),
    observe: ({ client }, originator) => rx.watchPayoutOriginator(client, originator.id),
    make: ({ client, sandbox }) => sandbox.run(client.payoutOriginators.create(PERSON)),
    async act({ client, sandbox }, id) {
      await sandbox.advance(10_000);
      await sandbox.run(client.payoutOriginators.remove(id));
    },
  },
];

/** Without those that only say again how fresh it is. */
const changesOf = (states: readonly unknown[]) =>
  states.filter((state, n) => state !== states[n - 1]);

describe('a watch of a', () => {
  for (const { name, watch, observe, make, act, states, ends } of LIVES)
    it(`${name}: each state once, and ${ends ? 'the end' : 'no end'}`, async () => {
      for (const one of [watch, observe]) {
        const shop = openShop();
        const thing = await make(shop);
        const seen = record(one(shop, thing));
        await shop.sandbox.advance(3_000);
        await act(shop, thing.id);
        await shop.sandbox.advance(20_000);
        expect(changesOf(statesOf(seen))).to.deep.equal(states);
        expect(seen.ended).to.equal(ends ? 'complete' : undefined);
        seen.stop();
      }
    });

  for (const { name, watch, make, act, states } of LIVES)
    itLong(`${name}: woken by the feed`, async () => {
      const shop = openShop();
      const disperse = await crowded(shop);
      const thing = await make(shop);
      const watched = watch(shop, thing) as Watch<Snapshot<{ readonly state: string }>>;
      const seen = record(watched);
      await shop.sandbox.advance(5_000);
      expect(watched.status().reason).to.match(/^event feed/);
      if (seen.values.at(-1)!.value.state === states[0]) await act(shop, thing.id);
      else
        shop.sandbox.move(
          name === 'bank method' ? 'bankPaymentMethod' : 'payoutOriginator',
          thing.id,
          states[2]!,
        );
      await shop.sandbox.advance(30_000);
      expect(seen.values.at(-1)!.value.state).to.equal(states.at(-1));
      seen.stop();
      disperse();
    });

  it('payout goes on after COMPLETED where asked, and shows REVERSED', async () => {
    const shop = openShop();
    const { id } = await LIVES[1]!.make(shop);
    await shop.sandbox.run(shop.client.payouts.initiate(id));
    const seen = record(watchPayout(shop.client, id, { until: 'never' }));
    await shop.sandbox.advance(30_000);
    shop.sandbox.move('payout', id, 'REVERSED');
    invalidate(shop.client, 'payout', id);
    await shop.sandbox.advance(5_000);
    expect(changesOf(statesOf(seen)).slice(-2)).to.deep.equal(['COMPLETED', 'REVERSED']);
    seen.stop();
  });
});

describe('a watch of balances', () => {
  const euros = (log: { readonly values: readonly KnownSnapshot<readonly Balance[]>[] }) =>
    log.values.map(({ value }) => value.find(({ currency }) => currency === 'EUR')!.available);

  it('shows each change once, and never completes', async () => {
    const shop = openShop();
    const logs = [record(watchBalances(shop.client)), record(rx.watchBalances(shop.client))];
    await shop.sandbox.advance(10_000);
    shop.sandbox.fund('shop', { amount: '5.00', currency: 'EUR' });
    await shop.sandbox.advance(60_000);
    for (const log of logs)
      expect([euros(log), log.ended]).to.deep.equal([['10000.00', '10005.00'], undefined]);
    for (const log of logs) log.stop();
    await shop.sandbox.advance(1_000);
    expect(shop.timers()).to.equal(0);
  });

  itLong('is woken by any event of the feed', async () => {
    const shop = openShop();
    const { id } = await LIVES[1]!.make(shop);
    const disperse = await crowded(shop);
    const watch = watchBalances(shop.client);
    const seen = record(watch);
    await shop.sandbox.advance(60_000);
    expect(watch.status().reason).to.match(/^event feed/);
    const before = shop.requests.filter(({ path }) => path === '/v1/balances').length;
    await shop.sandbox.run(shop.client.payouts.initiate(id));
    await shop.sandbox.advance(20_000);
    expect(euros(seen).at(-1)).to.equal('9989.65');
    expect(
      shop.requests.filter(({ path }) => path === '/v1/balances').length - before,
    ).to.be.within(1, 4);
    seen.stop();
    disperse();
  });

  /** Answers of a replica that is behind, for as long as it is set. */
  const lagging = () => {
    let old: Balance[] | undefined;
    const shop = openShop({}, async (url, ask) =>
      old && url.endsWith('/v1/balances') ? altered(await ask(), () => old) : ask(),
    );
    return {
      shop,
      show: (value: readonly Balance[] | undefined) => void (old = value as Balance[] | undefined),
    };
  };

  it('does not flap back to what a replica that lags still shows', async () => {
    const { shop, show } = lagging();
    const seen = record(watchBalances(shop.client));
    await shop.sandbox.advance(10_000);
    const before = seen.values[0]!.value;
    shop.sandbox.fund('shop', { amount: '5.00', currency: 'EUR' });
    await shop.sandbox.advance(3_000);
    show(before);
    await shop.sandbox.advance(20_000);
    show(undefined);
    await shop.sandbox.advance(60_000);
    expect(euros(seen)).to.deep.equal(['10000.00', '10005.00']);
    seen.stop();
  });

  it('believes an earlier value that is still there when no replica can be so far behind', async () => {
    const { shop, show } = lagging();
    const seen = record(watchBalances(shop.client));
    await shop.sandbox.advance(10_000);
    const before = seen.values[0]!.value;
    shop.sandbox.fund('shop', { amount: '5.00', currency: 'EUR' });
    await shop.sandbox.advance(3_000);
    show(before);
    await shop.sandbox.advance(25_000);
    expect(euros(seen)).to.deep.equal(['10000.00', '10005.00']);
    await shop.sandbox.advance(15_000);
    expect(euros(seen)).to.deep.equal(['10000.00', '10005.00', '10000.00']);
    show(undefined);
    await shop.sandbox.advance(60_000);
    expect(euros(seen)).to.deep.equal(['10000.00', '10005.00', '10000.00', '10005.00']);
    seen.stop();
  });
});

describe('a watch of rates', () => {
  itLong('follows them by time, also where a feed covers all else', async () => {
    const shop = openShop();
    const disperse = await crowded(shop);
    const logs = [record(watchRates(shop.client)), record(rx.watchRates(shop.client))];
    await shop.sandbox.advance(600_000);
    for (const log of logs) {
      expect([log.values.length > 10, log.ended, log.values.at(-1)!.value.length]).to.deep.equal([
        true,
        undefined,
        30,
      ]);
      expect(shop.sandbox.clock.now() - log.values.at(-1)!.asOf).to.be.below(61_000);
    }
    const endFault = shop.sandbox.fault({
      path: '/v1/events',
      action: { status: 503, code: 'SERVICE_UNAVAILABLE' },
    });
    await shop.sandbox.advance(120_000);
    endFault();
    for (const log of logs)
      expect(log.values.every(({ freshness }) => freshness === 'live')).to.equal(true);
    expect(shop.sandbox.blocks).to.equal(0);
    for (const { stop } of logs) stop();
    disperse();
  });
});
