// One valid request for each endpoint that takes a body, and for the others where checks repeat them.
import { fresh } from './fresh.mjs';

const ADDRESS = { country: 'DE', city: 'Berlin', postCode: '10115', line1: 'Musterweg 1' };
const OWNER = {
  type: 'INDIVIDUAL',
  name: 'Ada Sample',
  dateOfBirth: '1988-05-17',
  address: ADDRESS,
};
const FIRM = {
  type: 'COMPANY',
  name: 'Sample GmbH',
  email: 'post@sample.invalid',
  address: ADDRESS,
};

const BANKS = {
  ACH: { accountNumber: '000123456789', routingNumber: '110000000', accountType: 'CHECKING' },
  US_DOMESTIC_WIRE: { accountNumber: '000123456789', routingNumber: '110000000' },
  SEPA: { accountNumber: 'DE89370400440532013000', routingNumber: 'COBADEFFXXX' },
  FPS: { accountNumber: '31926819', routingNumber: '601613' },
  BSB: { accountNumber: '123456789', routingNumber: '062000' },
};
const bank = (transferType, beneficiary = OWNER) => ({
  call: 'POST /v1/payment-methods/bank',
  body: () => ({
    transferType,
    ...BANKS[transferType],
    bankName: 'Beispielbank',
    bankAddress: ADDRESS,
    beneficiaries: [beneficiary],
  }),
});

const euros = (amount) => ({ amount, currency: 'EUR' });
const dollars = (amount) => ({ amount, currency: 'USD' });
const key = () => ({ 'idempotency-key': crypto.randomUUID() });
const methodOf = async (stage, name = 'readySepa') => (await stage.thing(name)).id;

