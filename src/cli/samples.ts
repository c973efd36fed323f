/** Personal details that pass all checks. */
const PERSON = {
  type: 'INDIVIDUAL',
  name: 'Ada Example',
  dateOfBirth: '1990-01-02',
  address: {
    country: 'US',
    state: 'NY',
    city: 'New York',
    postCode: '10001',
    line1: '1 Main Street',
  },
} as const;

/**
 * Request bodies that a sandbox accepts, by operation. Strings that start with `$` are placeholders
 * for values that must be created first.
 */
export const SAMPLES = {
  'invoices.create': {
    amount: { amount: '12.50', currency: 'EUR' },
    description: 'Tea for two',
  },
  'receiveRequests.create': {
    bolt11: { amount: { amount: '0.0002', currency: 'BTC' }, description: 'Tea for two' },
    targetCurrency: 'EUR',
  },
  'paymentQuotes.createLightning': { lnInvoice: '$bolt11', sourceCurrency: 'EUR' },
  'paymentQuotes.createOnchain': {
    btcAddress: '$address',
    sourceCurrency: 'BTC',
    amount: { amount: '0.001', currency: 'BTC' },
    onchainTierId: '$tier',
  },
  'bankPaymentMethods.create': {
    transferType: 'ACH',
    accountNumber: '123456789',
    routingNumber: '021000021',
    accountType: 'CHECKING',
    bankName: 'A Bank',
    beneficiaries: [PERSON],
  },
  'payoutOriginators.create': PERSON,
  'payouts.create': { paymentMethodId: '$method', amount: '25.00' },
  'deposits.create': { paymentMethodId: '$method', amount: '50.00' },
  'currencyExchangeQuotes.create': {
    sell: 'EUR',
    buy: 'USD',
    amount: { amount: '10.00', currency: 'EUR' },
  },
  'subscriptions.create': {
    webhookUrl: 'http://127.0.0.1:8787/hooks',
    webhookVersion: 'v1',
    secret: 'a-secret-of-30-characters-long',
    enabled: true,
    eventTypes: ['invoice.created', 'invoice.updated'],
  },
} as const;
