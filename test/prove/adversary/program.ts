// Another program of the same account: it has no journal, and the network gives its answers to the wrong requests.
import { type Client, createClient, type PaymentQuote } from 'paystate';
import type { Sandbox } from 'paystate/sandbox';
import { cents } from './money.ts';
import type { Network } from './network.ts';
import { requestOf } from './wire.ts';

interface Bank {
  readonly methodId: string;
  readonly otherMethodId: string;
}

interface Part extends Bank {
  readonly client: Client;
  readonly sandbox: Sandbox;
  readonly n: number;
}

/** Pays by an address of the network, as a refund does too. */
function payBen({ client, n }: Part, amount: string, currency: string): Promise<void> {
  return quoteAndPay(client, n, () =>
    client.paymentQuotes.createLnurl({
      lnAddressOrUrl: 'ben@wallet.example',
      sourceCurrency: currency,
      amount: { amount, currency },
    }),
  );
}

/** Makes the part of an intent that it pays by, by its way. */
const PARTS: Readonly<Record<string, (part: Part) => Promise<void>>> = {
  async lightning({ client, sandbox, n }) {
    const lnInvoice = sandbox.payer.createBolt11({ sat: String(90_000 + n) });
    return quoteAndPay(client, n, () =>
      client.paymentQuotes.createLightning({ lnInvoice, sourceCurrency: 'BTC' }),
    );
  },
  lnurl: (part) => payBen(part, cents(7_000 + part.n), 'USD'),
  async onchain({ client, sandbox, n }) {
    const amount = { amount: cents(50_000 + n), currency: 'USD' };
    return quoteAndPay(client, n, () =>
      client.paymentQuotes.createOnchain({
        btcAddress: sandbox.payer.createAddress(),
        amount,
        sourceCurrency: 'USD',
        onchainTierId: 'tier_fast',
      }),
    );
  },
  async exchange({ client, n }) {
    const [sell, buy] = n % 2 === 1 ? ['USD', 'EUR'] : ['EUR', 'USD'];
    const base = n % 2 === 0 ? 4_000 : 9_000;
    const amount = { amount: cents(base + 37 * n), currency: sell };
    const { id } = await client.currencyExchangeQuotes.create({ sell, buy, amount });
    if (n % 3 > 0) await client.currencyExchangeQuotes.execute(id);
    await client.currencyExchangeQuotes.get(id);
  },
  async payout({ client, n, methodId, otherMethodId }) {
    const kind = n % 3; // another amount, another statement, another bank account
    const { id } = await client.payouts.create({
      paymentMethodId: kind === 2 ? otherMethodId : methodId,
      amount: cents((kind === 0 ? 8_000 : 2_500) + n),
      reference: kind === 1 ? `X${n}` : `R${n}`,
    });
    if (n % 4 === 3) await client.payouts.initiate(id);
    await client.payouts.get(id);
  },
  async deposit({ client, n, methodId }) {
    const amount = cents(9_000 + 37 * n);
    const { id } = await client.deposits.create({ paymentMethodId: methodId, amount });
    await client.deposits.get(id);
  },
  refund: (part) => payBen(part, cents(300 + part.n), 'EUR'),
};

/** Some quotes stay open, some are paid. */
async function quoteAndPay(
  client: Client,
  n: number,
  create: () => Promise<PaymentQuote>,
): Promise<void> {
  const { paymentQuoteId } = await create();
  if (n % 3 === 0) return;
  const { paymentId } = await client.paymentQuotes.execute(paymentQuoteId);
  await client.payments.get(paymentId);
}

export interface ProgramOptions extends Bank {
  readonly sandbox: Sandbox;
  readonly network: Network;
  readonly way: string;
  readonly count: number;
}

/** Plays the program; the network learns each of its answers. */
export async function playProgram(options: ProgramOptions): Promise<void> {
  const { sandbox, network, way, count } = options;
  const play = PARTS[way.replace(/^pay /, '')];
  if (!play) return;
  const base = sandbox.clientOptions;
  let n = 0;
  const client = createClient({
    ...base,
    fetch: async (input, init) => {
      const response = await base.fetch(input, init);
      const { status, headers } = response;
      const text = await response.clone().text();
      network.learn(requestOf(input, init), { status, text, date: headers.get('date'), n });
      return response;
    },
  });
  for (; n < count; n++) {
    const played = play({ ...options, client, n });
    await sandbox.run(played.catch(() => {}));
  }
}
