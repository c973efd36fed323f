// Ways to move money, and to make what can be paid: what an intent of each asks for, and who plays it.
import type { CurrencyExchangeQuote, PaymentQuote } from 'paystate';
import { deposit, exchange, pay, payOut, refund } from 'paystate/flows';
import type { StateRule } from 'paystate/sandbox';
import type { Parts, Play } from './intent.ts';
import { cents, isAmount, isWithFee } from './money.ts';
import * as bank from './users/bank.ts';
import { exchange as exchangeByHand } from './users/exchange.ts';
import { create, ensure } from './users/invoice.ts';
import { pay as payByHand } from './users/pay.ts';
import { type Begin, run } from './users/run.ts';

/** Amounts by currency. */
export type Balances = Readonly<Record<string, string>>;

export interface Way {
  /** The service may check several things before it executes: their order is drawn from too. */
  readonly isOrdered?: true;
  /** The shop alone plays it. */
  readonly isFromShop?: true;
  /** Returns the price of the n-th intent. */
  price(n: number): Balances;
  user(parts: Parts): Play;
}

const free = (): Balances => ({});
const USD = (amount: string) => ({ amount, currency: 'USD' });
const EUR = (amount: string) => ({ amount, currency: 'EUR' });
/** True for a quote of this many dollars. */
const isOf =
  (amount: string) =>
  (quote: PaymentQuote): boolean =>
    isAmount(quote.amount, amount, 'USD');
const exchanged = (n: number): string => cents(4_000 + 37 * n);

/** The careful user does by hand what the runs of the SDK do. */
const BY_HAND = {
  lightning: {
    isOrdered: true,
    price: (n) => ({ BTC: `0.0001${String(5_000 + n)}` }),
    user({ sandbox, n, chance }) {
      const sat = String(15_000 + n);
      const ask = (): string => sandbox.payer.createBolt11({ sat });
      const [first, isFresh] = [ask(), chance.hits(0.5)]; // some are asked for a new invoice by who pays again
      return payByHand(
        (client) =>
          client.paymentQuotes.createLightning({
            lnInvoice: isFresh ? ask() : first,
            sourceCurrency: 'BTC',
          }),
        ({ amount }) => isAmount(amount, `0.000${sat}`, 'BTC'),
      );
    },
  },
  lnurl: {
    isOrdered: true,
    price: (n) => ({ USD: cents(2_000 + n) }),
    user({ n }) {
      const amount = cents(2_000 + n);
      const draft = { lnAddressOrUrl: 'ada@wallet.example', sourceCurrency: 'USD' };
      return payByHand(
        (client) => client.paymentQuotes.createLnurl({ ...draft, amount: USD(amount) }),
        isOf(amount),
      );
    },
  },
  onchain: {
    isOrdered: true,
    price: (n) => ({ USD: cents(20_000 + n) }),
    user({ sandbox, n }) {
      const amount = cents(20_000 + n);
      const btcAddress = sandbox.payer.createAddress();
      const draft = { btcAddress, sourceCurrency: 'USD', onchainTierId: 'tier_fast' };
      return payByHand(
        (client) => client.paymentQuotes.createOnchain({ ...draft, amount: USD(amount) }),
        isOf(amount),
      );
    },
  },
  exchange: {
    isOrdered: true,
    price: (n) => ({ USD: exchanged(n) }),
    user({ n }) {
      const draft = { sell: 'USD', buy: 'EUR', amount: USD(exchanged(n)) };
      return exchangeByHand(
        (client) => client.currencyExchangeQuotes.create(draft),
        (quote: CurrencyExchangeQuote) => isWithFee(quote, exchanged(n), 'USD'),
      );
    },
  },
  payout: {
    price: (n) => ({ EUR: cents(2_500 + n) }),
    user: ({ n, methodId }) =>
      bank.payOut({ paymentMethodId: methodId, amount: cents(2_500 + n), reference: `R${n}` }),
  },
  deposit: {
    price: free,
    user: ({ n, methodId, newId }) =>
      bank.deposit({ paymentMethodId: methodId, amount: cents(5_000 + 37 * n) }, newId),
  },
  create: {
    price: free,
    user: ({ n }) => create({ amount: EUR(cents(700 + n)), description: `Order ${n}` }),
  },
  ensure: {
    price: free,
    user: ({ n }) =>
      ensure({
        correlationId: `order-${n}`,
        amount: EUR(cents(700 + n)),
        description: `Order ${n}`,
      }),
  },
} satisfies Readonly<Record<string, Way>>;

