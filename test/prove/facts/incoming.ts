// Checks of quotes of invoices and of the Lightning invoices inside.
import { createHash } from 'node:crypto';
import { decodeBolt11 } from 'paystate/lightning';
import type { ThingName } from './things.ts';
import {
  answers,
  becomes,
  checkRefusal,
  equal,
  gives,
  has,
  needs,
  on,
  optional,
  reads,
  refuses,
  refusesBody,
  refusesValue,
  takes,
  tooLong,
  twiceTheSameName,
  unchanged,
  unknown,
  wrongCurrency,
} from './checks.ts';
import { type Answer, check, type Fact, same, section, type Stage, type Thing } from './fact.ts';
import { costs, unitsOf, within } from './money.ts';
import {
  absent,
  absentOrNull,
  array,
  decimal,
  exactly,
  hash,
  integer,
  like,
  money,
  moneyIn,
  nullish,
  one,
  queryOf,
  rate,
  text,
  time,
  uuid,
  valueAt,
  wholeUnits,
} from './shapes.ts';

const INVOICE = '/v1/invoices/{invoiceId}';
/** The Lightning invoice asks for the amount in bitcoin that the response shows. */
const asksFor =
  (thing: ThingName, textOf: (json: Thing) => string, bitcoinOf: (json: Thing) => string): Fact =>
  async (stage) => {
    const json = await stage.thing(thing);
    same(`${unitsOf(bitcoinOf(json)) * 10n}`, decodeBolt11(textOf(json)).amountMsat);
  };

/** The end of a quote is as far away as the seconds say. */
const secondsFit =
  (thing: ThingName, least: number, most: number): Fact =>
  async (stage) => {
    const quote = await stage.make(thing);
    const distance = (Date.parse(quote.expiration) - (await stage.world.now())) / 1_000;
    const isNear = Math.abs(distance - quote.expirationInSec) <= 2;
    check(isNear, `expiration ${quote.expirationInSec} s away`, distance);
    const { expirationInSec } = quote;
    check(expirationInSec >= least && expirationInSec <= most, `${least} to ${most} s`, quote);
  };

/** The payer pays at most a satoshi more than the rate gives. */
const rateFits = (): Fact => async (stage) => {
  const { sourceAmount, targetAmount, conversionRate } = await stage.thing('invoiceQuote');
  const paid = wholeUnits(sourceAmount.amount, 8);
  const rate = wholeUnits(conversionRate.amount, 8);
  const exact = wholeUnits(targetAmount.amount, 8) * 10n ** 8n;
  const isNear = (paid + 1n) * rate >= exact && (paid - 2n) * rate <= exact;
  check(isNear, `about ${exact / rate} satoshi`, sourceAmount);
};

const quoteOf = (stage: Stage, values: object): Promise<Answer> =>
  stage.ask(`POST ${INVOICE}/quote`, { values });

/** A quote that has ended cannot be paid. */
const endsUnpaid = (): Fact => async (stage) => {
  const invoice = await stage.make('invoice');
  const { json } = await quoteOf(stage, invoice);
  await stage.world.advance((json.expirationInSec + 1) * 1_000);
  const code = await stage.world.pay(json.lnInvoice).then(
    () => 'paid',
    (thrown) => thrown.code,
  );
  const { state } = await stage.get(INVOICE, { values: invoice });
  same(['INVALID_STATE_FOR_INVOICE_EXPIRED', 'UNPAID'], [code, state]);
};

/** An invoice outlives its quotes. */
const outlives = (): Fact => async (stage) => {
  const invoice = await stage.make('invoice');
  await quoteOf(stage, invoice);
  await stage.world.advance(86_400_000);
  same('UNPAID', (await stage.get(INVOICE, { values: invoice })).state);
};