export const requests = {
  invoice: {
    call: 'POST /v1/invoices',
    body: () => ({ correlationId: fresh('order'), description: 'Tea', amount: euros('12.50') }),
  },
  invoiceFor: {
    call: 'POST /v1/invoices/handle/friend',
    body: () => ({
      correlationId: fresh('order'),
      description: 'Tea',
      amount: { amount: '12.50', currency: 'GBP' },
    }),
  },
  invoiceQuote: {
    call: 'POST /v1/invoices/{invoiceId}/quote',
    values: (stage) => stage.make('invoice'),
  },
  hashedQuote: {
    call: 'POST /v1/invoices/{invoiceId}/quote',
    values: (stage) => stage.make('invoice'),
    body: () => ({ descriptionHash: 'ab'.repeat(32) }),
  },
  lightning: {
    call: 'POST /v1/payment-quotes/lightning',
    headers: key,
    body: async ({ world }) => ({
      lnInvoice: await world.bolt11({ sat: '2100', description: 'Coffee' }),
      sourceCurrency: 'EUR',
    }),
  },
  zeroLightning: {
    call: 'POST /v1/payment-quotes/lightning',
    headers: key,
    body: async ({ world }) => ({
      lnInvoice: await world.bolt11({}),
      sourceCurrency: 'USD',
      amount: { ...dollars('12.00'), feePolicy: 'EXCLUSIVE' },
      beneficiary: {
        type: 'INDIVIDUAL',
        destinationType: 'SELF_CUSTODY_WALLET',
        individualFirstName: 'Ada',
        individualLastName: 'Sample',
      },
    }),
  },
  exchangeWallet: {
    call: 'POST /v1/payment-quotes/lightning',
    headers: key,
    body: async ({ world }) => ({
      lnInvoice: await world.bolt11({ sat: '2100' }),
      sourceCurrency: 'BTC',
      beneficiary: {
        type: 'BUSINESS',
        businessName: 'Sample GmbH',
        destinationType: 'EXCHANGE_OR_PLATFORM',
        vaspId: 'vasp-1',
        isOwnDestination: false,
      },
    }),
  },
  lnurl: {
    call: 'POST /v1/payment-quotes/lightning/lnurl',
    headers: key,
    body: () => ({
      lnAddressOrUrl: 'ada@wallet.example',
      sourceCurrency: 'USD',
      amount: dollars('5.00'),
      description: 'thank you',
    }),
  },
  lnurlDetails: {
    call: 'GET /v1/payment-quotes/lightning/lnurl/{name}',
    values: () => ({ name: 'ada@wallet.example' }),
  },
  onchain: {
    call: 'POST /v1/payment-quotes/onchain',
    headers: key,
    body: async (stage) => ({
      btcAddress: await stage.world.address(),
      sourceCurrency: 'USD',
      description: 'Supplier 12',
      amount: { ...dollars('200.00'), feePolicy: 'EXCLUSIVE' },
      onchainTierId: (await stage.thing('tiers'))[0].id,
    }),
  },
  tiers: {
    call: 'POST /v1/payment-quotes/onchain/tiers',
    body: async ({ world }) => ({ btcAddress: await world.address(), amount: dollars('200.00') }),
  },
  execute: {
    call: 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute',
    values: (stage) => stage.make('lightningQuote'),
  },
  exchange: {
    call: 'POST /v1/currency-exchange-quotes',
    headers: key,
    body: () => ({
      sell: 'USD',
      buy: 'BTC',
      amount: { ...dollars('100.00'), feePolicy: 'INCLUSIVE' },
    }),
  },
  ach: bank('ACH'),
  wire: bank('US_DOMESTIC_WIRE'),
  sepa: bank('SEPA', FIRM),
  fps: bank('FPS'),
  bsb: bank('BSB'),
  originator: { call: 'POST /v1/payout-originators', body: () => FIRM },
  person: { call: 'POST /v1/payout-originators', body: () => OWNER },
  payout: {
    call: 'POST /v1/payouts',
    body: async (stage) => ({
      paymentMethodId: await methodOf(stage),
      amount: '50.00',
      reference: 'INV 88',
      feePolicy: 'EXCLUSIVE',
    }),
  },
  payoutFor: {
    call: 'POST /v1/payouts',
    body: async (stage) => ({
      paymentMethodId: await methodOf(stage),
      originatorId: (await stage.thing('approvedOriginator')).id,
      amount: '50.00',
    }),
  },
  deposit: {
    call: 'POST /v1/deposits',
    headers: key,
    body: async (stage) => ({
      paymentMethodId: await methodOf(stage),
      amount: '50.00',
      feePolicy: 'EXCLUSIVE',
    }),
  },
  achDeposit: {
    call: 'POST /v1/deposits',
    headers: key,
    body: async (stage) => ({
      paymentMethodId: await methodOf(stage, 'readyAch'),
      amount: '50.00',
    }),
  },
  fee: {
    call: 'POST /v1/deposits/fee',
    body: async (stage) => ({ paymentMethodId: await methodOf(stage), amount: '50.00' }),
  },
  achFee: {
    call: 'POST /v1/deposits/fee',
    body: async (stage) => ({
      paymentMethodId: await methodOf(stage, 'readyAch'),
      amount: '50.00',
    }),
  },
  receiveRequest: {
    call: 'POST /v1/receive-request',
    body: () => ({
      targetCurrency: 'USD',
      bolt11: { amount: dollars('10.00'), description: 'Support our choir', expiryInSeconds: 600 },
      onchain: { amount: dollars('10.00') },
    }),
  },
  pluralRequest: { call: 'POST /v1/receive-requests', body: () => ({ bolt11: {} }) },
  hashedOnly: {
    call: 'POST /v1/receive-request',
    body: () => ({ bolt11: { descriptionHash: 'ab'.repeat(32) } }),
  },
  openRequest: { call: 'POST /v1/receive-request', body: () => ({ bolt11: {}, onchain: {} }) },
  subscription: {
    call: 'POST /v1/subscriptions',
    body: () => ({
      webhookUrl: 'https://shop.example/hooks',
      webhookVersion: 'v1',
      secret: 'a-secret-of-30-characters-long',
      enabled: false,
      eventTypes: ['invoice.updated', 'payment.updated'],
    }),
  },
};
