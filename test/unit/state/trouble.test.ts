import { describe, it, itLong } from '#test';
import { expect } from 'chai';
import {
  createClient,
  invalidate,
  type Invoice,
  isPaystateError,
  testRateLimits,
  watchInvoice,
  type InvoiceId,
} from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { altered, type Answers, openShop, record, recordAll, refusal, type Shop } from './shop.ts';

/** A shop whose GETs of one invoice are answered by `answer`, for as long as it is set. */
function moody(): { shop: Shop; set(answer: (() => Response) | undefined): void } {
  let mood: (() => Response) | undefined;
  const answers: Answers = (url, ask) =>
    mood && /\/v1\/invoices\/[^/]+$/.test(url) ? Promise.resolve(mood()) : ask();
  return { shop: openShop({}, answers), set: (answer) => void (mood = answer) };
}

const html = () => new Response('<html>please log in to this network</html>', { status: 200 });

describe('an answer that is no good', () => {
  for (const [name, answer] of Object.entries({
    'a captive portal': html,
    'an empty body': () => new Response('', { status: 200 }),
    'cut JSON': () => new Response('{"invoiceId":', { status: 200 }),
    'a 404 page of a proxy': () => new Response('<h1>404</h1>', { status: 404 }),
    'a 403 page of a firewall': () => new Response('no', { status: 403 }),
    'a 500': () => refusal(500, 'INTERNAL_SERVER_ERROR'),
    'a broken connection': () => {
      throw new TypeError('connection lost');
    },
    'a 404 after it was seen': () => refusal(404, 'NOT_FOUND'),
  }))
    itLong(`never ends a watch: ${name}, a hundred times, then the truth`, async () => {
      const { shop, set } = moody();
      const invoice = await shop.invoice();
      const seen = record(watchInvoice(shop.client, invoice));
      await shop.sandbox.advance(1_000);
      set(answer);
      await shop.sandbox.advance(6_600_000);
      expect(seen.ended).to.equal(undefined);
      expect(seen.values.map(({ freshness }) => freshness)).to.deep.equal(['live', 'stale']);
      expect(seen.values[1]!.value.state).to.equal('UNPAID');
      const asked = shop.requests.length;
      expect(asked).to.be.within(100, 480);
      set(undefined);
      await shop.pay(invoice);
      await shop.sandbox.advance(60_100);
      expect(seen.values.at(-1)!.freshness).to.equal('live');
      expect(seen.values.at(-1)!.error).to.equal(undefined);
      expect(seen.values.at(-1)!.value.state).to.equal('PAID');
    });

  for (const [name, status, code, until] of [
    ['a 403 on the first look ends it once it is confirmed', 403, 'FORBIDDEN', 3_000],
    ['a 404 ends it once 30 s have passed', 404, 'NOT_FOUND', 70_000],
    [
      'a credential refused on the first look ends it once it is confirmed',
      401,
      'UNAUTHORIZED',
      3_000,
    ],
  ] as const)
    it(name, async () => {
      const { shop, set } = moody();
      // a credential that has worked is given more time
      const invoice = status === 401 ? ('none' as InvoiceId) : await shop.invoice();
      set(() => refusal(status, code));
      const seen = record(watchInvoice(shop.client, invoice));
      await shop.sandbox.advance(1_000);
      expect(seen.ended, 'before it is confirmed').to.equal(undefined);
      if (until > 3_000) {
        await shop.sandbox.advance(9_000);
        expect(seen.ended, 'not at once').to.equal(undefined);
      }
      await shop.sandbox.advance(until);
      const error = (seen.ended as { error: unknown } | undefined)?.error;
      expect(isPaystateError(error) && error.code).to.equal(code);
      expect(shop.timers()).to.equal(0);
    });

  it('a credential that worked ends it after ten minutes of refusals', async () => {
    const { shop, set } = moody();
    const seen = record(watchInvoice(shop.client, await shop.invoice()));
    await shop.sandbox.advance(1_000);
    set(() => refusal(401, 'UNAUTHORIZED'));
    await shop.sandbox.advance(595_000);
    expect(seen.ended, 'not before').to.equal(undefined);
    expect(seen.values.at(-1)).to.nested.include({
      freshness: 'stale',
      'error.code': 'UNAUTHORIZED',
    });
    await shop.sandbox.advance(15_000);
    expect((seen.ended as { error: { code: string } }).error.code).to.equal('UNAUTHORIZED');
  });

  it('says what stands in the way of the first read, and ends as failed where that is final', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    set(() => refusal(503, 'SERVICE_UNAVAILABLE'));
    const watch = watchInvoice(shop.client, invoice.invoiceId);
    const seen = recordAll(watch);
    expect(seen.values).to.deep.equal([{ freshness: 'loading' }]);
    await shop.sandbox.advance(1_000);
    expect(seen.values.map(({ freshness, error }) => [freshness, error?.code])).to.deep.equal([
      ['loading', undefined],
      ['loading', 'SERVICE_UNAVAILABLE'],
    ]);
    set(() => refusal(403, 'FORBIDDEN'));
    await shop.sandbox.advance(30_000);
    expect(watch.current()).to.include({ freshness: 'failed' });
    expect(watch.current().error?.code).to.equal('FORBIDDEN');
    expect(watch.current()).to.equal(seen.values.at(-1));
    set(undefined);
    const again = recordAll(watch);
    await shop.sandbox.advance(1_000);
    expect(again.values.map(({ freshness }) => freshness)).to.deep.equal(['loading', 'live']);
    again.stop();
  });

  it('an unknown id ends within 3 s; what was just made is asked for again', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    await shop.sandbox.advance(2 * 3_600_000);
    const young = await shop.invoice();
    set(() => refusal(404, 'NOT_FOUND'));
    for (const [one, isOver] of [
      [invoice, true],
      [invoice.invoiceId, true],
      [young, false],
      [young.invoiceId, false],
    ] as const) {
      const seen = recordAll(watchInvoice(shop.client, one));
      await shop.sandbox.advance(3_000);
      expect(seen.ended !== undefined).to.equal(isOver);
      seen.stop();
      await shop.sandbox.advance(1);
    }
  });

  for (const [name, ahead, hasDate, age, isKnown] of [
    ['made a second ago, by a clock that is ahead', 180_000, true, 1_000, true],
    ['made a second ago, by a clock that is behind', -180_000, true, 1_000, true],
    ['made a second ago, without a Date', 180_000, false, 1_000, true],
    ['made a day ago, by a clock that is behind', -86_400_000, true, 86_400_000, true],
    ['made a second ago, of which only the id is known', 180_000, true, 1_000, false],
  ] as const)
    it(`a 404 of what another process has ${name}`, async () => {
      let isMissing = true;
      const shop = openShop(
        {},
        async (url, ask) => {
          const isHidden = isMissing && url.includes('/v1/invoices');
          const { body, status, headers } = isHidden ? refusal(404, 'NOT_FOUND') : await ask();
          const date = new Date(shop.sandbox.clock.now()).toUTCString();
          const { date: _, ...rest } = Object.fromEntries(headers);
          return new Response(body, { status, headers: { ...rest, ...(hasDate && { date }) } });
        },
        {},
        (clock) => ({ ...clock, now: () => clock.now() + ahead }),
      );
      const { sandbox, client } = shop;
      const invoice = await sandbox.run(
        createClient(sandbox.clientOptions).invoices.create({
          amount: { amount: '1', currency: 'USD' },
        }),
      );
      await sandbox.advance(age);
      const seen = recordAll(watchInvoice(client, isKnown ? invoice : invoice.invoiceId));
      await sandbox.advance(10_000);
      isMissing = false;
      const isOver = age > 60_000 || !isKnown;
      expect(seen.ended !== undefined).to.equal(isOver);
      await sandbox.advance(20_000);
      if (!isOver) expect(seen.values.at(-1)).to.include({ freshness: 'live' });
      seen.stop();
    });

  it('ends after five unreadable answers over two minutes, not before', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    set(() => new Response(JSON.stringify({ invoiceId: 7 }), { status: 200 }));
    await shop.sandbox.advance(100_000);
    expect(seen.ended).to.equal(undefined);
    expect(seen.values.at(-1)).to.nested.include({
      freshness: 'stale',
      'error.code': 'RESPONSE_INVALID',
    });
    await shop.sandbox.advance(120_000);
    expect((seen.ended as { error: { code: string } }).error.code).to.equal('RESPONSE_INVALID');
  });

  it('a 403 that comes later ends it after ten minutes', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    set(() => refusal(403, 'FORBIDDEN'));
    await shop.sandbox.advance(595_000);
    expect(seen.ended).to.equal(undefined);
    await shop.sandbox.advance(15_000);
    expect((seen.ended as { error: { neededScope: string } }).error.neededScope).to.equal(
      'partner.invoice.read',
    );
  });

  it('is blocked after a 429, keeps still until the end of the block, and remembers a hint', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const seen = record(watch);
    await shop.sandbox.advance(1_000);
    set(
      () =>
        new Response(refusal(429, 'RATE_LIMIT_EXCEEDED').body, {
          status: 429,
          headers: { 'retry-after': '600' },
        }),
    );
    await shop.sandbox.advance(4_000);
    set(undefined);
    const asked = shop.requests.length;
    const blockedUntil = watch.status().blockedUntil!;
    expect(blockedUntil - shop.sandbox.clock.now()).to.be.within(590_000, 600_000);
    invalidate(shop.client, 'invoice', invoice.invoiceId);
    await shop.sandbox.advance(500_000);
    expect(shop.requests).to.have.length(asked);
    expect(seen.values.at(-1)).to.nested.include({
      freshness: 'blocked',
      'error.code': 'RATE_LIMIT_EXCEEDED',
    });
    expect(watch.status().invalidatedAt).to.be.a('number');
    await shop.sandbox.advance(170_000);
    expect(seen.values.at(-1)!.freshness).to.equal('live');
    expect(seen.values.at(-1)!.error).to.equal(undefined);
  });

  it('is stale, not blocked, where our own limit had no place in time', async () => {
    const others = { limit: 1, window: 600_000, block: 3_600_000 };
    const rateLimits = { ...testRateLimits, others };
    const shop = openShop({}, undefined, { rateLimits, queueTimeout: 1_000 });
    const invoice = await shop.invoice();
    const watch = watchInvoice(shop.client, invoice);
    const seen = record(watch);
    await shop.sandbox.advance(1_000);
    const spend = () => shop.client.invoices.get(invoice.invoiceId).catch(() => {});
    for (let time = 0; time < 20; time++) await shop.sandbox.run(spend());
    invalidate(shop.client, 'invoice', invoice.invoiceId);
    await shop.sandbox.advance(60_000);
    expect(seen.values.at(-1)).to.nested.include({
      freshness: 'stale',
      'error.code': 'QUEUE_TIMEOUT',
    });
    expect(seen.values.map(({ freshness }) => freshness)).not.to.include('blocked');
    expect(watch.status().blockedUntil).to.equal(undefined);
  });

  it('asks nothing for as long as a 429 of a proxy says, else for a minute, and reads again then', async () => {
    for (const [headers, length] of [
      [{}, 60_000],
      [{ 'retry-after': '120' }, 120_000],
    ] as const) {
      const { shop, set } = moody();
      const watch = watchInvoice(shop.client, await shop.invoice());
      const seen = record(watch);
      await shop.sandbox.advance(1_000);
      set(() => new Response('<h1>slow down</h1>', { status: 429, headers }));
      await shop.sandbox.advance(10_000);
      expect(seen.values.at(-1)).to.nested.include({
        freshness: 'blocked',
        'error.code': 'NOT_FROM_SERVICE',
      });
      set(undefined);
      shop.requests.length = 0;
      await shop.sandbox.advance(length - 10_000);
      expect(shop.requests).to.deep.equal([]);
      await shop.sandbox.advance(40_000);
      expect(seen.values.at(-1)!.freshness).to.equal('live');
    }
  });

  it('becomes slower while it fails, at most 20 s, and recovers with the first success', async () => {
    const { shop, set } = moody();
    const invoice = await shop.invoice();
    record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    set(html);
    shop.requests.length = 0;
    await shop.sandbox.advance(600_000);
    expect(shop.requests.length).to.be.within(25, 50);
  });

  itLong('does not bring pages that lost the service at once back at once', async () => {
    const sandbox = createSandbox({ signed: false });
    const invoice = await sandbox.run(
      createClient(sandbox.clientOptions).invoices.create({
        amount: { amount: '1', currency: 'EUR' },
      }),
    );
    let isAway = false;
    const back: number[] = [];
    const pages = Array.from({ length: 30 }, (_, page) => {
      const options = sandbox.clientOptions;
      const fetch: typeof options.fetch = (input, init) => {
        if (isAway) return Promise.reject(new TypeError('connection lost'));
        back[page] ??= sandbox.clock.now();
        return options.fetch(input, init);
      };
      return watchInvoice(createClient({ ...options, fetch }), invoice).subscribe(() => {});
    });
    await sandbox.advance(10_000);
    isAway = true;
    await sandbox.advance(300_000);
    back.length = 0;
    isAway = false;
    await sandbox.advance(40_000);
    for (const stop of pages) stop();
    expect(back.filter(Number.isFinite)).to.have.length(pages.length);
    expect(Math.max(...back) - Math.min(...back)).to.be.above(10_000);
  });

  it('passes an unknown state on and never takes it for an end', async () => {
    const answers: Answers = async (url, ask) =>
      /\/v1\/invoices\/[^/]+$/.test(url)
        ? altered(await ask(), (json: Invoice) => ({ ...json, state: 'ESCROWED' }))
        : ask();
    const shop = openShop({}, answers);
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(30_000);
    expect(seen.values.map(({ value }) => value.state)).to.deep.equal(['ESCROWED']);
    expect(seen.ended).to.equal(undefined);
  });
});
