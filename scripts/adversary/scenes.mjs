// Named scenes, each a schedule that once went wrong: what the SDK must say, and what it says.
import { NO_LIMITS } from './limits.mjs';
import { answered, doneBut, html, lostAfter, lostBefore, openStage, refused, twice } from './stage.mjs';

const USD = (amount) => ({ amount, currency: 'USD' });
const KEY = '11111111-2222-4333-8444-555555555555';
const DAY = 86_400_000;

const lnurl = (stage, amount = '20.00') => stage.run(stage.client.paymentQuotes.createLnurl({ lnAddressOrUrl: 'ada@wallet.example', sourceCurrency: 'USD', amount: USD(amount) }));
const exchanged = (stage, amount = '40.00', options) => stage.client.currencyExchangeQuotes.create({ sell: 'USD', buy: 'EUR', amount: USD(amount) }, options);
const prepared = async (stage, amount = '25.00') => stage.run(stage.client.payouts.create({ paymentMethodId: (stage.methodId ??= await stage.methodOf('SEPA')), amount, reference: 'R1' }));

const isUnknown = ({ error }) => error?.outcome === 'unknown';
const notNo = ({ error }) => error?.outcome !== 'not-done';
const nameOf = (value) => value.receiveRequestId ?? value.paymentId ?? value.invoiceId ?? value.id;

/** Execute, answer lost; then the same quote in the same client, with this said of it. */
const afterDoubt = (act, { wait = 0, ...options } = {}) => async () => {
  const stage = await openStage(options);
  const { paymentQuoteId } = await lnurl(stage);
  stage.after('/execute', lostAfter);
  await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
  await stage.sandbox.advance(wait);
  if (act) stage.after('/execute', act);
  const last = await stage.hear(`execute ${wait / 1_000} s later`, () => stage.client.paymentQuotes.execute(paymentQuoteId));
  return { stage, isRight: notNo(last) };
};

/** Execute alone, done, with this said of it. */
const alone = (act) => async () => {
  const stage = await openStage();
  const { paymentQuoteId } = await lnurl(stage);
  stage.after('/execute', act);
  const last = await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
  return { stage, isRight: notNo(last) };
};

