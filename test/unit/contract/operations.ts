// What each operation is called with where it succeeds, by its name. The rows decide which names there are.
import { type Bank, methodDraft, PERSON } from '../bank/bank.ts';

export type Arguments = readonly unknown[];
type Ready = (bank: Bank) => Arguments | Promise<Arguments>;

const USD = (amount: string) => ({ amount, currency: 'USD' });
const EUR = { amount: '12.50', currency: 'EUR' };
const HOOK = {
  webhookUrl: 'https://shop.example/hooks',
  webhookVersion: 'v1',
  secret: '0123456789abcdef',
  enabled: true,
  eventTypes: ['invoice.updated'],
};

const nothing: Ready = () => [];
const invoice: Ready = async ({ client, run }) => [
  (await run(client.invoices.create({ amount: EUR }))).invoiceId,
];
const request: Ready = async ({ client, run }) => [
  (await run(client.receiveRequests.create({ bolt11: { amount: USD('5.00') } }))).receiveRequestId,
];
const subscription: Ready = async ({ client, run }) => [
  (await run(client.subscriptions.create(HOOK))).id,
];
const method: Ready = async (bank) => [(await bank.method()).id];
const originator: Ready = async (bank) => [(await bank.originator()).id];
const deposit: Ready = async (bank) => [
  { paymentMethodId: (await bank.method()).id, amount: '50.00' },
];
const payout: Ready = async (bank) => [
  { paymentMethodId: (await bank.method()).id, amount: '25.00', reference: 'INV 90' },
];
const madePayout: Ready = async (bank) => [
  (await bank.run(bank.client.payouts.create((await payout(bank))[0] as never))).id,
];
const madeDeposit: Ready = async (bank) => [
  (await bank.run(bank.client.deposits.create((await deposit(bank))[0] as never))).id,
];
const exchange = { sell: 'USD', buy: 'EUR', amount: USD('20.00') };
const madeExchange: Ready = async ({ client, run }) => [
  (await run(client.currencyExchangeQuotes.create(exchange))).id,
];
const lightning: Ready = ({ sandbox }) => [
  { lnInvoice: sandbox.payer.createBolt11({ sat: '2100' }), sourceCurrency: 'USD' },
];
const quote: Ready = async (bank) => [
  (await bank.run(bank.client.paymentQuotes.createLightning((await lightning(bank))[0] as never)))
    .paymentQuoteId,
];
const tiers: Ready = ({ sandbox }) => [
  { btcAddress: sandbox.payer.createAddress(), amount: USD('200.00') },
];

const madeEvent: Ready = async (bank) => {
  await invoice(bank);
  const [event] = await bank.run(bank.client.events.list().toArray({ limit: 1 }));
  return [event!.id];
};

const received: Ready = async (bank) => {
  const { client, run, sandbox } = bank;
  const { receiveRequestId, bolt11 } = await run(
    client.receiveRequests.create({ bolt11: { amount: USD('5.00') } }),
  );
  await run(sandbox.payer.pay(bolt11!.invoice));
  return [receiveRequestId];
};

const after =
  (before: Ready): Ready =>
  async (bank) => {
    await before(bank);
    return [];
  };

export const OPERATIONS: Readonly<Record<string, Ready>> = {
  'accounts.getLimits': nothing,
  'accounts.getProfile': async ({ client, run }) => [
    (await run(client.accounts.getProfileByHandle('friend'))).id,
  ],
  'accounts.getProfileByHandle': () => ['friend'],
  'balances.list': nothing,
  'bankPaymentMethods.create': () => [methodDraft('SEPA')],
  'bankPaymentMethods.get': method,
  'bankPaymentMethods.list': after(method),
  'bankPaymentMethods.remove': method,
  'currencyExchangeQuotes.create': () => [exchange],
  'currencyExchangeQuotes.execute': madeExchange,
  'currencyExchangeQuotes.get': madeExchange,
  'deposits.create': deposit,
  'deposits.estimateFee': deposit,
  'deposits.get': madeDeposit,
  'deposits.list': after(madeDeposit),
  'events.get': madeEvent,
  'events.list': after(invoice),
  'invoices.cancel': invoice,
  'invoices.create': () => [{ amount: EUR, description: 'One chair' }],
  'invoices.createFor': () => ['friend', { amount: EUR }],
  'invoices.get': invoice,
  'invoices.list': after(invoice),
  'invoices.quote': async (bank) => [
    ...(await invoice(bank)),
    { descriptionHash: 'ab'.repeat(32) },
  ],
  'paymentQuotes.createLightning': lightning,
  'paymentQuotes.createLnurl': () => [
    {
      lnAddressOrUrl: 'ada@wallet.example',
      sourceCurrency: 'USD',
      amount: USD('5.00'),
      description: 'thank you',
    },
  ],
  'paymentQuotes.createOnchain': async (bank) => {
    const [draft] = (await tiers(bank)) as [{ btcAddress: string; amount: ReturnType<typeof USD> }];
    const [tier] = await bank.run(bank.client.paymentQuotes.listTiers(draft));
    return [{ ...draft, sourceCurrency: 'USD', onchainTierId: tier!.id }];
  },
  'paymentQuotes.execute': quote,
  'paymentQuotes.getLnurl': () => ['ada@wallet.example'],
  'paymentQuotes.listTiers': tiers,
  'payments.get': async (bank) => [
    (await bank.run(bank.client.paymentQuotes.execute((await quote(bank))[0] as string))).paymentId,
  ],
  'payoutOriginators.create': () => [PERSON],
  'payoutOriginators.get': originator,
  'payoutOriginators.list': after(originator),
  'payoutOriginators.remove': originator,
  'payouts.create': payout,
  'payouts.get': madePayout,
  'payouts.initiate': madePayout,
  'payouts.list': after(madePayout),
  'rates.list': nothing,
  'receiveRequests.create': () => [
    {
      bolt11: { amount: USD('5.00'), description: 'Support our band', expiryInSeconds: 600 },
      onchain: {},
    },
  ],
  'receiveRequests.get': request,
  'receiveRequests.list': after(request),
  'receiveRequests.listAllReceives': after(received),
  'receiveRequests.listReceives': received,
  'subscriptions.create': () => [HOOK],
  'subscriptions.get': subscription,
  'subscriptions.list': after(subscription),
  'subscriptions.remove': subscription,
  'subscriptions.update': async (bank) => [...(await subscription(bank)), { enabled: false }],
};