/** The preimage that a payer gets is that of the payment hash. */
const preimageFits = (): Fact => async (stage) => {
  const { json } = await quoteOf(stage, await stage.make('invoice'));
  const { paymentHash, preimage } = await stage.world.pay(json.lnInvoice);
  const made = createHash('sha256').update(Buffer.from(preimage!, 'hex')).digest('hex');
  same(paymentHash, made);
};

/** A payment of a quote brings what the invoice asked for. */
const bringsAll = (): Fact => async (stage) => {
  const invoice = await stage.make('invoice');
  const { json } = await quoteOf(stage, invoice);
  await stage.world.pay(json.lnInvoice);
  const query = '?includeTransactions=true';
  const { transactions } = await stage.get(INVOICE, { values: invoice, query });
  same(
    [invoice.amount],
    transactions.map(({ amountReceived }) => amountReceived),
  );
};

/** A quote that is paid is paid once. */
const quotePaidTwice = (): Fact => async (stage) => {
  const { json } = await quoteOf(stage, await stage.make('invoice'));
  await stage.world.pay(json.lnInvoice);
  const code = await stage.world.pay(json.lnInvoice).then(
    () => 'paid again',
    (thrown) => thrown.code,
  );
  same('INVALID_STATE_FOR_INVOICE_PAID', code);
};

const failedAgain = (): Fact => async (stage) => {
  const invoice = await stage.make('failedInvoice');
  same([201, 'UNPAID'], [(await quoteOf(stage, invoice)).status, invoice.state]);
};

const badHash =
  (descriptionHash: unknown): Fact =>
  async (stage) => {
    const values = await stage.make('invoice');
    const response = await stage.ask(`POST ${INVOICE}/quote`, {
      values,
      body: { descriptionHash },
    });
    checkRefusal(response, 400, 'INVALID_DATA');
  };

// Invoices: their members, what a draft may hold, their states.

const CANCEL = 'PATCH /v1/invoices/{invoiceId}/cancel';
const QUOTE_CALL = 'POST /v1/invoices/{invoiceId}/quote';
const READ = 'GET /v1/invoices/{invoiceId}';
const TEN = { amount: '10.00', currency: 'USD' };

