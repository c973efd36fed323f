// How each code of the service comes about in the sandbox without a fault, or why only a fault can bring it.
import type { ServiceCode, ValidationCode } from 'paystate';
import type { SandboxAccount } from 'paystate/sandbox';
import type { RawResponse } from '../unit/sandbox/ask.ts';
import { bank, euros, exchange, lightning, type World, type WorldOptions } from './world.ts';

/** The situation in words, and the request that is refused in it. */
export interface Way {
  readonly when: string;
  readonly world?: WorldOptions;
  readonly ask: (world: World) => Promise<RawResponse>;
}

/** No state of the sandbox leads to it. */
export interface None {
  readonly why: string;
}

const none = (why: string): None => ({ why });
const way = (when: string, ask: Way['ask'], world?: WorldOptions): Way => ({
  when,
  ask,
  ...(world && { world }),
});
const accounts = (...given: readonly SandboxAccount[]): WorldOptions => ({ accounts: given });

const inState = async (
  { outside, ask }: World,
  state: 'PAID' | 'REVERSED' | 'CANCELLED',
): Promise<RawResponse> => {
  const { word } = await ask('POST', '/v1/invoices', euros('5.00'));
  if (state === 'CANCELLED') await ask('PATCH', `/v1/invoices/${word('invoiceId')}/cancel`);
  else await outside.pay(word('invoiceId'));
  if (state === 'REVERSED') await outside.reverse(word('invoiceId'));
  return ask('PATCH', `/v1/invoices/${word('invoiceId')}/cancel`);
};

const cents = { sell: 'USD', buy: 'BTC', amount: { amount: '5.00', currency: 'USD' } };

const twice = async ({ keyed }: World, path: string, body: object): Promise<RawResponse> => {
  await keyed('POST', path, body);
  return keyed('POST', path, body);
};

