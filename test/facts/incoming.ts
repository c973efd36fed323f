// Checks of quotes of invoices and of the Lightning invoices inside.
import { createHash } from 'node:crypto';
import type { ThingName } from './things.ts';
import {
  answers,
  becomes,
  checkRefusal,
  digitsSeen,
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
  sixDigits,
  takes,
  tooLong,
  tooShort,
  twiceTheSameName,
  unchanged,
  unknown,
  wrongCurrency,
} from './checks.ts';
import {
  type Answer,
  check,
  type Check,
  same,
  section,
  type Stage,
  type Thing,
  PUBLIC,
  under,
} from './fact.ts';
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
const PARTS: Readonly<Record<string, number>> = { m: 3, u: 6, n: 9, p: 12 };
const DIGITS = 12;

/** The amount of a BOLT11 text in its smallest unit, a tenth of a millisatoshi. */
function amountOf(lnInvoice: string): bigint {
  const [, count = '', unit = ''] = /^lntb(\d+)([munp])1/.exec(lnInvoice) ?? [];
  check(count !== '', 'an amount in the Lightning invoice', lnInvoice);
  return BigInt(count) * 10n ** BigInt(DIGITS - PARTS[unit]!);
}

/** The Lightning invoice asks for the amount in bitcoin that the response shows. */
const asksFor =
  (thing: ThingName, textOf: (json: Thing) => string, bitcoinOf: (json: Thing) => string): Check =>
  async (stage) => {
    const json = await stage.thing(thing);
    same(`${unitsOf(bitcoinOf(json)) * 100n}`, `${amountOf(textOf(json))}`);
  };

/** The end of a quote is as far away as the seconds say. */
const secondsFit =
  (thing: ThingName, least: number, most: number): Check =>
  async (stage) => {
    const quote = await stage.make(thing);
    const distance = (Date.parse(quote.expiration) - (await stage.world.now())) / 1_000;
    const isNear = Math.abs(distance - quote.expirationInSec) <= 2;
    check(isNear, `expiration ${quote.expirationInSec} s away`, distance);
    const { expirationInSec } = quote;
    check(expirationInSec >= least && expirationInSec <= most, `${least} to ${most} s`, quote);
  };

/** The payer pays at most a satoshi more than the rate gives. */
const rateFits = (): Check => async (stage) => {
  const { sourceAmount, targetAmount, conversionRate } = await stage.thing('invoiceQuote');
  const paid = wholeUnits(sourceAmount.amount, 8);
  const rate = wholeUnits(conversionRate.amount, 8);
  const exact = wholeUnits(targetAmount.amount, 8) * 10n ** 8n;
  const isNear = (paid + 1n) * rate >= exact && (paid - 2n) * rate <= exact;
  check(isNear, `about ${exact / rate} satoshi`, sourceAmount);
};

const quoteOf = (stage: Stage, values: object): Promise<Answer> =>
  stage.ask(`POST ${INVOICE}/quote`, { values });

/** Each quote is one of its own. */
const anotherQuote =
  (wait: number): Check =>
  async (stage) => {
    const invoice = await stage.make('invoice');
    const first = await quoteOf(stage, invoice);
    await stage.world.advance(wait);
    const second = await quoteOf(stage, invoice);
    same([201, 201], [first.status, second.status]);
    const isOther = first.json.quoteId !== second.json.quoteId;
    check(isOther && first.json.lnInvoice !== second.json.lnInvoice, 'another quote', second.json);
  };