const doubt = {
  'answer lost, the service looks at the end first, 61 s later': afterDoubt(undefined, { firstCheck: 'expired', wait: 61_000 }),
  'answer lost, the service looks at the balance first': afterDoubt(undefined, { firstCheck: 'balance', balances: { USD: '21.00' } }),
  ...Object.fromEntries([[429, 'RATE_LIMIT_EXCEEDED'], [425, 'ACCOUNT_NOT_READY'], [401, 'UNAUTHORIZED'], [403, 'FORBIDDEN'], [404, 'NOT_FOUND'], [422, 'LN_ROUTE_NOT_FOUND'], [422, 'INVALID_STATE_FOR_INVOICE_PAID'], [422, 'INVALID_STATE_FOR_INVOICE_EXPIRED'], [409, 'PROCESSING_CONFLICT']]
    .map(([status, code]) => [`answer lost, then a clean ${code}`, afterDoubt(refused(status, code))])),
  'answer lost, then PAYMENT_PROCESSED with its id': afterDoubt(),
  'the only try says PROCESSING_PAYMENT': alone(doneBut(refused(422, 'PROCESSING_PAYMENT'))),
  'the only try says PAYMENT_PROCESSED without an id': alone(doneBut(refused(422, 'PAYMENT_PROCESSED'))),
  'brought twice, the second answer says PAYMENT_PROCESSED': alone(twice),
  async 'executed and heard; again after its end, where that is looked at first'() {
    const stage = await openStage({ firstCheck: 'expired' });
    const { paymentQuoteId } = await lnurl(stage);
    await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    await stage.sandbox.advance(61_000);
    return { stage, isRight: notNo(await stage.hear('execute 61 s later', () => stage.client.paymentQuotes.execute(paymentQuoteId))) };
  },
  async 'answer lost, then a thousand other payments, then the end of the quote'() {
    const stage = await openStage({ firstCheck: 'expired', limits: NO_LIMITS, balances: { USD: '90000' } });
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', lostAfter);
    await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    for (let n = 0; n < 1_001; n++) await stage.run(stage.client.paymentQuotes.execute((await lnurl(stage)).paymentQuoteId));
    await stage.sandbox.advance(61_000);
    return { stage, isRight: notNo(await stage.hear('execute at last', () => stage.client.paymentQuotes.execute(paymentQuoteId))) };
  },
  async 'answer lost, then no token to be had'() {
    const stage = await openStage();
    const { apiKey } = stage.sandbox.connection;
    let isAway = false;
    const client = stage.newClient({ apiKey: undefined, token: async () => { if (isAway) throw new Error('away'); return apiKey; } });
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', lostAfter);
    await stage.hear('execute', () => client.paymentQuotes.execute(paymentQuoteId));
    isAway = true;
    return { stage, isRight: notNo(await stage.hear('execute, no token', () => client.paymentQuotes.execute(paymentQuoteId))) };
  },
  async 'answer lost, then no place in the budget'() {
    const stage = await openStage();
    const client = stage.newClient({ limits: Object.fromEntries(Object.entries(stage.sandbox.connection.limits).map(([group, limit]) => [group, group === 'execute' ? { limit: 1, window: 3_600_000, block: 3_600_000 } : limit])) });
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', lostAfter);
    await stage.hear('execute', () => client.paymentQuotes.execute(paymentQuoteId));
    return { stage, isRight: notNo(await stage.hear('execute, no place', () => client.paymentQuotes.execute(paymentQuoteId))) };
  },
  async 'two calls at once: one is refused while the other is on its way'() {
    const stage = await openStage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', async (send) => { await stage.sandbox.clock.wait(5_000); return send(); }, refused(422, 'BALANCE_TOO_LOW'));
    const first = stage.client.paymentQuotes.execute(paymentQuoteId);
    first.catch(() => {});
    const second = await stage.hear('the other call', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    await stage.hear('the first call', () => first);
    return { stage, isRight: notNo(second) };
  },
  async 'exchange: first heard is CURRENCY_EXCHANGE_QUOTE_PROCESSED'() {
    const stage = await openStage();
    const { id } = await stage.run(exchanged(stage));
    stage.after('/execute', twice);
    return { stage, isRight: notNo(await stage.hear('execute', () => stage.client.currencyExchangeQuotes.execute(id))) };
  },
  async 'exchange: answer lost three times, then the end of the quote in another call'() {
    const stage = await openStage({ firstCheck: 'expired' });
    const { id } = await stage.run(exchanged(stage));
    stage.after('/execute', lostAfter, lostBefore, lostBefore);
    stage.after('GET /v1/currency', lostBefore, lostBefore, lostBefore, lostBefore, lostBefore, lostBefore);
    await stage.hear('execute', () => stage.client.currencyExchangeQuotes.execute(id));
    await stage.sandbox.advance(61_000);
    return { stage, isRight: notNo(await stage.hear('execute 61 s later', () => stage.client.currencyExchangeQuotes.execute(id))) };
  },
  async 'payout: answer lost, PAYOUT_ALREADY_INITIATED, and the read fails'() {
    const stage = await openStage();
    const { id } = await prepared(stage);
    stage.after('/initiate', lostAfter);
    stage.after('GET /v1/payouts/', html(503), html(503), html(503), html(503));
    return { stage, isRight: notNo(await stage.hear('initiate', () => stage.client.payouts.initiate(id))) };
  },
  async 'payout: answers lost, then PAYOUT_ALREADY_INITIATED in another call'() {
    const stage = await openStage();
    const { id } = await prepared(stage);
    stage.after('/initiate', lostAfter, lostBefore, lostBefore);
    await stage.hear('initiate', () => stage.client.payouts.initiate(id));
    return { stage, isRight: notNo(await stage.hear('initiate again', () => stage.client.payouts.initiate(id))) };
  },
  async 'payout: answers lost, then BALANCE_TOO_LOW in another call'() {
    const stage = await openStage();
    const { id } = await prepared(stage);
    stage.after('/initiate', lostAfter, lostBefore, lostBefore, refused(422, 'BALANCE_TOO_LOW'));
    await stage.hear('initiate', () => stage.client.payouts.initiate(id));
    return { stage, isRight: notNo(await stage.hear('initiate again', () => stage.client.payouts.initiate(id))) };
  },
  async 'deposit: answers lost, then a clean refusal of the same key'() {
    const stage = await openStage();
    const draft = { paymentMethodId: await stage.methodOf('ACH'), amount: '50.00' };
    stage.after('POST /v1/deposits', lostAfter, lostBefore, lostBefore, refused(422, 'DEPOSIT_LIMIT_EXCEEDED'));
    await stage.hear('create', () => stage.client.deposits.create(draft, { idempotencyKey: KEY }));
    return { stage, isRight: notNo(await stage.hear('create again', () => stage.client.deposits.create(draft, { idempotencyKey: KEY }))) };
  },
};

const isNo = ({ error }) => error?.outcome === 'not-done';

/** Two calls for one quote, none of which is in doubt. */
const certain = (first, second = refused(422, 'PAYMENT_QUOTE_EXPIRED')) => async () => {
  const stage = await openStage();
  const { paymentQuoteId } = await lnurl(stage);
  stage.after('/execute', first, second);
  const heard = [];
  for (const turn of ['execute', 'execute again']) heard.push(await stage.hear(turn, () => stage.client.paymentQuotes.execute(paymentQuoteId)));
  return { stage, isRight: heard.every(isNo) };
};

const certainty = {
  'a clean refusal, then the end of the quote': certain(refused(422, 'BALANCE_TOO_LOW')),
  'too many requests, then the end of the quote': certain(refused(429, 'RATE_LIMIT_EXCEEDED'), refused(422, 'PAYMENT_QUOTE_EXPIRED')),
  async 'no token to be had, then the end of the quote'() {
    const stage = await openStage();
    const { apiKey } = stage.sandbox.connection;
    let isAway = true;
    const client = stage.newClient({ apiKey: undefined, token: async () => { if (isAway) throw new Error('away'); return apiKey; } });
    const { paymentQuoteId } = await lnurl(stage);
    const first = await stage.hear('execute, no token', () => client.paymentQuotes.execute(paymentQuoteId));
    isAway = false;
    stage.after('/execute', refused(422, 'PAYMENT_QUOTE_EXPIRED'));
    return { stage, isRight: isNo(first) && isNo(await stage.hear('execute', () => client.paymentQuotes.execute(paymentQuoteId))) };
  },
  async 'another quote is in doubt'() {
    const stage = await openStage();
    const [one, other] = [await lnurl(stage), await lnurl(stage)];
    stage.after('/execute', lostAfter, refused(422, 'BALANCE_TOO_LOW'));
    await stage.hear('execute one', () => stage.client.paymentQuotes.execute(one.paymentQuoteId));
    return { stage, isRight: isNo(await stage.hear('execute the other', () => stage.client.paymentQuotes.execute(other.paymentQuoteId))) };
  },
  async 'a read that fails'() {
    const stage = await openStage();
    stage.after('GET', html(503), html(503), html(503));
    return { stage, isRight: isNo(await stage.hear('find', () => stage.client.payments.find('7d2af8ea-bd24-4489-b742-45b2d1f86a47'))) };
  },
};

const keys = {
  async 'invoice: the network brings create twice'() {
    const stage = await openStage();
    stage.after('POST /v1/invoices', twice);
    return { stage, isRight: notNo(await stage.hear('create', () => stage.client.invoices.create({ amount: USD('5.00') }))) };
  },
  async 'deposit: the network brings it twice under the key of the call'() {
    const stage = await openStage();
    const draft = { paymentMethodId: await stage.methodOf('ACH'), amount: '50.00' };
    stage.after('POST /v1/deposits', twice);
    return { stage, isRight: (await stage.hear('create', () => stage.client.deposits.create(draft))).error === undefined };
  },
  async 'deposit: the network brings it twice under a key of the caller'() {
    const stage = await openStage();
    const draft = { paymentMethodId: await stage.methodOf('ACH'), amount: '50.00' };
    stage.after('POST /v1/deposits', twice);
    return { stage, isRight: notNo(await stage.hear('create', () => stage.client.deposits.create(draft, { idempotencyKey: KEY }))) };
  },
  async 'exchange: the network brings its creation twice'() {
    const stage = await openStage();
    stage.after('POST /v1/currency', twice);
    return { stage, isRight: (await stage.hear('create', () => exchanged(stage))).error === undefined };
  },
  async 'deposit: the key a day later, in another process'() {
    const stage = await openStage();
    const draft = { paymentMethodId: await stage.methodOf('ACH'), amount: '50.00' };
    stage.after('POST /v1/deposits', lostAfter, lostBefore, lostBefore);
    const at = stage.sandbox.clock.now();
    await stage.hear('create', () => stage.client.deposits.create(draft, { idempotencyKey: KEY }));
    await stage.sandbox.advance(DAY);
    const before = stage.sent.length;
    const last = await stage.hear('create a day later', () => stage.newClient().deposits.create(draft, { idempotencyKey: KEY, firstSentAt: at, keyFirstSentAt: at }));
    return { stage, isRight: last.error?.outcome === 'unknown' && stage.sent.slice(before).every(({ method }) => method === 'GET') };
  },
  async 'deposit: the key eleven minutes later, after a thousand other keys'() {
    const stage = await openStage({ limits: NO_LIMITS });
    const draft = { paymentMethodId: await stage.methodOf('ACH'), amount: '50.00' };
    stage.after('POST /v1/deposits', lostAfter, lostBefore, lostBefore);
    await stage.hear('create', () => stage.client.deposits.create(draft, { idempotencyKey: KEY }));
    await stage.run((async () => { for (let n = 0; n < 1_001; n++) await exchanged(stage, `1.${String(n % 90 + 10)}`); })());
    await stage.sandbox.advance(660_000);
    const before = stage.sent.length;
    const last = await stage.hear('create 11 min later', () => stage.client.deposits.create(draft, { idempotencyKey: KEY }));
    return { stage, isRight: last.error?.outcome === 'unknown' && stage.sent.slice(before).every(({ method }) => method === 'GET') };
  },
};

/** An exchange is told to execute, and something else answers. */
const portal = (answer) => async () => {
  const stage = await openStage();
  const { id } = await stage.run(exchanged(stage));
  stage.after('/execute', answer, answer, answer);
  const heard = await stage.hear('execute', () => stage.client.currencyExchangeQuotes.execute(id));
  return { stage, isRight: heard.error === undefined ? stage.moved() === 1 : isUnknown(heard) || stage.moved() === 0 };
};

const removal = (make) => async () => {
  const stage = await openStage();
  const remove = await make(stage);
  stage.after('DELETE', html(), html(), html());
  return { stage, isRight: (await stage.hear('remove', remove)).error !== undefined };
};

const bodies = {
  'exchange: a page of a portal as 200': portal(html()),
  'exchange: a page of a portal as 206': portal(html(206)),
  'exchange: {"error":"nope"} as 200': portal(answered({ error: 'nope' })),
  'bank method: removed by a page': removal(async (stage) => { const id = await stage.methodOf('SEPA'); return () => stage.client.bankPaymentMethods.remove(id); }),
  'subscription: removed by a page': removal(async (stage) => {
    const { id } = await stage.run(stage.client.subscriptions.create({ webhookUrl: 'https://shop.example/hook', webhookVersion: 'v1', secret: 'a-secret-of-a-test', enabled: true, eventTypes: ['invoice.updated'] }));
    return () => stage.client.subscriptions.remove(id);
  }),
  async 'execute answers { paymentId } alone'() {
    const stage = await openStage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', async (send) => answered({ paymentId: (await (await send()).json()).paymentId })());
    const { value } = await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    return { stage, isRight: value?.paymentId !== undefined && value.state === 'PENDING' };
  },
  async 'execute answers what cannot be read, but for its paymentId'() {
    const stage = await openStage();
    const { paymentQuoteId } = await lnurl(stage);
    stage.after('/execute', async (send) => answered({ paymentId: (await (await send()).json()).paymentId, state: 7, amount: 'much' })());
    const { value, error } = await stage.hear('execute', () => stage.client.paymentQuotes.execute(paymentQuoteId));
    return { stage, isRight: (value?.paymentId ?? error?.values?.paymentId) !== undefined };
  },
};

/** Two of a noun; a request about the first is answered with the second. */
const mixed = (make, ask) => async () => {
  const stage = await openStage();
  const [first, second] = [await make(stage, 0), await make(stage, 1)];
  stage.after(ask.match, ...Array.from({ length: 3 }, () => () => answered(second)()));
  const heard = await stage.hear(ask.match, () => ask.call(stage.client, first));
  return { stage, isRight: heard.error === undefined ? nameOf(heard.value) === nameOf(first) : heard.error.code === 'ANSWER_MISMATCH' };
};

const invoice = (stage, n) => stage.run(stage.client.invoices.create({ amount: USD(`5.0${n}`) }));
const payment = async (stage, n) => { const { paymentQuoteId } = await lnurl(stage, `20.0${n}`); return stage.run(stage.client.paymentQuotes.execute(paymentQuoteId)); };
const ach = async (stage, n) => stage.run(stage.client.deposits.create({ paymentMethodId: (stage.achId ??= await stage.methodOf('ACH')), amount: `50.0${n}` }));
const method = async (stage) => { const id = await stage.methodOf('SEPA'); return stage.run(stage.client.bankPaymentMethods.find(id)); };
const request = (stage) => stage.run(stage.client.receiveRequests.create({ bolt11: {}, targetCurrency: 'USD' }));

const mixes = {
  'invoices.find': mixed(invoice, { match: 'GET /v1/invoices/', call: (client, { invoiceId }) => client.invoices.find(invoiceId) }),
  'invoices.cancel': mixed(invoice, { match: 'PATCH /v1/invoices/', call: (client, { invoiceId }) => client.invoices.cancel(invoiceId) }),
  'payments.find': mixed(payment, { match: 'GET /v1/payments/', call: (client, { paymentId }) => client.payments.find(paymentId) }),
  'currencyExchangeQuotes.find': mixed((stage, n) => stage.run(exchanged(stage, `40.0${n}`)), { match: 'GET /v1/currency', call: (client, { id }) => client.currencyExchangeQuotes.find(id) }),
  'payouts.find': mixed((stage, n) => prepared(stage, `25.0${n}`), { match: 'GET /v1/payouts/', call: (client, { id }) => client.payouts.find(id) }),
  'payouts.initiate': mixed((stage, n) => prepared(stage, `25.0${n}`), { match: '/initiate', call: (client, { id }) => client.payouts.initiate(id) }),
  'deposits.find': mixed(ach, { match: 'GET /v1/deposits/', call: (client, { id }) => client.deposits.find(id) }),
  'bankPaymentMethods.find': mixed(method, { match: 'GET /v1/payment-methods/bank/', call: (client, { id }) => client.bankPaymentMethods.find(id) }),
  'receiveRequests.find': mixed(request, { match: 'GET /v1/receive-requests/', call: (client, made) => client.receiveRequests.find(made.receiveRequestId) }),
  async 'invoices.create is answered with another invoice'() {
    const stage = await openStage();
    const other = await invoice(stage, 1);
    stage.after('POST /v1/invoices', lostAfterAnswer(other));
    const { value, error } = await stage.hear('create', () => stage.client.invoices.create({ amount: USD('5.00'), correlationId: 'mine' }));
    return { stage, isRight: value === undefined ? error.outcome === 'unknown' : value.correlationId === 'mine' };
  },
};

const lostAfterAnswer = (other) => async (send) => { await send(); return answered(other)(); };

/** Rows of the examination, and the scenes of each. */
export const SCENES = { 'doubt (X2)': doubt, 'no doubt': certainty, 'keys (X9, X10)': keys, 'bodies (X4, CL2)': bodies, 'mixed answers (X11)': mixes };

/** Plays all scenes, one line each; answers how many went wrong. */
export const playScenes = async (print = console.log) => {
  let wrong = 0;
  for (const [row, scenes] of Object.entries(SCENES)) {
    print(`\n${row}`);
    for (const [name, play] of Object.entries(scenes)) {
      const { stage, isRight } = await play();
      if (!isRight) wrong++;
      print(`${isRight ? '  ok   ' : '  WRONG'} ${name}${isRight ? '' : stage.said.map((line) => `\n           ${line}`).join('')}`);
    }
  }
  return wrong;
};
