// Requests that lead to each error code: the last response has it. A code is absent where no
// request leads to it.
import {
  capitalInvoice,
  checkRefusal,
  has,
  lnurlOf,
  refuses,
  refusesBody,
  takes,
} from './checks.ts';
import { delivered, type DeliveredId } from './deliveries.ts';
import {
  type Answer,
  type AskForAnswer,
  check,
  type Check,
  type FactRow,
  type FaultDraft,
  section,
  type Stage,
  type Values,
  PUBLIC,
  under,
} from './fact.ts';
import { badQuery, goodQuery } from './lists.ts';
import { absentOrNull, moneyIn, text, uuid } from './shapes.ts';
import { fresh, type RequestName, type ThingName } from './things.ts';

const CANCEL = 'PATCH /v1/invoices/{invoiceId}/cancel';
const EXECUTE = 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute';
const EXCHANGE = 'PATCH /v1/currency-exchange-quotes/{id}/execute';
const BIG = { amount: '900000.00', currency: 'USD' };

const onThing =
  (thing: ThingName, call: string): AskForAnswer =>
  async (stage) =>
    stage.ask(call, { values: await stage.make(thing) });
const twice =
  (name: RequestName): AskForAnswer =>
  async (stage) => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    await stage.json(name, { headers });
    return stage.request(name, { headers });
  };
const changed =
  (name: RequestName, set: Values): AskForAnswer =>
  (stage) =>
    stage.request(name, { set });
const during =
  (rule: FaultDraft, ask: AskForAnswer): AskForAnswer =>
  async (stage) => {
    const end = await stage.world.fault(rule);
    try {
      return await ask(stage);
    } finally {
      await end();
    }
  };
const doneTwice =
  (thing: ThingName, call: string): AskForAnswer =>
  async (stage) => {
    const values = await stage.make(thing);
    await stage.ask(call, { values });
    return stage.ask(call, { values });
  };
const tooLate =
  (thing: ThingName, call: string, duration: number): AskForAnswer =>
  async (stage) => {
    const values = await stage.make(thing);
    await stage.world.advance(duration);
    return stage.ask(call, { values });
  };
const asAccount =
  (
    account: string,
    ask: (stage: Stage, headers: Readonly<Record<string, string>>) => Promise<Answer>,
  ): AskForAnswer =>
  async (stage) => {
    const key = await stage.keyOf({ account });
    return ask(stage, { authorization: `Bearer ${key}` });
  };
const withBank =
  (name: RequestName, thing: ThingName): AskForAnswer =>
  async (stage) =>
    stage.request(name, { set: { paymentMethodId: (await stage.make(thing)).id } });
const many =
  (count: number, ask: AskForAnswer): AskForAnswer =>
  async (stage) => {
    for (let at = 0; at < count; at++) await ask(stage);
    return ask(stage);
  };

