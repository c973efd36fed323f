// Single calls: exact amounts, errors that say what came, commands that are sent once, and no more requests than are allowed.
import { isPaystateError } from 'paystate';
import { addMoney } from 'paystate/money';
import { createSandbox, type FaultAction, type Sandbox } from 'paystate/sandbox';
import { kind } from './kind.ts';
import { openClient, type Sent } from './wire.ts';

const EUR = (amount: string) => ({ amount, currency: 'EUR' });
const openSandbox = (seed: number): Sandbox => createSandbox({ seed, signed: false });
/** Longer than any life. */
const LONG = { timeout: 1e10 };
/** Retries that a client may send, and more for each success. */
const FREE_RETRIES = 100;
const RETRIES_PER_SUCCESS = 0.2;

function centsOf(text: string): bigint {
  const [whole, part = ''] = text.split('.');
  return BigInt(whole + part.padEnd(2, '0'));
}

/** Faults that may come in place of the requested answer. */
const ANSWERS: readonly FaultAction[] = [
  { status: 404, html: '<h1>not here</h1>' },
  { status: 502, html: '<h1>gateway</h1>' },
  { status: 200, html: '<h1>hotel</h1>' },
  { status: 204 },
  { status: 503, code: 'SERVICE_UNAVAILABLE' },
  { status: 403, code: 'FORBIDDEN' },
  'cut-body',
  'undecodable',
  'lost-before',
];

/** Lists the faults of an error that does not report the last response rightly. */
function saidWrongly(error: unknown, last: Sent | undefined): readonly string[] {
  if (!isPaystateError(error)) return ['an error that is none of the package'];
  const { code, outcome, attempts = 0, status } = error;
  const isTyped = typeof code === 'string' && ['not-done', 'unknown'].includes(outcome);
  return [
    ...(isTyped && attempts > 0 ? [] : ['an error without code, outcome or attempts']),
    ...(status === last?.status ? [] : [`an error hides the status ${last?.status}`]),
  ];
}

interface BodyOrder {
  readonly amount: string;
  /** Listeners of the promise. */
  readonly hearers: number;
  readonly answer: FaultAction;
}

interface Bodies {
  readonly orders: readonly BodyOrder[];
  /** Amounts that are added. */
  readonly sums: readonly string[];
}

/** Invoices are created and read, while anything but them comes back; each promise is heard by some, by one or by none. */
export const bodies = kind<Bodies>(
  (chance) => ({
    orders: Array.from({ length: chance.between(1, 3) }, () => ({
      amount: `${chance.between(1, 9_999)}.${chance.between(10, 99)}`,
      hearers: chance.between(0, 3),
      answer: chance.pick(ANSWERS),
    })),
    sums: Array.from(
      { length: chance.between(2, 9) },
      () => `${chance.between(1, 2 ** 31)}${chance.between(10_000_000, 99_999_999)}.01`,
    ),
  }),
  async (seed, { orders, sums }) => {
    const sandbox = openSandbox(seed);
    const { client, sent } = openClient(sandbox);
    const problems: string[] = [];
    for (const { amount, hearers, answer } of orders) {
      const before = sent.length;
      const call = client.invoices.create({ amount: EUR(amount) });
      for (let n = 0; n < hearers; n++) void call.then(() => {});
      await sandbox.advance(5_000);
      const times = sent.length - before;
      if (times !== 1)
        problems.push(`one command, heard ${hearers} times, was sent ${times} times`);
      const made = await sandbox.run(call, LONG);
      if (centsOf(made.amount.amount) !== centsOf(amount)) problems.push('another amount came');
      const end = sandbox.fault({ method: 'GET', action: answer });
      const read = client.invoices.get(made.invoiceId).catch((error: unknown) => error);
      const error = await sandbox.run(read, LONG);
      end();
      problems.push(...saidWrongly(error, sent.at(-1)));
    }
    const sum = sums.map(EUR).reduce(addMoney, EUR('0'));
    const exact = sums.map(centsOf).reduce((a, b) => a + b, 0n);
    if (centsOf(sum.amount) !== exact) problems.push('a sum is not exact');
    return { requests: sent.length, problems };
  },
);

interface Outage {
  readonly calls: number;
  /** Calls before the outage. */
  readonly good: number;
}

/** Retries and successes so far. */
interface Mark {
  readonly retries: number;
  readonly successes: number;
}

/** True if there were never more retries than are allowed, from whatever call on. */
const isAllowed = (marks: readonly Mark[]): boolean =>
  marks.every((now, at) =>
    marks
      .slice(0, at)
      .every(
        (then) =>
          now.retries - then.retries <=
          FREE_RETRIES + RETRIES_PER_SUCCESS * (now.successes - then.successes),
      ),
  );

/** Calls one after the other, while the service is away for some of them. */
export const outage = kind<Outage>(
  (chance) => ({ calls: chance.between(60, 200), good: chance.between(0, 30) }),
  async (seed, { calls, good }) => {
    const sandbox = openSandbox(seed);
    const { client, sent } = openClient(sandbox);
    const { invoiceId } = await sandbox.run(client.invoices.create({ amount: EUR('1.00') }), LONG);
    const problems: string[] = [];
    const marks: Mark[] = [];
    let mark: Mark = { retries: 0, successes: 0 };
    let end = (): void => {};
    for (let call = 0; call < calls; call++) {
      marks.push(mark);
      if (call === good) end = sandbox.fault({ action: { status: 503, code: 'MAINTENANCE_MODE' } });
      const before = sent.length;
      const read = client.invoices.get(invoiceId).then(
        () => 1,
        () => 0,
      );
      const success = await sandbox.run(read, LONG);
      const more = sent.length - before - 1;
      if (more > 2) problems.push('more than three requests for one call');
      mark = { retries: mark.retries + more, successes: mark.successes + success };
    }
    end();
    if (!isAllowed([...marks, mark]))
      problems.push('more retries than 100 and a fifth of the successes');
    return { requests: sent.length, problems };
  },
);

interface Burst {
  readonly calls: number;
  /** Seconds that the service blocks. */
  readonly block: number;
}

/** More invoices at once than a minute allows; then the service blocks for a while. */
export const burst = kind<Burst>(
  (chance) => ({ calls: chance.between(200, 320), block: chance.between(10, 120) }),
  async (seed, { calls, block }) => {
    const sandbox = openSandbox(seed);
    const { client, sent } = openClient(sandbox);
    const create = (): Promise<unknown> =>
      client.invoices.create({ amount: EUR('1.00') }).catch(() => {});
    await sandbox.run(Promise.all(Array.from({ length: calls }, create)), LONG);
    const problems = sandbox.blocks > 0 ? ['blocked by the service'] : [];
    await sandbox.advance(600_000);
    const headers = { 'retry-after': `${block}` };
    sandbox.fault({ nth: 1, action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers } });
    const first = create();
    await sandbox.advance(2_000);
    await sandbox.run(Promise.all([first, create(), create()]), LONG);
    const refused = sent.find(({ status }) => status === 429);
    const from = refused?.until ?? Infinity;
    if (sent.some(({ at }) => at > from && at < from + block * 1_000))
      problems.push('a request before the end of a block');
    return { requests: sent.length, problems };
  },
);
