// Node only: the sandbox computes the same in every engine.
// Protects: no body that is sent to the sandbox breaks it. Each member of each draft takes values that no client should send, drawn
// by a seed too; each answer is an envelope of the service, and every list and every resource can be read afterwards.
import { expect } from 'chai';
import { createClient } from 'paystate';
import type { Sandbox } from 'paystate/sandbox';
import { describe, itLong } from '#test';
import { ADDRESS, openBank } from '../bank/bank.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { operations } from '../contract/paths.ts';
import { asker, BASE } from './ask.ts';

const DAY = 86_400_000;
const SEED = 20_261_123;
/** Bodies of each operation in which several members are drawn at once. */
const DRAWN = 40;
/** Texts that are drawn for each member. */
const ODD_EACH = 12;

/** JSON as it stands: `JSON.stringify` has no text for some of it. */
class Json {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const nested = (open: string, end: string, close: string): Json =>
  new Json(open.repeat(2_000) + end + close.repeat(2_000));

/** Values of a wrong kind, and texts that are none of what a member means. */
const HOSTILE: readonly unknown[] = [
  ...['1e13', '1e308', '1e400', '-1e400', '9007199254740993', '2147483648', '-1', '-0', '0', '0.5'],
  ...['1e-400', 'null', 'true', '[]', '{}', '[[]]', '[null]', '{"__proto__":{"amount":"1"}}'],
  ...['{"constructor":{"prototype":{}}}', '{"toString":1,"valueOf":2}', '"\\ud800"', '"\\u0000"'],
].map((text) => new Json(text));
const ODD: readonly unknown[] = [
  ...['', ' ', 'NaN', 'Infinity', '-Infinity', '1e13', '1e400', '0x10', '١٢', '1,5', '--1', '-1'],
  ...[
    '0',
    '-0',
    '00',
    '.5',
    '5.',
    '1.123456789123456789',
    '9'.repeat(400),
    `0.${'0'.repeat(400)}1`,
  ],
  ...['99999999999999.99', '20999999.99999999', '__proto__', 'constructor', 'hasOwnProperty'],
  ...[
    '9999-12-31',
    '0000-00-00',
    '2026-02-30',
    '275760-09-13',
    '-271821-04-20',
    '2026-13-01T25:00Z',
  ],
  ...[
    'ａ',
    '👩‍👩‍👧‍👦',
    '\u202e\u200b',
    'e\u0301'.repeat(30),
    'x'.repeat(10_000),
    '%00',
    '../..',
    "'; --",
  ],
  ...['http://[', 'https://user:pass@shop.example:99999', 'ftp://shop.example', '\n', 'BTC', 'xxx'],
  ...['lnbc1', 'bc1q', '@', 'a@b', 'LNURL1', '00000000-0000-0000-0000-000000000000'],
  nested('[', '', ']'),
  nested('{"a":', '1', '}'),
];
const ALL = [...HOSTILE, ...ODD];
/** Members that no draft knows. */
const STRANGE = ['__proto__', 'constructor', 'toJSON', 'length', 'then'];

const EUR = (amount: string) => ({ amount, currency: 'EUR' });
const PARTY = {
  type: 'INDIVIDUAL',
  name: 'Edith Example',
  address: { ...ADDRESS, state: 'Yorkshire' },
  dateOfBirth: '1979-11-30',
  email: 'edith@shop.example',
  phoneNumber: '+441632960000',
  url: 'https://shop.example',
};
const BENEFICIARY = {
  isOwnDestination: false,
  type: 'INDIVIDUAL',
  destinationType: 'EXCHANGE_OR_PLATFORM',
  vaspId: 'vasp',
  vaspName: 'Example',
  individualFirstName: 'Edith',
  individualLastName: 'Example',
  nationalIdentifier: '1',
};
/** Members beside those that an operation is usually called with. */
const MORE: Readonly<Record<string, object>> = {
  'bankPaymentMethods.create': { bankName: 'Bank', bankAddress: ADDRESS, beneficiaries: [PARTY] },
  'deposits.create': { feePolicy: 'INCLUSIVE' },
  'deposits.estimateFee': { feePolicy: 'EXCLUSIVE' },
  'invoices.create': { correlationId: 'order 1' },
  'invoices.createFor': { correlationId: 'order 2', description: 'A chair' },
  'paymentQuotes.createLightning': { amount: { ...EUR('1.00'), feePolicy: 'INCLUSIVE' } },
  'paymentQuotes.createOnchain': { description: 'rent', beneficiary: BENEFICIARY },
  'payoutOriginators.create': PARTY,
  'payouts.create': { feePolicy: 'INCLUSIVE' },
  'receiveRequests.create': { onchain: { amount: EUR('3.00') }, targetCurrency: 'EUR' },
  'subscriptions.update': {
    webhookUrl: 'https://shop.example/other',
    webhookVersion: 'v1',
    secret: '0123456789abcdef',
    eventTypes: ['invoice.updated'],
  },
};

/** Keys and indexes that lead to a member. */
type Path = readonly string[];

const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !(value instanceof Json);

const pathsOf = (value: unknown, here: Path = []): readonly Path[] => [
  ...(here.length > 0 ? [here] : []),
  ...(isBranch(value)
    ? Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...here, name]))
    : []),
];

