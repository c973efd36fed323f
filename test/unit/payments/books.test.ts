import { expect } from 'chai';
import { isPaystateError } from 'paystate';
import { describe, itLong } from '#test';
import { openTwo, sums, type Two } from './two.ts';

const CURRENCIES = ['BTC', 'USD', 'EUR'];

/** One step of a random walk: asks for money, pays, fails, waits. What is refused is refused. */
const step = async (
  { sandbox, client, shop, run }: Two,
  draw: (below: number) => number,
): Promise<void> => {
  const [payer, payee] = draw(2) ? [client, shop] : [shop, client];
  const currency = CURRENCIES[draw(3)]!;
  const amount = {
    amount: currency === 'BTC' ? `0.000${1_000 + draw(9_000)}` : `${draw(400)}.${10 + draw(89)}`,
    currency,
  };
  const sourceCurrency = CURRENCIES[draw(3)]!;
  const execute = async ({
    paymentQuoteId,
  }: {
    readonly paymentQuoteId: string;
  }): Promise<unknown> => run(payer.paymentQuotes.execute(paymentQuoteId));
  switch (draw(7)) {
    case 0: {
      const { invoiceId } = await run(payee.invoices.create({ amount }));
      const { lnInvoice } = await run(payee.invoices.quote(invoiceId));
      await execute(await run(payer.paymentQuotes.createLightning({ lnInvoice, sourceCurrency })));
      if (draw(3) === 0) await sandbox.payer.reverse(invoiceId);
      return;
    }
    case 1:
      return void (await execute(
        await run(
          payer.paymentQuotes.createLightning({
            lnInvoice: sandbox.payer.createBolt11({ msat: `${1 + draw(50_000_000)}` }),
            sourceCurrency,
          }),
        ),
      ));
    case 2:
      return void (await execute(
        await run(
          payer.paymentQuotes.createLnurl({
            lnAddressOrUrl: ['ada@wallet.example', 'shop@sandbox.invalid'][draw(2)]!,
            sourceCurrency,
            amount,
          }),
        ),
      ));
    case 3:
      return void (await execute(
        await run(
          payer.paymentQuotes.createOnchain({
            btcAddress: sandbox.payer.createAddress(),
            sourceCurrency,
            amount: { ...amount, feePolicy: draw(2) ? 'INCLUSIVE' : 'EXCLUSIVE' },
            onchainTierId: ['tier_fast', 'tier_normal'][draw(2)]!,
          }),
        ),
      ));
    case 4: {
      const { bolt11, onchain } = await run(
        payee.receiveRequests.create({
          bolt11: {},
          onchain: {},
          targetCurrency: CURRENCIES[draw(3)],
        }),
      );
      if (draw(2))
        return void sandbox.payer.pay(onchain!.address, {
          amount: `0.000${1 + draw(9_998)}`,
          pendingFor: draw(90_000),
          fails: draw(4) === 0,
        });
      return void (await execute(
        await run(
          payer.paymentQuotes.createLightning({
            lnInvoice: bolt11!.invoice,
            sourceCurrency,
            amount,
          }),
        ),
      ));
    }
    case 5: {
      const { invoiceId } = await run(
        payee.invoices.createFor(payer === client ? 'payer' : 'shop', { amount }),
      );
      return void (await run(
        sandbox.payer.pay(invoiceId, { pendingFor: draw(2_000), fails: draw(3) === 0 }),
      ));
    }
    default:
      await sandbox.advance(draw(120_000));
  }
};

describe('the books', () => {
  for (const seed of [1, 2, 3])
    itLong(
      `sum to zero after every step of a random walk, and nobody spends what he has not (seed ${seed})`,
      async () => {
        const two = openTwo({ seed });
        let state = seed;
        const draw = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
        const ends = ['COMPLETED', 'FAILED'];
        for (const after of [0, 30_000])
          for (const end of ends)
            two.sandbox.fault({ subject: 'payment', state: end, delay: after, probability: 0.2 });
        let reversed = false;
        for (let count = 0; count < 120; count++) {
          await step(two, draw).catch((thrown: unknown) => {
            if (!isPaystateError(thrown)) throw thrown;
          });
          expect(sums(two.sandbox)).to.deep.equal([]);
          reversed ||= two.sandbox.ledger.postings.some(({ why }) => why === 'invoice REVERSED');
          for (const [place, held] of Object.entries(two.sandbox.ledger.balances()))
            for (const [currency, amount] of Object.entries(held))
              if (/\.(held|free)$/.test(place) && !reversed)
                expect(amount, `${place} ${currency}`).not.to.match(/^-/);
        }
        await two.sandbox.advance(24 * 60 * 60_000);
        expect(sums(two.sandbox)).to.deep.equal([]);
        const whys = new Set(two.sandbox.ledger.postings.map(({ why }) => why));
        expect([...whys]).to.include.members([
          'payment PENDING',
          'payment COMPLETED',
          'payment FAILED',
          'invoice PAID',
          'receive COMPLETED',
        ]);
        for (const account of ['payer', 'shop'])
          for (const currency of CURRENCIES)
            expect(two.held(`${account}.held`, currency)).to.match(/^[0.]+$|none/);
      },
    );
});