const provoke = {
  NOT_FOUND: (stage) => stage.ask('GET /v1/payments/{id}', { values: { id: crypto.randomUUID() } }),
  MAINTENANCE_MODE: during({ subject: 'service', state: 'MAINTENANCE' }, (stage) =>
    stage.ask('GET /v1/balances'),
  ),
  SERVICE_UNAVAILABLE: during({ subject: 'service', state: 'UNAVAILABLE' }, (stage) =>
    stage.ask('GET /v1/balances'),
  ),
  TOO_MANY_ATTEMPTS: many(6, changed('ach', { accountNumber: '0000' })),
  PROCESSING_CONFLICT: during(
    { subject: 'payment', state: 'PROCESSING_CONFLICT' },
    onThing('lightningQuote', EXECUTE),
  ),
  UNAUTHORIZED: (stage) => stage.ask('GET /v1/balances', { as: null }),
  FORBIDDEN: (stage) => stage.ask('GET /v1/balances', { as: { scopes: [] } }),
  INVALID_DATA: changed('invoice', { amount: undefined }),
  INVALID_DATA_QUERY: (stage) => stage.ask('GET /v1/invoices', { query: '?$filter=tea' }),
  UNPROCESSABLE_ENTITY: many(50, (stage) => stage.request('subscription')),
  ACCOUNT_NOT_READY: asAccount('late', (stage, headers) =>
    stage.ask('GET /v1/balances', { headers }),
  ),
  INVALID_STATE_FOR_INVOICE_PAID: onThing('paidInvoice', CANCEL),
  INVALID_STATE_FOR_INVOICE_REVERSED: onThing('reversedInvoice', CANCEL),
  INVALID_STATE_FOR_INVOICE_CANCELLED: onThing('cancelledInvoice', CANCEL),
  async INVALID_STATE_FOR_INVOICE_EXPIRED(stage: Stage) {
    const lnInvoice = await stage.world.bolt11({ sat: '10', expirySeconds: 5 });
    await stage.world.advance(10_000);
    return stage.request('lightning', { set: { lnInvoice } });
  },
  async INVALID_RECIPIENT(stage: Stage) {
    await stage.keyOf({ account: 'mute' });
    const body = { amount: { amount: '5.00', currency: 'EUR' } };
    return stage.ask('POST /v1/invoices/handle/mute', { body });
  },
  PROCESSING_PAYMENT: onThing('pendingInvoice', CANCEL),
  async DUPLICATE_INVOICE(stage: Stage) {
    const set = { correlationId: fresh('twice') };
    await stage.json('invoice', { set });
    return stage.request('invoice', { set });
  },
  async SELF_PAYMENT_NOT_ALLOWED(stage: Stage) {
    const { lnInvoice } = await stage.make('invoiceQuote');
    return stage.request('lightning', { set: { lnInvoice } });
  },
  USER_CURRENCY_UNAVAILABLE: asAccount('dollars', (stage, headers) =>
    stage.request('invoice', { headers }),
  ),
  LN_UNAVAILABLE: during({ subject: 'lightning', state: 'UNAVAILABLE' }, (stage) =>
    stage.request('lightning'),
  ),
  EXCHANGE_RATE_NOT_AVAILABLE: during({ subject: 'rates', state: 'UNAVAILABLE' }, (stage) =>
    stage.request('exchange'),
  ),
  BALANCE_TOO_LOW: changed('zeroLightning', { amount: BIG }),
  INVALID_AMOUNT: changed('invoice', { 'amount.amount': '0.00' }),
  AMOUNT_TOO_HIGH: changed('invoice', { 'amount.amount': '1000000.01' }),
  AMOUNT_TOO_LOW: changed('onchain', {
    sourceCurrency: 'BTC',
    amount: { amount: '0.00000001', currency: 'BTC' },
  }),
  UNSUPPORTED_PAYMENT_METHOD: withBank('deposit', 'readyWire'),
  INVALID_PAYMENT_METHOD: withBank('deposit', 'removedBank'),
  CURRENCY_UNSUPPORTED: changed('exchange', {
    sell: 'DOGE',
    amount: { amount: '5.00', currency: 'DOGE' },
  }),
  PLAID_LINKING_FAILED: changed('ach', { accountNumber: '0000' }),
  PAYMENT_METHOD_NOT_READY: withBank('deposit', 'pendingBank'),
  async PAYOUT_ORIGINATOR_NOT_APPROVED(stage: Stage) {
    const { id } = await stage.make('pendingOriginator');
    return stage.request('payout', { set: { originatorId: id } });
  },
  PAYOUT_ALREADY_INITIATED: onThing('initiatedPayout', 'PATCH /v1/payouts/{id}/initiate'),
  PAYMENT_PROCESSED: doneTwice('lightningQuote', EXECUTE),
  INVALID_LN_INVOICE: changed('lightning', { lnInvoice: 'tea' }),
  async LN_INVOICE_PROCESSED(stage: Stage) {
    const set = { lnInvoice: await stage.world.bolt11({ sat: '10' }) };
    await stage.ask(EXECUTE, { values: await stage.json('lightning', { set }) });
    return stage.request('lightning', { set });
  },
  INVALID_BITCOIN_ADDRESS: changed('tiers', { btcAddress: 'tea' }),
  async LN_ROUTE_NOT_FOUND(stage: Stage) {
    const lnInvoice = await stage.world.bolt11({ sat: '10', route: 'none' });
    return stage.request('lightning', { set: { lnInvoice } });
  },
  PAYMENT_QUOTE_EXPIRED: tooLate('lightningQuote', EXECUTE, 86_400_000),
  DUPLICATE_PAYMENT_QUOTE: twice('lightning'),
  TOO_MANY_TRANSACTIONS: during(
    { subject: 'payment', delay: 'never' },
    many(100, onThing('lightningQuote', EXECUTE)),
  ),
  DUPLICATE_CURRENCY_EXCHANGE_QUOTE: twice('exchange'),
  CURRENCY_EXCHANGE_QUOTE_PROCESSED: doneTwice('exchange', EXCHANGE),
  CURRENCY_EXCHANGE_QUOTE_EXPIRED: tooLate('exchange', EXCHANGE, 86_400_000),
  CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED: changed('exchange', { buy: 'USD' }),
  CURRENCY_EXCHANGE_AMOUNT_TOO_LOW: changed('exchange', {
    amount: { amount: '0.00000001', currency: 'BTC' },
  }),
  DEPOSIT_LIMIT_EXCEEDED: many(10, (stage) => stage.request('deposit')),
  DUPLICATE_DEPOSIT: twice('deposit'),
} satisfies Record<string, AskForAnswer>;