/** A quote that has ended cannot be paid. */
const endsUnpaid = (): Check => async (stage) => {
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
const outlives = (): Check => async (stage) => {
  const invoice = await stage.make('invoice');
  await quoteOf(stage, invoice);
  await stage.world.advance(86_400_000);
  same('UNPAID', (await stage.get(INVOICE, { values: invoice })).state);
};

/** The preimage that a payer gets is that of the payment hash. */
const preimageFits = (): Check => async (stage) => {
  const { json } = await quoteOf(stage, await stage.make('invoice'));
  const { paymentHash, preimage } = await stage.world.pay(json.lnInvoice);
  const made = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex');
  same(paymentHash, made);
};

/** A payment of a quote brings what the invoice asked for. */
const bringsAll = (): Check => async (stage) => {
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
const quotePaidTwice = (): Check => async (stage) => {
  const { json } = await quoteOf(stage, await stage.make('invoice'));
  await stage.world.pay(json.lnInvoice);
  const code = await stage.world.pay(json.lnInvoice).then(
    () => 'paid again',
    (thrown) => thrown.code,
  );
  same('INVALID_STATE_FOR_INVOICE_PAID', code);
};

const failedAgain = (): Check => async (stage) => {
  const invoice = await stage.make('failedInvoice');
  same([201, 'UNPAID'], [(await quoteOf(stage, invoice)).status, invoice.state]);
};

const badHash =
  (descriptionHash: unknown): Check =>
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
  ...under('Invoice', [
    ['The service gives each invoice an id that is a UUID.', has('invoice', 'invoiceId', uuid)],
    [
      'An invoice says how much was asked for, as amount and currency.',
      has('invoice', 'amount', money),
    ],
    [
      'The amount asked for is the amount of the draft.',
      has('invoice', 'amount', { amount: '12.50', currency: 'EUR' }),
    ],
    ['A new invoice is UNPAID.', becomes('invoice', 'state', 'UNPAID')],
    ['The time of creation is a date-time with an offset.', has('invoice', 'created', time)],
    [
      'The correlation value of the draft comes back.',
      takes('invoice', { correlationId: 'mine-1' }, 'correlationId', 'mine-1'),
    ],
    ['The description of the draft comes back.', has('invoice', 'description', 'Tea')],
    ['The issuer is named by a UUID.', has('invoice', 'issuerId', uuid)],
    ['The receiver is named by a UUID.', has('invoice', 'receiverId', uuid)],
    [
      'A correlation value that was not sent is not made up.',
      has('bareInvoice', 'correlationId', absentOrNull),
    ],
    [
      'A description that was not sent is not made up.',
      has('bareInvoice', 'description', absentOrNull),
    ],
  ]),
  ...under(PUBLIC.invoices, [
    [
      'Of an own invoice issuer and receiver are the same account.',
      equal('invoice', 'issuerId', 'receiverId'),
    ],
    [
      'An invoice for nobody in particular names no payer.',
      has('invoice', 'payerId', absentOrNull),
    ],
  ]),
  ...under('POST /v1/invoices', [
    ['Creating an invoice answers 201.', answers('invoice', 201)],
    ['An invoice without an amount is refused: required.', needs('invoice', 'amount')],
  ]),
  ...under('Money object', [
    ['An amount without its number is refused: required.', needs('invoice', 'amount.amount')],
    ['An amount without its currency is refused: required.', needs('invoice', 'amount.currency')],
    [
      'A currency outside of the six is refused, and named.',
      wrongCurrency('invoice', 'amount.currency'),
    ],
    [
      'An amount that is a word is no valid value.',
      refusesValue('invoice', 'amount.amount', 'five'),
    ],
    ['An amount with a comma is no valid value.', refusesValue('invoice', 'amount.amount', '5,00')],
    [
      'An empty amount is no valid value.',
      refuses('invoice', { 'amount.amount': '' }, 400, 'INVALID_DATA'),
    ],
  ]),
  ...under('POST /v1/invoices', [
    [
      'An amount that is a text instead of an object is refused.',
      refuses('invoice', { amount: '12.50' }, 400, 'INVALID_DATA'),
    ],
    [
      'An amount that is null counts as missing.',
      refuses('invoice', { amount: null }, 400, 'INVALID_DATA'),
    ],
    ['A body that is not JSON is refused.', refusesBody('invoice', '{')],
    ['A body that is a list is refused.', refusesBody('invoice', '[]')],
    [
      'Several wrong members are reported together.',
      refuses('invoice', { amount: undefined, correlationId: 'x'.repeat(41) }, 400, 'INVALID_DATA'),
    ],
  ]),
  ...under('Money object', [
    [
      'An invoice can be in bitcoin.',
      takes(
        'invoice',
        { amount: { amount: '0.00010000', currency: 'BTC' } },
        'amount.currency',
        'BTC',
      ),
    ],
    ['An invoice can be in dollars.', takes('invoice', { amount: TEN }, 'amount.currency', 'USD')],
    [
      'An invoice can be in tethers.',
      takes('invoice', { amount: { amount: '1.00', currency: 'USDT' } }, 'amount.currency', 'USDT'),
    ],
  ]),
  [
    'Changelog 2024-06-12',
    'An invoice can be in pounds.',
    takes('invoice', { amount: { amount: '1.00', currency: 'GBP' } }, 'amount.currency', 'GBP'),
  ],
  [
    'Changelog 2025-07-07',
    'An invoice can be in Australian dollars.',
    takes('invoice', { amount: { amount: '1.00', currency: 'AUD' } }, 'amount.currency', 'AUD'),
  ],
  ...under('Limits', [
    [
      'A correlation value may have 40 characters.',
      takes('invoice', { correlationId: 'y'.repeat(40) }, 'correlationId', 'y'.repeat(40)),
    ],
    ['A correlation value of 41 characters is too long.', tooLong('invoice', 'correlationId', 40)],
  ]),
  ...under(PUBLIC.invoices, [
    ['The correlation value can be left out.', optional('invoice', 'correlationId')],
    ['The description can be left out.', optional('invoice', 'description')],
    [
      'A description may have 200 characters.',
      takes('invoice', { description: 'z'.repeat(200) }, 'description', 'z'.repeat(200)),
    ],
  ]),
  [
    PUBLIC.bounds,
    'A description of 201 characters is too long.',
    tooLong('invoice', 'description', 200),
  ],
  [
    PUBLIC.letters,
    'Letters outside of ASCII come back as they were.',
    takes('invoice', { description: 'Käse 🧀 für zwei' }, 'description', 'Käse 🧀 für zwei'),
  ],
  ...under('POST /v1/invoices', [
    [
      'A correlation value that is a number is refused.',
      refuses('invoice', { correlationId: 17 }, 400, 'INVALID_DATA'),
    ],
    [
      'A description that is a number is refused.',
      refuses('invoice', { description: 17 }, 400, 'INVALID_DATA'),
    ],
  ]),
  [
    'Errors',
    'The refusal of a used correlation value names that very value.',
    twiceTheSameName(409, 'DUPLICATE_INVOICE'),
  ],
  ...under('GET /v1/invoices/{id}', [
    [
      'An invoice that is read has what its creation said.',
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
    ],
    ['The time of creation is read as it was said, up to the sixth digit.', sixDigits(READ)],
  ]),
  ...under(PUBLIC.times, [
    ['The answer to a creation has times with up to seven digits.', digitsSeen(7)],
    ['Times that are read have up to six digits.', digitsSeen(6, READ)],
  ]),
  [
    'GET /v1/invoices/{id}',
    'An id that nothing has is not found.',
    unknown('GET /v1/invoices/{id}'),
  ],
  ...under('States', [
    [
      'Cancelling an unpaid invoice answers 200 with the invoice.',
      gives('invoice', CANCEL, 200, 'invoiceId', uuid),
    ],
    [
      'An invoice that was cancelled is CANCELLED.',
      becomes('cancelledInvoice', 'state', 'CANCELLED'),
    ],
    [
      'A cancelled invoice stays CANCELLED when it is read.',
      gives('cancelledInvoice', READ, 200, 'state', 'CANCELLED'),
    ],
    [
      'A refused cancellation leaves a paid invoice PAID.',
      unchanged('paidInvoice', CANCEL, READ, 'state', 'PAID'),
    ],
  ]),
  [
    'PATCH /v1/invoices/{id}/cancel',
    'An unknown invoice cannot be cancelled: not found.',
    unknown('PATCH /v1/invoices/{id}/cancel'),
  ],
  ...under(PUBLIC.invoices, [
    [
      'While a payment is under way the invoice is PENDING.',
      becomes('pendingInvoice', 'state', 'PENDING'),
    ],
    ['After a payment the invoice is PAID.', becomes('paidInvoice', 'state', 'PAID')],
    [
      'A payment that was taken back makes the invoice REVERSED.',
      becomes('reversedInvoice', 'state', 'REVERSED'),
    ],
  ]),
  ...under('POST /v1/invoices/{id}/quote', [
    [
      'A cancelled invoice gets no quote.',
      on('cancelledInvoice', QUOTE_CALL, 422, 'INVALID_STATE_FOR_INVOICE_CANCELLED'),
    ],
    [
      'A paid invoice gets no quote.',
      on('paidInvoice', QUOTE_CALL, 422, 'INVALID_STATE_FOR_INVOICE_PAID'),
    ],
    [
      'A reversed invoice gets no quote.',
      on('reversedInvoice', QUOTE_CALL, 422, 'INVALID_STATE_FOR_INVOICE_REVERSED'),
    ],
    [
      'An invoice that is being paid gets no quote.',
      on('pendingInvoice', QUOTE_CALL, 422, 'PROCESSING_PAYMENT'),
    ],
    ['An unknown invoice gets no quote: not found.', unknown('POST /v1/invoices/{id}/quote')],
  ]),
  ...under(PUBLIC.invoices, [
    [
      'Transactions are shown only where they are asked for.',
      has('paidInvoice', 'transactions', absent),
    ],
    [
      'An unpaid invoice has an empty list of transactions or none.',
      gives('invoice', `${READ}?includeTransactions=true`, 200, 'transactions.0', absent),
    ],
    [
      'The transactions of a paid invoice are a list.',
      has('invoiceWithTransactions', 'transactions', array),
    ],
    [
      'A transaction has an id that is a UUID.',
      has('invoiceWithTransactions', 'transactions.0.transactionId', uuid),
    ],
    [
      'A transaction is PENDING or COMPLETED.',
      has('invoiceWithTransactions', 'transactions.0.state', one('PENDING', 'COMPLETED')),
    ],
    [
      'A transaction says what was received.',
      has('invoiceWithTransactions', 'transactions.0.amountReceived', moneyIn('EUR')),
    ],
    [
      'A transaction says when it began.',
      has('invoiceWithTransactions', 'transactions.0.created', time),
    ],
    [
      'A completed transaction says when it ended.',
      has('invoiceWithTransactions', 'transactions.0.completed', time),
    ],
    [
      'Transactions can be asked not to be shown.',
      gives('paidInvoice', `${READ}?includeTransactions=false`, 200, 'transactions', absent),
    ],
  ]),
]);

