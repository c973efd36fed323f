// Node only: the sandbox computes the same in every engine.
import { expect } from 'chai';
import { type DeliveryFault, type DeliveryFaultRule, createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { failure, newInvoice } from './ask.ts';
import {
  type Got,
  isSigned,
  openShop,
  SECRET,
  type Shop,
  subscribe,
  successes,
} from './receiver.ts';

/** A shop with a subscription and a rule; one event. */
const spoilt = async (rule: DeliveryFaultRule, wait = 0): Promise<Shop> => {
  const shop = openShop();
  await subscribe(shop);
  shop.sandbox.fault(rule);
  await newInvoice(shop.ask);
  await shop.sandbox.advance(wait);
  return shop;
};

const spoiltOnce = async (delivery: DeliveryFault): Promise<Got> =>
  (await spoilt({ delivery })).got[0]!;

const signatureOf = ({ headers }: Got): string | null => headers.get('x-webhook-signature');

describe('sandbox: faults of deliveries', () => {
  it('lose a request before or after the receiver has it', async () => {
    const before = await spoilt({ delivery: 'lost-before', attempt: 1 }, 3_000);
    expect([
      before.got.length,
      before.sandbox.deliveries.map(({ outcome }) => outcome),
    ]).to.deep.equal([1, ['lost', 'delivered']]);
    const after = await spoilt({ delivery: 'lost-after', attempt: 1 }, 3_000);
    expect([after.offsets(), after.sandbox.deliveries.map(({ outcome }) => outcome)]).to.deep.equal(
      [
        [0, 3_000],
        ['lost', 'delivered'],
      ],
    );
    expect(new Set(after.got.map(({ body }) => body)).size).to.equal(1);
  });

  it("answer in the receiver's place", async () => {
    const swallowed = await spoilt({ delivery: { status: 200 } }, 60_000);
    expect([swallowed.got.length, await successes(swallowed)]).to.deep.equal([0, [true]]);
    const refused = await spoilt({ delivery: { status: 501 } }, 60_000);
    expect([refused.got.length, await successes(refused)]).to.deep.equal([0, [false]]);
  });

  it('bring what nobody knows yet, or far too much of it, rightly signed', async () => {
    for (const [delivery, expected] of [
      ['unknown-type', '"eventType":"something.new"'],
      ['unknown-version', '"webhookVersion":"v9"'],
      ['huge', 'x'.repeat(1_000_000)],
    ] as const) {
      const got = await spoiltOnce(delivery);
      expect(got.body.includes(expected) && (await isSigned(got)), delivery).to.equal(true);
    }
  });

  it('send one twice', async () => {
    const shop = await spoilt({ delivery: 'duplicated' }, 60_000);
    expect([shop.offsets(), shop.got[0]!.body === shop.got[1]!.body]).to.deep.equal([[0, 0], true]);
    expect(await successes(shop)).to.deep.equal([true]);
  });

  it('send one later', async () => {
    const shop = await spoilt({ delivery: { delay: 7_000 } }, 6_999);
    expect([shop.got.length, await successes(shop)]).to.deep.equal([0, [false]]);
    await shop.sandbox.advance(1);
    expect([shop.got.length, await successes(shop)]).to.deep.equal([1, [true]]);
    expect(shop.sandbox.deliveries[0]).to.deep.include({ attempt: 1, fault: { delay: 7_000 } });
  });

  it('let a later one pass by, and hold none for longer than ten seconds', async () => {
    const shop = await spoilt({ delivery: 'reordered', nth: 1 }, 2_000);
    expect(shop.got).to.have.length(0);
    await newInvoice(shop.ask);
    await shop.sandbox.advance(0);
    const events = (await shop.ask('GET', '/v1/events?$orderby=created%20asc')).at(
      'items',
    ) as readonly { id: string }[];
    expect(shop.got.map(({ id }) => events.findIndex((event) => event.id === id))).to.deep.equal([
      1, 0,
    ]);
    await shop.sandbox.advance(60_000);
    expect(shop.got).to.have.length(2);
    const alone = await spoilt({ delivery: 'reordered' }, 9_999);
    expect(alone.got).to.have.length(0);
    await alone.sandbox.advance(1);
    expect(alone.got).to.have.length(1);
  });

  it('spoil a signature in every way', async () => {
    expect(signatureOf(await spoiltOnce('no-signature'))).to.equal(null);
    const lower = await spoiltOnce('lower-case');
    expect([await isSigned(lower), /^[\da-f]{64}$/.test(signatureOf(lower)!)]).to.deep.equal([
      true,
      true,
    ]);
    const bad = await spoiltOnce('bad-signature');
    expect([await isSigned(bad), /^[\dA-F]{64}$/.test(signatureOf(bad)!)]).to.deep.equal([
      false,
      true,
    ]);
    const anew = await spoiltOnce('reserialised');
    expect([
      await isSigned(anew),
      await isSigned({ ...anew, body: JSON.stringify(JSON.parse(anew.body)) }),
    ]).to.deep.equal([false, true]);
    expect(await isSigned(await spoiltOnce('old-secret'))).to.equal(false);
  });

  it('sign with the secret before', async () => {
    const shop = openShop();
    const id = await subscribe(shop);
    await shop.ask('PATCH', `/v1/subscriptions/${id}`, { secret: 'the-second-secret' });
    await shop.ask('PATCH', `/v1/subscriptions/${id}`, { enabled: true });
    shop.sandbox.fault({ delivery: 'old-secret' });
    await newInvoice(shop.ask);
    await shop.sandbox.advance(0);
    expect([
      await isSigned(shop.got[0]!, SECRET),
      await isSigned(shop.got[0]!, 'the-second-secret'),
    ]).to.deep.equal([true, false]);
  });

  it('hit by type, attempt, address, number, time and chance, until they are put off', async () => {
    const hit = async (rule: Omit<DeliveryFaultRule, 'delivery'>): Promise<string> => {
      const shop = openShop();
      for (const name of ['a', 'b'])
        await subscribe(shop, { webhookUrl: `https://${name}.example/hooks` });
      shop.sandbox.fault({ ...rule, delivery: { status: 200 } });
      await shop.ask('PATCH', `/v1/invoices/${await newInvoice(shop.ask)}/cancel`);
      await shop.sandbox.advance(0);
      return shop.got
        .map(({ url, eventType }) => `${url.at(8)}${eventType.at(8)}`)
        .sort()
        .join(' ');
    };
    expect(await hit({ probability: 0 })).to.equal('ac au bc bu');
    expect(await hit({})).to.equal('');
    expect(await hit({ eventType: 'invoice.created' })).to.equal('au bu');
    expect(await hit({ webhookUrl: 'https://a.*' })).to.equal('bc bu');
    expect(await hit({ attempt: 2 })).to.equal('ac au bc bu');
    expect((await hit({ nth: [1, 2, 3] })).length).to.equal(2);
    expect(await hit({ to: 0 })).to.equal('ac au bc bu');
    const shop = openShop();
    await subscribe(shop);
    shop.sandbox.fault({ delivery: { status: 200 } })();
    await newInvoice(shop.ask);
    await shop.sandbox.advance(0);
    expect(shop.got).to.have.length(1);
  });

  it('must make sense', async () => {
    const sandbox = createSandbox();
    for (const rule of [
      { probability: 2, delivery: 'lost-before' },
      { delivery: { delay: -1 } },
      { delivery: { status: 99 } },
    ] as const)
      expect((await failure((async () => sandbox.fault(rule))())).name).to.equal('InputError');
  });
});