const replaced = (value: unknown, [name, ...rest]: Path, by: unknown): unknown => {
  if (name === undefined || !isBranch(value)) return by;
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
  Object.assign(copy, { [name]: replaced(value[name], rest, by) });
  return copy;
};

const textOf = (value: unknown): string => {
  if (value instanceof Json) return value.text;
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (!isBranch(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}:${textOf(one)}`,
  );
  return `{${members.join(',')}}`;
};

/** The same numbers in each run. */
const randomOf = (seed: number) => {
  let last = seed;
  return (below: number): number => {
    last = (last * 48_271) % 2_147_483_647;
    return last % below;
  };
};

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** The request of an operation as its own verb sends it. */
const requestOf = async (
  name: string,
  sandbox: Sandbox,
  bank: Parameters<(typeof OPERATIONS)[string]>[0],
): Promise<Sent> => {
  const given = await OPERATIONS[name]!(bank);
  let sent: Sent | undefined;
  const fetch: Sandbox['fetch'] = (url, init = {}) => {
    const { pathname, search } = new URL(String(url));
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : {};
    sent = { method: init.method!, path: pathname + search, body };
    return sandbox.fetch(url, init);
  };
  const client = createClient({ ...sandbox.clientOptions, fetch });
  const [resource = '', verb = ''] = name.split('.');
  const verbs = (
    client as unknown as Record<string, Record<string, (...given: unknown[]) => Promise<unknown>>>
  )[resource]!;
  await bank.run(verbs[verb]!(...given));
  return { ...sent!, body: { ...(sent!.body as object), ...MORE[name] } };
};

/** Each member with each value, members that are strange, and several drawn members at once. */
function* bodiesOf(body: unknown, seed: number): Generator<string> {
  const paths = pathsOf(body);
  const draw = randomOf(seed);
  for (const path of paths) {
    for (const value of HOSTILE) yield textOf(replaced(body, path, value));
    for (let n = 0; n < ODD_EACH; n++) yield textOf(replaced(body, path, ODD[draw(ODD.length)]));
  }
  for (const name of STRANGE)
    for (const value of HOSTILE.slice(0, 12))
      yield `${textOf(body).slice(0, -1)},${JSON.stringify(name)}:${textOf(value)}}`;
  for (const value of ALL) yield textOf(value);
  yield* ['', '{', 'null', '\ufeff{}', textOf(body).slice(0, -2)];
  for (let n = 0; n < DRAWN; n++) {
    let drawn = body;
    for (let count = 1 + draw(4); count > 0; count--)
      drawn = replaced(drawn, paths[draw(paths.length)] ?? ['x'], ALL[draw(ALL.length)]);
    yield textOf(drawn);
  }
}

const NO_LIMIT = { limit: 1e9, window: 60_000, block: 60_000 };
const openWorld = () =>
  openBank({
    accounts: [
      {
        handle: 'shop',
        defaultCurrency: 'USD',
        balances: { BTC: '1', USD: '1000000', EUR: '1000000' },
      },
      { handle: 'friend' },
    ],
    rateLimits: {
      invoices: NO_LIMIT,
      'invoice-quotes': NO_LIMIT,
      rates: NO_LIMIT,
      'payment-quotes': NO_LIMIT,
      execute: NO_LIMIT,
      others: NO_LIMIT,
    },
  });

const keyOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** What is wrong with an answer; nothing where it is one of the service. */
const troubleOf = (status: number, text: string): string | undefined => {
  if (status >= 500) return `${status} ${text.slice(0, 200)}`;
  const { data } = (text === '' ? {} : JSON.parse(text)) as { data?: Record<string, unknown> };
  if (status < 400) return undefined;
  if (data?.['status'] !== status || typeof data['code'] !== 'string') return `${status} ${text}`;
  return data['code'] === 'INVALID_DATA' && !data['validationErrors']
    ? 'no validation errors'
    : undefined;
};

describe('a sandbox that is sent hostile bodies', () => {
  itLong('answers each as the service would, and can be read afterwards', async () => {
    const bank = openWorld();
    const { sandbox, run } = bank;
    const { apiKey, fetch } = sandbox.clientOptions;
    const authorization = `Bearer ${apiKey}`;
    const troubles: string[] = [];
    const made = new Set<string>();
    let count = 0;
    const requests: Sent[] = [];
    for (const { name } of operations.filter(({ row }) => row.input))
      requests.push(await requestOf(name, sandbox, bank));
    for (const { method, path, body } of requests) {
      for (const text of bodiesOf(body, SEED)) {
        const headers = {
          authorization,
          'content-type': 'application/json',
          'idempotency-key': keyOf(++count),
        };
        const answer = await fetch!(BASE + path, { method, headers, body: text }).catch(
          (thrown: unknown) => String(thrown),
        );
        const said =
          typeof answer === 'string' ? answer : troubleOf(answer.status, await answer.text());
        if (said !== undefined) troubles.push(`${method} ${path} ${text.slice(0, 200)}: ${said}`);
        const location = typeof answer === 'string' ? null : answer.headers.get('location');
        if (location?.includes('subscriptions') && made.size % 50 > 0)
          await fetch!(location, { method: 'DELETE', headers: { authorization } }); // 50 fit
        if (location) made.add(new URL(location).pathname);
      }
      await sandbox.advance(1_000);
    }
    expect(count).to.be.above(3_000);
    await sandbox.advance(2 * DAY);
    const ask = asker(sandbox);
    const read = async (path: string) => {
      const { status, text, at } = await run(ask('GET', path));
      if (status !== 200 && !(status === 404 && made.has(path)))
        troubles.push(`${path}: ${status} ${text.slice(0, 200)}`);
      return status === 200 ? ((at('items') ?? []) as readonly unknown[]).length : 0;
    };
    for (const { row } of operations.filter(
      ({ row }) => row.method === 'GET' && !row.path.includes('{'),
    ))
      for (
        let skip = 0;
        (await read(row.query?.['skip'] ? `${row.path}?$skip=${skip}&$top=100` : row.path)) === 100;
      )
        skip += 100;
    for (const path of made) await read(path);
    for (const handle of sandbox.accounts) JSON.stringify(sandbox.inspect(handle));
    expect(troubles.slice(0, 20)).to.deep.equal([]);
    expect(made.size).to.be.above(500);
    expect(bank.sums()).to.deep.equal(['', '', '', '', '', '']);
  });
});