const FOR = 'POST /v1/invoices/handle/{handle}';

export const invoicesForOthers = section('invoices for others', [
  ...under(FOR, [
    ['An invoice can be made for the account of another handle: 201.', answers('invoiceFor', 201)],
    [
      'Its issuer and its receiver are different accounts.',
      equal('invoiceFor', 'issuerId', 'receiverId', false),
    ],
    ['It is UNPAID at first.', becomes('invoiceFor', 'state', 'UNPAID')],
    ['It needs an amount.', needs('invoiceFor', 'amount')],
    ['Its correlation value has the same limit.', tooLong('invoiceFor', 'correlationId', 40)],
    ['Its description has the same limit.', tooLong('invoiceFor', 'description', 200)],
    ['The issuer reads it.', gives('invoiceFor', READ, 200, 'invoiceId', uuid)],
  ]),
]);

// Quotes of invoices.

const QUOTE = 'POST /v1/invoices/{id}/quote';
const quoted = ({ lnInvoice }: Thing): string => lnInvoice;
const asked = ({ bolt11 }: Thing): string => bolt11.invoice;
const source = ({ sourceAmount }: Thing): string => sourceAmount.amount;
const bitcoin = ({ bolt11 }: Thing): string => bolt11.btcAmount;

export const invoiceQuotes = section('invoice quotes', [
  ...under(PUBLIC.invoices, [
    ['A quote of an invoice answers 201.', answers('invoiceQuote', 201)],
    ['It has an id that is a UUID.', has('invoiceQuote', 'quoteId', uuid)],
    ['It has the description of the invoice.', has('invoiceQuote', 'description', 'Tea')],
    [
      'It has a Lightning invoice of the test network.',
      has('invoiceQuote', 'lnInvoice', like(/^lntb\d+[munp]1/)),
    ],
    ['It may have an address.', has('invoiceQuote', 'onchainAddress', nullish(text))],
    ['It says when it ends.', has('invoiceQuote', 'expiration', time)],
    ['It says in how many seconds it ends.', has('invoiceQuote', 'expirationInSec', integer)],
    [
      'It says what is credited: what the invoice asks for.',
      has('invoiceQuote', 'targetAmount', { amount: '12.50', currency: 'EUR' }),
    ],
    ['It says what is paid, in bitcoin.', has('invoiceQuote', 'sourceAmount', moneyIn('BTC'))],
  ]),
  [
    PUBLIC.digits,
    'Its rate leads from bitcoin to the currency of the invoice.',
    has('invoiceQuote', 'conversionRate', rate('BTC', 'EUR')),
  ],
  ...under(PUBLIC.invoices, [
    ['A converted quote lives thirty seconds.', secondsFit('invoiceQuote', 30, 30)],
    ['A quote in bitcoin says its seconds too.', secondsFit('bitcoinInvoiceQuote', 1, 3_600)],
  ]),
  ...under(PUBLIC.bitcoinQuotes, [
    [
      'A quote in bitcoin credits bitcoin.',
      has('bitcoinInvoiceQuote', 'targetAmount', { amount: '0.00010000', currency: 'BTC' }),
    ],
    [
      'A quote in bitcoin asks for the same that it credits.',
      has('bitcoinInvoiceQuote', 'sourceAmount', { amount: '0.00010000', currency: 'BTC' }),
    ],
  ]),
  ...under(PUBLIC.invoices, [
    ['What is paid follows from the rate, to the satoshi.', rateFits()],
    ['The Lightning invoice asks for what is paid.', asksFor('invoiceQuote', quoted, source)],
  ]),
  [
    PUBLIC.receives,
    'The Lightning invoice of a request asks for its amount in bitcoin.',
    asksFor('receiveRequest', asked, bitcoin),
  ],
  ['Changelog 2023-04-27', 'A hash of the description can be set.', answers('hashedQuote', 201)],
  ...under(PUBLIC.invoices, [
    ['With a hash the description is left out.', has('hashedQuote', 'description', absentOrNull)],
    ['A hash that is not hex is refused.', badHash('tea')],
    ['A hash that is a number is refused.', badHash(17)],
    ['A body that is not JSON is refused.', refusesBody('hashedQuote', '{')],
    ['A second quote is another one.', anotherQuote(0)],
    ['After the end of a quote there is another one.', anotherQuote(60_000)],
    ['A quote that has ended cannot be paid, and the invoice is UNPAID.', endsUnpaid()],
    ['An invoice does not end with its quotes.', outlives()],
  ]),
  ...under(QUOTE, [
    ['The proof of a payment is that of the payment hash.', preimageFits()],
    ['A payment brings what the invoice asks for.', bringsAll()],
    ['A quote is paid once.', quotePaidTwice()],
  ]),
  [PUBLIC.invoices, 'After a payment that failed an invoice can be quoted again.', failedAgain()],
]);