/** Refunds of one invoice: each is of eight, and twenty have come in. */
export const PER_INVOICE = 4;

const ANY = { maxFee: 'any', maxTotal: 'any' } as const;

/** The runs of the SDK, with the orders of the careful user. */
export const BEGUN: Readonly<Record<string, (parts: Parts, intent: string) => Begin>> = {
  lightning({ sandbox, n }, intent) {
    const to = sandbox.payer.createBolt11({ sat: String(15_000 + n) });
    return (client, journal) => pay(client, { ...ANY, intent, journal, to, sourceCurrency: 'BTC' });
  },
  lnurl({ n }, intent) {
    const order = {
      to: 'ada@wallet.example',
      sourceCurrency: 'USD',
      amount: USD(cents(2_000 + n)),
    };
    return (client, journal) => pay(client, { ...ANY, ...order, intent, journal });
  },
  onchain({ sandbox, n }, intent) {
    const to = sandbox.payer.createAddress();
    const order = { to, sourceCurrency: 'USD', onchainTierId: 'tier_fast' };
    const amount = USD(cents(20_000 + n));
    return (client, journal) => pay(client, { ...ANY, ...order, amount, intent, journal });
  },
  exchange({ n }, intent) {
    const order = { sell: 'USD', buy: 'EUR', amount: USD(exchanged(n)) };
    return (client, journal) => exchange(client, { ...order, intent, journal });
  },
  payout({ n, methodId }, intent) {
    const order = { bankPaymentMethodId: methodId, amount: cents(2_500 + n), reference: `R${n}` };
    return (client, journal) => payOut(client, { ...order, maxFee: 'any', intent, journal });
  },
  deposit({ n, methodId }, intent) {
    const order = { bankPaymentMethodId: methodId, amount: cents(5_000 + 37 * n) };
    return (client, journal) => deposit(client, { ...order, maxFee: 'any', intent, journal });
  },
  refund({ n, invoices }, intent) {
    const invoiceId = invoices[Math.floor(n / PER_INVOICE)]!;
    const order = { invoiceId, to: 'ada@wallet.example', sourceCurrency: 'EUR' };
    const amount = EUR(cents(800 + n));
    return (client, journal) => refund(client, { ...ANY, ...order, amount, intent, journal });
  },
};

const IS_PAY: ReadonlySet<string> = new Set(['lightning', 'lnurl', 'onchain']);
const prices: Readonly<Record<string, Way>> = BY_HAND;

const runs = Object.entries(BEGUN).map(([rail, beginOf]): [string, Way] => [
  `pay ${rail}`,
  {
    isOrdered: true,
    price: (n) => prices[rail]?.price(n) ?? {},
    ...(rail === 'refund' && { isFromShop: true }),
    user: (parts) => run(beginOf(parts, `intent-${parts.n}`), IS_PAY.has(rail) ? 'pay' : rail),
  },
]);

export const WAYS: Readonly<Record<string, Way>> = { ...BY_HAND, ...Object.fromEntries(runs) };

/** The way of this name. */
export function wayOf(name: string): Way {
  const way = WAYS[name];
  if (!way) throw new Error(`no way is named ${name}; there are ${Object.keys(WAYS).join(', ')}`);
  return way;
}

/** Drawn changes of states that end what a way moves. */
export function stateRulesOf(way: string): readonly StateRule[] {
  const rail = way.replace(/^pay /, '');
  if (rail === 'create' || rail === 'ensure') return [];
  const late = { state: 'COMPLETED', delay: 30_000, probability: 0.25 };
  if (rail === 'payout' || rail === 'deposit') return [{ subject: rail, ...late }];
  const subject = rail === 'exchange' ? 'currencyExchangeQuote' : 'payment';
  const failing = { state: 'FAILED', delay: 2_000, probability: 0.08 };
  return [
    { subject, ...failing },
    { subject, ...late },
  ];
}
