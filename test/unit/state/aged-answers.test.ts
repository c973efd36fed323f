// Nothing counts as read unless it reached the service: an answer that a cache kept is as old as it says, and makes
// nothing live.
import { expect } from 'chai';
import {
  type Snapshot,
  watchBalances,
  type Invoice,
  watchInvoice,
  watchInvoices,
  type ClientOptions,
} from 'paystate';
import { describe, it, itLong } from '#test';
import { openShop, record } from './shop.ts';

/** A copy of an answer with other headers, which may be read as often as it is served. */
const kept = async (answer: Response, headers: Readonly<Record<string, string>>) => {
  const body = await answer.clone().text();
  const all = new Headers(answer.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return new Response(body, { status: answer.status, headers: all });
};

/** A cache that keeps each answer to a GET for so long; `told` says how it tells of that. */
const cache = (freshFor: number, now: () => number, told: 'Age' | 'Date') => {
  const store = new Map<string, { readonly answer: Response; readonly at: number }>();
  let misses = 0;
  return {
    misses: () => misses,
    answers: async (url: string, ask: () => Promise<Response>): Promise<Response> => {
      if (!/invoices\/[^/]+$/.test(url)) return ask();
      const found = store.get(url);
      if (found && now() - found.at < freshFor) {
        const age = { age: `${Math.floor((now() - found.at) / 1_000)}` };
        return kept(found.answer, told === 'Age' ? age : {});
      }
      const answer = await ask();
      if (!answer.ok) return answer;
      misses++;
      store.set(url, { answer: await kept(answer, {}), at: now() });
      return answer;
    },
  };
};

/** A shop whose time waits for the way to the service: a copy of a body takes time of the engine. */
const openHeld: typeof openShop = (world, wire, ...others) => {
  let hold = <T>(work: Promise<T>): Promise<T> => work;
  const shop = openShop(world, wire && ((...given) => hold(wire(...given))), ...others);
  hold = shop.sandbox.clock.external;
  return shop;
};

const LIVE_FOR = 30_000;
/** So many that the feed is polled. */
const MANY = 200;

describe('an answer out of a cache', () => {
  const openBehind = async (
    told: 'Age' | 'Date',
    freshFor: number,
    changes: Partial<ClientOptions> = {},
  ) => {
    let now = () => 0;
    const { answers, misses } = cache(freshFor, () => now(), told);
    const shop = openHeld({}, (url, ask) => answers(url, ask), {
      ...changes,
      capabilities: { list: false, feed: false },
    });
    now = () => shop.sandbox.clock.monotonic();
    return { ...shop, misses };
  };

  for (const told of ['Age', 'Date'] as const)
    it(`that says so by ${told} keeps nothing live, and a read that reaches the service does`, async () => {
      const { client, sandbox, invoice: create, misses } = await openBehind(told, 300_000);
      const invoice = await create();
      const watch = watchInvoice(client, invoice);
      const log = record(watch);
      await sandbox.advance(5_000);
      expect(watch.current().freshness).to.equal('live');
      const readAt = watch.current().checkedAt!;
      let isChecked = false;
      for (let second = 0; second < 290; second++) {
        await sandbox.advance(1_000);
        const { checkedAt, freshness } = watch.current();
        const age = sandbox.clock.now() - readAt;
        if (misses() === 1 && age > LIVE_FOR + 2_000) {
          isChecked = true;
          expect(freshness, `${age} ms`).to.equal('stale');
          // `Date` has whole seconds
          expect(checkedAt).to.be.within(readAt, readAt + 3_000);
        }
      }
      expect(isChecked).to.equal(true);
      await sandbox.advance(30_000);
      expect(misses()).to.equal(2);
      expect(watch.current().freshness).to.equal('live');
      log.stop();
    });

  it('costs no more requests than one of the service', async () => {
    const costs = [];
    for (const freshFor of [0, 300_000]) {
      const { client, sandbox, invoice: create, requests } = await openBehind('Age', freshFor);
      const log = record(watchInvoice(client, await create()));
      await sandbox.advance(240_000);
      costs.push(requests.length);
      log.stop();
    }
    expect(costs[1]).to.equal(costs[0]);
  });

  it('is shown with its age from the first read on, and ends no watch', async () => {
    const {
      client,
      sandbox,
      invoice: create,
    } = openHeld({}, async (url, ask) => {
      const answer = await ask();
      return /invoices\/[^/]+$/.test(url) ? kept(answer, { age: '3600' }) : answer;
    });
    const invoice = await create();
    await sandbox.payer.pay(invoice.invoiceId);
    await sandbox.advance(60_000);
    const watch = watchInvoice(client, invoice.invoiceId);
    const log = record<Snapshot<unknown>>(watch);
    await sandbox.advance(2_000);
    const { asOf, freshness } = watch.current();
    expect(freshness).to.equal('stale');
    expect(sandbox.clock.now() - asOf!).to.be.within(3_600_000, 3_603_000);
    expect(log.values.map((one) => one.freshness)).to.not.include('live');
    log.stop();
  });

  it('is never younger than now, whatever it says, and no clock of the page counts', async () => {
    for (const headers of [
      { age: '-30' },
      { age: 'soon' },
      { age: '' },
      { date: 'Fri, 31 Dec 2066 23:59:59 GMT' },
      { date: 'yesterday' },
    ]) {
      const {
        client,
        sandbox,
        invoice: create,
      } = openHeld(
        {},
        async (url, ask) => (/invoices\/[^/]+$/.test(url) ? kept(await ask(), headers) : ask()),
        {},
        (clock) => ({ ...clock, now: () => clock.now() + 180_000 }), // three minutes ahead
      );
      const log = record(watchInvoice(client, await create()));
      await sandbox.advance(3_000);
      const { asOf, freshness } = log.values.at(-1)!;
      expect(freshness, JSON.stringify(headers)).to.equal('live');
      expect(asOf).to.be.at.most(sandbox.clock.now() + 180_000);
      expect(asOf).to.be.at.least(sandbox.clock.now() + 175_000);
      log.stop();
    }
  });

  it('counts for lists and for what has no id, too', async () => {
    const {
      client,
      sandbox,
      invoice: create,
    } = openHeld({}, async (url, ask) => {
      const answer = await ask();
      return /\/v1\/(invoices|balances)(\?|$)/.test(url) ? kept(answer, { age: '600' }) : answer;
    });
    await create();
    for (const watch of [watchInvoices(client), watchBalances(client)]) {
      const log = record<{ readonly freshness: string }>(watch);
      await sandbox.advance(90_000);
      expect(log.values.map(({ freshness }) => freshness)).to.not.include('live');
      expect(watch.current().freshness).to.equal('stale');
      log.stop();
    }
  });

  itLong('of the event feed confirms nothing: the feed is given up', async () => {
    let age = '0';
    const {
      client,
      sandbox,
      invoice: create,
    } = openHeld({}, async (url, ask) =>
      url.includes('/events') ? kept(await ask(), { age }) : ask(),
    );
    const invoices: Invoice[] = [];
    for (let count = 0; count < MANY; count++) invoices.push(await create());
    const logs = invoices.map((invoice) => record(watchInvoice(client, invoice)));
    const reason = () => watchInvoice(client, invoices[0]!).status().reason;
    await sandbox.advance(120_000);
    expect(reason()).to.include('event feed');
    age = '600';
    await sandbox.advance(60_000);
    expect(reason()).to.not.include('event feed');
    for (const log of logs) log.stop();
  });
});