// Checks of receives and of the filters of their lists.

const RECEIVES = '/v1/receive-requests/{receiveRequestId}/receives';

/** A filter with the value of one thing leaves that one of two. */
const filterOnly =
  (path: string, name: string, member: string, thing = 'lightningReceive'): Check =>
  async (stage) => {
    await stage.make(thing);
    const wanted = await stage.make(thing);
    const query = queryOf({ [name]: valueAt(wanted, member), $top: 100 });
    const { items, count } = await stage.get(path, { values: wanted, query });
    const id = wanted.receiveId ? 'receiveId' : 'receiveRequestId';
    same([[wanted[id]], 1], [items.map((item) => item[id]), count]);
  };

const paidTwice = (): Check => async (stage) => {
  const { bolt11 } = await stage.make('receiveRequest');
  await stage.world.pay(bolt11.invoice);
  const again = await stage.world.pay(bolt11.invoice).then(
    () => 'paid again',
    ({ code }) => code,
  );
  same('LN_INVOICE_PROCESSED', again);
};

const receivesTwo = (): Check => async (stage) => {
  const made = await stage.make('openRequest');
  for (const amount of ['0.00100000', '0.00200000'])
    await stage.world.startPay(made.onchain.address, { amount, pendingFor: 1_000 });
  await stage.world.advance(5_000);
  const { items } = await stage.get(RECEIVES, { values: made });
  const amounts = items.map(({ amountReceived }) => amountReceived.amount).sort();
  check(amounts.join() === '0.00100000,0.00200000', 'two receives', items);
};

