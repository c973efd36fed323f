// Checks of two requests at the same time, and of what is ready for what.
import { checkRefusal } from './checks.ts';
import { eventsOf } from './events.ts';
import {
  type Answer,
  type AskOptions,
  type Changed,
  check,
  type Fact,
  same,
  section,
  type Stage,
  type Values,
} from './fact.ts';
import { pays } from './money.ts';
import { fresh, type RequestName, type ThingName } from './things.ts';

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
  (name: RequestName, makeSame: () => Changed, good: number, bad: number, code: string): Fact =>
  async (stage) => {
    const changed = makeSame();
    await onlyOne(() => stage.request(name, changed), good, bad, code);
  };

const sameName = (): Changed => ({ set: { correlationId: fresh('at-once') } });
const sameKey = (): Changed => ({ headers: { 'idempotency-key': crypto.randomUUID() } });

/** The same is done to one thing twice at once. */
const doneAtOnce =
  (thing: ThingName, call: string, good: number, bad: number, code: string): Fact =>
  async (stage) => {
    const values = await stage.make(thing);
    await onlyOne(() => stage.ask(call, { values }), good, bad, code);
  };

/** Members of a draft, which name what was made for them. */
type Draft = (stage: Stage) => Promise<Values>;

/** A payout by something that is not ready is never initiated. */
const neverPaidOut =
  (set: Draft, codes: readonly string[]): Fact =>
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
const notReadyAnyMore = (): Fact => async (stage) => {
  const { id } = await stage.make('readySepa');
  const payout = await stage.json('payout', { set: { paymentMethodId: id } });
  await stage.world.move('bankPaymentMethod', id, 'SUSPENDED');
  const { status, error } = await stage.ask('PATCH /v1/payouts/{id}/initiate', { values: payout });
  same([422, 'PAYMENT_METHOD_NOT_READY'], [status, error?.code]);
};

/** A deposit by a method that is not ready is refused. */
const notDeposited =
  (thing: ThingName): Fact =>
  async (stage) => {
    const { status, text } = await stage.request('deposit', { set: await bankIn(thing)(stage) });
    check(status === 422, 422, `${status} ${text}`);
  };

/** A cancelled invoice is not paid by an older quote. */
const cancelledIsNotPaid = (): Fact => async (stage) => {
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
const requestEnds = (): Fact => async (stage) => {
  const { bolt11 } = await stage.make('receiveRequest');
  await stage.world.advance(601_000);
  const code = await stage.world.pay(bolt11.invoice).then(
    () => 'paid',
    (thrown) => thrown.code,
  );
  same('INVALID_STATE_FOR_INVOICE_EXPIRED', code);
};

/** Events of a thing are not older than it, and in the order of what happened. */
const eventsInOrder = (): Fact => async (stage) => {
  const { invoiceId, created } = await stage.make('reversedInvoice');
  const times = (await eventsOf(stage, invoiceId)).map((event) => Date.parse(event.created));
  const isOrdered = times.every((time, at) => time >= (times[at - 1] ?? Date.parse(created)));
  check(times.length === 4 && isOrdered, 'four events, each not before the other', times);
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
    onceAtOnce('invoice', sameName, 201, 409, 'DUPLICATE_INVOICE'),
    onceAtOnce('onchain', sameKey, 200, 422, 'DUPLICATE_PAYMENT_QUOTE'),
    onceAtOnce('exchange', sameKey, 200, 422, 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE'),
    onceAtOnce('deposit', sameKey, 200, 422, 'DUPLICATE_DEPOSIT'),
    doneAtOnce('lightningQuote', EXECUTE, 200, 422, 'PAYMENT_PROCESSED'),
    doneAtOnce('payout', INITIATE, 200, 422, 'PAYOUT_ALREADY_INITIATED'),
    doneAtOnce('exchange', EXCHANGE, 202, 422, 'CURRENCY_EXCHANGE_QUOTE_PROCESSED'),
    doneAtOnce('invoice', CANCEL, 200, 422, 'INVALID_STATE_FOR_INVOICE_CANCELLED'),
  ],
  { pause: 8 * DAY },
);

const METHOD = ['PAYMENT_METHOD_NOT_READY', 'INVALID_PAYMENT_METHOD'];
const SENDER = ['PAYOUT_ORIGINATOR_NOT_APPROVED'];

export const readiness = section(
  'readiness',
  [
    neverPaidOut(bankIn('pendingBank'), METHOD),
    neverPaidOut(bankIn('suspendedBank'), METHOD),
    neverPaidOut(bankIn('invalidBank'), METHOD),
    neverPaidOut(bankIn('removedBank'), METHOD),
    notReadyAnyMore(),
    neverPaidOut(senderIn('rejectedOriginator'), SENDER),
    neverPaidOut(senderIn('removedOriginator'), SENDER),
    notDeposited('suspendedBank'),
    notDeposited('invalidBank'),
    cancelledIsNotPaid(),
    requestEnds(),
    pays(
      'payout',
      (stage, values) => stage.ask(INITIATE, { values }),
      'EUR',
      ['amount.amount', 'fee.amount'],
      1,
      'reserved',
    ),
    pays(
      'payout',
      (stage, values) => stage.ask(INITIATE, { values }),
      'EUR',
      ['amount.amount', 'fee.amount'],
      1,
      'outgoing',
    ),
    pays('payout', () => {}, 'EUR', undefined, 0, 'reserved'),
    eventsInOrder(),
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
  (bucket: Bucket, count: number): Fact =>
  async (stage) =>
    void (await block(stage, bucket, count));

const tellsWhen =
  (bucket: Bucket, count: number, duration: number): Fact =>
  async (stage) => {
    const { headers } = await block(stage, bucket, count);
    const given = headers.get('retry-after') ?? '';
    const seconds = /^\d+$/.test(given)
      ? parseInt(given, 10)
      : (Date.parse(given) - (await stage.world.now())) / 1_000;
    const most = duration / 1_000;
    check(seconds > most - 5 && seconds <= most + 1, `retry-after of about ${most} s`, given);
  };

// Rate limits. The only facts that play with them on.

const [MINUTE, HOUR] = [60_000, 3_600_000];
const PRODUCTION = { options: { rateLimits: 'production' }, pause: 3 * HOUR } as const;
const TEST = { options: { rateLimits: 'test' }, pause: 3 * HOUR } as const;

export const rateLimits = section(
  'rate limits',
  [
    blocks('invoices', 250),
    blocks('quotes', 250),
    blocks('rates', 250),
    blocks('payment quotes', 250),
    blocks('mixed quotes', 250),
    blocks('execution', 250),
    blocks('others', 1_000),
    blocks('mixed others', 1_000),
    tellsWhen('rates', 250, MINUTE),
    tellsWhen('others', 1_000, HOUR),
  ],
  PRODUCTION,
);

export const testRateLimits = section(
  'test rate limits',
  [
    blocks('invoices', 90),
    blocks('quotes', 90),
    blocks('rates', 90),
    blocks('payment quotes', 90),
    blocks('execution', 90),
    blocks('others', 350),
  ],
  TEST,
);