export const invoices = section('invoices', [
  has('invoice', 'invoiceId', uuid),
  has('invoice', 'amount', money),
  has('invoice', 'amount', { amount: '12.50', currency: 'EUR' }),
  becomes('invoice', 'state', 'UNPAID'),
  has('invoice', 'created', time),
  takes('invoice', { correlationId: 'mine-1' }, 'correlationId', 'mine-1'),
  has('invoice', 'description', 'Tea'),
  has('invoice', 'issuerId', uuid),
  has('invoice', 'receiverId', uuid),
  has('bareInvoice', 'correlationId', absentOrNull),
  has('bareInvoice', 'description', absentOrNull),
  equal('invoice', 'issuerId', 'receiverId'),
  has('invoice', 'payerId', absentOrNull),
  answers('invoice', 201),
  needs('invoice', 'amount'),
  needs('invoice', 'amount.amount'),
  needs('invoice', 'amount.currency'),
  wrongCurrency('invoice', 'amount.currency'),
  refusesValue('invoice', 'amount.amount', 'five'),
  refusesValue('invoice', 'amount.amount', '5,00'),
  refuses('invoice', { 'amount.amount': '' }, 400, 'INVALID_DATA'),
  refuses('invoice', { amount: '12.50' }, 400, 'INVALID_DATA'),
  refuses('invoice', { amount: null }, 400, 'INVALID_DATA'),
  refusesBody('invoice', '{'),
  refusesBody('invoice', '[]'),
  refuses('invoice', { amount: undefined, correlationId: 'x'.repeat(41) }, 400, 'INVALID_DATA'),
  takes('invoice', { amount: { amount: '0.00010000', currency: 'BTC' } }, 'amount.currency', 'BTC'),
  takes('invoice', { amount: TEN }, 'amount.currency', 'USD'),
  takes('invoice', { amount: { amount: '1.00', currency: 'USDT' } }, 'amount.currency', 'USDT'),
  takes('invoice', { amount: { amount: '1.00', currency: 'GBP' } }, 'amount.currency', 'GBP'),
  takes('invoice', { amount: { amount: '1.00', currency: 'AUD' } }, 'amount.currency', 'AUD'),
  takes('invoice', { correlationId: 'y'.repeat(40) }, 'correlationId', 'y'.repeat(40)),
  tooLong('invoice', 'correlationId', 40),
  optional('invoice', 'correlationId'),
  optional('invoice', 'description'),
  takes('invoice', { description: '' }),
  takes('invoice', { description: 'z'.repeat(2_000) }, 'description', 'z'.repeat(2_000)),
  takes('invoice', { description: 'Käse 🧀 für zwei' }, 'description', 'Käse 🧀 für zwei'),
  refuses('invoice', { correlationId: 17 }, 400, 'INVALID_DATA'),
  refuses('invoice', { description: 17 }, 400, 'INVALID_DATA'),
  twiceTheSameName(409, 'DUPLICATE_INVOICE'),
  reads(
    'invoice',
    READ,
    'invoiceId',
    'amount',
    'state',
    'correlationId',
    'description',
    'issuerId',
    'receiverId',
  ),
  unknown('GET /v1/invoices/{id}'),
  gives('invoice', CANCEL, 200, 'invoiceId', uuid),
  becomes('cancelledInvoice', 'state', 'CANCELLED'),
  gives('cancelledInvoice', READ, 200, 'state', 'CANCELLED'),
  unchanged('paidInvoice', CANCEL, READ, 'state', 'PAID'),
  unknown('PATCH /v1/invoices/{id}/cancel'),
  becomes('pendingInvoice', 'state', 'PENDING'),
  becomes('paidInvoice', 'state', 'PAID'),
  costs('paidInvoice', 'EUR', 'amount.amount', 1),
  becomes('reversedInvoice', 'state', 'REVERSED'),
  on('cancelledInvoice', QUOTE_CALL, 422, 'INVALID_STATE_FOR_INVOICE_CANCELLED'),
  on('paidInvoice', QUOTE_CALL, 422, 'INVALID_STATE_FOR_INVOICE_PAID'),
  on('reversedInvoice', QUOTE_CALL, 422, 'INVALID_STATE_FOR_INVOICE_REVERSED'),
  on('pendingInvoice', QUOTE_CALL, 422, 'PROCESSING_PAYMENT'),
  unknown('POST /v1/invoices/{id}/quote'),
  has('paidInvoice', 'transactions', absent),
  gives('invoice', `${READ}?includeTransactions=true`, 200, 'transactions.0', absent),
  has('invoiceWithTransactions', 'transactions', array),
  has('invoiceWithTransactions', 'transactions.0.transactionId', uuid),
  has('invoiceWithTransactions', 'transactions.0.state', one('PENDING', 'COMPLETED')),
  has('invoiceWithTransactions', 'transactions.0.amountReceived', moneyIn('EUR')),
  has('invoiceWithTransactions', 'transactions.0.created', time),
  has('invoiceWithTransactions', 'transactions.0.completed', time),
  gives('paidInvoice', `${READ}?includeTransactions=false`, 200, 'transactions', absent),
]);

export const invoicesForOthers = section('invoices for others', [
  answers('invoiceFor', 201),
  equal('invoiceFor', 'issuerId', 'receiverId', false),
  becomes('invoiceFor', 'state', 'UNPAID'),
  needs('invoiceFor', 'amount'),
  tooLong('invoiceFor', 'correlationId', 40),
  takes('invoiceFor', { description: 'z'.repeat(2_000) }, 'description', 'z'.repeat(2_000)),
  gives('invoiceFor', READ, 200, 'invoiceId', uuid),
]);

// Quotes of invoices.