/** One for each code, in the order of the service's own table. */
export const WAYS: Readonly<Record<ServiceCode, Way | None>> = {
  NOT_FOUND: way('reading an id that does not exist', ({ ask }) =>
    ask('GET', '/v1/payments/00000000-0000-4000-8000-000000000000'),
  ),
  INTERNAL_SERVER_ERROR: none('the sandbox has no internal errors'),
  BAD_GATEWAY: none('there is no proxy before the sandbox'),
  MAINTENANCE_MODE: way(
    'a state rule for `service` with the state MAINTENANCE',
    async ({ outside, ask }) => {
      await outside.fault({ subject: 'service', state: 'MAINTENANCE' });
      return ask('GET', '/v1/balances');
    },
  ),
  SERVICE_UNAVAILABLE: way(
    'a state rule for `service` with the state UNAVAILABLE',
    async ({ outside, ask }) => {
      await outside.fault({ subject: 'service', state: 'UNAVAILABLE' });
      return ask('GET', '/v1/balances');
    },
  ),
  GATEWAY_TIMEOUT: none('there is no proxy before the sandbox'),
  RATE_LIMIT_EXCEEDED: way('the 251st read of the rates in a minute', async ({ ask }) => {
    for (let count = 0; count < 250; count++) await ask('GET', '/v1/rates/ticker');
    return ask('GET', '/v1/rates/ticker');
  }),
  TOO_MANY_ATTEMPTS: way('linking a bank after five failures in ten minutes', async ({ ask }) => {
    for (let count = 0; count < 5; count++)
      await ask('POST', '/v1/payment-methods/bank', bank('ACH', { accountNumber: '0000' }));
    return ask('POST', '/v1/payment-methods/bank', bank('ACH'));
  }),
  PROCESSING_CONFLICT: way(
    'a state rule for `payment` with the state PROCESSING_CONFLICT',
    async (world) => {
      const quote = await lightning(world, { sat: '10' });
      await world.outside.fault({ subject: 'payment', state: 'PROCESSING_CONFLICT' });
      return world.execute(quote);
    },
  ),
  UNAUTHORIZED: way('a request without a key', ({ anonymous }) => anonymous('GET', '/v1/balances')),
  FORBIDDEN: way('a request with a key that does not have the scope', ({ scopeless }) =>
    scopeless('GET', '/v1/balances'),
  ),
  INVALID_DATA: way('a draft that is not valid', ({ ask }) => ask('POST', '/v1/invoices', {})),
  INVALID_DATA_QUERY: way('a filter that cannot be parsed', ({ ask }) =>
    ask('GET', '/v1/invoices?$filter=tea'),
  ),
  UNPROCESSABLE_ENTITY: way('creating a 51st subscription', async ({ ask }) => {
    const draft = {
      webhookUrl: 'https://shop.example/',
      webhookVersion: 'v1',
      secret: 'ten letters',
      enabled: false,
      eventTypes: [],
    };
    for (let count = 0; count < 50; count++) await ask('POST', '/v1/subscriptions', draft);
    return ask('POST', '/v1/subscriptions', draft);
  }),
  ACCOUNT_NOT_READY: way(
    'any request of an account that is not ready yet',
    ({ ask }) => ask('GET', '/v1/balances'),
    accounts({ handle: 'shop', readyAfter: 86_400_000 }),
  ),
  INVALID_STATE_FOR_INVOICE_PAID: way('cancelling a paid invoice', (world) =>
    inState(world, 'PAID'),
  ),
  INVALID_STATE_FOR_INVOICE_REVERSED: way('cancelling a reversed invoice', (world) =>
    inState(world, 'REVERSED'),
  ),
  INVALID_STATE_FOR_INVOICE_CANCELLED: way('cancelling an invoice twice', (world) =>
    inState(world, 'CANCELLED'),
  ),
  INVALID_STATE_FOR_INVOICE_EXPIRED: way(
    'quoting a BOLT11 text that has expired',
    async (world) => {
      const lnInvoice = await world.outside.createBolt11({ sat: '1', expirySeconds: 5 });
      await world.outside.advance(5_000);
      return world.ask('POST', '/v1/payment-quotes/lightning', { lnInvoice });
    },
  ),
  INVALID_RECIPIENT: way(
    'an invoice for an account that cannot receive',
    ({ ask }) => ask('POST', '/v1/invoices/handle/mute', euros('5.00')),
    accounts({ handle: 'shop' }, { handle: 'mute', canReceive: false }),
  ),
  PROCESSING_PAYMENT: way('cancelling an invoice that is being paid', async ({ outside, ask }) => {
    const { word } = await ask('POST', '/v1/invoices', euros('5.00'));
    await outside.beginPayment(word('invoiceId'));
    return ask('PATCH', `/v1/invoices/${word('invoiceId')}/cancel`);
  }),
  DUPLICATE_INVOICE: way('using a correlationId again', (world) =>
    twice(world, '/v1/invoices', { ...euros('5.00'), correlationId: 'order 17' }),
  ),
  SELF_PAYMENT_NOT_ALLOWED: way('quoting an invoice of the same account', async ({ ask }) => {
    const { word } = await ask('POST', '/v1/invoices', euros('5.00'));
    const quote = await ask('POST', `/v1/invoices/${word('invoiceId')}/quote`);
    return ask('POST', '/v1/payment-quotes/lightning', { lnInvoice: quote.word('lnInvoice') });
  }),
  USER_CURRENCY_UNAVAILABLE: way(
    'an invoice in a currency that the account does not have',
    ({ ask }) => ask('POST', '/v1/invoices', euros('5.00')),
    accounts({ handle: 'shop', currencies: ['USD'] }),
  ),
  LN_UNAVAILABLE: way('a state rule for `lightning`', async ({ outside, ask }) => {
    await outside.fault({ subject: 'lightning', state: 'UNAVAILABLE' });
    return ask('POST', '/v1/payment-quotes/lightning', {
      lnInvoice: await outside.createBolt11({ sat: '1' }),
    });
  }),
  EXCHANGE_RATE_NOT_AVAILABLE: way(
    'a state rule for `rates` with the state UNAVAILABLE',
    async ({ outside, ask }) => {
      await outside.fault({ subject: 'rates', state: 'UNAVAILABLE' });
      return ask('POST', '/v1/currency-exchange-quotes', cents);
    },
  ),
  BALANCE_TOO_LOW: way(
    'quoting more than the account has',
    (world) => lightning(world, { sat: '1' }),
    accounts({ handle: 'shop' }),
  ),
  INVALID_AMOUNT: way('an amount of zero', ({ ask }) => ask('POST', '/v1/invoices', euros('0'))),
  AMOUNT_TOO_HIGH: way('an amount above the limit of 1,000,000', ({ ask }) =>
    ask('POST', '/v1/invoices', euros('1000000.01')),
  ),
  AMOUNT_TOO_LOW: way('an on-chain payment of less than 546 satoshi', async ({ outside, ask }) =>
    ask('POST', '/v1/payment-quotes/onchain', {
      btcAddress: await outside.createAddress(),
      sourceCurrency: 'BTC',
      amount: { amount: '0.00000001', currency: 'BTC' },
      onchainTierId: 'tier_fast',
    }),
  ),
  UNSUPPORTED_PAYMENT_METHOD: way('a deposit by a wire transfer method', async (world) => {
    const paymentMethodId = await world.bankMethod('US_DOMESTIC_WIRE');
    return world.ask('POST', '/v1/deposits', { paymentMethodId, amount: '5.00' });
  }),
  INVALID_PAYMENT_METHOD: way('a deposit by a bank method that was removed', async (world) => {
    const paymentMethodId = await world.bankMethod('SEPA');
    await world.ask('DELETE', `/v1/payment-methods/bank/${paymentMethodId}`);
    return world.ask('POST', '/v1/deposits', { paymentMethodId, amount: '5.00' });
  }),
  CURRENCY_UNSUPPORTED: way('selling a currency that the service does not have', ({ ask }) =>
    ask('POST', '/v1/currency-exchange-quotes', {
      sell: 'DOGE',
      buy: 'BTC',
      amount: { amount: '5.00', currency: 'DOGE' },
    }),
  ),
  PLAID_LINKING_FAILED: way('linking an ACH account number of zeros', ({ ask }) =>
    ask('POST', '/v1/payment-methods/bank', bank('ACH', { accountNumber: '0000' })),
  ),
  PAYMENT_METHOD_NOT_READY: way(
    'a deposit by a bank method that is not verified yet',
    async ({ outside, ask }) => {
      await outside.fault({ subject: 'bankPaymentMethod', delay: Infinity });
      const { word } = await ask('POST', '/v1/payment-methods/bank', bank('SEPA'));
      return ask('POST', '/v1/deposits', { paymentMethodId: word('id'), amount: '5.00' });
    },
  ),
  PAYOUT_ORIGINATOR_NOT_APPROVED: way(
    'a payout for an originator that is not approved yet',
    async (world) => {
      const paymentMethodId = await world.bankMethod('SEPA');
      await world.outside.fault({ subject: 'payoutOriginator', delay: Infinity });
      const { word } = await world.ask('POST', '/v1/payout-originators', {
        type: 'COMPANY',
        name: 'Shop',
        address: { country: 'DE', city: 'Berlin', postCode: '10115', line1: 'Street 1' },
      });
      return world.ask('POST', '/v1/payouts', {
        paymentMethodId,
        amount: '5.00',
        originatorId: word('id'),
      });
    },
  ),
  PAYOUT_ALREADY_INITIATED: way('initiating a payout twice', async (world) => {
    const { word } = await world.ask('POST', '/v1/payouts', {
      paymentMethodId: await world.bankMethod('SEPA'),
      amount: '5.00',
    });
    await world.ask('PATCH', `/v1/payouts/${word('id')}/initiate`);
    return world.ask('PATCH', `/v1/payouts/${word('id')}/initiate`);
  }),
  PAYMENT_PROCESSED: way('executing a quote twice', async (world) => {
    const quote = await lightning(world, { sat: '10' });
    await world.execute(quote);
    return world.execute(quote);
  }),
  INVALID_LN_INVOICE: way('quoting a text that is not BOLT11', ({ ask }) =>
    ask('POST', '/v1/payment-quotes/lightning', { lnInvoice: 'tea' }),
  ),
  LN_INVOICE_PROCESSED: way('quoting a BOLT11 text that was paid', async (world) => {
    const lnInvoice = await world.outside.createBolt11({ sat: '10' });
    await world.execute(await world.ask('POST', '/v1/payment-quotes/lightning', { lnInvoice }));
    return world.ask('POST', '/v1/payment-quotes/lightning', { lnInvoice });
  }),
  INVALID_BITCOIN_ADDRESS: way('asking for tiers of a text that is not an address', ({ ask }) =>
    ask('POST', '/v1/payment-quotes/onchain/tiers', { btcAddress: 'tea', ...euros('5.00') }),
  ),
  LN_ROUTE_NOT_FOUND: way('quoting a BOLT11 text of a wallet without a route', (world) =>
    lightning(world, { sat: '1', route: 'none' }),
  ),
  PAYMENT_QUOTE_EXPIRED: way('executing a quote that has expired', async (world) => {
    const quote = await lightning(world, { sat: '10' });
    await world.outside.advance(60_000);
    return world.execute(quote);
  }),
  DUPLICATE_PAYMENT_QUOTE: way('using an idempotency key again', async (world) =>
    twice(world, '/v1/payment-quotes/lightning', {
      lnInvoice: await world.outside.createBolt11({ sat: '1' }),
    }),
  ),
  TOO_MANY_TRANSACTIONS: way('executing a 101st payment while 100 are pending', async (world) => {
    await world.outside.fault({ subject: 'payment', delay: Infinity });
    for (let count = 0; count < 100; count++)
      await world.execute(await lightning(world, { sat: '10' }));
    return world.execute(await lightning(world, { sat: '10' }));
  }),
  DUPLICATE_CURRENCY_EXCHANGE_QUOTE: way('using an idempotency key again', (world) =>
    twice(world, '/v1/currency-exchange-quotes', cents),
  ),
  CURRENCY_EXCHANGE_QUOTE_PROCESSED: way('executing an exchange twice', async (world) => {
    const quote = await world.ask('POST', '/v1/currency-exchange-quotes', cents);
    await exchange(world, quote);
    return exchange(world, quote);
  }),
  CURRENCY_EXCHANGE_QUOTE_EXPIRED: way('executing an exchange that has expired', async (world) => {
    const quote = await world.ask('POST', '/v1/currency-exchange-quotes', cents);
    await world.outside.advance(30_000);
    return exchange(world, quote);
  }),
  CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED: way('exchanging a currency for itself', ({ ask }) =>
    ask('POST', '/v1/currency-exchange-quotes', { ...cents, buy: 'USD' }),
  ),
  CURRENCY_EXCHANGE_AMOUNT_TOO_LOW: way('exchanging less than a hundred satoshi', ({ ask }) =>
    ask('POST', '/v1/currency-exchange-quotes', {
      ...cents,
      amount: { amount: '0.00000001', currency: 'BTC' },
    }),
  ),
  DEPOSIT_LIMIT_EXCEEDED: way('creating an eleventh deposit in a week', async (world) => {
    const draft = { paymentMethodId: await world.bankMethod('SEPA'), amount: '5.00' };
    for (let count = 0; count < 10; count++) await world.ask('POST', '/v1/deposits', draft);
    return world.ask('POST', '/v1/deposits', draft);
  }),
  DUPLICATE_DEPOSIT: way('using an idempotency key again', async (world) =>
    twice(world, '/v1/deposits', {
      paymentMethodId: await world.bankMethod('SEPA'),
      amount: '5.00',
    }),
  ),
};

