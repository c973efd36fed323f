// One world: twenty people at once, each with one thing to do, over one service and one lying network.
import { createClient } from 'paystate';
import { addMoney, compareMoney, subtractMoney } from 'paystate/money';
import { pay as payOnce } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { chanceOf } from './chance.mjs';
import { judge } from './judge.mjs';
import { NO_LIMITS } from './limits.mjs';
import { createNetwork } from './network.mjs';
import { playProgram } from './program.mjs';
import { createShared, createUser } from './user.mjs';
import { deposit, payOut } from './users/bank.mjs';
import { exchange } from './users/exchange.mjs';
import { create, ensure } from './users/invoice.mjs';
import { pay } from './users/pay.mjs';
import { run } from './users/run.mjs';

export const ORDERS = ['processed', 'expired', 'balance'];
export const AT_ONCE = 20;

const PLENTY = { BTC: '50', USD: '900000', EUR: '900000' };

const is = (money, amount, currency) =>
  money?.currency === currency && compareMoney(money, { amount, currency }) === 0;
/** What is sold is that, whether the fee is in it, on top of it or apart from it. */
const isWithFee = ({ source, fee }, amount, currency) =>
  is(source, amount, currency) ||
  (fee?.currency === currency &&
    source.currency === currency &&
    [addMoney(source, fee), subtractMoney(source, fee)].some((one) => is(one, amount, currency)));
const cents = (number) => `${Math.floor(number / 100)}.${String(number % 100).padStart(2, '0')}`;

const METHODS = {
  payout: {
    transferType: 'SEPA',
    accountNumber: 'AT000000000000000000',
    routingNumber: 'EXAMATWWXXX',
    beneficiaries: [{ type: 'INDIVIDUAL', name: 'Edith Example' }],
  },
  deposit: {
    transferType: 'ACH',
    accountNumber: '000123456',
    routingNumber: '000000000',
    accountType: 'CHECKING',
    bankName: 'Example Bank',
    beneficiaries: [{ type: 'INDIVIDUAL', name: 'Edith Example' }],
  },
};

/**
 * Ways to move money, and to make what can be paid: what an intent of each asks for, and who plays it. Where the service may
 * look at several things before it executes, their order is drawn from too.
 */
export const WAYS = {
  lightning: {
    isOrdered: true,
    price: (n) => ({ BTC: `0.0001${String(5_000 + n)}` }),
    user({ sandbox, n, chance }) {
      const sat = String(15_000 + n);
      const ask = () => sandbox.payer.createBolt11({ sat });
      const [first, isFresh] = [ask(), chance.hits(0.5)]; // some are asked for a new invoice by who pays again
      return pay(
        (client) =>
          client.paymentQuotes.createLightning({
            lnInvoice: isFresh ? ask() : first,
            sourceCurrency: 'BTC',
          }),
        ({ amount }) => is(amount, `0.000${sat}`, 'BTC'),
      );
    },
  },
  lnurl: {
    isOrdered: true,
    price: (n) => ({ USD: cents(2_000 + n) }),
    user({ n }) {
      const amount = { amount: cents(2_000 + n), currency: 'USD' };
      return pay(
        (client) =>
          client.paymentQuotes.createLnurl({
            lnAddressOrUrl: 'ada@wallet.example',
            sourceCurrency: 'USD',
            amount,
          }),
        (quote) => is(quote.amount, amount.amount, 'USD'),
      );
    },
  },
  onchain: {
    isOrdered: true,
    price: (n) => ({ USD: cents(20_000 + n) }),
    user({ sandbox, n }) {
      const amount = { amount: cents(20_000 + n), currency: 'USD' };
      const btcAddress = sandbox.payer.createAddress();
      return pay(
        (client) =>
          client.paymentQuotes.createOnchain({
            btcAddress,
            amount,
            sourceCurrency: 'USD',
            onchainTierId: 'tier_fast',
          }),
        (quote) => is(quote.amount, amount.amount, 'USD'),
      );
    },
  },
  exchange: {
    isOrdered: true,
    price: (n) => ({ USD: cents(4_000 + 37 * n) }),
    user({ n }) {
      const amount = { amount: cents(4_000 + 37 * n), currency: 'USD' };
      return exchange(
        (client) => client.currencyExchangeQuotes.create({ sell: 'USD', buy: 'EUR', amount }),
        (quote) => isWithFee(quote, amount.amount, 'USD'),
      );
    },
  },
  payout: {
    price: (n) => ({ EUR: cents(2_500 + n) }),
    user: ({ n, methodId }) =>
      payOut({ paymentMethodId: methodId, amount: cents(2_500 + n), reference: `R${n}` }),
  },
  deposit: {
    price: () => ({}),
    user: ({ n, methodId, newId }) =>
      deposit({ paymentMethodId: methodId, amount: cents(5_000 + 37 * n) }, newId),
  },
  create: {
    price: () => ({}),
    user: ({ n }) =>
      create({ amount: { amount: cents(700 + n), currency: 'EUR' }, description: `Order ${n}` }),
  },
  ensure: {
    price: () => ({}),
    user: ({ n }) =>
      ensure({
        correlationId: `order-${n}`,
        amount: { amount: cents(700 + n), currency: 'EUR' },
        description: `Order ${n}`,
      }),
  },
};