const quoted = ({ lnInvoice }: Thing): string => lnInvoice;
const asked = ({ bolt11 }: Thing): string => bolt11.invoice;
const source = ({ sourceAmount }: Thing): string => sourceAmount.amount;
const bitcoin = ({ bolt11 }: Thing): string => bolt11.btcAmount;

export const invoiceQuotes = section('invoice quotes', [
  answers('invoiceQuote', 201),
  has('invoiceQuote', 'quoteId', uuid),
  has('invoiceQuote', 'description', 'Tea'),
  has('invoiceQuote', 'lnInvoice', like(/^lntb\d+[munp]1/)),
  has('invoiceQuote', 'onchainAddress', nullish(text)),
  has('invoiceQuote', 'expiration', time),
  has('invoiceQuote', 'expirationInSec', integer),
  has('invoiceQuote', 'targetAmount', { amount: '12.50', currency: 'EUR' }),
  has('invoiceQuote', 'sourceAmount', moneyIn('BTC')),
  has('invoiceQuote', 'conversionRate', rate('BTC', 'EUR')),
  secondsFit('invoiceQuote', 30, 30),
  secondsFit('bitcoinInvoiceQuote', 1, 3_600),
  has('bitcoinInvoiceQuote', 'targetAmount', { amount: '0.00010000', currency: 'BTC' }),
  has('bitcoinInvoiceQuote', 'sourceAmount', { amount: '0.00010000', currency: 'BTC' }),
  rateFits(),
  asksFor('invoiceQuote', quoted, source),
  asksFor('receiveRequest', asked, bitcoin),
  answers('hashedQuote', 201),
  has('hashedQuote', 'description', absentOrNull),
  badHash('tea'),
  refusesBody('hashedQuote', '{'),
  endsUnpaid(),
  outlives(),
  preimageFits(),
  bringsAll(),
  quotePaidTwice(),
  failedAgain(),
]);

// Checks of receives and of the filters of their lists.

const RECEIVES = '/v1/receive-requests/{receiveRequestId}/receives';

/** A filter with the value of one thing leaves that one of two. */
const filterOnly =
  (path: string, name: string, member: string, thing = 'lightningReceive'): Fact =>
  async (stage) => {
    await stage.make(thing);
    const wanted = await stage.make(thing);
    const query = queryOf({ [name]: valueAt(wanted, member), $top: 100 });
    const { items, count } = await stage.get(path, { values: wanted, query });
    const id = wanted.receiveId ? 'receiveId' : 'receiveRequestId';
    same([[wanted[id]], 1], [items.map((item) => item[id]), count]);
  };

/** The same by OData, as real clients ask. */
const odataOnly =
  (field: string, member: string): Fact =>
  async (stage) => {
    await stage.make('lightningReceive');
    const { receiveId, ...wanted } = await stage.make('lightningReceive');
    const value = valueAt({ receiveId, ...wanted }, member);
    const query = queryOf({ $filter: `${field} eq '${value}'` });
    const { items, count } = await stage.get('/v1/receive-requests/receives', { query });
    same([[receiveId], 1], [items.map((item) => item.receiveId), count]);
  };

const paidTwice = (): Fact => async (stage) => {
  const { bolt11 } = await stage.make('receiveRequest');
  await stage.world.pay(bolt11.invoice);
  const again = await stage.world.pay(bolt11.invoice).then(
    () => 'paid again',
    ({ code }) => code,
  );
  same('LN_INVOICE_PROCESSED', again);
};

const receivesTwo = (): Fact => async (stage) => {
  const made = await stage.make('openRequest');
  for (const amount of ['0.00100000', '0.00200000'])
    await stage.world.startPay(made.onchain.address, { amount, pendingFor: 1_000 });
  await stage.world.advance(5_000);
  const { items } = await stage.get(RECEIVES, { values: made });
  const amounts = items.map(({ amountReceived }) => amountReceived.amount).sort();
  check(amounts.join() === '0.00100000,0.00200000', 'two receives', items);
};

// Receive requests and their receives.

