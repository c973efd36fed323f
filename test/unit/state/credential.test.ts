import { describe, it, itLong } from '#test';
import { expect } from 'chai';
import { type ClientOptions, eventFeed, AuthenticationError, watchInvoice } from 'paystate';
import { checkout, type CheckoutView } from 'paystate/flows';
import { openShop, record, refusal, type Shop } from './shop.ts';

const MINUTE = 60_000;

type Token = Extract<ClientOptions['token'], (...given: never) => unknown>;

/** A shop whose credential comes from a provider that can be changed at any time. */
function provided(signed = false): {
  shop: Shop;
  provide(token: Token | undefined): void;
  refuse(isRefused: boolean): void;
} {
  let provider: Token | undefined;
  let isRefused = false;
  let renewed = 0;
  const key = openShop({ signed }).sandbox.clientOptions.apiKey!;
  const token: Token = (last) => (provider ? provider(last) : last ? `${key}-${++renewed}` : key);
  const shop = openShop(
    { signed },
    (_url, ask) => (isRefused ? Promise.resolve(refusal(401, 'UNAUTHORIZED')) : ask()),
    { apiKey: undefined, token },
  );
  return {
    shop,
    provide: (given) => void (provider = given),
    refuse: (refused) => void (isRefused = refused),
  };
}

const WAYS: Readonly<Record<string, Token>> = {
  rejects: () => Promise.reject(new TypeError('no network')),
  throws: () => {
    throw new TypeError('no network');
  },
  'never answers': () => new Promise(() => {}),
  'gives an empty text': () => '',
  'gives a text that is no token': () => '<html>please log in to this network</html>',
  'says that its login server did not answer': () => {
    throw new AuthenticationError('no answer', {
      code: 'REFRESH_UNKNOWN',
      outcome: 'unknown',
      next: 'retry',
    });
  },
};

describe('a token provider', () => {
  for (const [name, way] of Object.entries(WAYS))
    itLong(
      `that ${name} for ten minutes ends no watch, no checkout and no walk along the events`,
      async () => {
        const { shop, provide } = provided(true);
        const invoice = await shop.invoice();
        const watched = record(watchInvoice(shop.client, invoice));
        const sold = record<CheckoutView>(
          checkout(shop.client, { invoiceId: invoice.invoiceId, pauseAfter: Infinity }),
        );
        const events = { seen: 0, ended: false };
        const over = new AbortController();
        void (async () => {
          for await (const { event } of eventFeed(shop.client, { signal: over.signal }))
            if (event) events.seen++;
        })()
          .catch(() => {})
          .finally(() => (events.ended = true));
        await shop.sandbox.advance(10_000);
        provide(way);
        const asked = shop.sandbox.log.length;
        await shop.sandbox.advance(10 * MINUTE);
        expect(shop.sandbox.log, 'nothing was sent').to.have.length(asked);
        expect(watched.values.at(-1)!.freshness).to.equal('stale');
        expect(sold.values.at(-1)!.phase).to.equal('renewing');
        provide(undefined);
        await shop.sandbox.advance(61_000);
        expect(sold.values.at(-1)!.phase).to.equal('awaiting');
        const view = sold.values.at(-1)!;
        await shop.sandbox.payer.pay(view.phase === 'awaiting' ? view.quote.lnInvoice : '');
        await shop.sandbox.advance(61_000);
        expect([
          watched.values.at(-1)!.value.state,
          watched.ended,
          sold.values.at(-1)!.phase,
          sold.ended,
        ]).to.deep.equal(['PAID', 'complete', 'paid', 'complete']);
        expect(events.ended).to.equal(false);
        expect(events.seen).to.be.above(0);
        over.abort();
        await shop.sandbox.advance(0);
      },
    );

  it('that cannot be reached says so: nobody was refused, nothing was sent, and a call asks it again', async () => {
    const { shop, provide } = provided();
    let asked = 0;
    provide(() => {
      asked++;
      throw new TypeError('no network');
    });
    const error = await shop.sandbox.run(
      shop.client.invoices.get('x').then(
        () => undefined,
        (thrown: unknown) => thrown,
      ),
    );
    expect(error).to.include({
      kind: 'unreachable',
      code: 'TOKEN_UNAVAILABLE',
      outcome: 'not-done',
      next: 'retry',
      attempts: 0,
    });
    expect(asked).to.equal(3);
    asked = 0;
    provide(() =>
      ++asked < 3
        ? Promise.reject(new TypeError('no network'))
        : shop.sandbox.clientOptions.apiKey!,
    );
    const invoice = await shop.invoice();
    expect([invoice.state, asked]).to.deep.equal(['UNPAID', 3]);
  });

  it('that cannot be reached after a refusal: a call tells the refusal, a watch waits for the provider', async () => {
    const { shop, provide, refuse } = provided();
    const invoice = await shop.invoice();
    const log = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    refuse(true);
    const key = shop.sandbox.clientOptions.apiKey!;
    provide((last) => (last ? Promise.reject(new TypeError('no network')) : key));
    const error = await shop.sandbox.run(
      shop.client.invoices.get('x').then(
        () => undefined,
        (thrown: unknown) => thrown,
      ),
    );
    expect(error).to.include({
      kind: 'authentication',
      code: 'UNAUTHORIZED',
      status: 401,
      outcome: 'not-done',
      next: 'retry',
      attempts: 1,
    });
    await shop.sandbox.advance(10 * MINUTE);
    expect(log.ended).to.equal(undefined);
    expect(log.values.at(-1)).to.nested.include({
      freshness: 'stale',
      'error.code': 'TOKEN_UNAVAILABLE',
    });
    refuse(false);
    provide(() => key);
    await shop.sandbox.advance(MINUTE + 1_000);
    expect(log.values.at(-1)!.freshness).to.equal('live');
    log.stop();
  });

  for (const [name, error] of [
    [
      'that somebody must log in again',
      new AuthenticationError('log in', {
        code: 'LOGIN_REQUIRED',
        outcome: 'not-done',
        next: 'login',
      }),
    ],
    [
      'so with a word of its own',
      new AuthenticationError('the password is old', { code: 'PASSWORD_OLD', outcome: 'not-done' }),
    ],
  ] as const)
    it(`that says ${name} ends a watch, not at once`, async () => {
      const { shop, provide } = provided();
      const invoice = await shop.invoice();
      const log = record(watchInvoice(shop.client, invoice));
      await shop.sandbox.advance(1_000);
      provide(() => Promise.reject(error));
      await shop.sandbox.advance(9_000);
      expect(log.ended).to.equal(undefined);
      await shop.sandbox.advance(45_000);
      expect((log.ended as { error: { code: string; next: string } }).error).to.include({
        code: error.code,
        next: 'login',
      });
    });

  it('whose new token is refused too, or who has no other one, ends a watch after ten minutes', async () => {
    for (const token of [undefined, () => 'the-only-one'] as const) {
      const { shop, provide, refuse } = provided();
      const invoice = await shop.invoice();
      const log = record(watchInvoice(shop.client, invoice));
      await shop.sandbox.advance(1_000);
      provide(token);
      refuse(true);
      await shop.sandbox.advance(590_000);
      expect(log.ended).to.equal(undefined);
      await shop.sandbox.advance(45_000);
      expect((log.ended as { error: { code: string } }).error).to.include({
        code: 'UNAUTHORIZED',
        next: 'login',
      });
    }
  });
});