/** One and a quarter times the price: a second time is refused for want of money. */
const tightly = (price) =>
  Object.fromEntries(
    Object.entries(price).map(([currency, amount]) => [
      currency,
      currency === 'BTC'
        ? (Number(amount) * 1.25).toFixed(8)
        : (Number(amount) * 1.25 + 3).toFixed(2),
    ]),
  );

/** The same by `pay`, which does by itself what the careful user does. */
const RUNS = {
  lightning: ({ sandbox, n }) => ({
    to: sandbox.payer.createBolt11({ sat: String(15_000 + n) }),
    sourceCurrency: 'BTC',
  }),
  lnurl: ({ n }) => ({
    to: 'ada@wallet.example',
    sourceCurrency: 'USD',
    amount: { amount: cents(2_000 + n), currency: 'USD' },
  }),
  onchain: ({ sandbox, n }) => ({
    to: sandbox.payer.createAddress(),
    sourceCurrency: 'USD',
    amount: { amount: cents(20_000 + n), currency: 'USD' },
    onchainTierId: 'tier_fast',
  }),
};
/** Refunds of one invoice: each is of eight, and twenty have come in. */
const PER_INVOICE = 4;
const MOVES = {
  exchange: ({ n }) => ({
    sell: 'USD',
    buy: 'EUR',
    amount: { amount: cents(4_000 + 37 * n), currency: 'USD' },
  }),
  payout: ({ n, methodId }) => ({
    bankPaymentMethodId: methodId,
    amount: cents(2_500 + n),
    reference: `R${n}`,
  }),
  deposit: ({ n, methodId }) => ({ bankPaymentMethodId: methodId, amount: cents(5_000 + 37 * n) }),
  refund: ({ n, invoices }) => ({
    invoiceId: invoices[Math.floor(n / PER_INVOICE)],
    to: 'ada@wallet.example',
    sourceCurrency: 'EUR',
    amount: { amount: cents(800 + n), currency: 'EUR' },
  }),
};
for (const [rail, draftOf] of Object.entries({ ...RUNS, ...MOVES }))
  WAYS[`pay ${rail}`] = {
    isOrdered: true,
    price: WAYS[rail]?.price ?? (() => ({})),
    isFromShop: rail === 'refund',
    user: (parts) =>
      run({ intent: `intent-${parts.n}`, ...draftOf(parts) }, rail in MOVES ? rail : 'pay'),
  };

const SUBJECTS = {
  lightning: 'payment',
  lnurl: 'payment',
  onchain: 'payment',
  'pay lightning': 'payment',
  'pay lnurl': 'payment',
  'pay onchain': 'payment',
  'pay refund': 'payment',
  exchange: 'currencyExchangeQuote',
  'pay exchange': 'currencyExchangeQuote',
  'pay payout': 'payout',
  'pay deposit': 'deposit',
};

const stateRulesOf = (way) => {
  const subject = SUBJECTS[way] ?? way;
  if (subject === 'create' || subject === 'ensure') return [];
  const rules = [{ subject, state: 'COMPLETED', delay: 30_000, probability: 0.25 }];
  return subject === 'payment' || subject === 'currencyExchangeQuote'
    ? [{ subject, state: 'FAILED', delay: 2_000, probability: 0.08 }, ...rules]
    : rules;
};

/**
 * Plays one world, and answers what is to be said of each intent: see `judge`. `assume`: what the service does otherwise,
 * as `createSandbox` takes it.
 */
