import { describe, it, itLong, itWhole } from '#test';
import { expect } from 'chai';
import { invalidate, type Invoice, watchInvoice } from 'paystate';
import { MOST_REQUESTS } from './costs.ts';
import { invoices } from './invoices.ts';
import {
  altered,
  type Answers,
  openShop,
  type Record,
  record,
  refusal,
  type Shop,
} from './shop.ts';

const watchAll = (shop: Shop, all: readonly Invoice[]) =>
  all.map((invoice) => record(watchInvoice(shop.client, invoice)));

const stateOf = (log: Record<{ value: Invoice }>) => log.values.at(-1)?.value.state;

describe('many watches', () => {
  for (const [count, most] of MOST_REQUESTS)
    itWhole(`of ${count} invoices never run into a block`, async () => {
      const shop = openShop({ seed: count });
      const all = await invoices(shop, count);
      const seen = watchAll(shop, all);
      for (let minute = 0; minute < 10; minute++) {
        shop.requests.length = 0;
        await shop.sandbox.advance(60_000);
        expect(shop.requests.length, `minute ${minute}`).to.be.at.most(most);
      }
      expect(shop.sandbox.blocks).to.equal(0);
      expect(seen.every((log) => stateOf(log) === 'UNPAID' && log.values.length === 1)).to.equal(
        true,
      );
      await shop.pay(all[0]!);
      await shop.sandbox.advance(33_000);
      expect(stateOf(seen[0]!)).to.equal('PAID');
    });

  itLong(
    'say nothing where lists and single reads print the time of creation otherwise',
    async () => {
      const shop = openShop({}, async (_url, ask) =>
        altered(await ask(), (json: Invoice | { readonly items: readonly Invoice[] }) => {
          const digits = 'items' in json ? 6 : 7;
          const printed = (one: Invoice) => ({
            ...one,
            created: `${one.created.slice(0, 19)}.${'1234567'.slice(0, digits)}Z`,
          });
          if ('items' in json) return { ...json, items: json.items.map(printed) };
          return 'created' in json ? printed(json) : json;
        }),
      );
      const all = await invoices(shop, 2);
      const [one, other] = watchAll(shop, all);
      const others = new Set<string>();
      for (let minute = 0; minute < 3; minute++) {
        await shop.sandbox.advance(60_000);
        if (minute === 1) other!.stop();
      }
      for (const { operation } of shop.requests) others.add(operation);
      expect([...others]).to.include.members(['invoices.list', 'invoices.get']);
      expect(one!.values.map(({ freshness }) => freshness)).to.deep.equal(['live']);
      one!.stop();
    },
  );

  itWhole('also fit the smaller limits of the test environment', async () => {
    const shop = openShop({ rateLimits: 'test' });
    const all = await invoices(shop, 200);
    watchAll(shop, all);
    await shop.sandbox.advance(1_200_000);
    expect(shop.sandbox.blocks).to.equal(0);
  });

  itLong('are read first in the order of their creation, a hundred a page', async () => {
    const shop = openShop();
    const all = await invoices(shop, 201);
    watchAll(shop, all);
    await shop.sandbox.advance(100);
    const first = shop.requests.filter(({ reason: why }) => why.startsWith('first read'));
    expect(first.map(({ path, reason: why }) => `${path} ${why}`)).to.deep.equal([
      '/v1/invoices first read, by pages, by event feed',
      '/v1/invoices first read, by pages, by event feed',
      '/v1/invoices/{invoiceId} first read, by event feed',
    ]);
  });

  it('that are read by pages say who waits for the next one, and ask for none that nobody waits for', async () => {
    const shop = openShop({}, async (url, ask) => {
      if (url.includes('/v1/invoices?')) await shop.sandbox.clock.wait(1_000);
      return ask();
    });
    const all = await invoices(shop, 201);
    const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(500);
    expect(watchInvoice(shop.client, all[150]!).status().reason).to.match(/waits for its turn/);
    for (const log of logs.slice(1)) log.stop();
    await shop.sandbox.advance(1_000);
    expect(logs[0]!.values.at(-1)!.freshness).to.equal('live');
    const pages = shop.requests.filter(({ path }) => path === '/v1/invoices');
    expect(pages).to.have.length(1);
    logs[0]!.stop();
  });

  itLong(
    'whose first list fails are all read when it is answered again, and none twice',
    async () => {
      let isDown = true;
      const shop = openShop({}, async (url, ask) =>
        isDown && url.includes('/v1/invoices?') ? refusal(503, 'SERVICE_UNAVAILABLE') : ask(),
      );
      const all = await invoices(shop, 200);
      const seen = watchAll(shop, all);
      await shop.sandbox.advance(1_000);
      expect(seen.every(({ values }) => values.length === 0)).to.equal(true);
      isDown = false;
      shop.requests.length = 0;
      await shop.sandbox.advance(20_000);
      expect(seen.every((log) => stateOf(log) === 'UNPAID')).to.equal(true);
      const lists = shop.requests.filter(({ path }) => path === '/v1/invoices');
      expect(lists.length).to.be.at.most(16);
      for (const log of seen) log.stop();
    },
  );

  itLong('are read alone while lists fail, one at a time, and all again after that', async () => {
    let isDown = false;
    const shop = openShop({}, async (url, ask) =>
      isDown && url.includes('/v1/invoices?') ? refusal(503, 'SERVICE_UNAVAILABLE') : ask(),
    );
    const seen = watchAll(shop, await invoices(shop, 200));
    const areLive = () => seen.filter(({ values }) => values.at(-1)?.freshness === 'live').length;
    await shop.sandbox.advance(5_000);
    expect(areLive()).to.equal(200);
    isDown = true;
    shop.requests.length = 0;
    await shop.sandbox.advance(300_000);
    expect(areLive()).to.be.within(1, 60);
    const alone = shop.requests.filter(({ path }) => path === '/v1/invoices/{invoiceId}');
    expect(alone.length).to.be.within(60, 260);
    isDown = false;
    await shop.sandbox.advance(12_000);
    expect(areLive()).to.equal(200);
    for (const log of seen) log.stop();
  });

  it('are read first by their ids where the creation is not known', async () => {
    const shop = openShop();
    const all = await invoices(shop, 40);
    const seen = all.map(({ invoiceId }) => record(watchInvoice(shop.client, invoiceId)));
    await shop.sandbox.advance(100);
    expect(shop.requests.filter(({ reason: why }) => why.startsWith('first read'))).to.have.length(
      3,
    );
    expect(seen.every((log) => stateOf(log) === 'UNPAID')).to.equal(true);
  });

  it('that sit on one grid meet in one list, however they began', async () => {
    const shop = openShop();
    const all = await invoices(shop, 15);
    for (const invoice of all) {
      record(watchInvoice(shop.client, invoice));
      await shop.sandbox.advance(333);
    }
    shop.requests.length = 0;
    await shop.sandbox.advance(20_000);
    expect(shop.requests.length).to.be.within(9, 11);
  });

  itLong('learn how long a list may be, and never lose an invoice over it', async () => {
    const shop = openShop({ filterLimits: { comparisons: 5 } }, undefined, {
      capabilities: { feed: false },
    });
    const all = await invoices(shop, 40);
    const seen = all.map(({ invoiceId }) => record(watchInvoice(shop.client, invoiceId)));
    await shop.sandbox.advance(20_000);
    expect(
      seen.every(
        (log) =>
          stateOf(log) === 'UNPAID' && log.values.every(({ freshness }) => freshness === 'live'),
      ),
    ).to.equal(true);
    const refused = shop.sandbox.log.filter(({ status }) => status === 400).length;
    await shop.sandbox.advance(600_000);
    expect(
      shop.sandbox.log.filter(({ status }) => status === 400).length,
      'refused once and remembered',
    ).to.equal(refused);
  });

  it('read invoices alone that a list does not hold, and only those reads count', async () => {
    const hidden = new Set<string>();
    const answers: Answers = async (url, ask) =>
      url.includes('filter=invoiceId')
        ? altered(await ask(), (page: { items: Invoice[] }) => ({
            ...page,
            items: page.items.filter((item) => !hidden.has(item.invoiceId)),
          }))
        : ask();
    const shop = openShop({}, answers);
    const all = await invoices(shop, 5);
    for (const n of [2, 3]) hidden.add(all[n]!.invoiceId);
    const seen = all.map(({ invoiceId }) => record(watchInvoice(shop.client, invoiceId)));
    await shop.sandbox.advance(500);
    expect(seen.map(stateOf)).to.deep.equal(Array(5).fill('UNPAID'));
    expect(shop.requests.some(({ reason: why }) => why.startsWith('missing from a list'))).to.equal(
      true,
    );
    await shop.pay(all[2]!);
    await shop.sandbox.advance(10_000);
    expect(stateOf(seen[2]!)).to.equal('PAID');
    hidden.clear();
    await shop.sandbox.advance(10_000);
    shop.requests.length = 0;
    await shop.sandbox.advance(10_000);
    const paths = shop.requests.map(({ path }) => path);
    expect(new Set(paths), 'the list is asked for them again').to.deep.equal(
      new Set(['/v1/invoices']),
    );
    expect(paths.length).to.be.at.most(6);
  });

  it('go back to single reads where lists are refused', async () => {
    const answers: Answers = (url, ask) =>
      url.includes('filter=invoiceId') ? Promise.resolve(refusal(403, 'FORBIDDEN')) : ask();
    const shop = openShop({}, answers);
    const all = await invoices(shop, 3);
    const seen = all.map(({ invoiceId }) => record(watchInvoice(shop.client, invoiceId)));
    await shop.sandbox.advance(10_000);
    expect(seen.map(stateOf)).to.deep.equal(['UNPAID', 'UNPAID', 'UNPAID']);
    expect(seen.some(({ ended }) => ended)).to.equal(false);
    expect(
      shop.requests.filter(({ path }) => path === '/v1/invoices'),
      'one refusal is enough',
    ).to.have.length(1);
  });
});

