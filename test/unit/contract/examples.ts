// Every shape that the service is known to send or take, with values of our own. `optional` names what may be absent or null.
import * as endpoints from 'paystate/endpoints';

/** `fixed`: fields that hang together with others, so that no change of them alone is legal. */
export interface Example {
  readonly row: endpoints.AnyRow;
  readonly side: 'input' | 'output' | 'error';
  readonly sample: object;
  readonly optional: readonly string[];
  readonly fixed?: readonly string[];
}

const money = (amount: string, currency = 'USD') => ({ amount, currency });
const spend = (amount: string, currency = 'USD') => ({ amount, currency, feePolicy: 'INCLUSIVE' });
const rate = (amount: string, targetCurrency: string) => ({ amount, sourceCurrency: 'BTC', targetCurrency });
const id = (digit: number) => `${digit}c4b7a1e-2d3f-4a5b-8c6d-7e8f9a0b1c2d`;
const hash = '5e'.repeat(32);
const address = { country: 'AT', state: 'W', city: 'Vienna', postCode: '1010', line1: 'Ring 2' };
const beneficiary = { type: 'BUSINESS', destinationType: 'EXCHANGE_OR_PLATFORM', vaspId: 'vasp-7', businessName: 'Muster AG', nationalIdentifier: 'AT-1' };
const btcAddress = 'tb1qsamplesamplesamplesamplesamplesample';

const output = (row: endpoints.AnyRow, sample: object, ...optional: string[]): Example => ({ row, side: 'output', sample, optional });
const input = (row: endpoints.AnyRow, sample: object, ...optional: string[]): Example => ({ row, side: 'input', sample, optional });
const error = (sample: object, ...optional: string[]): Example => ({ row: endpoints.paymentQuotes.createLightning, side: 'error', sample, optional });

const transaction = {
  transactionId: id(2), state: 'PENDING', amountReceived: money('8.10', 'GBP'), created: '2026-06-01T06:07:08.9+00:00', completed: '2026-06-01T06:07:09.125+00:00',
};
const invoice = {
  invoiceId: id(1), amount: money('8.10', 'GBP'), state: 'PENDING', created: '2026-06-01T06:07:08.123456+00:00', correlationId: 'desk-3', description: 'A lamp', issuerId: id(3), receiverId: id(3),
};
const payment = {
  paymentId: id(4), state: 'FAILED', result: 'FAILURE', completed: '2026-06-02T01:02:03.4+00:00', delivered: '2026-06-02T01:02:03.4+00:00', amount: money('0.00030000', 'BTC'),
  totalFee: money('0.00000005', 'BTC'), lightningNetworkFee: money('0.00000005', 'BTC'), totalAmount: money('0.00030005', 'BTC'), lightning: { networkFee: money('0.00000005', 'BTC'), preImage: hash },
};
const receive = {
  receiveId: id(5), receiveRequestId: id(6), type: 'LIGHTNING', state: 'COMPLETED', amountReceived: money('0.00021000', 'BTC'), amountCredited: money('13.00'), conversionRate: rate('62000.00', 'USD'),
  created: '2026-06-03T10:00:00.25+00:00', completed: '2026-06-03T10:00:00.5+00:00', lightning: { invoice: 'lntb21u1psample', preimage: hash, paymentHash: hash, description: 'For the band', descriptionHash: hash },
};
const event = { id: id(7), eventType: 'payout.updated', webhookVersion: 'v1', data: { entityId: id(8), changes: ['state'], receiveId: id(5) }, created: '2026-06-04T04:03:02.1234567+00:00', deliverySuccess: false };
const subscription = { id: id(9), webhookUrl: 'https://shop.example/in', webhookVersion: 'v2', enabled: false, eventTypes: ['deposit.updated', 'payout.created'], created: '2026-06-05T05:00:00.75+00:00' };
const depositDraft = { paymentMethodId: id(1), amount: '321.00', feePolicy: 'INCLUSIVE' };
const used = { limit: money('700.00', 'EUR'), used: money('25.00', 'EUR') };
const limit = {
  count: { effective: 3, lifetime: { limit: 80, used: 4 }, calendarYear: { limit: 40, used: 4 }, cycles: [{ days: 30, limit: 6, used: 1 }] },
  amount: { effective: money('600.00', 'EUR'), single: money('300.00', 'EUR'), lifetime: used, calendarYear: used, cycles: [{ days: 30, ...used }] },
};