export const playWorld = async ({
  way,
  order,
  seed,
  count = AT_ONCE,
  assume = {},
  with: also = [],
  without = [],
}) => {
  const name = `${seed}/${way}/${order}`;
  const chances = Array.from({ length: count }, (_, n) => chanceOf(`${name}/${n}`));
  const { isFromShop } = WAYS[way];
  const tight = chances.map((chance) => chance.hits(0.4) && !isFromShop);
  const handles = tight.map((isTight, n) => (isTight ? `tight-${n}` : 'shop'));
  const accounts = [
    { handle: 'shop', balances: PLENTY },
    ...handles.flatMap((handle, n) =>
      handle === 'shop' ? [] : [{ handle, balances: tightly(WAYS[way].price(n)) }],
    ),
  ];
  const sandbox = createSandbox({
    seed: name,
    signed: false,
    rateLimits: NO_LIMITS,
    assume: { 'payments.checks': order, ...assume },
    accounts,
  });
  const methods = await methodsOf(sandbox, way);
  const invoices = way === 'pay refund' ? await paidInvoices(sandbox, count) : [];
  for (const rule of stateRulesOf(way)) sandbox.fault(rule);
  sandbox.fault({ path: '/none', action: { stale: 1 } })(); // replicas begin to remember
  const network = createNetwork(sandbox, { with: also, without });
  if (!without.includes('foreign'))
    await playProgram({
      sandbox,
      network,
      way,
      count,
      isTwin: also.includes('twins'),
      methodId: methods.get('shop'),
      otherMethodId: methods.get('shop, another bank'),
    });
  const stores = new Map(['shop', ...handles].map((handle) => [handle, memoryStore()]));
  if (way.startsWith('pay ') && chanceOf(`${name}/journal`).hits(0.5))
    await age(sandbox, stores.get('shop'));
  const isShared = chanceOf(name).hits(0.3); // one server process for all who pay from the shop
  const shared = isShared && createShared(network, sandbox.clientOptions);
  const intents = chances.map((chance, n) => {
    const connection = sandbox.clientOptionsFor({ account: handles[n] });
    const methodId = methods.get(handles[n]);
    const play = WAYS[way].user({
      sandbox,
      n,
      chance,
      methodId,
      invoices,
      newId: connection.uuid,
    });
    const isOne = isShared && handles[n] === 'shop';
    const [crashes, outages] = [chance.pick([0, 0, 0.15]), chance.pick([0, 0, 0, 0.15])];
    return {
      n,
      way,
      name,
      chance,
      connection,
      handle: handles[n],
      store: stores.get(handles[n]),
      invoice: invoices[Math.floor(n / PER_INVOICE)],
      play,
      journal: {},
      calls: [],
      notes: [],
      strays: [],
      requests: 0,
      isCareful: chance.hits(0.5),
      shared: isOne && shared,
      crashes: isOne ? 0 : crashes,
      outages: isOne ? 0 : outages,
    };
  });
  const begin = sandbox.clock.now();
  await sandbox.run(
    Promise.all(
      intents.map(async (intent) => {
        await sandbox.clock.wait(intent.chance.between(0, 20_000));
        intent.end = await intent.play(createUser({ sandbox, network, intent }));
      }),
    ),
    { timeout: 30 * 86_400_000 },
  );
  await sandbox.advance(86_400_000); // what is on its way arrives
  return intents.map((intent) => judge({ intent, sandbox, network, begin }));
};

/** Bank methods by account, made in peace. */
const methodsOf = async (sandbox, way) => {
  const draft = METHODS[way.replace(/^pay /, '')];
  if (!draft) return new Map();
  const made = sandbox.run(
    Promise.all(
      sandbox.accounts.map(async (account) => {
        const client = createClient(sandbox.clientOptionsFor({ account }));
        return [account, (await client.bankPaymentMethods.create(draft)).id];
      }),
    ),
  );
  const methods = new Map(await made);
  const shop = createClient(sandbox.clientOptions);
  const another = { ...draft, accountNumber: draft.accountNumber.replace(/0$/, '7') };
  const { id } = await sandbox.run(shop.bankPaymentMethods.create(another));
  methods.set('shop, another bank', id);
  await sandbox.advance(10_000);
  const isReady = async () => (await shop.bankPaymentMethods.get(id)).state === 'READY';
  for (let hours = 0; hours < 48 && !(await sandbox.run(isReady())); hours++)
    await sandbox.advance(3_600_000);
  return methods;
};

/** A journal that was begun more than a day ago: keys of an earlier life need not be feared any more. */
const age = async (sandbox, journal) => {
  const client = createClient({ ...sandbox.clientOptions, account: 'shop' });
  const nothing = { amount: '0.00', currency: 'USD' };
  const first = payOnce(client, {
    to: 'ada@wallet.example',
    amount: { amount: '1.00', currency: 'USD' },
    sourceCurrency: 'USD',
    maxFee: nothing,
    maxTotal: 'any',
    intent: 'the first one',
    journal,
  });
  await sandbox.run(first.result);
  await sandbox.advance(90_000_000);
};

/** Invoices of the shop, each paid with twenty. */
const paidInvoices = async (sandbox, count) => {
  const shop = createClient(sandbox.clientOptions);
  const ids = [];
  for (let made = 0; made < count; made += PER_INVOICE) {
    const amount = { amount: '20.00', currency: 'EUR' };
    const { invoiceId } = await sandbox.run(shop.invoices.create({ amount }));
    await sandbox.run(sandbox.payer.pay(invoiceId));
    ids.push(invoiceId);
  }
  return ids;
};
