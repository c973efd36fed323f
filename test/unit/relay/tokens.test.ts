import { expect } from 'chai';
import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, it } from '#test';
import {
  AWKWARD,
  fromPage,
  openRelay,
  ORIGIN,
  outcome,
  read,
  type RelayShop,
  request,
  SECRET,
} from './shop.ts';

const MINUTE = 60_000;
const bytes = (text: string) => new TextEncoder().encode(text);

const look = (shop: RelayShop, invoiceId: string, token: string, relay = shop.relay) =>
  outcome(relay.handle(fromPage(token, 'GET', `/pay/v1/invoices/${invoiceId}`)));

describe('tokens of pages', () => {
  it('open one invoice, for a quarter of an hour', async () => {
    const shop = openRelay();
    const [one, other] = [await shop.invoice(), await shop.invoice()];
    const token = await shop.relay.createToken(one.invoiceId);
    expect(await look(shop, one.invoiceId, token)).to.equal('200');
    expect(await look(shop, other.invoiceId, token)).to.equal('403 FORBIDDEN');
    await shop.sandbox.advance(15 * MINUTE + 3_000);
    expect(await look(shop, one.invoiceId, token)).to.equal('200');
    await shop.sandbox.advance(5_000);
    expect(await look(shop, one.invoiceId, token)).to.equal('401 UNAUTHORIZED');
  });

  it('are good for as long as the shop says, for those who say the same', async () => {
    const shop = openRelay();
    const { invoiceId } = await shop.invoice();
    const short = shop.relayWith({ tokenLifetime: MINUTE });
    const token = await short.createToken(invoiceId);
    const long = await shop.relay.createToken(invoiceId);
    await shop.sandbox.advance(MINUTE + 3_000);
    expect(await look(shop, invoiceId, token, short)).to.equal('200');
    await shop.sandbox.advance(5_000);
    expect(await look(shop, invoiceId, token, short)).to.equal('401 UNAUTHORIZED');
    expect(await look(shop, invoiceId, long, short)).to.equal('401 UNAUTHORIZED');
    for (const tokenLifetime of [0, 999, 1_500, NaN, -1_000, 86_401_000])
      expect(() => shop.relayWith({ tokenLifetime }), `${tokenLifetime}`).to.throw('tokenLifetime');
  });

  it('are believed only as we make them', async () => {
    const shop = openRelay();
    const { invoiceId } = await shop.invoice();
    const now = Math.floor(shop.sandbox.clock.now() / 1_000);
    const claims = {
      verbs: ['read'],
      iss: 'paystate-relay',
      aud: `${ORIGIN}/main`,
      sub: invoiceId,
      iat: now,
      exp: now + 900,
    };
    const signed = (changes: object, alg = 'HS256', key = SECRET) =>
      new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg }).sign(bytes(key));
    expect(await look(shop, invoiceId, await signed({}))).to.equal('200');
    const genuine = (await signed({})).split('.');
    const forged: Record<string, string> = {
      'no algorithm': new UnsecuredJWT(claims).encode(),
      'another algorithm': await signed({}, 'HS512', SECRET.repeat(3)),
      'the same secret, another algorithm': await signed({}, 'HS384', SECRET),
      'another secret': await signed({}, 'HS256', 'b'.repeat(40)),
      'another issuer': await signed({ iss: 'somebody' }),
      'another shop': await signed({ aud: 'https://other.example/main' }),
      'another account': await signed({ aud: `${ORIGIN}/second` }),
      'no audience': await signed({ aud: undefined }),
      'no end': await signed({ exp: undefined }),
      'a longer life': await signed({ exp: now + 3_600 }),
      'no beginning': await signed({ iat: undefined }),
      'from the future': await signed({ iat: now + 60, exp: now + 900 }),
      over: await signed({ iat: now - 900, exp: now - 6 }),
      'no verbs': await signed({ verbs: undefined }),
      'changed after signing': [
        genuine[0],
        btoa(JSON.stringify({ ...claims, sub: 'other' })).replaceAll('=', ''),
        genuine[2],
      ].join('.'),
      nonsense: 'x.y.z',
    };
    for (const [what, token] of Object.entries(forged))
      expect(await look(shop, invoiceId, token), what).to.equal('401 UNAUTHORIZED');
    expect(await look(shop, invoiceId, await signed({ verbs: ['quote', 'live'] }))).to.equal(
      '403 FORBIDDEN',
    );
    expect(await look(shop, invoiceId, await signed({ sub: 'other' }))).to.equal('403 FORBIDDEN');
    expect(
      await outcome(
        shop.relay.handle(request('GET', `/pay/v1/invoices/${invoiceId}`, { origin: ORIGIN })),
      ),
    ).to.equal('401 UNAUTHORIZED');
    expect(shop.asked).to.have.length(1);
  });

  it('are for ids only: none is made for another path, and none that says so is believed', async () => {
    const shop = openRelay();
    const now = Math.floor(shop.sandbox.clock.now() / 1_000);
    for (const sub of AWKWARD) {
      expect(
        await shop.relay.createToken(sub).catch((error: { code: string }) => error.code),
        JSON.stringify(sub),
      ).to.equal('INPUT_INVALID');
      const claims = {
        verbs: ['read', 'quote', 'live'],
        iss: 'paystate-relay',
        aud: `${ORIGIN}/main`,
        sub,
        iat: now,
        exp: now + 900,
      };
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(bytes(SECRET));
      const live = request('GET', '/pay/live', {
        origin: ORIGIN,
        upgrade: 'websocket',
        'sec-websocket-protocol': `paystate.v1, ${token}`,
      });
      expect(await outcome(shop.relay.handle(live)), JSON.stringify(sub)).to.equal(
        '401 UNAUTHORIZED',
      );
    }
    expect(shop.asked).to.deep.equal([]);
  });

  it('outlive a change of the secret', async () => {
    const shop = openRelay();
    const { invoiceId } = await shop.invoice();
    const fresh = 'a new secret for the tokens of tests, as long';
    const [old, both, after] = [
      shop.relay,
      shop.relayWith({ tokenSecret: [fresh, SECRET] }),
      shop.relayWith({ tokenSecret: fresh }),
    ];
    expect(await look(shop, invoiceId, await old.createToken(invoiceId), both)).to.equal('200');
    expect(await look(shop, invoiceId, await both.createToken(invoiceId), after)).to.equal('200');
    expect(await look(shop, invoiceId, await old.createToken(invoiceId), after)).to.equal(
      '401 UNAUTHORIZED',
    );
  });

  it("are had for an order's secret, as long as the order lasts, also after the page has slept", async () => {
    const shop = openRelay();
    const order = await shop.relay.createOrder({ amount: { amount: '3.00', currency: 'EUR' } });
    const exchange = (secret: string, orderId = order.orderId) =>
      read(
        shop.relay.handle(
          request(
            'POST',
            '/pay/token',
            { origin: ORIGIN, authorization: `Bearer ${secret}` },
            JSON.stringify({ orderId }),
          ),
        ),
      );
    expect(order.orderSecret).to.match(/^[0-9a-f]{32}\.[0-9a-z]+\.[0-9a-f]{32}$/);
    const [bare = '', end, seal = ''] = order.orderSecret.split('.');
    expect(
      (await shop.relay.createOrder({ amount: { amount: '3.00', currency: 'EUR' } })).orderSecret,
    ).not.to.equal(order.orderSecret);
    expect(JSON.stringify(shop.asked)).not.to.include(bare); // only its hash leaves the Worker
    const first = await exchange(order.orderSecret);
    expect(first.body).to.have.keys(['token', 'invoiceId', 'expiresIn']);
    await shop.sandbox.advance(20 * MINUTE);
    expect(await look(shop, first.body.invoiceId, first.body.token)).to.equal('401 UNAUTHORIZED');
    const second = await exchange(order.orderSecret);
    expect(second.body.invoiceId).to.equal(first.body.invoiceId);
    expect(await look(shop, first.body.invoiceId, second.body.token)).to.equal('200');
    shop.asked.length = 0;
    for (const wrong of [
      await exchange('0'.repeat(32)),
      await exchange(bare),
      await exchange(`${bare}.${end}.${seal.replace(/./, (digit) => (digit === 'a' ? 'b' : 'a'))}`),
      await exchange(`${bare}.zzzzzz.${seal}`),
      await exchange(order.orderSecret, 'another'),
      await exchange(''),
    ])
      expect([wrong.status, wrong.body.data.code]).to.deep.equal([401, 'UNAUTHORIZED']);
    expect(shop.asked, 'a wrong one ends in the Worker').to.deep.equal([]);
  });
});
