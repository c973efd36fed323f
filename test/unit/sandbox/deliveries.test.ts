// Node only: the sandbox computes the same in every engine.
import { expect } from 'chai';
import { createSandbox } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { failure, newInvoice, query } from './ask.ts';
import { isSigned, openShop, type Shop, subscribe, successes } from './receiver.ts';

const DAY = 24 * 60 * 60_000;

/** Seconds after the first attempt: each gap is thrice the one before. */
const LADDER = [0, 3, 12, 39, 120, 363, 1_092, 3_279, 9_840, 29_523, 88_572, 265_719, 797_160];

/** One event is on its way. */
const sold = async (shop: Shop): Promise<Shop> => {
  await subscribe(shop);
  await newInvoice(shop.ask);
  return shop;
};

describe('sandbox: deliveries', () => {
  it('bring the event, signed over its bytes', async () => {
    const shop = await sold(openShop());
    await shop.sandbox.advance(0);
    const [got] = shop.got;
    expect([got!.method, got!.url, got!.headers.get('content-type')]).to.deep.equal([
      'POST',
      'https://shop.example/hooks',
      'application/json; charset=utf-8',
    ]);
    expect(got!.headers.get('x-webhook-signature')).to.match(/^[\dA-F]{64}$/);
    expect(await isSigned(got!)).to.equal(true);
    expect(await isSigned({ ...got!, body: `${got!.body} ` })).to.equal(false);
    expect(await isSigned(got!, 'not-the-secret')).to.equal(false);
    const event = JSON.parse(got!.body) as Record<string, unknown>;
    expect(Object.keys(event)).to.deep.equal([
      'id',
      'eventType',
      'webhookVersion',
      'data',
      'created',
    ]);
    const { at } = await shop.ask('GET', `/v1/events/${got!.id}`);
    expect([event['eventType'], event['data']]).to.deep.equal([at('eventType'), at('data')]);
    expect(event['created']).to.match(/^2026-01-05T09:00:00\.\d{1,7}\+00:00$/);
    expect((event['created'] as string).slice(0, 20 + 5)).to.equal(
      (at('created') as string).slice(0, 20 + 5),
    );
  });

  it('begin when time is moved, be it by nothing', async () => {
    const shop = await sold(openShop());
    for (let count = 0; count < 20; count++) expect(await successes(shop)).to.deep.equal([false]);
    await shop.sandbox.advance(0);
    expect([shop.offsets(), await successes(shop)]).to.deep.equal([[0], [true]]);
  });

  it('come after the feed has the event', async () => {
    const shop = openShop(async ({ id }) => {
      const { status, at } = await shop.ask('GET', `/v1/events/${id}`);
      seen.push(status, at('deliverySuccess'));
      return 200;
    });
    const seen: unknown[] = [];
    await sold(shop);
    await shop.sandbox.advance(0);
    expect(seen).to.deep.equal([200, false]);
    expect(await successes(shop)).to.deep.equal([true]);
  });

  it('are tried thirteen times over 9.2 days, and then no more', async () => {
    const started = performance.now();
    const shop = await sold(openShop(() => 500));
    await shop.sandbox.advance(797_159_999);
    expect([shop.got.length, await successes(shop)]).to.deep.equal([12, [false]]);
    await shop.sandbox.advance(1);
    await shop.sandbox.advance(20 * DAY);
    expect(shop.offsets().map((offset) => offset / 1_000)).to.deep.equal(LADDER);
    expect(new Set(shop.got.map(({ body }) => body)).size).to.equal(1);
    expect(
      new Set(shop.got.map(({ headers }) => headers.get('x-webhook-signature'))).size,
    ).to.equal(1);
    expect(await successes(shop)).to.deep.equal([false]);
    const { deliveries } = shop.sandbox;
    expect(deliveries.map(({ attempt, outcome }) => `${attempt} ${outcome}`)).to.deep.equal(
      LADDER.map((_, index) => `${index + 1} failed`),
    );
    expect(deliveries.map(({ retryAt, at }) => retryAt && retryAt - at)).to.deep.equal([
      ...LADDER.slice(1).map((offset, index) => (offset - LADDER[index]!) * 1_000),
      undefined,
    ]);
    expect(performance.now() - started).to.be.below(1_000);
  });

  itLong(
    'of a receiver that never answers fail after five seconds each, which move the ladder on',
    async () => {
      const shop = openShop(async () => {
        await shop.sandbox.clock.wait(10 * DAY);
        return 200;
      });
      await sold(shop);
      await shop.sandbox.advance(9.3 * DAY);
      expect(shop.offsets()).to.deep.equal(
        LADDER.map((seconds, index) => (seconds + 5 * index) * 1_000),
      );
      expect(shop.sandbox.deliveries.every(({ outcome }) => outcome === 'timeout')).to.equal(true);
      expect(await successes(shop)).to.deep.equal([false]);
    },
  );

  itLong(
    'of fifty events over 31 days are exact for each, while those older than 30 days leave the feed',
    async () => {
      const shop = openShop(() => 500);
      await subscribe(shop);
      const born = new Map<string, number>();
      for (let index = 0; index < 50; index++) {
        born.set(await newInvoice(shop.ask), shop.sandbox.clock.now());
        await shop.sandbox.advance(15 * 60 * 60_000);
      }
      const feed = await shop.ask('GET', `/v1/events${query({ top: 100 })}`);
      expect(feed.at('count')).to.equal(48); // the last was written 15 hours ago
      await shop.sandbox.advance(10 * DAY);
      const offsets = new Map<string, number[]>();
      for (const { at, body } of shop.got) {
        const {
          data: { entityId },
        } = JSON.parse(body) as { data: { entityId: string } };
        offsets.set(entityId, [
          ...(offsets.get(entityId) ?? []),
          (at - born.get(entityId)!) / 1_000,
        ]);
      }
      expect([...offsets.values()]).to.deep.equal(Array.from({ length: 50 }, () => LADDER));
    },
  );

  it('end with a success, and with an answer that asks for no more', async () => {
    const answered = async (
      ...statuses: readonly number[]
    ): Promise<readonly [number, unknown]> => {
      const shop = await sold(openShop((_, count) => statuses[count - 1] ?? 500));
      await shop.sandbox.advance(10 * DAY);
      return [shop.got.length, (await successes(shop))[0]];
    };
    expect(await answered(200)).to.deep.equal([1, true]);
    expect(await answered(299)).to.deep.equal([1, true]);
    expect(await answered(500, 404, 302, 202)).to.deep.equal([4, true]);
    expect(await answered(410)).to.deep.equal([1, false]);
    expect(await answered(503, 501)).to.deep.equal([2, false]);
    expect(await answered(401)).to.deep.equal([13, false]);
  });

  itLong(
    'wait five seconds for an answer; the next gap begins where the last attempt failed',
    async () => {
      const slow = async (...waits: readonly number[]): Promise<Shop> => {
        const shop = openShop(async (_, count) => {
          await shop.sandbox.clock.wait(waits[count - 1] ?? 0);
          return 200;
        });
        await sold(shop);
        await shop.sandbox.advance(DAY);
        return shop;
      };
      const inTime = await slow(4_900);
      expect([inTime.got.length, await successes(inTime)]).to.deep.equal([1, [true]]);
      const late = await slow(5_100, 60_000);
      expect(late.offsets()).to.deep.equal([0, 8_000, 22_000]);
      expect(late.sandbox.deliveries.map(({ outcome, status }) => [outcome, status])).to.deep.equal(
        [
          ['timeout', undefined],
          ['timeout', undefined],
          ['delivered', 200],
        ],
      );
      expect(await successes(late)).to.deep.equal([true]);
    },
  );

  it('fail where the receiver throws, or where there is none', async () => {
    const broken = await sold(
      openShop(() => {
        throw new Error('oh');
      }),
    );
    await broken.sandbox.advance(4_000);
    expect(broken.sandbox.deliveries.map(({ outcome }) => outcome)).to.deep.equal(['lost', 'lost']);
    const alone = await sold(openShop(undefined, { deliver: undefined }));
    await alone.sandbox.advance(4_000);
    expect(alone.sandbox.deliveries.map(({ outcome }) => outcome)).to.deep.equal(['lost', 'lost']);
  });

  it('let time pass only when the receiver waits for it', async () => {
    const shop = openShop(async (got) => ((await isSigned(got)) ? 200 : 401)); // not declared to the clock
    await sold(shop);
    await shop.sandbox.advance(60_000);
    expect([shop.got.length, await successes(shop)]).to.deep.equal([1, [true]]);
  });

  it('to several subscriptions go each its own way; the feed says yes when all have it', async () => {
    const shop = openShop(({ url }, count) => (url.endsWith('/b') && count < 4 ? 500 : 200));
    for (const name of ['a', 'b'])
      await subscribe(shop, { webhookUrl: `https://shop.example/${name}` });
    await newInvoice(shop.ask);
    await shop.sandbox.advance(0);
    expect([shop.got.length, await successes(shop)]).to.deep.equal([2, [false]]);
    await shop.sandbox.advance(DAY);
    expect(
      shop.got
        .map(({ url }) => url.at(-1))
        .sort()
        .join(''),
    ).to.equal('abbb');
    expect(await successes(shop)).to.deep.equal([true]);
  });

  it('in the feed can be filtered by their success', async () => {
    const shop = openShop(() => 410);
    await newInvoice(shop.ask);
    await sold(shop);
    const count = async (flag: string): Promise<unknown> =>
      (await shop.ask('GET', `/v1/events${query({ filter: `deliverySuccess eq ${flag}` })}`)).at(
        'count',
      );
    expect([await count('true'), await count('false')]).to.deep.equal([0, 2]);
    await shop.sandbox.advance(0);
    expect([await count('true'), await count('false')]).to.deep.equal([0, 2]);
  });

  it('end when the subscription is deleted or disabled, and follow its changes', async () => {
    const shop = openShop(() => 500);
    const path = `/v1/subscriptions/${await subscribe(shop)}`;
    await newInvoice(shop.ask);
    await shop.sandbox.advance(0);
    await shop.ask('PATCH', path, { webhookUrl: 'https://shop.example/moved' });
    await shop.sandbox.advance(3_000);
    expect(shop.got.map(({ url }) => url)).to.deep.equal([
      'https://shop.example/hooks',
      'https://shop.example/moved',
    ]);
    await shop.ask('DELETE', path);
    await shop.sandbox.advance(DAY);
    expect([shop.got.length, await successes(shop)]).to.deep.equal([2, [false]]);
  });

  it('outlive their event in the feed by nothing: it is gone after thirty days', async () => {
    const shop = await sold(openShop());
    await shop.sandbox.advance(30 * DAY - 1);
    expect(await successes(shop)).to.deep.equal([true]);
    await shop.sandbox.advance(2);
    expect(await successes(shop)).to.deep.equal([]);
    expect((await shop.ask('GET', `/v1/events/${shop.got[0]!.id}`)).status).to.equal(404);
  });

  it('do not keep anybody from waiting for something else', async () => {
    const shop = await sold(openShop(() => 500));
    expect(await shop.sandbox.run(shop.sandbox.clock.wait(10_000).then(() => 'done'))).to.equal(
      'done',
    );
    expect(shop.offsets()).to.deep.equal([0, 3_000]);
  });

  it('need a function, or the network by its name', async () => {
    const made = async (): Promise<unknown> => createSandbox({ deliver: 'nowhere' as never });
    expect((await failure(made())).message).to.match(/^deliver:/);
  });
});