const ONE = 'GET /v1/receive-requests/{receiveRequestId}';
const B = 'bolt11';
const O = 'onchain';

export const receiveRequests = section('receive requests', [
  takes('receiveRequest', {}, 'receiveRequestId', uuid),
  takes('pluralRequest', {}, 'receiveRequestId', uuid),
  has('receiveRequest', 'created', time),
  has('receiveRequest', 'state', absentOrNull),
  has('receiveRequest', 'targetCurrency', 'USD'),
  has('receiveRequest', `${B}.invoice`, like(/^lntb/)),
  has('receiveRequest', `${B}.requestedAmount`, { amount: '10.00', currency: 'USD' }),
  has('receiveRequest', `${B}.btcAmount`, decimal),
  has('receiveRequest', `${B}.description`, 'Support our choir'),
  has('receiveRequest', `${B}.paymentHash`, hash),
  has('receiveRequest', `${B}.expires`, time),
  within('receiveRequest', `${B}.expires`, 598_000, 601_000),
  has('receiveRequest', `${O}.address`, like(/^(tb1|[mn2])/)),
  has('receiveRequest', `${O}.addressUri`, like(/^bitcoin:(tb1|[mn2])\w+\?amount=\d+(\.\d+)?/)),
  has('receiveRequest', `${O}.requestedAmount`, { amount: '10.00', currency: 'USD' }),
  has('receiveRequest', `${O}.btcAmount`, decimal),
  has('openRequest', `${B}.requestedAmount`, absentOrNull),
  has('openRequest', `${B}.btcAmount`, absentOrNull),
  has('openRequest', `${B}.invoice`, like(/^lntb1/)),
  has('openRequest', `${O}.addressUri`, like(/^bitcoin:\w+$/)),
  has('onchainRequest', B, absentOrNull),
  has('bolt11Request', O, absentOrNull),
  has('hashedRequest', `${B}.descriptionHash`, 'ab'.repeat(32)),
  has('hashedRequest', `${B}.description`, absentOrNull),
  refuses('receiveRequest', { bolt11: undefined, onchain: undefined }, 400, 'INVALID_DATA'),
  refuses(
    'receiveRequest',
    { bolt11: undefined, onchain: undefined, bolt12: {} },
    400,
    'INVALID_DATA',
  ),
  wrongCurrency('receiveRequest', 'targetCurrency'),
  needs('receiveRequest', `${B}.amount.amount`),
  needs('receiveRequest', `${B}.amount.currency`),
  needs('receiveRequest', `${O}.amount.amount`),
  needs('receiveRequest', `${O}.amount.currency`),
  refusesValue('receiveRequest', `${B}.amount.amount`, 'ten'),
  wrongCurrency('receiveRequest', `${B}.amount.currency`),
  wrongCurrency('receiveRequest', `${O}.amount.currency`),
  takes('receiveRequest', { [`${B}.description`]: '' }),
  takes('receiveRequest', { [`${B}.description`]: 'd'.repeat(639) }),
  takes('receiveRequest', { [`${B}.description`]: 'd'.repeat(2_000) }),
  refuses('hashedOnly', { [`${B}.descriptionHash`]: 'tea' }, 400, 'INVALID_DATA'),
  refuses('receiveRequest', { [`${B}.expiryInSeconds`]: 'soon' }, 400, 'INVALID_DATA'),
  refuses('receiveRequest', { [`${B}.expiryInSeconds`]: -1 }, 400, 'INVALID_DATA'),
  takes(
    'receiveRequest',
    { [`${B}.amount`]: { amount: '0.00010000', currency: 'BTC' } },
    `${B}.btcAmount`,
    '0.00010000',
  ),
  refusesBody('receiveRequest', '{]'),
  reads('receiveRequest', ONE, 'receiveRequestId', 'bolt11', 'onchain', 'targetCurrency'),
  unknown('GET /v1/receive-requests/{id}'),
  unknown('GET /v1/receive-requests/{id}/receives'),
  gives('receiveRequest', `${ONE}/receives`, 200, 'count', 0),
]);