describe('answers of a proxy to lists', () => {
  it('teach nothing that lasts: one 403 without the envelope, and lists go on', async () => {
    let refusals = 1;
    const shop = openShop({}, (url, ask) =>
      url.includes('filter=invoiceId') && refusals-- > 0
        ? Promise.resolve(new Response('<h1>Forbidden</h1>', { status: 403 }))
        : ask(),
    );
    const all = await invoices(shop, 3);
    const seen = all.map(({ invoiceId }) => record(watchInvoice(shop.client, invoiceId)));
    await shop.sandbox.advance(120_000);
    expect(refusals).to.be.below(0);
    shop.requests.length = 0;
    await shop.sandbox.advance(20_000);
    expect(new Set(shop.requests.map(({ path }) => path))).to.deep.equal(new Set(['/v1/invoices']));
    for (const one of seen) one.stop();
  });

  it('that are pages of a captive portal hold all but one request back', async () => {
    let isAway = false;
    const shop = openShop(
      {},
      async (_url, ask) => (isAway ? new Response('<h1>Log in to this network</h1>') : ask()),
      { capabilities: { list: false, feed: false } },
    );
    const all = await invoices(shop, 30);
    const seen = all.map(({ invoiceId }) => record(watchInvoice(shop.client, invoiceId)));
    await shop.sandbox.advance(10_000);
    isAway = true;
    shop.requests.length = 0;
    await shop.sandbox.advance(120_000);
    expect(shop.requests.length).to.be.within(3, 14);
    for (const one of seen) one.stop();
  });
});