// Receive requests and their receives.

const MAKE = 'POST /v1/receive-request';
const ONE = 'GET /v1/receive-requests/{receiveRequestId}';
const B = 'bolt11';
const O = 'onchain';

export const receiveRequests = section('receive requests', [
  [
    MAKE,
    'A receive request is made, with an id that is a UUID.',
    takes('receiveRequest', {}, 'receiveRequestId', uuid),
  ],
  [
    PUBLIC.requestPaths,
    'The path with an s makes one too.',
    takes('pluralRequest', {}, 'receiveRequestId', uuid),
  ],
  ...under(PUBLIC.receives, [
    ['It says when it was made.', has('receiveRequest', 'created', time)],
    ['It has no state.', has('receiveRequest', 'state', absentOrNull)],
    ['It says what receipts are converted to.', has('receiveRequest', 'targetCurrency', 'USD')],
    [
      'Its Lightning invoice is one of the test network.',
      has('receiveRequest', `${B}.invoice`, like(/^lntb/)),
    ],
    [
      'It says what was asked for.',
      has('receiveRequest', `${B}.requestedAmount`, { amount: '10.00', currency: 'USD' }),
    ],
    ['It says that in bitcoin as a bare text.', has('receiveRequest', `${B}.btcAmount`, decimal)],
    ['It has the description.', has('receiveRequest', `${B}.description`, 'Support our choir')],
    ['It has the payment hash, 32 bytes as hex.', has('receiveRequest', `${B}.paymentHash`, hash)],
    ['It says when its Lightning invoice ends.', has('receiveRequest', `${B}.expires`, time)],
    [
      'Its Lightning invoice ends after the seconds of the draft.',
      within('receiveRequest', `${B}.expires`, 598_000, 601_000),
    ],
    [
      'Its address is one of the test network.',
      has('receiveRequest', `${O}.address`, like(/^(tb1|[mn2])/)),
    ],
    [
      'The address is told as a URI with the amount.',
      has('receiveRequest', `${O}.addressUri`, like(/^bitcoin:(tb1|[mn2])\w+\?amount=\d+(\.\d+)?/)),
    ],
    [
      'The on-chain part says what was asked for.',
      has('receiveRequest', `${O}.requestedAmount`, { amount: '10.00', currency: 'USD' }),
    ],
    ['The on-chain part says that in bitcoin.', has('receiveRequest', `${O}.btcAmount`, decimal)],
    [
      'An empty Lightning part asks for no amount.',
      has('openRequest', `${B}.requestedAmount`, absentOrNull),
    ],
    [
      'An empty Lightning part has no amount in bitcoin.',
      has('openRequest', `${B}.btcAmount`, absentOrNull),
    ],
    [
      'An empty Lightning part has an invoice all the same.',
      has('openRequest', `${B}.invoice`, like(/^lntb1/)),
    ],
    [
      'An empty on-chain part is an address without an amount.',
      has('openRequest', `${O}.addressUri`, like(/^bitcoin:\w+$/)),
    ],
    [
      'Where no Lightning invoice is asked for there is none.',
      has('onchainRequest', B, absentOrNull),
    ],
    ['Where no address is asked for there is none.', has('bolt11Request', O, absentOrNull)],
    [
      'A hash of the description stands in its place.',
      has('hashedRequest', `${B}.descriptionHash`, 'ab'.repeat(32)),
    ],
    [
      'With a hash there is no description.',
      has('hashedRequest', `${B}.description`, absentOrNull),
    ],
    [
      'At least one way to pay is needed.',
      refuses('receiveRequest', { bolt11: undefined, onchain: undefined }, 400, 'INVALID_DATA'),
    ],
    [
      'An offer alone is no way to pay here.',
      refuses(
        'receiveRequest',
        { bolt11: undefined, onchain: undefined, bolt12: {} },
        400,
        'INVALID_DATA',
      ),
    ],
    ['The target is one of the six currencies.', wrongCurrency('receiveRequest', 'targetCurrency')],
    [
      'The amount of the Lightning part needs its number.',
      needs('receiveRequest', `${B}.amount.amount`),
    ],
    [
      'The amount of the Lightning part needs its currency.',
      needs('receiveRequest', `${B}.amount.currency`),
    ],
    [
      'The amount of the on-chain part needs its number.',
      needs('receiveRequest', `${O}.amount.amount`),
    ],
    [
      'The amount of the on-chain part needs its currency.',
      needs('receiveRequest', `${O}.amount.currency`),
    ],
    [
      'The amount of the Lightning part is a decimal text.',
      refusesValue('receiveRequest', `${B}.amount.amount`, 'ten'),
    ],
    [
      'The currency of the Lightning part is one of the six.',
      wrongCurrency('receiveRequest', `${B}.amount.currency`),
    ],
    [
      'The currency of the on-chain part is one of the six.',
      wrongCurrency('receiveRequest', `${O}.amount.currency`),
    ],
    ['An empty description is too short.', tooShort('receiveRequest', `${B}.description`, '', 1)],
  ]),
  ...under(PUBLIC.bounds, [
    [
      'A description may have 250 characters.',
      takes('receiveRequest', { [`${B}.description`]: 'd'.repeat(250) }),
    ],
    [
      'A description of 251 characters is too long.',
      tooLong('receiveRequest', `${B}.description`, 250),
    ],
  ]),
  ...under(PUBLIC.receives, [
    [
      'A hash that is not hex is refused.',
      refuses('hashedOnly', { [`${B}.descriptionHash`]: 'tea' }, 400, 'INVALID_DATA'),
    ],
    [
      'An expiry that is a text is refused.',
      refuses('receiveRequest', { [`${B}.expiryInSeconds`]: 'soon' }, 400, 'INVALID_DATA'),
    ],
    [
      'An expiry below zero is refused.',
      refuses('receiveRequest', { [`${B}.expiryInSeconds`]: -1 }, 400, 'INVALID_DATA'),
    ],
    [
      'An amount in bitcoin needs no rate.',
      takes(
        'receiveRequest',
        { [`${B}.amount`]: { amount: '0.00010000', currency: 'BTC' } },
        `${B}.btcAmount`,
        '0.00010000',
      ),
    ],
  ]),
  [MAKE, 'A body that is not JSON is refused.', refusesBody('receiveRequest', '{]')],
  ...under('GET /v1/receive-requests/{id}', [
    [
      'A request that is read is the one that was made.',
      reads('receiveRequest', ONE, 'receiveRequestId', 'bolt11', 'onchain', 'targetCurrency'),
    ],
    ['An id that nothing has is not found.', unknown('GET /v1/receive-requests/{id}')],
  ]),
  [
    'GET /v1/receive-requests/{id}/receives',
    'Receives of an id that nothing has are not found.',
    unknown('GET /v1/receive-requests/{id}/receives'),
  ],
  [
    PUBLIC.receives,
    'A new request has no receives.',
    gives('receiveRequest', `${ONE}/receives`, 200, 'count', 0),
  ],
]);