/** The same for the codes of single fields; `field` is where the response reports it. */
export const FIELD_WAYS: Readonly<Record<ValidationCode, Way & { readonly field: string }>> = {
  INVALID_DATA: {
    ...way('a body that is not JSON', ({ ask }) => ask('POST', '/v1/invoices', '{')),
    field: 'body',
  },
  INVALID_DATA_REQUIRED: {
    ...way('a required member that is missing', ({ ask }) => ask('POST', '/v1/invoices', {})),
    field: 'amount',
  },
  INVALID_DATA_LENGTH: {
    ...way('a routing number of the wrong length', ({ ask }) =>
      ask('POST', '/v1/payment-methods/bank', bank('ACH', { routingNumber: '12' })),
    ),
    field: 'routingNumber',
  },
  INVALID_DATA_MINLENGTH: {
    ...way('an empty text', ({ ask }) =>
      ask('POST', '/v1/payment-quotes/lightning', { lnInvoice: '' }),
    ),
    field: 'lnInvoice',
  },
  INVALID_DATA_MAXLENGTH: {
    ...way('a text that is too long', ({ ask }) =>
      ask('POST', '/v1/invoices', { ...euros('5.00'), correlationId: 'x'.repeat(41) }),
    ),
    field: 'correlationId',
  },
  INVALID_DATA_VALUE: {
    ...way('a text that is not a decimal number', ({ ask }) =>
      ask('POST', '/v1/invoices', euros('five')),
    ),
    field: 'amount.amount',
  },
  INVALID_DATA_CURRENCY: {
    ...way('a currency that the service does not have', ({ ask }) =>
      ask('POST', '/v1/invoices', { amount: { amount: '5', currency: 'DOGE' } }),
    ),
    field: 'amount.currency',
  },
};
