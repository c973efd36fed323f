// A random life of an account in a sandbox: everything that moves money, with all that can become of it.
import { type Client, createClient, type productionRateLimits } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';

const CURRENCIES = ['EUR', 'BTC', 'USD', 'USDT', 'GBP', 'AUD'] as const;
type Code = (typeof CURRENCIES)[number];

/** The opening balance of every currency. */
export const OPENING: Readonly<Record<Code, string>> = {
  EUR: '900000.00',
  BTC: '19.00000000',
  USD: '900000.00',
  USDT: '900000.000000',
  GBP: '900000.00',
  AUD: '900000.00',
};

const wide = { limit: 10_000_000, window: 60_000, block: 60_000 };
/** Its own requests are not held back; those of the export are. */
const rateLimits: typeof productionRateLimits = {
  invoices: wide,
  'invoice-quotes': wide,
  'payment-quotes': wide,
  execute: wide,
  rates: wide,
  others: wide,
};

export interface Life {
  readonly sandbox: Sandbox;
  /** Keeps to the limits of production. */
  readonly reader: Client;
  readonly client: Client;
  /** Acts once, at random. */
  step(): Promise<void>;
}

/** Numbers that a seed brings back (mulberry32). */
const drawsOf = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};

export async function beginLife(seed: number): Promise<Life> {
  const sandbox = createSandbox({
    seed,
    signed: false,
    rateLimits,
    accounts: [
      { handle: 'shop', balances: OPENING, reward: '0.01' },
      { handle: 'cafe', balances: OPENING },
    ],
  });
  const { run, payer } = sandbox;
  const options = sandbox.clientOptionsFor({ account: 'shop' });
  const client = createClient({ ...options, rateLimits });
  const reader = createClient(options);
  const cafe = createClient({
    ...sandbox.clientOptionsFor({ account: 'cafe' }),
    rateLimits,
  });
  const draw = drawsOf(seed);
  const pick = <T>(list: readonly T[]): T => list[draw(list.length)]!;
  const amountIn = (currency: Code): { amount: string; currency: Code } => {
    const units = `${1 + draw(pick([300, 5_000, 200_000]))}`;
    if (currency === 'BTC') return { amount: `0.${units.padStart(8, '0')}`, currency };
    if (currency === 'USDT')
      return { amount: `${draw(90)}.${`${draw(999_999) + 1}`.padStart(6, '0')}`, currency };
    const digits = units.padStart(3, '0');
    return { amount: `${digits.slice(0, -2)}.${digits.slice(-2)}`, currency };
  };
  /** With less, nobody can tell by the rounded rate whether the fee was inside. */
  const atLeastFive = ({ amount, currency }: { amount: string; currency: Code }) => ({
    amount: currency === 'BTC' ? amount.replace(/^0\.000/, '0.001') : amount.replace(/^/, '1'),
    currency,
  });
  const drawn = (): { amount: string; currency: Code } => amountIn(pick(CURRENCIES));
  const feePolicy = () => pick(['INCLUSIVE', 'EXCLUSIVE'] as const);
  const methods: string[] = [];
  const paid: string[] = [];

  const invoice = async () => {
    const made = await run(client.invoices.create({ amount: drawn() }));
    const way = draw(6);
    if (way === 0) return;
    if (way === 1) return void (await run(client.invoices.cancel(made.invoiceId)));
    if (way === 2)
      return payFrom(cafe, (await run(client.invoices.quote(made.invoiceId))).lnInvoice);
    await run(payer.pay(made.invoiceId, { fails: way === 3, pendingFor: draw(20_000) }));
    if (way === 4) await run(payer.reverse(made.invoiceId));
    if (way === 5) paid.push(made.invoiceId);
  };
  const payFrom = async (from: Client, lnInvoice: string, amount?: object) => {
    const { paymentQuoteId } = await run(
      from.paymentQuotes.createLightning({
        lnInvoice,
        sourceCurrency: pick(CURRENCIES),
        ...(amount && { amount: { ...drawn(), feePolicy: feePolicy() } }),
      }),
    );
    if (draw(8) > 0) await run(from.paymentQuotes.execute(paymentQuoteId));
  };
  const pay = async () => {
    const end = sandbox.fault({
      subject: 'payment',
      state: pick(['COMPLETED', 'COMPLETED', 'FAILED']),
      delay: pick([0, 3_000, 600_000]),
    });
    try {
      if (draw(3) === 0) return await payOnchain();
      if (draw(3) === 0) {
        const made = await run(cafe.invoices.create({ amount: drawn() }));
        return await payFrom(client, (await run(cafe.invoices.quote(made.invoiceId))).lnInvoice);
      }
      const open = draw(2) === 0;
      const bolt11 = payer.createBolt11(open ? {} : { sat: `${1 + draw(100_000)}` });
      await payFrom(client, bolt11, open ? {} : undefined);
    } finally {
      end();
    }
  };
  const payOnchain = async () => {
    const btcAddress = payer.createAddress();
    const amount = amountIn('BTC');
    const [tier] = await run(client.paymentQuotes.listTiers({ btcAddress, amount }));
    const { paymentQuoteId } = await run(
      client.paymentQuotes.createOnchain({
        btcAddress,
        sourceCurrency: pick(CURRENCIES),
        amount: { ...amount, feePolicy: feePolicy() },
        onchainTierId: tier!.id,
      }),
    );
    await run(client.paymentQuotes.execute(paymentQuoteId));
  };
  const exchange = async () => {
    const [sell, buy] = [pick(CURRENCIES), pick(CURRENCIES)];
    const amount = { ...atLeastFive(amountIn(pick([sell, buy]))), feePolicy: feePolicy() };
    const { id } = await run(client.currencyExchangeQuotes.create({ sell, buy, amount }));
    if (draw(6) === 0) return;
    const end = sandbox.fault({
      subject: 'currencyExchangeQuote',
      state: pick(['COMPLETED', 'COMPLETED', 'FAILED']),
      delay: draw(2) * 60_000,
    });
    await run(client.currencyExchangeQuotes.execute(id)).finally(end);
  };
  const receive = async () => {
    const request = await run(
      client.receiveRequests.create({
        bolt11: draw(2) === 0 ? {} : { amount: drawn() },
        onchain: {},
        targetCurrency: pick(CURRENCIES),
      }),
    );
    const target = draw(2) === 0 ? request.bolt11!.invoice : request.onchain!.address;
    const isOpen = target !== request.bolt11!.invoice || !request.bolt11!.requestedAmount;
    await run(
      payer.pay(target, {
        pendingFor: draw(2) * 900_000,
        ...(isOpen && { amount: amountIn('BTC').amount }),
      }),
    );
  };
  const bank = async () => {
    if (methods.length === 0) {
      const made = await run(
        client.bankPaymentMethods.create({
          transferType: 'SEPA',
          accountNumber: 'AT000000000000000000',
          routingNumber: 'EXAMATWWXXX',
          beneficiaries: [{ type: 'INDIVIDUAL', name: 'Edith Example' }],
        }),
      );
      await sandbox.advance(60_000);
      methods.push(made.id);
    }
    const paymentMethodId = pick(methods);
    const { amount } = amountIn('EUR');
    const draft = { paymentMethodId, amount, feePolicy: feePolicy() };
    if (draw(2) === 0) {
      const { id } = await run(client.deposits.create(draft));
      return settle('deposit', id, ['COMPLETED', 'FAILED', 'REVERSED']);
    }
    const { id } = await run(client.payouts.create(draft));
    if (draw(5) === 0) return;
    await run(client.payouts.initiate(id));
    return settle('payout', id, ['COMPLETED', 'FAILED', 'REVERSED']);
  };
  /** Waits for its usual end, and now and then goes on from there. */
  const settle = async (subject: 'deposit' | 'payout', id: string, states: readonly string[]) => {
    if (draw(2) === 0) return;
    if (draw(2) === 0) await sandbox.advance(3_600_000);
    await sandbox.move(subject, id, pick(states));
  };
  const others = async () => {
    if (draw(2) === 0) await run(client.invoices.createFor('cafe', { amount: drawn() }));
    const last = paid.pop();
    if (last !== undefined) await run(payer.reverse(last));
    await sandbox.advance(draw(120_000));
  };
  const acts = [invoice, invoice, pay, pay, exchange, receive, bank, others];
  return {
    sandbox,
    client,
    reader,
    async step() {
      try {
        await pick(acts)();
      } catch {
        // refused: too little, too fine, too late; nothing has moved, or the books would say so
      }
    },
  };
}
