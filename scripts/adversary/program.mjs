// Another program of the same account: it has no journal, and the network gives its answers to the wrong requests.
import { createClient } from 'paystate';
import { requestOf } from './wire.mjs';

const cents = (number) => `${Math.floor(number / 100)}.${String(number % 100).padStart(2, '0')}`;

/** Makes the part of an intent that it pays by. Its terms are its own, or with `isTwin` those of one of the first few. */
const PARTS = {
  async lightning({ client, sandbox, n, isTwin }) {
    const lnInvoice = sandbox.payer.createBolt11({ sat: String((isTwin ? 15_000 : 90_000) + n) });
    return quoteAndPay(client, n, () =>
      client.paymentQuotes.createLightning({ lnInvoice, sourceCurrency: 'BTC' }),
    );
  },
  async lnurl({ client, n, isTwin }) {
    const amount = { amount: cents((isTwin ? 2_000 : 7_000) + n), currency: 'USD' };
    return quoteAndPay(client, n, () =>
      client.paymentQuotes.createLnurl({
        lnAddressOrUrl: 'ben@wallet.example',
        sourceCurrency: 'USD',
        amount,
      }),
    );
  },
  async onchain({ client, sandbox, n, isTwin }) {
    const amount = { amount: cents((isTwin ? 20_000 : 50_000) + n), currency: 'USD' };
    return quoteAndPay(client, n, () =>
      client.paymentQuotes.createOnchain({
        btcAddress: sandbox.payer.createAddress(),
        amount,
        sourceCurrency: 'USD',
        onchainTierId: 'tier_fast',
      }),
    );
  },
  async exchange({ client, n, isTwin }) {
    const sell = isTwin || n % 2 ? 'USD' : 'EUR';
    const amount = { amount: cents((isTwin || !(n % 2) ? 4_000 : 9_000) + 37 * n), currency: sell };
    const buy = sell === 'USD' ? 'EUR' : 'USD';
    const { id } = await client.currencyExchangeQuotes.create({ sell, buy, amount });
    if (n % 3 > 0) await client.currencyExchangeQuotes.execute(id);
    await client.currencyExchangeQuotes.get(id);
  },
  async payout({ client, n, isTwin, methodId, otherMethodId }) {
    const kind = isTwin ? 3 : n % 3; // another amount, another statement, another bank account
    const { id } = await client.payouts.create({
      paymentMethodId: kind === 2 ? otherMethodId : methodId,
      amount: cents((kind === 0 ? 8_000 : 2_500) + n),
      reference: kind === 1 ? `X${n}` : `R${n}`,
    });
    if (n % 4 === 3) await client.payouts.initiate(id);
    await client.payouts.get(id);
  },
  async deposit({ client, n, isTwin, methodId }) {
    const amount = cents((isTwin ? 5_000 : 9_000) + 37 * n);
    const { id } = await client.deposits.create({ paymentMethodId: methodId, amount });
    await client.deposits.get(id);
  },
  async refund({ client, n }) {
    const amount = { amount: cents(300 + n), currency: 'EUR' };
    return quoteAndPay(client, n, () =>
      client.paymentQuotes.createLnurl({
        lnAddressOrUrl: 'ben@wallet.example',
        sourceCurrency: 'EUR',
        amount,
      }),
    );
  },
};

/** Some quotes stay open, some are paid. */
const quoteAndPay = async (client, n, create) => {
  const { paymentQuoteId } = await create();
  if (n % 3 === 0) return;
  const { paymentId } = await client.paymentQuotes.execute(paymentQuoteId);
  await client.payments.get(paymentId);
};

/** Plays the program; the network learns each of its answers. */
export const playProgram = async ({ sandbox, network, way, isTwin, count, ...methods }) => {
  const play = PARTS[way.replace(/^pay /, '')];
  if (!play) return;
  const base = sandbox.clientOptions;
  let n = 0;
  const client = createClient({
    ...base,
    fetch: async (input, init) => {
      const response = await base.fetch(input, init);
      const text = await response.clone().text();
      network.learn(requestOf(input, init), {
        status: response.status,
        text,
        date: response.headers.get('date'),
        n,
      });
      return response;
    },
  });
  for (; n < count; n++)
    await sandbox.run(play({ client, sandbox, n, isTwin, ...methods }).catch(() => {}));
};