export const receives = section('receives', [
  has('lightningReceive', 'receiveId', uuid),
  has('lightningReceive', 'receiveRequestId', uuid),
  has('lightningReceive', 'type', 'LIGHTNING'),
  has('onchainReceive', 'type', 'ONCHAIN'),
  becomes('lightningReceive', 'state', 'COMPLETED'),
  becomes('seenReceive', 'state', 'PENDING'),
  becomes('onchainReceive', 'state', 'COMPLETED'),
  has('lightningReceive', 'amountReceived', moneyIn('BTC')),
  has('seenReceive', 'amountReceived', exactly({ amount: '0.00100000', currency: 'BTC' })),
  has('lightningReceive', 'amountCredited', moneyIn('USD')),
  has('seenReceive', 'amountCredited', absentOrNull),
  has('lightningReceive', 'conversionRate', nullish(rate())),
  has('lightningReceive', 'created', time),
  has('lightningReceive', 'completed', time),
  has('seenReceive', 'completed', absentOrNull),
  has('lightningReceive', 'lightning.invoice', like(/^lntb/)),
  has('lightningReceive', 'lightning.preimage', hash),
  has('lightningReceive', 'lightning.paymentHash', hash),
  has('lightningReceive', 'lightning.description', 'Support our choir'),
  has('lightningReceive', 'onchain', absentOrNull),
  has('onchainReceive', 'onchain.address', text),
  has('onchainReceive', 'onchain.transactionId', hash),
  has('onchainReceive', 'onchain.numberOfConfirmations', nullish(integer)),
  has('onchainReceive', 'onchain.blockHeight', nullish(integer)),
  has('onchainReceive', 'lightning', absentOrNull),
  costs('lightningReceive', 'USD', 'amountCredited.amount', 1),
  costs('seenReceive', 'USD', undefined, 0),
  paidTwice(),
  receivesTwo(),
  filterOnly('/v1/receive-requests/receives', '$receiveRequestId', 'receiveRequestId'),
  filterOnly('/v1/receive-requests/receives', 'receiveRequestId', 'receiveRequestId'),
  odataOnly('receiveId', 'receiveId'),
  odataOnly('bolt11Invoice', 'lightning.invoice'),
  odataOnly('paymentHash', 'lightning.paymentHash'),
  filterOnly('/v1/receive-requests/receives', '$receiveId', 'receiveId'),
  filterOnly('/v1/receive-requests/receives', '$paymentHash', 'lightning.paymentHash'),
  filterOnly('/v1/receive-requests/receives', '$bolt11Invoice', 'lightning.invoice'),
  filterOnly(
    '/v1/receive-requests/receives',
    '$onchainAddress',
    'onchain.address',
    'onchainReceive',
  ),
  filterOnly('/v1/receive-requests/{receiveRequestId}/receives', '$receiveId', 'receiveId'),
  filterOnly(
    '/v1/receive-requests/{receiveRequestId}/receives',
    '$paymentHash',
    'lightning.paymentHash',
  ),
  filterOnly(
    '/v1/receive-requests/{receiveRequestId}/receives',
    '$bolt11Invoice',
    'lightning.invoice',
  ),
  filterOnly(
    '/v1/receive-requests/{receiveRequestId}/receives',
    '$onchainAddress',
    'onchain.address',
    'onchainReceive',
  ),
  filterOnly(
    '/v1/receive-requests/{receiveRequestId}/receives',
    'receiveRequestId',
    'receiveRequestId',
  ),
  filterOnly('/v1/receive-requests', '$paymentHash', 'bolt11.paymentHash', 'receiveRequest'),
  filterOnly('/v1/receive-requests', '$bolt11Invoice', 'bolt11.invoice', 'receiveRequest'),
  filterOnly('/v1/receive-requests', '$onchainAddress', 'onchain.address', 'receiveRequest'),
]);