/** Drafts that break a rule; `{}` for all others. */
export const BROKEN: Readonly<Record<string, object>> = {
  'invoices.quote': { descriptionHash: 'zz' },
  'subscriptions.update': { secret: 'short' },
};

/** Refusals for a reason of the operation's own, with what brings them about. */
export const REFUSALS: Readonly<Record<string, readonly [code: string, Ready]>> = {
  'bankPaymentMethods.create': [
    'PLAID_LINKING_FAILED',
    () => [methodDraft('ACH', { accountNumber: '000000000000' })],
  ],
  'bankPaymentMethods.remove': ['NOT_FOUND', twice('bankPaymentMethods', 'remove', method)],
  'currencyExchangeQuotes.create': [
    'CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED',
    () => [{ ...exchange, buy: 'USD' }],
  ],
  'currencyExchangeQuotes.execute': ['CURRENCY_EXCHANGE_QUOTE_EXPIRED', late(madeExchange)],
  'deposits.create': ['UNSUPPORTED_PAYMENT_METHOD', wired],
  'deposits.estimateFee': ['UNSUPPORTED_PAYMENT_METHOD', wired],
  'invoices.cancel': ['INVALID_STATE_FOR_INVOICE_CANCELLED', twice('invoices', 'cancel', invoice)],
  'invoices.create': ['INVALID_AMOUNT', () => [{ amount: { ...EUR, amount: '0' } }]],
  'invoices.createFor': ['INVALID_AMOUNT', () => ['friend', { amount: { ...EUR, amount: '0' } }]],
  'invoices.quote': ['INVALID_STATE_FOR_INVOICE_CANCELLED', twice('invoices', 'cancel', invoice)],
  'paymentQuotes.createLightning': ['INVALID_LN_INVOICE', () => [{ lnInvoice: 'no invoice' }]],
  'paymentQuotes.createLnurl': [
    'NOT_FOUND',
    () => [{ lnAddressOrUrl: 'nobody@wallet.example', sourceCurrency: 'USD', amount: USD('5.00') }],
  ],
  'paymentQuotes.createOnchain': [
    'INVALID_BITCOIN_ADDRESS',
    () => [
      {
        btcAddress: 'no address',
        sourceCurrency: 'USD',
        amount: USD('200.00'),
        onchainTierId: 'x',
      },
    ],
  ],
  'paymentQuotes.execute': ['PAYMENT_QUOTE_EXPIRED', late(quote)],
  'paymentQuotes.listTiers': [
    'INVALID_BITCOIN_ADDRESS',
    () => [{ btcAddress: 'no address', amount: USD('200.00') }],
  ],
  'payoutOriginators.remove': ['NOT_FOUND', twice('payoutOriginators', 'remove', originator)],
  'payouts.create': [
    'PAYMENT_METHOD_NOT_READY',
    async ({ client, run }) => [
      {
        paymentMethodId: (await run(client.bankPaymentMethods.create(methodDraft('SEPA')))).id,
        amount: '5.00',
      },
    ],
  ],
  'payouts.initiate': ['PAYOUT_ALREADY_INITIATED', twice('payouts', 'initiate', madePayout)],
  'receiveRequests.create': ['INVALID_AMOUNT', () => [{ bolt11: { amount: USD('0') } }]],
  'subscriptions.create': [
    'UNPROCESSABLE_ENTITY',
    async ({ client, run }) => {
      for (let made = 0; made < 50; made++) await run(client.subscriptions.create(HOOK));
      return [HOOK];
    },
  ],
};

function twice(resource: string, verb: string, ready: Ready): Ready {
  return async (bank) => {
    const given = await ready(bank);
    const verbs = (
      bank.client as unknown as Record<
        string,
        Record<string, (...given: Arguments) => Promise<unknown>>
      >
    )[resource]!;
    await bank.run(verbs[verb]!(...given));
    return given;
  };
}

function late(ready: Ready): Ready {
  return async (bank) => {
    const given = await ready(bank);
    await bank.sandbox.advance(120_000);
    return given;
  };
}

async function wired(bank: Bank): Promise<Arguments> {
  return [{ paymentMethodId: (await bank.method('US_DOMESTIC_WIRE')).id, amount: '50.00' }];
}