export const receives = section('receives', [
  [
    PUBLIC.receives,
    'A receive has an id that is a UUID.',
    has('lightningReceive', 'receiveId', uuid),
  ],
  ['Receive', 'A receive names its request.', has('lightningReceive', 'receiveRequestId', uuid)],
  ...under(PUBLIC.receives, [
    ['Over Lightning its type is LIGHTNING.', has('lightningReceive', 'type', 'LIGHTNING')],
    ['On the chain its type is ONCHAIN.', has('onchainReceive', 'type', 'ONCHAIN')],
    ['Over Lightning it is COMPLETED at once.', becomes('lightningReceive', 'state', 'COMPLETED')],
    [
      'On the chain it is PENDING while it is confirmed.',
      becomes('seenReceive', 'state', 'PENDING'),
    ],
    [
      'On the chain it is COMPLETED once it is confirmed.',
      becomes('onchainReceive', 'state', 'COMPLETED'),
    ],
    [
      'What was received over Lightning is in bitcoin.',
      has('lightningReceive', 'amountReceived', moneyIn('BTC')),
    ],
    [
      'What was received on the chain is in bitcoin.',
      has('seenReceive', 'amountReceived', exactly({ amount: '0.00100000', currency: 'BTC' })),
    ],
    [
      'What was credited is in the target currency.',
      has('lightningReceive', 'amountCredited', moneyIn('USD')),
    ],
    [
      'Nothing is credited before it is completed.',
      has('seenReceive', 'amountCredited', absentOrNull),
    ],
    [
      'The rate of a converted receive is told.',
      has('lightningReceive', 'conversionRate', nullish(rate())),
    ],
    ['A receive says when it was seen.', has('lightningReceive', 'created', time)],
    ['A completed receive says when.', has('lightningReceive', 'completed', time)],
    ['A pending receive is not completed yet.', has('seenReceive', 'completed', absentOrNull)],
    [
      'The Lightning part has the invoice.',
      has('lightningReceive', 'lightning.invoice', like(/^lntb/)),
    ],
    [
      'The Lightning part has the preimage, in small letters.',
      has('lightningReceive', 'lightning.preimage', hash),
    ],
    [
      'The Lightning part has the payment hash.',
      has('lightningReceive', 'lightning.paymentHash', hash),
    ],
    [
      'The Lightning part has the description.',
      has('lightningReceive', 'lightning.description', 'Support our choir'),
    ],
    ['A Lightning receive has no on-chain part.', has('lightningReceive', 'onchain', absentOrNull)],
    ['The on-chain part has the address.', has('onchainReceive', 'onchain.address', text)],
    [
      'The on-chain part names the transaction.',
      has('onchainReceive', 'onchain.transactionId', hash),
    ],
    [
      'The on-chain part may say how often it was confirmed.',
      has('onchainReceive', 'onchain.numberOfConfirmations', nullish(integer)),
    ],
    [
      'The on-chain part may say its block.',
      has('onchainReceive', 'onchain.blockHeight', nullish(integer)),
    ],
    [
      'An on-chain receive has no Lightning part.',
      has('onchainReceive', 'lightning', absentOrNull),
    ],
    [
      'What was credited is there to spend.',
      costs('lightningReceive', 'USD', 'amountCredited.amount', 1),
    ],
    ['What is only seen is not there to spend.', costs('seenReceive', 'USD', undefined, 0)],
    ['A Lightning invoice of a request is paid once.', paidTwice()],
    ['An address of a request makes a receive for each payment.', receivesTwo()],
  ]),
  ...under('GET /v1/receive-requests/{id}/receives', [
    [
      'All receives can be filtered by the request.',
      filterOnly('/v1/receive-requests/receives', '$receiveRequestId', 'receiveRequestId'),
    ],
    [
      'The filter of the request works without a dollar, as it is printed.',
      filterOnly('/v1/receive-requests/receives', 'receiveRequestId', 'receiveRequestId'),
    ],
    [
      'All receives can be filtered by their own id.',
      filterOnly('/v1/receive-requests/receives', '$receiveId', 'receiveId'),
    ],
    [
      'All receives can be filtered by the payment hash.',
      filterOnly('/v1/receive-requests/receives', '$paymentHash', 'lightning.paymentHash'),
    ],
    [
      'All receives can be filtered by the Lightning invoice.',
      filterOnly('/v1/receive-requests/receives', '$bolt11Invoice', 'lightning.invoice'),
    ],
    [
      'All receives can be filtered by the address.',
      filterOnly(
        '/v1/receive-requests/receives',
        '$onchainAddress',
        'onchain.address',
        'onchainReceive',
      ),
    ],
    [
      'Receives of a request can be filtered by their own id.',
      filterOnly('/v1/receive-requests/{receiveRequestId}/receives', '$receiveId', 'receiveId'),
    ],
    [
      'Receives of a request can be filtered by the payment hash.',
      filterOnly(
        '/v1/receive-requests/{receiveRequestId}/receives',
        '$paymentHash',
        'lightning.paymentHash',
      ),
    ],
    [
      'Receives of a request can be filtered by the Lightning invoice.',
      filterOnly(
        '/v1/receive-requests/{receiveRequestId}/receives',
        '$bolt11Invoice',
        'lightning.invoice',
      ),
    ],
    [
      'Receives of a request can be filtered by the address.',
      filterOnly(
        '/v1/receive-requests/{receiveRequestId}/receives',
        '$onchainAddress',
        'onchain.address',
        'onchainReceive',
      ),
    ],
    [
      'Receives of a request take the filter of the request.',
      filterOnly(
        '/v1/receive-requests/{receiveRequestId}/receives',
        'receiveRequestId',
        'receiveRequestId',
      ),
    ],
  ]),
  ...under('GET /v1/receive-requests', [
    [
      'Requests can be filtered by the payment hash.',
      filterOnly('/v1/receive-requests', '$paymentHash', 'bolt11.paymentHash', 'receiveRequest'),
    ],
    [
      'Requests can be filtered by the Lightning invoice.',
      filterOnly('/v1/receive-requests', '$bolt11Invoice', 'bolt11.invoice', 'receiveRequest'),
    ],
    [
      'Requests can be filtered by the address.',
      filterOnly('/v1/receive-requests', '$onchainAddress', 'onchain.address', 'receiveRequest'),
    ],
  ]),
]);