export const examples: Readonly<Record<string, Example>> = {
  'invoice': output(endpoints.invoices.create, invoice, 'correlationId', 'description'),
  'invoice for a payer, with transactions': output(endpoints.invoices.find, { ...invoice, payerId: id(8), transactions: [transaction] }, 'payerId', 'transactions', 'transactions.0.completed'),
  'invoice quote': output(endpoints.invoices.quote, {
    quoteId: id(2), description: 'A lamp', lnInvoice: 'lntb141u1psample', onchainAddress: btcAddress, expiration: '2026-06-01T06:07:39.5+00:00', expirationInSec: 31, targetAmount: money('8.10', 'GBP'),
    sourceAmount: money('0.00014100', 'BTC'), conversionRate: rate('57446.80', 'GBP'),
  }, 'description', 'onchainAddress'),
  'Lightning quote': output(endpoints.paymentQuotes.createLightning, {
    paymentQuoteId: id(3), description: 'Tea', validUntil: '2026-06-02T01:03:00.330017+00:00', conversionRate: rate('61000.00', 'USD'), amount: money('14.00'), totalFee: money('0.03'),
    lightningNetworkFee: money('0.03'), totalAmount: money('14.03'), reward: money('0.01'),
  }, 'description', 'validUntil', 'conversionRate', 'totalFee', 'lightningNetworkFee', 'reward'),
  'on-chain quote': output(endpoints.paymentQuotes.createOnchain, {
    paymentQuoteId: id(4), estimatedDeliveryDurationInMin: 60, validUntil: '2026-06-02T01:09:00.000001+00:00', conversionRate: rate('61000.00', 'USD'), amount: money('190.00'), totalFee: money('0.81'), totalAmount: money('190.81'),
  }, 'estimatedDeliveryDurationInMin', 'validUntil', 'conversionRate', 'totalFee'),
  'tiers': output(endpoints.paymentQuotes.listTiers, [{ id: 'tier_sample', estimatedDeliveryDurationInMin: 60, estimatedFee: money('0.00001330', 'BTC'), minimumAmount: money('0.00040000', 'BTC') }], '0.minimumAmount'),
  'LNURL details': output(endpoints.paymentQuotes.findLnurl, { minSendable: 2000, maxSendable: 300000000, metadata: '[["text/plain","Pay Bea"]]', commentAllowed: 80, tag: 'payRequest' }, 'commentAllowed'),
  'Lightning payment': output(endpoints.payments.find, payment, 'result', 'completed', 'delivered', 'totalFee', 'lightningNetworkFee', 'lightning', 'lightning.networkFee', 'lightning.preImage'),
  'on-chain payment': output(endpoints.paymentQuotes.execute, {
    paymentId: id(5), state: 'PENDING', result: 'PENDING', conversionRate: rate('61000.00', 'USD'), amount: money('190.00'), totalFee: money('0.81'), totalAmount: money('190.81'), reward: money('0.02'), onchain: { txnId: 'fe'.repeat(32) },
  }, 'result', 'conversionRate', 'totalFee', 'reward', 'onchain', 'onchain.txnId'),
  'exchange quote': output(endpoints.currencyExchangeQuotes.find, {
    id: id(6), created: '2026-06-05T14:20:00.112+00:00', validUntil: '2026-06-05T14:20:30.112+00:00', source: money('80.00', 'EUR'), target: money('0.00131000', 'BTC'), fee: money('0.40', 'EUR'),
    conversionRate: { amount: '0.00001646', sourceCurrency: 'EUR', targetCurrency: 'BTC' }, state: 'PENDING', completed: '2026-06-05T14:20:09.9+00:00',
  }, 'fee', 'completed'),
  'bank method': output(endpoints.bankPaymentMethods.find, {
    id: id(7), state: 'SUSPENDED', supportedActions: ['DEPOSIT', 'WITHDRAWAL'], created: '2026-01-15T08:00:05.1002+00:00', transferType: 'FPS', accountNumber: '00112233', routingNumber: '445566', referenceCode: 'Q7', accountType: 'SAVINGS',
    bankName: 'Bank of Samples', bankAddress: address, currency: 'GBP', beneficiaries: [{ type: 'COMPANY', name: 'Muster AG', address, email: 'in@muster.invalid', phoneNumber: '+4310', url: 'https://muster.invalid' }, { type: 'INDIVIDUAL', name: 'Bea Beispiel', dateOfBirth: '1990-02-03' }],
  }, 'referenceCode', 'accountType', 'bankName', 'bankAddress', 'bankAddress.state', 'beneficiaries.0.address', 'beneficiaries.0.email', 'beneficiaries.0.phoneNumber', 'beneficiaries.0.url', 'beneficiaries.1.dateOfBirth'),
  'originator': output(endpoints.payoutOriginators.find, { id: id(8), state: 'REJECTED', created: '2026-02-03T16:45:10.55+00:00', details: { type: 'COMPANY', name: 'Muster AG', email: 'in@muster.invalid', phoneNumber: '+4310', url: 'https://muster.invalid', address } },
    'details.email', 'details.phoneNumber', 'details.url', 'details.address.state'),
  'payout': output(endpoints.payouts.initiate, {
    id: id(9), state: 'INITIATED', created: '2026-02-04T09:00:00.0002+00:00', paymentMethodId: id(7), originatorId: id(8), amount: money('99.00', 'GBP'), fee: spend('0.60', 'GBP'), reference: 'RENT', initiated: '2026-02-04T09:01:00.5+00:00',
    completed: '2026-02-04T09:02:00.75+00:00', transactionId: id(1),
  }, 'originatorId', 'fee', 'fee.feePolicy', 'reference', 'initiated', 'completed', 'transactionId'),
  'deposit': output(endpoints.deposits.find, { id: id(1), amount: money('321.00'), fee: money('0.32'), totalAmount: money('321.32'), state: 'REVERSED', failureReason: 'RETURNED' }, 'failureReason'),
  'deposit fee': output(endpoints.deposits.estimateFee, {
    amount: money('321.00'), fee: money('0.32'), total: money('321.32'), feePercent: '0.1', feeFixed: '0.00', settledAt: '2026-02-14T00:00:00.5+00:00', settlementPeriodInDay: 4,
  }, 'feePercent', 'feeFixed', 'settledAt', 'settlementPeriodInDay'),
  'balances': output(endpoints.balances.list, [
    { currency: 'EUR', current: '640.00', pending: '40.00', reserved: '30.00', outgoing: '30.00', available: '570.00', total: '600.00' },
    { currency: 'USDT', current: '3.5', pending: '0', reserved: '0', outgoing: '0', available: '3.5', total: '3.5' },
  ], '0.outgoing', '0.total', '1.total'),
  'limits': output(endpoints.accounts.findLimits, { deposit: limit, achDeposit: limit, send: limit, withdrawal: limit, instant: limit },
    'deposit', 'achDeposit', 'send.count', 'send.amount', 'withdrawal', 'instant.count.lifetime', 'instant.count.calendarYear', 'instant.count.cycles', 'instant.amount.single', 'instant.amount.lifetime', 'instant.amount.calendarYear.used', 'instant.amount.cycles.0.limit'),
  'profile': output(endpoints.accounts.findProfileByHandle, {
    id: id(3), handle: 'muster', avatarUrl: 'https://muster.invalid/a.png', description: 'Lamps', canReceive: false, currencies: [{ currency: 'AUD', isDefaultCurrency: true, isAvailable: false, isInvoiceable: true }],
  }, 'avatarUrl', 'description'),
  'ticker': output(endpoints.rates.list, [rate('61000.00', 'USD'), { amount: '0.92', sourceCurrency: 'USD', targetCurrency: 'EUR' }]),
  'receive request': output(endpoints.receiveRequests.find, {
    receiveRequestId: id(6), created: '2026-06-03T09:59:00.25+00:00', targetCurrency: 'USD',
    bolt11: { invoice: 'lntb21u1psample', requestedAmount: money('13.00'), btcAmount: '0.00021000', description: 'For the band', descriptionHash: hash, paymentHash: hash, expires: '2026-06-03T10:09:00.125+00:00' },
    onchain: { address: btcAddress, addressUri: `bitcoin:${btcAddress}?amount=0.00021`, requestedAmount: money('13.00'), btcAmount: '0.00021000' },
  }, 'targetCurrency', 'bolt11', 'onchain', 'bolt11.requestedAmount', 'bolt11.btcAmount', 'bolt11.description', 'bolt11.descriptionHash', 'onchain.requestedAmount', 'onchain.btcAmount'),
  'receives': output(endpoints.receiveRequests.listAllReceives, {
    items: [
      receive,
      { ...receive, type: 'ONCHAIN', state: 'PENDING', lightning: null, onchain: { address: btcAddress, transactionId: 'fe'.repeat(32), blockHeight: 7, numberOfConfirmations: 2 } },
      { ...receive, type: 'P2P', lightning: null, p2p: { payerAccountId: id(4) } },
    ], count: 3, isCountUnknown: false,
  }, 'isCountUnknown', 'items.0.amountCredited', 'items.0.conversionRate', 'items.0.completed', 'items.0.lightning', 'items.0.lightning.description', 'items.1.onchain', 'items.1.lightning', 'items.1.onchain.blockHeight', 'items.2.p2p', 'items.2.lightning', 'items.2.p2p.payerAccountId'),
  'any list': output(endpoints.payouts.list, { items: [], count: 0, isCountUnknown: false }, 'count', 'isCountUnknown'),
  'event': output(endpoints.events.find, event, 'data.changes', 'data.receiveId', 'deliverySuccess'),
  'events': output(endpoints.events.list, { items: [event, { ...event, eventType: 'receive-request.receive-pending' }], count: 2, isCountUnknown: true }, 'items.0.data.changes', 'items.1.deliverySuccess'),
  'subscription': output(endpoints.subscriptions.update, subscription),
  'subscriptions': output(endpoints.subscriptions.list, [subscription]),
  'invoice draft': input(endpoints.invoices.create, { correlationId: 'desk-3', description: 'A lamp', amount: money('8.10', 'GBP') }, 'correlationId', 'description'),
  'invoice draft for another': input(endpoints.invoices.createFor, { amount: money('8.10', 'GBP'), description: 'A lamp' }, 'description'),
  'invoice quote draft': input(endpoints.invoices.quote, { descriptionHash: hash }, 'descriptionHash'),
  'Lightning quote draft': input(endpoints.paymentQuotes.createLightning, { lnInvoice: 'lntb1psamplezero', sourceCurrency: 'EUR', amount: spend('15.00', 'EUR'), beneficiary },
    'sourceCurrency', 'amount.feePolicy', 'beneficiary', 'beneficiary.destinationType', 'beneficiary.nationalIdentifier'),
  'LNURL quote draft': input(endpoints.paymentQuotes.createLnurl, { lnAddressOrUrl: 'bea@wallet.example', sourceCurrency: 'BTC', amount: money('6.00', 'EUR'), description: 'well done' }, 'description'),
  'tiers draft': input(endpoints.paymentQuotes.listTiers, { btcAddress, amount: money('190.00') }),
  'on-chain quote draft': input(endpoints.paymentQuotes.createOnchain, { btcAddress, sourceCurrency: 'USD', description: 'Wood', amount: spend('190.00'), onchainTierId: 'tier_sample', beneficiary }, 'description', 'amount.feePolicy', 'beneficiary'),
  'exchange quote draft': { ...input(endpoints.currencyExchangeQuotes.create, { sell: 'EUR', buy: 'BTC', amount: spend('80.00', 'EUR') }, 'amount.feePolicy'), fixed: ['amount.currency'] },
  'bank method draft': input(endpoints.bankPaymentMethods.create, {
    transferType: 'SEPA', accountNumber: 'AT000000000000000000', routingNumber: 'SAMPATWWXXX', accountType: 'CHECKING', bankName: 'Bank of Samples', bankAddress: address,
    beneficiaries: [{ type: 'COMPANY', name: 'Muster AG', email: 'in@muster.invalid', phoneNumber: '+4310', url: 'https://muster.invalid' }],
  }, 'routingNumber', 'accountType', 'bankName', 'bankAddress', 'bankAddress.state', 'beneficiaries.0.email', 'beneficiaries.0.phoneNumber', 'beneficiaries.0.url'),
  'originator draft': input(endpoints.payoutOriginators.create, { type: 'INDIVIDUAL', name: 'Bea Beispiel', dateOfBirth: '1990-02-03', address }, 'dateOfBirth', 'address.state'),
  'payout draft': input(endpoints.payouts.create, { paymentMethodId: id(7), originatorId: id(8), amount: '99.00', reference: 'RENT', feePolicy: 'EXCLUSIVE' }, 'originatorId', 'reference', 'feePolicy'),
  'deposit draft': input(endpoints.deposits.create, depositDraft, 'feePolicy'),
  'deposit fee draft': input(endpoints.deposits.estimateFee, depositDraft, 'feePolicy'),
  'receive request draft': input(endpoints.receiveRequests.create, { targetCurrency: 'USD', bolt11: { amount: money('13.00'), description: 'For the band', descriptionHash: hash, expiryInSeconds: 900 }, onchain: { amount: money('13.00') } },
    'targetCurrency', 'onchain', 'bolt11.amount', 'bolt11.description', 'bolt11.descriptionHash', 'bolt11.expiryInSeconds', 'onchain.amount'),
  'subscription draft': input(endpoints.subscriptions.create, { webhookUrl: 'https://shop.example/in', webhookVersion: 'v1', secret: 'thirty-letters-of-nothing-here', enabled: true, eventTypes: ['deposit.updated'] }),
  'subscription change': input(endpoints.subscriptions.update, { enabled: true, secret: 'thirty-letters-of-nothing-here', eventTypes: ['payout.created'] }, 'enabled', 'secret', 'eventTypes'),
  'refusal for a field': error({
    traceId: 'T-9', data: { status: 400, code: 'INVALID_DATA', message: 'for developers', validationErrors: { 'amount.currency': [{ code: 'INVALID_DATA_REQUIRED', message: 'for developers', values: { field: 'amount.currency' } }] } },
  }, 'traceId', 'data.validationErrors.amount\\.currency.0.values'),
  'refusal': error({ traceId: 'T-10', data: { status: 422, code: 'DUPLICATE_PAYMENT_QUOTE', message: 'for developers', values: { paymentQuoteId: id(3) } }, debug: { full: 'a stack', body: '{}' } }, 'traceId', 'debug', 'debug.body'),
  'refusal of a key': error({ data: { status: 401, code: 'UNAUTHORIZED', message: 'for developers' } }),
};
