// Checks of two requests at the same time, and of what is ready for what.
import { checkRefusal } from './checks.ts';
import { eventsOf } from './events.ts';
import {
  type Answer,
  type AskOptions,
  type Changed,
  check,
  type Check,
  type Rate,
  same,
  section,
  type Stage,
  type Values,
  PUBLIC,
  under,
} from './fact.ts';
import { notBefore, pays } from './money.ts';
import { fresh, type RequestName, type ThingName } from './things.ts';
import { wholeUnits } from './shapes.ts';

const statuses = (responses: readonly Answer[]): readonly number[] =>
  responses.map(({ status }) => status).toSorted();

/** One of two equal simultaneous requests succeeds, and the other is refused with this code. */
async function onlyOne(
  send: () => Promise<Answer>,
  good: number,
  bad: number,
  code: string,
): Promise<void> {
  const both = await Promise.all([send(), send()]);
  same([good, bad], statuses(both));
  same(code, both.find(({ status }) => status === bad)?.error?.code);
}

const onceAtOnce =
  (name: RequestName, makeSame: () => Changed, good: number, bad: number, code: string): Check =>
  async (stage) => {
    const changed = makeSame();
    await onlyOne(() => stage.request(name, changed), good, bad, code);
  };

const sameName = (): Changed => ({ set: { correlationId: fresh('at-once') } });
const sameKey = (): Changed => ({ headers: { 'idempotency-key': crypto.randomUUID() } });

/** The same is done to one thing twice at once. */
const doneAtOnce =
  (thing: ThingName, call: string, good: number, bad: number, code: string): Check =>
  async (stage) => {
    const values = await stage.make(thing);
    await onlyOne(() => stage.ask(call, { values }), good, bad, code);
  };

/** Members of a draft, which name what was made for them. */
type Draft = (stage: Stage) => Promise<Values>;

/** A payout by something that is not ready is never initiated. */
const neverPaidOut =
  (set: Draft, codes: readonly string[]): Check =>
  async (stage) => {
    const draft = await set(stage);
    const made = await stage.request('payout', { set: draft });
    const last =
      made.status === 201
        ? await stage.ask('PATCH /v1/payouts/{id}/initiate', { values: made.json })
        : made;
    same([422, true], [last.status, codes.includes(last.error?.code ?? '')]);
  };

const bankIn =
  (thing: ThingName): Draft =>
  async (stage) => ({
    paymentMethodId: (await stage.make(thing)).id,
  });
const senderIn =
  (thing: ThingName): Draft =>
  async (stage) => ({
    originatorId: (await stage.make(thing)).id,
  });

/** A method that stops being ready after a payout was made. */
const notReadyAnyMore = (): Check => async (stage) => {
  const { id } = await stage.make('readySepa');
  const payout = await stage.json('payout', { set: { paymentMethodId: id } });
  await stage.world.move('bankPaymentMethod', id, 'SUSPENDED');
  const { status, error } = await stage.ask('PATCH /v1/payouts/{id}/initiate', { values: payout });
  same([422, 'PAYMENT_METHOD_NOT_READY'], [status, error?.code]);
};

/** A deposit by a method that is not ready is refused. */
const notDeposited =
  (thing: ThingName): Check =>
  async (stage) => {
    const { status, text } = await stage.request('deposit', { set: await bankIn(thing)(stage) });
    check(status === 422, 422, `${status} ${text}`);
  };

/** A cancelled invoice is not paid by an older quote. */
const cancelledIsNotPaid = (): Check => async (stage) => {
  const invoice = await stage.make('invoice');
  const { json } = await stage.ask('POST /v1/invoices/{invoiceId}/quote', { values: invoice });
  await stage.ask('PATCH /v1/invoices/{invoiceId}/cancel', { values: invoice });
  const code = await stage.world.pay(json.lnInvoice).then(
    () => 'paid',
    (thrown) => thrown.code,
  );
  const { state } = await stage.get('/v1/invoices/{invoiceId}', { values: invoice });
  same(['INVALID_STATE_FOR_INVOICE_CANCELLED', 'CANCELLED'], [code, state]);
};