describe('the event feed under many watches', () => {
  itLong('takes over from polling, and a payment is seen within two of its periods', async () => {
    const shop = openShop();
    const all = await invoices(shop, 200);
    const seen = watchAll(shop, all);
    await shop.sandbox.advance(120_000);
    expect(watchInvoice(shop.client, all[7]!).status().reason).to.match(/^event feed/);
    shop.requests.length = 0;
    await shop.sandbox.advance(60_000);
    const isRegular = shop.requests.every(
      ({ path, reason }) => path === '/v1/events' || reason.startsWith('regular read'),
    );
    expect(isRegular).to.equal(true);
    await shop.pay(all[7]!);
    await shop.sandbox.advance(4_200);
    expect(stateOf(seen[7]!)).to.equal('PAID');
    expect(seen.filter((log) => stateOf(log) === 'PAID')).to.have.length(1);
  });

  itWhole('that is refused never ends a watch: polling goes on, within the limit', async () => {
    const answers: Answers = (url, ask) =>
      url.includes('/v1/events') ? Promise.resolve(refusal(403, 'FORBIDDEN')) : ask();
    const shop = openShop({}, answers);
    const all = await invoices(shop, 200);
    const seen = watchAll(shop, all);
    await shop.sandbox.advance(1_200_000);
    const asked = shop.requests.filter(({ path }) => path === '/v1/events');
    expect(asked, 'at once, and after 1, 2, 5 and 10 min').to.have.length(5);
    expect(seen.some(({ ended }) => ended)).to.equal(false);
    expect(shop.sandbox.blocks).to.equal(0);
    await shop.pay(all[3]!);
    await shop.sandbox.advance(700_000);
    expect(stateOf(seen[3]!)).to.equal('PAID');
  });

  itLong('is never asked by a credential that may not', async () => {
    const shop = openShop({}, undefined, { capabilities: { feed: false } });
    watchAll(shop, await invoices(shop, 100));
    await shop.sandbox.advance(120_000);
    expect(shop.requests.some(({ path }) => path === '/v1/events')).to.equal(false);
  });

  itLong('does not keep a look waiting that has failed', async () => {
    let isDown = false;
    const shop = openShop({}, (url, ask) =>
      isDown && !url.includes('/v1/events')
        ? Promise.resolve(refusal(503, 'SERVICE_UNAVAILABLE'))
        : ask(),
    );
    const all = await invoices(shop, 150);
    const seen = watchAll(shop, all);
    await shop.sandbox.advance(120_000);
    expect(watchInvoice(shop.client, all[5]!).status().reason).to.match(/^event feed/);
    isDown = true;
    await shop.pay(all[5]!).catch(() => {});
    invalidate(shop.client, 'invoice', all[5]!.invoiceId);
    await shop.sandbox.advance(10_000);
    expect(seen[5]!.values.at(-1)).to.nested.include({
      freshness: 'stale',
      'error.code': 'SERVICE_UNAVAILABLE',
    });
    isDown = false;
    await shop.sandbox.advance(61_000);
    expect(seen[5]!.values.at(-1)!.freshness).to.equal('live');
    for (const log of seen) log.stop();
  });

  itLong('leaves nothing behind when the last watch ends', async () => {
    const shop = openShop();
    const seen = watchAll(shop, await invoices(shop, 100));
    await shop.sandbox.advance(60_000);
    for (const log of seen) log.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
    shop.requests.length = 0;
    await shop.sandbox.advance(600_000);
    expect(shop.requests).to.have.length(0);
  });
});