// The table of error codes: what leads to each, its status, its extra members, its words.

const NONE = undefined;
const limit: Values = { limit: moneyIn('BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD') };

/** Without words the description fixes none. */
type CodeRow = readonly [
  code: string,
  status: number,
  when: string,
  words: RegExp | undefined,
  values?: Values,
];

const CODES: readonly CodeRow[] = [
  ['NOT_FOUND', 404, 'nothing has the id', /not found/i],
  ['INTERNAL_SERVER_ERROR', 500, 'the service is broken', /unexpected/i],
  ['BAD_GATEWAY', 502, 'a server behind is broken', NONE],
  ['MAINTENANCE_MODE', 503, 'the service is being maintained', /maintenance/i],
  ['SERVICE_UNAVAILABLE', 503, 'the service is away', /unavailable/i],
  ['GATEWAY_TIMEOUT', 504, 'a server behind is too slow', NONE],
  [
    'TOO_MANY_ATTEMPTS',
    429,
    'a bank is linked wrongly again and again',
    /try again in a few minutes/i,
  ],
  ['PROCESSING_CONFLICT', 409, 'something else works on the quote', /try( again)? later/i],
  ['UNAUTHORIZED', 401, 'no credential is sent', /invalid or unspecified|identity/i],
  ['FORBIDDEN', 403, 'the credential has no scope', /permission/i],
  ['INVALID_DATA', 400, 'a draft breaks a rule', /validation error/i],
  ['INVALID_DATA_QUERY', 400, 'a filter cannot be read', /odata query/i],
  ['UNPROCESSABLE_ENTITY', 422, 'there are too many subscriptions', NONE],
  ['ACCOUNT_NOT_READY', 425, 'the account is not set up yet', /not (yet )?ready/i],
  ['INVALID_STATE_FOR_INVOICE_PAID', 422, 'a paid invoice is cancelled', /paid/i],
  ['INVALID_STATE_FOR_INVOICE_REVERSED', 422, 'a reversed invoice is cancelled', /reversed/i],
  ['INVALID_STATE_FOR_INVOICE_CANCELLED', 422, 'a cancelled invoice is cancelled', /cancell?ed/i],
  ['INVALID_STATE_FOR_INVOICE_EXPIRED', 422, 'a Lightning invoice is too old', /expired/i],
  ['INVALID_RECIPIENT', 422, 'an invoice is for an account that cannot be paid', /recipient/i],
  ['PROCESSING_PAYMENT', 422, 'an invoice is cancelled while it is paid', /being processed/i],
  [
    'DUPLICATE_INVOICE',
    409,
    'a correlation value was used before',
    /already exists/i,
    { correlationId: text },
  ],
  ['SELF_PAYMENT_NOT_ALLOWED', 422, 'an account pays its own invoice', /self.?payment/i],
  [
    'USER_CURRENCY_UNAVAILABLE',
    422,
    'the account does not have the currency',
    /currency/i,
    { currency: 'EUR' },
  ],
  ['LN_UNAVAILABLE', 503, 'the Lightning network is away', /lightning/i],
  ['EXCHANGE_RATE_NOT_AVAILABLE', 422, 'there is no rate', /rate/i],
  ['BALANCE_TOO_LOW', 422, 'more is spent than there is', /insufficient|funds/i],
  ['INVALID_AMOUNT', 422, 'an amount is zero', /greater than zero/i],
  ['AMOUNT_TOO_HIGH', 422, 'an amount is above the bound', /limit|above|high/i, limit],
  ['AMOUNT_TOO_LOW', 422, 'an amount is below the bound', /limit|below|low/i, limit],
  [
    'UNSUPPORTED_PAYMENT_METHOD',
    422,
    'a deposit comes by a method without deposits',
    /not supported/i,
  ],
  [
    'INVALID_PAYMENT_METHOD',
    422,
    'a deposit comes by a method that was removed',
    /invalid payment method/i,
  ],
  [
    'CURRENCY_UNSUPPORTED',
    422,
    'a currency is sold that is no currency',
    /not supported/i,
    { requestedCurrency: 'DOGE' },
  ],
  ['PLAID_LINKING_FAILED', 422, 'a bank account cannot be verified', /verification/i],
  ['PAYMENT_METHOD_NOT_READY', 422, 'a bank method is not verified yet', /READY/],
  ['PAYOUT_ORIGINATOR_NOT_APPROVED', 422, 'an originator is not approved yet', /APPROVED/],
  [
    'PAYOUT_ALREADY_INITIATED',
    422,
    'a payout is initiated twice',
    /already initiated|already been initiated/i,
  ],
  [
    'PAYMENT_PROCESSED',
    422,
    'a quote is executed twice',
    /already (been )?processed/i,
    { paymentId: uuid },
  ],
  [
    'INVALID_LN_INVOICE',
    422,
    'a text is no Lightning invoice',
    /invalid lightning invoice/i,
    { activeNetwork: text },
  ],
  [
    'LN_INVOICE_PROCESSED',
    422,
    'a Lightning invoice was paid before',
    /already (been )?processed/i,
  ],
  ['INVALID_BITCOIN_ADDRESS', 422, 'a text is no address', /invalid.*address/i],
  ['LN_ROUTE_NOT_FOUND', 422, 'nothing leads to the receiver', /route/i],
  ['PAYMENT_QUOTE_EXPIRED', 422, 'a quote is executed too late', /expired/i],
  [
    'DUPLICATE_PAYMENT_QUOTE',
    422,
    'an idempotency key made a payment quote before',
    /idempotency.*exist/i,
    { paymentQuoteId: uuid },
  ],
  ['TOO_MANY_TRANSACTIONS', 422, 'a hundred payments are under way', /limit/i],
  [
    'DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
    422,
    'an idempotency key made an exchange quote before',
    /idempotency.*exist/i,
    { currencyExchangeQuoteId: uuid },
  ],
  [
    'CURRENCY_EXCHANGE_QUOTE_PROCESSED',
    422,
    'an exchange is executed twice',
    /already (been )?processed/i,
  ],
  ['CURRENCY_EXCHANGE_QUOTE_EXPIRED', 422, 'an exchange is executed too late', /expired/i],
  ['CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED', 422, 'a currency is exchanged for itself', /pair/i],
  ['CURRENCY_EXCHANGE_AMOUNT_TOO_LOW', 422, 'too little is exchanged', /too low/i],
  ['DEPOSIT_LIMIT_EXCEEDED', 422, 'there are too many deposits', /exceeded/i],
  [
    'DUPLICATE_DEPOSIT',
    422,
    'an idempotency key made a deposit before',
    /idempotency.*exist/i,
    { depositId: uuid },
  ],
];

