// What a checkout shows as a code, and how often it asks for one.
import { expect } from 'chai';
import type { Invoice, InvoiceQuote } from 'paystate';
import { checkout, type CheckoutView } from 'paystate/flows';
import { decodeBolt11 } from 'paystate/lightning';
import { encodeBolt11 } from 'paystate/lightning/signature';
import { describe, it, itLong } from '#test';
import { KEY } from '../lightning/invoice-drafts.ts';
import {
  altered,
  type Answers,
  openShop,
  record,
  refusal,
  type Record,
  type Shop,
} from '../state/shop.ts';

const MINUTE = 60_000;

async function open(
  shop: Shop,
  description?: string,
): Promise<{ invoice: Invoice; log: Record<CheckoutView> }> {
  const invoice = await shop.sandbox.run(
    shop.client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' }, description }),
  );
  const log = record(checkout(shop.client, { invoiceId: invoice.invoiceId }));
  await shop.sandbox.advance(1_000);
  return { invoice, log };
}

const quotes = (change: (quote: InvoiceQuote, nth: number) => unknown): Answers => {
  let nth = 0;
  return async (url, ask) =>
    url.endsWith('/quote')
      ? altered(await ask(), (quote: InvoiceQuote) => change(quote, nth++))
      : ask();
};

/** The quote with a code that asks for so many millisatoshi more, or for no amount. */
function withAmount(quote: InvoiceQuote, more: bigint | undefined): InvoiceQuote {
  const { amountMsat, payee: _, ...said } = decodeBolt11(quote.lnInvoice);
  const asked = more === undefined ? undefined : `${BigInt(amountMsat!) + more}`;
  const draft = { ...said, amountMsat: asked, fallbacks: [], routeHints: [], features: undefined };
  return { ...quote, lnInvoice: encodeBolt11(draft, KEY) };
}

const codesOf = (log: Record<CheckoutView>) => [
  ...new Set(
    log.values.flatMap((view) => (view.phase === 'awaiting' ? [view.quote.lnInvoice] : [])),
  ),
];

/** When quotes were asked for, in milliseconds since `from`; further tries of one call are not counted. */
const askedAt = (shop: Shop) =>
  shop.requests
    .filter(({ path, attempt }) => path.endsWith('/quote') && attempt === 1)
    .map(({ sentAt: at }) => at);

describe("a checkout's codes", () => {
  for (const expiration of ['', 'soon', '30', '2026-13-45T99:00:00Z'])
    it(`are not shown where nobody can read when their quote ends: "${expiration}"`, async () => {
      const shop = openShop(
        { signed: true },
        quotes((quote) => ({ ...quote, expiration })),
      );
      const { log } = await open(shop);
      expect(codesOf(log)).to.deep.equal([]);
      expect(log.values.at(-1)!.phase).to.equal('unsafe');
      log.stop();
    });

  for (const [what, change] of [
    ['names no amount', (quote: InvoiceQuote) => withAmount(quote, undefined)],
    ['asks for a millisatoshi more', (quote: InvoiceQuote) => withAmount(quote, 1n)],
    [
      'is quoted in another currency',
      (quote: InvoiceQuote) => ({
        ...quote,
        sourceAmount: { ...quote.sourceAmount, currency: 'USD' },
      }),
    ],
  ] as const)
    it(`are not shown where one ${what}`, async () => {
      const shop = openShop({ signed: true }, quotes(change));
      const { log } = await open(shop);
      expect(codesOf(log)).to.deep.equal([]);
      expect(log.values.at(-1)).to.include({ phase: 'unsafe', problem: 'QUOTE_AMOUNT_DIFFERS' });
      log.stop();
    });

  it('may write their amount with zeros that say nothing', async () => {
    const shop = openShop(
      { signed: true },
      quotes(({ sourceAmount: { amount, currency }, ...quote }) => ({
        ...quote,
        sourceAmount: { amount: `0${amount}00`, currency },
      })),
    );
    const { log } = await open(shop);
    expect(codesOf(log)).to.have.length(1);
    log.stop();
  });

  itLong(
    'stay on the network of the first one, also where the same payee signs for another',
    async () => {
      for (const [first, next] of [
        ['regtest', 'mainnet'],
        ['mainnet', 'testnet'],
        ['mainnet', 'mainnet'],
      ] as const) {
        const shop = openShop(
          { signed: true },
          quotes((quote, nth) => {
            const { expirySeconds, ...said } = decodeBolt11(quote.lnInvoice);
            const draft = {
              ...said,
              expirySeconds,
              network: nth === 0 ? first : next,
              payee: undefined,
              fallbacks: [],
              routeHints: [],
              features: undefined,
            };
            return { ...quote, lnInvoice: encodeBolt11(draft, KEY) };
          }),
        );
        const { log } = await open(shop);
        expect(codesOf(log), first).to.have.length(1);
        await shop.sandbox.advance(40_000);
        if (next === first) expect(codesOf(log)).to.have.length(2);
        else {
          expect(codesOf(log), `${first} ${next}`).to.have.length(1);
          expect(log.values.at(-1)).to.include({
            phase: 'unsafe',
            problem: 'QUOTE_NETWORK_CHANGED',
          });
        }
        log.stop();
      }
    },
  );

  it('may carry the description of the invoice where the quote leaves it out, and no other', async () => {
    const without = (quote: InvoiceQuote): unknown => ({ ...quote, description: undefined });
    const fits = openShop({ signed: true }, quotes(without));
    const { log } = await open(fits, 'A shirt, blue');
    const [code] = codesOf(log);
    expect(decodeBolt11(code!).description).to.equal('A shirt, blue');
    log.stop();
    const differs = openShop({ signed: true }, async (url, ask) => {
      const answer = await ask();
      if (url.endsWith('/quote')) return altered(answer, without);
      return /\/v1\/invoices\/[^/]+$/.test(url)
        ? altered(answer, (invoice: Invoice) => ({ ...invoice, description: 'A shirt, red' }))
        : answer;
    });
    const other = await open(differs, 'A shirt, blue');
    expect(codesOf(other.log)).to.deep.equal([]);
    expect(other.log.values.at(-1)).to.include({
      phase: 'unsafe',
      problem: 'QUOTE_DESCRIPTION_DIFFERS',
    });
    other.log.stop();
  });
});