/** The Lightning invoice of a request that has ended. */
const requestEnds = (): Check => async (stage) => {
  const { bolt11 } = await stage.make('receiveRequest');
  await stage.world.advance(601_000);
  const code = await stage.world.pay(bolt11.invoice).then(
    () => 'paid',
    (thrown) => thrown.code,
  );
  same('INVALID_STATE_FOR_INVOICE_EXPIRED', code);
};

/** Events of a thing are not older than it, and in the order of what happened. */
const eventsInOrder = (): Check => async (stage) => {
  const { invoiceId, created } = await stage.make('reversedInvoice');
  const times = (await eventsOf(stage, invoiceId)).map((event) => Date.parse(event.created));
  const isOrdered = times.every((time, at) => time >= (times[at - 1] ?? Date.parse(created)));
  check(times.length === 4 && isOrdered, 'four events, each not before the other', times);
};

/** One rate is the inverse of the other. */
const inverse =
  (one: string, other: string): Check =>
  async (stage) => {
    const rows = await stage.thing<readonly Rate[]>('ticker');
    const of = (source: string, target: string) =>
      wholeUnits(
        rows.find((row) => row.sourceCurrency === source && row.targetCurrency === target)!.amount,
        20,
      );
    const [product, unit] = [of(one, other) * of(other, one), 10n ** 40n];
    const isNear = product * 1_000n > unit * 999n && product * 1_000n < unit * 1_001n;
    check(isNear, `${one} to ${other} and back to be 1`, `${product} of ${unit}`);
  };

// Facts about simultaneous requests, readiness, and the order of times.

const EXECUTE = 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute';
const INITIATE = 'PATCH /v1/payouts/{id}/initiate';
const EXCHANGE = 'PATCH /v1/currency-exchange-quotes/{id}/execute';
const CANCEL = 'PATCH /v1/invoices/{invoiceId}/cancel';
const DAY = 86_400_000;