const askingFor = (code: string): AskForAnswer | undefined =>
  (provoke as Readonly<Record<string, AskForAnswer>>)[code];

async function provokeCode(stage: Stage, code: string): Promise<Answer> {
  const ask = askingFor(code);
  if (!ask) throw new Error(`no request and no state of the world leads to ${code}`);
  return ask(stage);
}

const comes = ([code, status, when, , values]: CodeRow): FactRow => [
  'Errors',
  `${code} comes with ${status} where ${when}.`,
  async (stage) => checkRefusal(await provokeCode(stage, code), status, code, values),
];

const speaks = (code: string, words: RegExp): FactRow => [
  'Errors',
  `${code} explains itself in words.`,
  async (stage) => {
    const { error, text: body } = await provokeCode(stage, code);
    check(error?.code === code, code, body);
    const { message } = error;
    const isText = typeof message === 'string' && message !== code && / /.test(message);
    check(isText && words.test(message), `a message like ${words}`, message);
  },
];

// The requests that lead to these would disturb other facts.
const CROWDED = /TOO_MANY|UNPROCESSABLE|DEPOSIT_LIMIT|^(PLAID|MAINTENANCE|SERVICE)/;

const factsOf = (rows: readonly CodeRow[]): readonly FactRow[] =>
  rows.flatMap((row) => {
    const [code, , , words] = row;
    return askingFor(code) ? [comes(row), ...(words ? [speaks(code, words)] : [])] : [];
  });