describe('a thousand watches after an outage', () => {
  const down = () => refusal(503, 'SERVICE_UNAVAILABLE');
  const blocked = () =>
    new Response(JSON.stringify({ data: { status: 429, code: 'RATE_LIMITED' } }), {
      status: 429,
      headers: { 'retry-after': '3600' },
    });
  const refused = () => refusal(401, 'UNAUTHORIZED');
  const isList = (url: string) => new URL(url).searchParams.has('$filter');
  for (const { name, minutes, answer, isHit, most } of [
    { name: 'of everything', minutes: 5, answer: down, isHit: () => true, most: 14 },
    { name: 'of lists alone', minutes: 5, answer: down, isHit: isList, most: 25 },
    { name: 'of the credential', minutes: 1, answer: refused, isHit: () => true, most: 14 },
    {
      name: 'that is a block for an hour',
      minutes: 60,
      answer: blocked,
      isHit: () => true,
      most: 14,
    },
  ])
    itWhole(`${name} are all live within ${most} s`, async () => {
      let isDown = false;
      const shop = openShop({}, (url, ask) =>
        isDown && isHit(url) ? Promise.resolve(answer()) : ask(),
      );
      const seen = watchAll(shop, await invoices(shop, 1_000));
      await shop.sandbox.advance(60_000);
      const areLive = () => seen.every(({ values }) => values.at(-1)?.freshness === 'live');
      expect(areLive(), 'before it').to.equal(true);
      isDown = true;
      await shop.sandbox.advance(minutes * 60_000);
      expect(areLive(), 'during it').to.equal(false);
      isDown = false;
      await shop.sandbox.run(shop.client.balances.list()); // a refused credential is tried slowly
      let seconds = 0;
      for (; seconds < 600 && !areLive(); seconds++) await shop.sandbox.advance(1_000);
      expect(seconds).to.be.at.most(most);
      for (const log of seen) log.stop();
    });
});