describe('a checkout that asks for codes', () => {
  itLong(
    'waits no longer after a refusal because there were others before it, each followed by a code',
    async () => {
      let turn = 0;
      const shop = openShop({ signed: true }, (url, ask) =>
        url.endsWith('/quote') && turn++ % 2 === 1
          ? Promise.resolve(refusal(400, 'INVALID_DATA'))
          : ask(),
      );
      const { log } = await open(shop);
      await shop.sandbox.advance(5 * MINUTE);
      const asked = askedAt(shop);
      const waits = asked
        .map((at, nth) => at - asked[nth - 1]!)
        .filter((_, nth) => nth > 0 && nth % 2 === 0); // from a refusal to the next try
      expect(waits.length).to.be.at.least(6);
      expect(Math.max(...waits)).to.be.below(2_500);
      expect(
        log.values
          .slice(log.values.findIndex(({ phase }) => phase === 'awaiting'))
          .every(({ phase }) => phase === 'awaiting'),
      ).to.equal(true);
      log.stop();
    },
  );

  itLong(
    'shows each code for most of its life, also where the network takes half of it to bring one',
    async () => {
      for (const delay of [100, 6_000, 9_000, 16_000]) {
        const shop = openShop({ signed: true }, undefined, { attemptTimeout: 28_000 });
        shop.sandbox.fault({
          path: '/v1/invoices/{invoiceId}/quote',
          action: { delay, processed: true },
        });
        const { log } = await open(shop);
        await shop.sandbox.advance(5 * MINUTE);
        const asked = askedAt(shop);
        const gaps = asked.slice(1).map((at, nth) => at - asked[nth]!);
        expect(asked.length, `${delay} ms`).to.be.within(8, 17);
        expect(Math.min(...gaps), `${delay} ms`).to.be.at.least(19_000); // two thirds of a code's 30 s
        log.stop();
        await shop.sandbox.advance(2 * MINUTE);
        expect(askedAt(shop), 'left').to.have.length(asked.length);
      }
    },
  );

  itLong(
    'tries again where a copy of the data, or a proxy, does not know the invoice yet',
    async () => {
      for (const notFound of [refusal(404, 'NOT_FOUND'), new Response('<html>', { status: 404 })]) {
        let isAway = true;
        const shop = openShop({ signed: true }, async (url, ask) =>
          url.endsWith('/quote') && isAway ? notFound.clone() : ask(),
        );
        const { log } = await open(shop);
        await shop.sandbox.advance(10_000);
        expect(log.values.at(-1)).to.include({ phase: 'renewing' });
        isAway = false;
        await shop.sandbox.advance(31_000);
        expect(log.values.at(-1)!.phase).to.equal('awaiting');
        log.stop();
      }
    },
  );

  it('says nothing to the payer of one answer that was lost, and has its code a moment later', async () => {
    const shop = openShop({ signed: true });
    shop.sandbox.fault({
      path: '/v1/invoices/{invoiceId}/quote',
      nth: 1,
      action: { status: 503, code: 'SERVICE_UNAVAILABLE' },
    });
    const { log } = await open(shop);
    await shop.sandbox.advance(10_000);
    expect(log.values.at(-1)!.phase).to.equal('awaiting');
    expect(log.values.filter((view) => 'error' in view && view.error !== undefined)).to.deep.equal(
      [],
    );
    log.stop();
  });

  it('asks earlier for the next code after one that was slow to come', async () => {
    const shop = openShop({ signed: true });
    shop.sandbox.fault({
      path: '/v1/invoices/{invoiceId}/quote',
      nth: 1,
      action: { delay: 8_000, processed: true },
    });
    const { log } = await open(shop);
    await shop.sandbox.advance(MINUTE);
    const asked = askedAt(shop);
    const gaps = asked.slice(1).map((at, nth) => Math.round((at - asked[nth]!) / 1_000));
    expect(gaps).to.deep.equal([20, 20, 20]); // a third of its 30 s before its end
    log.stop();
  });

  it('takes the answer that there is no such invoice for good after half a minute', async () => {
    const shop = openShop({ signed: true }, async (url, ask) =>
      url.endsWith('/quote') ? refusal(404, 'NOT_FOUND') : ask(),
    );
    const { log } = await open(shop);
    await shop.sandbox.advance(2 * MINUTE);
    expect(log.values.at(-1)).to.include({ phase: 'unsafe', problem: 'NOT_FOUND' });
    log.stop();
  });

  itLong('asks for few codes while none can be had', async () => {
    const shop = openShop({ signed: true }, async (url, ask) =>
      url.endsWith('/quote') ? refusal(503, 'LN_UNAVAILABLE') : ask(),
    );
    const { log } = await open(shop);
    await shop.sandbox.advance(120 * MINUTE);
    expect(shop.requests.filter(({ path }) => path.endsWith('/quote')).length).to.be.below(40);
    log.stop();
  });
});