export const errors = section('errors', factsOf(CODES.filter(([code]) => !CROWDED.test(code))), {
  pause: 8 * 86_400_000,
});

export const crowdedErrors = section(
  'crowded errors',
  factsOf(CODES.filter(([code]) => CROWDED.test(code))),
  { alone: true },
);

// Texts that name receivers, queries that are written otherwise, and webhooks of each type.

const to = (btcAddress: string): Check =>
  takes('tiers', { btcAddress }, '0.estimatedFee.currency', 'BTC');
const not = (btcAddress: string): Check =>
  refuses('tiers', { btcAddress }, 422, 'INVALID_BITCOIN_ADDRESS');
const WITNESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

export const addresses = section('addresses', [
  ...under('BIP 173', [
    ['An address of a witness key hash is taken.', to(WITNESS)],
    ['An address in capital letters is the same address.', to(WITNESS.toUpperCase())],
    ['An address in mixed letters is none.', not(`${WITNESS.slice(0, -1)}X`)],
    [
      'An address of a witness script hash is taken.',
      to('tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7'),
    ],
  ]),
  [
    'BIP 350',
    'An address of Taproot is taken.',
    to('tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c'),
  ],
  ...under('Base58', [
    ['An old address of a key hash is taken.', to('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn')],
    ['An old address of a script hash is taken.', to('2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc')],
  ]),
  ['BIP 173', 'An address with another last letter is none.', not(`${WITNESS.slice(0, -1)}q`)],
  ...under('Base58', [
    ['An old address with another last letter is none.', not('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfm')],
    ['An old address of the main network is none here.', not('1BoatSLRHtKNngkdXEeobR76b53LETtpyT')],
  ]),
  ['BIP 21', 'A URI is no address.', not(`bitcoin:${WITNESS}`)],
  ['BOLT 11', 'A Lightning invoice in capital letters is the same.', capitalInvoice()],
  [
    'POST /v1/payment-quotes/lightning/lnurl',
    'An LNURL is taken as an address is.',
    lnurlOf('ada'),
  ],
  [
    PUBLIC.paymentQuotes,
    'Only on-chain quotes say how long the money is on its way.',
    has('lightningQuote', 'estimatedDeliveryDurationInMin', absentOrNull),
  ],
  ...under('POST /v1/invoices', [
    ['A body that is a text is refused.', refusesBody('invoice', '"tea"')],
    ['A body that is null is refused.', refusesBody('invoice', 'null')],
    ['A body that is a number is refused.', refusesBody('invoice', '17')],
    ['A body with something behind it is refused.', refusesBody('invoice', '{} {}')],
  ]),
]);

const at = 'invoices';