export const atOnce = section(
  'at once',
  [
    ...under('Errors', [
      [
        'Of two invoices with one correlation value at once one is made.',
        onceAtOnce('invoice', sameName, 201, 409, 'DUPLICATE_INVOICE'),
      ],
      [
        'Of two payment quotes with one key at once one is made.',
        onceAtOnce('onchain', sameKey, 200, 422, 'DUPLICATE_PAYMENT_QUOTE'),
      ],
      [
        'Of two exchange quotes with one key at once one is made.',
        onceAtOnce('exchange', sameKey, 200, 422, 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE'),
      ],
      [
        'Of two deposits with one key at once one is made.',
        onceAtOnce('deposit', sameKey, 200, 422, 'DUPLICATE_DEPOSIT'),
      ],
      [
        'A quote that is executed twice at once is paid once.',
        doneAtOnce('lightningQuote', EXECUTE, 200, 422, 'PAYMENT_PROCESSED'),
      ],
      [
        'A payout that is initiated twice at once is sent once.',
        doneAtOnce('payout', INITIATE, 200, 422, 'PAYOUT_ALREADY_INITIATED'),
      ],
      [
        'An exchange that is executed twice at once is done once.',
        doneAtOnce('exchange', EXCHANGE, 202, 422, 'CURRENCY_EXCHANGE_QUOTE_PROCESSED'),
      ],
      [
        'An invoice that is cancelled twice at once is cancelled once.',
        doneAtOnce('invoice', CANCEL, 200, 422, 'INVALID_STATE_FOR_INVOICE_CANCELLED'),
      ],
    ]),
  ],
  { pause: 8 * DAY },
);

const METHOD = ['PAYMENT_METHOD_NOT_READY', 'INVALID_PAYMENT_METHOD'];
const SENDER = ['PAYOUT_ORIGINATOR_NOT_APPROVED'];

export const readiness = section(
  'readiness',
  [
    ...under('States', [
      ['A method that is PENDING pays nothing out.', neverPaidOut(bankIn('pendingBank'), METHOD)],
      [
        'A method that is SUSPENDED pays nothing out.',
        neverPaidOut(bankIn('suspendedBank'), METHOD),
      ],
      ['A method that is INVALID pays nothing out.', neverPaidOut(bankIn('invalidBank'), METHOD)],
      ['A method that was removed pays nothing out.', neverPaidOut(bankIn('removedBank'), METHOD)],
      ['A method that was suspended after a payout was made pays nothing out.', notReadyAnyMore()],
      [
        'An originator that was rejected sends nothing.',
        neverPaidOut(senderIn('rejectedOriginator'), SENDER),
      ],
      [
        'An originator that was removed sends nothing.',
        neverPaidOut(senderIn('removedOriginator'), SENDER),
      ],
    ]),
    ...under('Errors', [
      ['A method that is SUSPENDED brings no deposits.', notDeposited('suspendedBank')],
      ['A method that is INVALID brings no deposits.', notDeposited('invalidBank')],
    ]),
    ['States', 'A cancelled invoice is not paid by an older quote.', cancelledIsNotPaid()],
    [
      PUBLIC.receives,
      'The Lightning invoice of a request is not paid after its end.',
      requestEnds(),
    ],
    ...under(PUBLIC.movements, [
      [
        'An initiated payout is set aside.',
        pays(
          'payout',
          (stage, values) => stage.ask(INITIATE, { values }),
          'EUR',
          ['amount.amount', 'fee.amount'],
          1,
          'reserved',
        ),
      ],
      [
        'An initiated payout is going out.',
        pays(
          'payout',
          (stage, values) => stage.ask(INITIATE, { values }),
          'EUR',
          ['amount.amount', 'fee.amount'],
          1,
          'outgoing',
        ),
      ],
      [
        'A payout that was made is not set aside yet.',
        pays('payout', () => {}, 'EUR', undefined, 0, 'reserved'),
      ],
    ]),
    ...under('Payout', [
      [
        'A payout is not initiated before it was made.',
        notBefore('initiatedPayout', 'initiated', 'created'),
      ],
      [
        'A payout is not completed before it was initiated.',
        notBefore('donePayout', 'completed', 'initiated'),
      ],
    ]),
    ...under(PUBLIC.exchanges, [
      ['An exchange quote ends after it was made.', notBefore('exchange', 'validUntil', 'created')],
      [
        'An exchange is not completed before it was made.',
        notBefore('doneExchange', 'completed', 'created'),
      ],
    ]),
    ...under(PUBLIC.receives, [
      [
        'A receive is not credited before it was seen.',
        notBefore('onchainReceive', 'completed', 'created'),
      ],
      [
        'A Lightning invoice of a request ends after it was made.',
        notBefore('receiveRequest', 'bolt11.expires', 'created'),
      ],
    ]),
    [
      PUBLIC.invoices,
      'A transaction is not completed before it began.',
      notBefore('invoiceWithTransactions', 'transactions.0.completed', 'transactions.0.created'),
    ],
    ['Events', 'Events of an invoice are in the order of what happened.', eventsInOrder()],
    ...under('GET /v1/rates/ticker', [
      ['A rate from bitcoin to dollars is the inverse of that back.', inverse('BTC', 'USD')],
      ['A rate from bitcoin to pounds is the inverse of that back.', inverse('BTC', 'GBP')],
    ]),
  ],
  { pause: DAY },
);

// Checks of rate limits.

/** Requests of a bucket; what they answer does not matter, they count. */
const BUCKETS = {
  invoices: ['POST /v1/invoices'],
  quotes: ['POST /v1/invoices/{id}/quote'],
  rates: ['GET /v1/rates/ticker'],
  'payment quotes': ['POST /v1/payment-quotes/lightning'],
  'address quotes': ['POST /v1/payment-quotes/lightning/lnurl'],
  'on-chain quotes': ['POST /v1/payment-quotes/onchain'],
  'mixed quotes': [
    'POST /v1/payment-quotes/lightning',
    'POST /v1/payment-quotes/onchain',
    'POST /v1/payment-quotes/lightning/lnurl',
  ],
  execution: ['PATCH /v1/payment-quotes/{id}/execute'],
  others: ['GET /v1/balances'],
  'mixed others': ['GET /v1/balances', 'GET /v1/invoices', 'POST /v1/receive-request'],
} as const;

type Bucket = keyof typeof BUCKETS;

const values = { id: '00000000-0000-4000-8000-000000000000' };

const ask = (stage: Stage, bucket: Bucket, at: number, options?: AskOptions): Promise<Answer> => {
  const calls: readonly string[] = BUCKETS[bucket];
  const call = calls[at % calls.length]!;
  return stage.ask(call, { values, ...(call.startsWith('POST') && { body: {} }), ...options });
};

/** Checks that this number of requests pass, and the next one does not. */
async function block(
  stage: Stage,
  bucket: Bucket,
  count: number,
  options?: AskOptions,
): Promise<Answer> {
  for (let at = 0; at < count; at++) {
    const { status } = await ask(stage, bucket, at, options);
    check(status !== 429, `request ${at + 1} of ${count} to pass`, status);
  }
  const response = await ask(stage, bucket, count, options);
  checkRefusal(response, 429, 'RATE_LIMIT_EXCEEDED');
  return response;
}

const blocks =
  (bucket: Bucket, count: number): Check =>
  async (stage) =>
    void (await block(stage, bucket, count));

/** The block is there until so much time is over. */
const lasts =
  (bucket: Bucket, count: number, duration: number): Check =>
  async (stage) => {
    await block(stage, bucket, count);
    await stage.world.advance(duration - 1);
    const before = await ask(stage, bucket, 0);
    await stage.world.advance(2);
    const after = await ask(stage, bucket, 0);
    check(before.status === 429, `429 before ${duration} ms`, before.status);
    check(after.status !== 429, `no 429 after ${duration} ms`, after.status);
  };

/** When a window is over there are as many requests again. */
const windowEnds =
  (bucket: Bucket, count: number, duration: number): Check =>
  async (stage) => {
    for (const which of ['the first window', 'a new window']) {
      for (let at = 0; at < count; at++) {
        const { status } = await ask(stage, bucket, at);
        check(status !== 429, `request ${at + 1} to pass in ${which}`, status);
      }
      await stage.world.advance(duration + 1);
    }
  };

const tellsWhen =
  (bucket: Bucket, count: number, duration: number): Check =>
  async (stage) => {
    const { headers } = await block(stage, bucket, count);
    const given = headers.get('retry-after') ?? '';
    const seconds = /^\d+$/.test(given)
      ? parseInt(given, 10)
      : (Date.parse(given) - (await stage.world.now())) / 1_000;
    const most = duration / 1_000;
    check(seconds > most - 5 && seconds <= most + 1, `retry-after of about ${most} s`, given);
  };

const leavesAlone =
  (bucket: Bucket, count: number, other: Bucket): Check =>
  async (stage) => {
    await block(stage, bucket, count);
    const { status } = await ask(stage, other, 0);
    check(status !== 429, `${other} to pass`, status);
  };

/** Another address is another limit; another key is not. */
const otherAddress = (): Check => async (stage) => {
  await block(stage, 'rates', 250, { address: '198.51.100.7' });
  const { status } = await ask(stage, 'rates', 0, { address: '198.51.100.8' });
  check(status !== 429, 'the other address to pass', status);
};

const otherKey = (): Check => async (stage) => {
  await block(stage, 'rates', 250);
  const { status } = await ask(stage, 'rates', 0, { as: { account: 'friend' } });
  same(429, status);
};

const unauthorizedToo = (): Check => async (stage) => {
  await block(stage, 'rates', 250);
  const { headers } = await ask(stage, 'rates', 0);
  check(headers.has('retry-after'), 'retry-after in each refusal', [...headers]);
};

// Rate limits. The only facts that play with them on.

const [MINUTE, HOUR] = [60_000, 3_600_000];
const PRODUCTION = { options: { rateLimits: 'production' }, pause: 3 * HOUR } as const;
const TEST = {
  options: { rateLimits: 'test' },
  pause: 3 * HOUR,
} as const;

export const rateLimits = section(
  'rate limits',
  [
    ...under(PUBLIC.bounds, [
      ['250 invoices can be made in a minute.', blocks('invoices', 250)],
      ['250 quotes of invoices can be made in a minute.', blocks('quotes', 250)],
      ['Rates can be read 250 times in a minute.', blocks('rates', 250)],
      ['250 quotes of payments can be made in a minute.', blocks('payment quotes', 250)],
      ['Quotes of payments of all kinds count together.', blocks('mixed quotes', 250)],
      ['250 quotes can be executed in a minute.', blocks('execution', 250)],
      ['1,000 other requests can be sent in ten minutes.', blocks('others', 1_000)],
      ['All other requests count together.', blocks('mixed others', 1_000)],
      ['Making invoices is blocked for a minute.', lasts('invoices', 250, MINUTE)],
      ['Quoting invoices is blocked for a minute.', lasts('quotes', 250, MINUTE)],
      ['Reading rates is blocked for a minute.', lasts('rates', 250, MINUTE)],
      ['Quoting payments is blocked for a minute.', lasts('payment quotes', 250, MINUTE)],
      ['Executing is blocked for a minute.', lasts('execution', 250, MINUTE)],
      ['All others are blocked for an hour.', lasts('others', 1_000, HOUR)],
      ['A minute later there are 250 again.', windowEnds('rates', 250, MINUTE)],
      ['Ten minutes later there are 1,000 again.', windowEnds('others', 1_000, 10 * MINUTE)],
      ['A refusal for a minute says when it ends.', tellsWhen('rates', 250, MINUTE)],
      ['A refusal for an hour says when it ends.', tellsWhen('others', 1_000, HOUR)],
      ['Each refusal says when it ends.', unauthorizedToo()],
      ['A block of the rates leaves the others.', leavesAlone('rates', 250, 'others')],
      ['A block of invoices leaves their quotes.', leavesAlone('invoices', 250, 'quotes')],
      [
        'A block of quotes leaves their execution.',
        leavesAlone('payment quotes', 250, 'execution'),
      ],
      ['A block of the others leaves invoices.', leavesAlone('others', 1_000, 'invoices')],
      ['Another address is not blocked.', otherAddress()],
      ['Another key from the same address is blocked.', otherKey()],
    ]),
  ],
  PRODUCTION,
);

export const testRateLimits = section(
  'test rate limits',
  [
    ...under(PUBLIC.bounds, [
      ['In the test environment 90 invoices can be made in a minute.', blocks('invoices', 90)],
      [
        'In the test environment 90 quotes of invoices can be made in a minute.',
        blocks('quotes', 90),
      ],
      ['In the test environment rates can be read 90 times in a minute.', blocks('rates', 90)],
      [
        'In the test environment 90 quotes of payments can be made in a minute.',
        blocks('payment quotes', 90),
      ],
      ['In the test environment 90 quotes can be executed in a minute.', blocks('execution', 90)],
      ['In the test environment 350 others can be sent in ten minutes.', blocks('others', 350)],
      [
        'In the test environment a block of the others lasts an hour too.',
        lasts('others', 350, HOUR),
      ],
    ]),
  ],
  TEST,
);
