// Checks of rate limits.
import { checkRefusal } from './checks.mjs';
import { boxOnly } from './box.mjs';
import { check, same } from './verdict.mjs';

/** Requests of a bucket; what they answer does not matter, they count. */
export const BUCKETS = {
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
};

const values = { id: '00000000-0000-4000-8000-000000000000' };

const ask = (stage, bucket, at, options) => {
  const calls = BUCKETS[bucket];
  const call = calls[at % calls.length];
  return stage.ask(call, { values, ...(call.startsWith('POST') && { body: {} }), ...options });
};

/** So many requests pass, and the next one does not. */
async function blocked(stage, bucket, count, options) {
  for (let at = 0; at < count; at++) {
    const { status } = await ask(stage, bucket, at, options);
    check(status !== 429, `request ${at + 1} of ${count} to pass`, status);
  }
  const response = await ask(stage, bucket, count, options);
  checkRefusal(response, 429, 'RATE_LIMIT_EXCEEDED');
  return response;
}

export const blocks = (bucket, count) => async (stage) =>
  void (await blocked(stage, bucket, count));

/** Over HTTP time goes on while requests are sent. */
const slackOf = ({ kind }) => (kind === 'fetch' ? 1 : 4_000);

/** The block is there until so much time is over. */
export const lasts = (bucket, count, duration) => async (stage) => {
  await blocked(stage, bucket, count);
  const slack = slackOf(stage.world);
  await stage.world.advance(duration - slack);
  const before = await ask(stage, bucket, 0);
  await stage.world.advance(slack + 1);
  const after = await ask(stage, bucket, 0);
  check(before.status === 429, `429 before ${duration} ms`, before.status);
  check(after.status !== 429, `no 429 after ${duration} ms`, after.status);
};

/** When a window is over there are as many requests again. */
export const windowEnds = (bucket, count, duration) => async (stage) => {
  for (const which of ['the first window', 'a new window']) {
    for (let at = 0; at < count; at++) {
      const { status } = await ask(stage, bucket, at);
      check(status !== 429, `request ${at + 1} to pass in ${which}`, status);
    }
    await stage.world.advance(duration + 1);
  }
};

export const tellsWhen = (bucket, count, duration) => async (stage) => {
  const { headers } = await blocked(stage, bucket, count);
  const given = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(given)
    ? Number(given)
    : (Date.parse(given) - (await stage.world.now())) / 1_000;
  const most = duration / 1_000;
  check(seconds > most - 5 && seconds <= most + 1, `retry-after of about ${most} s`, given);
};

export const leavesAlone = (bucket, count, other) => async (stage) => {
  await blocked(stage, bucket, count);
  const { status } = await ask(stage, other, 0);
  check(status !== 429, `${other} to pass`, status);
};

/** Another address is another limit; another key is not. */
export const otherAddress = () => async (stage) => {
  boxOnly(stage.world, 'from which address a request comes');
  await blocked(stage, 'rates', 250, { address: '198.51.100.7' });
  const { status } = await ask(stage, 'rates', 0, { address: '198.51.100.8' });
  check(status !== 429, 'the other address to pass', status);
};

export const otherKey = () => async (stage) => {
  await blocked(stage, 'rates', 250);
  const { status } = await ask(stage, 'rates', 0, { as: { account: 'friend' } });
  same(429, status);
};

export const unauthorizedToo = () => async (stage) => {
  await blocked(stage, 'rates', 250);
  const { headers } = await ask(stage, 'rates', 0);
  check(headers.has('retry-after'), 'retry-after in each refusal', [...headers]);
};