export const queries = section('queries', [
  ...under(PUBLIC.lists, [
    ['ne is no operator here.', badQuery(at, { $filter: "state ne 'PAID'" })],
    ['not is no operator here.', badQuery(at, { $filter: "not state eq 'PAID'" })],
    ['An operator in capital letters is none.', badQuery(at, { $filter: "state EQ 'PAID'" })],
    ['A field in capital letters is none.', badQuery(at, { $filter: "State eq 'PAID'" })],
    ['A text without quotes is none.', badQuery(at, { $filter: 'state eq PAID' })],
    ['A text in double quotes is none.', badQuery(at, { $filter: 'state eq "PAID"' })],
    ['A comparison without a value is refused.', badQuery(at, { $filter: 'state eq' })],
    ['A value without a comparison is refused.', badQuery(at, { $filter: "'PAID'" })],
    [
      'Two comparisons without a word between them are refused.',
      badQuery(at, { $filter: "state eq 'PAID' state eq 'UNPAID'" }),
    ],
    ['An empty list is refused.', badQuery(at, { $filter: 'invoiceId in ()' })],
    ['A parenthesis too many is refused.', badQuery(at, { $filter: "(state eq 'PAID'))" })],
    ['Many parentheses are not too many.', goodQuery(at, { $filter: "(((state eq 'PAID')))" })],
    ['Blanks around a filter do not matter.', goodQuery(at, { $filter: " state eq 'PAID' " })],
    ['A plus stands for a blank.', goodQuery(at, "?$filter=state+eq+'PAID'")],
    [
      'A time without seconds is a time.',
      goodQuery(at, { $filter: 'created gt 2026-01-05T09:00Z' }),
    ],
    [
      'A time without an offset is none.',
      badQuery(at, { $filter: 'created gt 2026-01-05T09:00:00' }),
    ],
    ['A date is no time.', badQuery(at, { $filter: 'created gt 2026-01-05' })],
    [
      'A time of the 25th hour is none.',
      badQuery(at, { $filter: 'created gt 2026-01-05T25:00:00Z' }),
    ],
    ['A $top with a part is refused.', badQuery(at, { $top: '1.5' })],
    ['A $top with an exponent is refused.', badQuery(at, { $top: '1e1' })],
    ['A $top below zero is refused.', badQuery(at, { $top: '-1' })],
    ['An empty $top is refused.', badQuery(at, { $top: '' })],
    ['A $skip that is a word is refused.', badQuery(at, { $skip: 'two' })],
    ['A $skip of zero leaves nothing out.', goodQuery(at, { $skip: 0 })],
  ]),
  ...under(PUBLIC.parameters, [
    ['Members cannot be chosen.', badQuery(at, { $select: 'invoiceId' })],
    ['The count is not asked for.', badQuery(at, { $count: 'true' })],
  ]),
  ...under(PUBLIC.lists, [
    [
      'An order with a comma and nothing behind it is refused.',
      badQuery(at, { $orderby: 'created,' }),
    ],
    ['An order in capital letters is refused.', badQuery(at, { $orderby: 'created DESC' })],
  ]),
]);

const TYPES: readonly (readonly [type: string, thing: ThingName, id: DeliveredId])[] = [
  ['invoice.created', 'invoice', 'invoiceId'],
  ['invoice.updated', 'cancelledInvoice', 'invoiceId'],
  ['payment-method.bank.created', 'pendingBank', 'id'],
  ['payment-method.bank.updated', 'readyAch', 'id'],
  ['payout.created', 'payout', 'id'],
  ['payout.updated', 'initiatedPayout', 'id'],
  ['payout-originator.created', 'pendingOriginator', 'id'],
  ['payout-originator.updated', 'approvedOriginator', 'id'],
  ['currency-exchange-quote.updated', 'doneExchange', 'id'],
  ['payment.created', 'executed', 'paymentId'],
  ['payment.updated', 'failedPayment', 'paymentId'],
  ['deposit.updated', 'doneDeposit', 'id'],
  ['receive-request.receive-pending', 'seenReceive', 'receiveRequestId'],
  ['receive-request.receive-completed', 'lightningReceive', 'receiveRequestId'],
];

export const deliveredTypes = section(
  'delivered types',
  TYPES.map(
    ([type, thing, id]): FactRow => [
      'Events',
      `A webhook of ${type} comes, about what it should.`,
      delivered(type, thing, id),
    ],
  ),
  { pause: 8 * 86_400_000 },
);
