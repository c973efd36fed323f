// Node only: the sandbox computes the same in every engine.
// Each fault alone, as a client sees it, and what the service's own books say then.
import { expect } from 'chai';
import { type Client, createClient, isPaystateError } from 'paystate';
import { createSandbox, type FaultAction, type Sandbox } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { asker, euros, query } from './ask.ts';

interface Seen {
  /** What a creation and a look at an older invoice came to. */
  readonly created: string;
  readonly found: string;
  /** Items and count of the list. */
  readonly listed: string;
  /** How many invoices there are in truth. */
  readonly inTruth: number;
}

const came = async (sandbox: Sandbox, work: PromiseLike<string>): Promise<string> => {
  try {
    return await sandbox.run(work);
  } catch (thrown) {
    return isPaystateError(thrown)
      ? `${thrown.code} ${thrown.outcome}`
      : `strange: ${String(thrown)}`;
  }
};

const listed = async (client: Client): Promise<string> => {
  const items = await client.invoices.list().toArray({ limit: 100 });
  return `${items.length} of ${await client.invoices.list().count()}`;
};

/** A shop with three invoices, ten seconds old, that makes a fourth. */
const seen = async (action: FaultAction): Promise<Seen> => {
  const sandbox = createSandbox({ signed: false });
  const client = createClient({ ...sandbox.clientOptions, maxAttempts: 1 });
  const draft = { ...euros('12.50'), description: 'tea' };
  const [first] = [
    await sandbox.run(client.invoices.create(draft)),
    await sandbox.run(client.invoices.create(draft)),
    await sandbox.run(client.invoices.create(draft)),
  ];
  await sandbox.advance(10_000);
  const endFault = sandbox.fault({ action });
  const created = await came(
    sandbox,
    client.invoices.create({ ...draft, correlationId: 'fourth' }).then(({ state }) => state),
  );
  const found = await came(
    sandbox,
    client.invoices
      .get(first.invoiceId)
      .then(({ state, description = 'nothing' }) => `${state} ${description}`),
  );
  const list = await came(sandbox, listed(client));
  endFault();
  return {
    created,
    found,
    listed: list,
    inTruth: (await sandbox.run(client.invoices.list().count())) as number,
  };
};

const FINE = { created: 'UNPAID', found: 'UNPAID tea', listed: '4 of 4', inTruth: 4 };
const all = (code: string, inTruth: number): Seen => ({
  created: `${code} unknown`,
  found: `${code} not-done`,
  listed: `${code} not-done`,
  inTruth,
});

const TABLE: readonly (readonly [FaultAction, Seen])[] = [
  ['lost-before', all('UNREACHABLE', 3)],
  ['lost-after', all('UNREACHABLE', 4)],
  ['cut-body', all('UNREACHABLE', 4)],
  ['undecodable', all('UNREACHABLE', 4)],
  ['duplicated', FINE],
  ['duplicated-last', { ...FINE, created: 'DUPLICATE_INVOICE unknown' }],
  ['unstable-ties', FINE],
  [{ status: 502 }, all('NOT_FROM_SERVICE', 3)],
  [{ status: 502, processed: true }, all('NOT_FROM_SERVICE', 4)],
  [
    { status: 302, headers: { location: 'https://sandbox.invalid/v1/invoices' } },
    all('REDIRECT', 3),
  ],
  [{ status: 307, headers: { location: 'https://elsewhere.example/' } }, all('REDIRECT', 3)],
  [{ status: 413 }, all('NOT_FROM_SERVICE', 3)],
  [
    { status: 425, code: 'ACCOUNT_NOT_READY' },
    {
      created: 'ACCOUNT_NOT_READY not-done',
      found: 'ACCOUNT_NOT_READY not-done',
      listed: 'ACCOUNT_NOT_READY not-done',
      inTruth: 3,
    },
  ],
  [
    { status: 401, code: 'UNAUTHORIZED' },
    {
      created: 'UNAUTHORIZED not-done',
      found: 'UNAUTHORIZED not-done',
      listed: 'UNAUTHORIZED not-done',
      inTruth: 3,
    },
  ],
  [
    { status: 429, code: 'TOO_MANY_ATTEMPTS' },
    {
      created: 'TOO_MANY_ATTEMPTS not-done',
      found: 'TOO_MANY_ATTEMPTS not-done',
      listed: 'TOO_MANY_ATTEMPTS not-done',
      inTruth: 3,
    },
  ],
  [{ delay: 2_000 }, FINE],
  [{ delay: 60_000 }, all('TIMEOUT', 3)], // it is still on its way
  [{ delay: 60_000, processed: true }, all('TIMEOUT', 4)],
  [{ drip: 5 }, FINE],
  [{ drip: 1_000 }, all('TIMEOUT', 4)],
  [{ padding: 1_000_000 }, FINE],
  [{ padding: 6_000_000 }, all('RESPONSE_TOO_LARGE', 4)],
  [{ stale: 5_000 }, { ...FINE, listed: '3 of 3' }],
  [{ stale: 20_000 }, { ...FINE, found: 'NOT_FOUND not-done', listed: '0 of 0' }],
  [{ rewrite: 'truncated' }, all('RESPONSE_NOT_JSON', 4)],
  [{ rewrite: 'empty' }, all('RESPONSE_NOT_JSON', 4)],
  [{ rewrite: { as: 204 } }, all('RESPONSE_NOT_JSON', 4)],
  [{ rewrite: { as: 202 } }, FINE],
  [{ rewrite: 'wrong-type' }, FINE],
  [{ rewrite: 'extra-members' }, FINE],
  [{ rewrite: 'missing-members' }, { ...FINE, found: 'UNPAID nothing', listed: '4 of unknown' }],
  [{ rewrite: 'null-members' }, { ...FINE, found: 'UNPAID nothing', listed: '4 of unknown' }],
  [
    { rewrite: 'unknown-values' },
    { ...FINE, created: 'SOMETHING_NEW', found: 'SOMETHING_NEW tea' },
  ],
  [{ rewrite: 'text-status' }, FINE],
  [{ rewrite: 'wrong-success' }, FINE],
  [{ rewrite: 'shuffled' }, FINE],
  [{ rewrite: { page: 2 } }, FINE],
  [{ rewrite: { count: 'unknown' } }, { ...FINE, listed: '4 of unknown' }],
  [{ rewrite: { count: 'absent' } }, { ...FINE, listed: '4 of unknown' }],
  [{ rewrite: { count: 3 } }, { ...FINE, listed: 'LIST_UNSTABLE not-done' }],
  [{ rewrite: { digits: 0 } }, FINE],
  [{ rewrite: { digits: 'varied' } }, FINE],
  [{ rewrite: { date: 3_600_000 } }, FINE],
  [{ rewrite: { headers: { 'retry-after': '5, 5', date: null } } }, FINE],
];

describe('sandbox: every fault alone', () => {
  for (const [action, expected] of TABLE)
    itLong(`is seen by a client as it should be: ${JSON.stringify(action)}`, async () => {
      expect(await seen(action)).to.deep.equal(expected);
    });

  it('is written down with the number of its call, beside the seed', async () => {
    const sandbox = createSandbox({ seed: 'tea' });
    const action = { rewrite: { page: 2 } } as const;
    sandbox.fault({ method: 'GET', action });
    const ask = asker(sandbox);
    await ask('POST', '/v1/invoices', euros('1'));
    await ask('GET', '/v1/invoices');
    expect(sandbox.log.map(({ call, fault }) => [call, fault])).to.deep.equal([
      [1, undefined],
      [2, action],
    ]);
    expect(sandbox.seed).to.equal('tea');
  });
});

interface Raw {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What a list of two invoices looks like on the wire. */
const raw = async (
  action: FaultAction,
  path = `/v1/invoices${query({ orderby: 'created asc' })}`,
): Promise<Raw> => {
  const sandbox = createSandbox({ signed: false });
  const ask = asker(sandbox);
  for (const description of ['one', 'two'])
    await ask('POST', '/v1/invoices', { ...euros('1'), description });
  sandbox.fault({ action });
  const response = await sandbox.fetch(path, {
    headers: { authorization: `Bearer ${sandbox.clientOptions.apiKey}` },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('sandbox: changed answers', () => {
  it('are what they are called', async () => {
    const plain = await raw({ delay: 0 });
    expect((await raw({ rewrite: 'truncated' })).text).to.equal(
      plain.text.slice(0, plain.text.length >> 1),
    );
    expect((await raw({ rewrite: 'wrong-type' })).headers.get('content-type')).to.equal(
      'text/plain',
    );
    expect((await raw({ padding: 70_000 })).text).to.equal(' '.repeat(70_000) + plain.text);
    expect((await raw({ drip: 0 })).text).to.equal(plain.text);
    expect(
      (await raw({ rewrite: { headers: { date: null, 'x-two': 'a, a' } } })).headers.get('x-two'),
    ).to.equal('a, a');
    expect((await raw({ rewrite: { headers: { date: null } } })).headers.get('date')).to.equal(
      null,
    );
    expect((await raw({ rewrite: { date: -3_600_000 } })).headers.get('date')).to.equal(
      'Mon, 05 Jan 2026 08:00:00 GMT',
    );
    expect((await raw({ rewrite: { as: 206 } })).status).to.equal(206);
    expect((await raw({ rewrite: 'text-status' }, '/v1/invoices/nobody')).text).to.include(
      '"status":"404"',
    );
    expect((await raw({ rewrite: 'wrong-success' }, '/v1/events')).text)
      .to.include('"deliverySuccess":true')
      .and.not.include('"deliverySuccess":false');
    expect((await raw({ rewrite: { as: 206 } }, '/v1/invoices/nobody')).status).to.equal(404);
  });

  it('touch the members that they name and no other', async () => {
    const item = async (
      rewrite: Extract<FaultAction, { rewrite: unknown }>['rewrite'],
    ): Promise<Readonly<Record<string, unknown>>> => {
      const { items } = JSON.parse((await raw({ rewrite })).text) as {
        items: [Readonly<Record<string, unknown>>];
      };
      return items[0];
    };
    const plain = await item({ page: 100 });
    expect(await item('extra-members')).to.deep.equal({
      ...plain,
      amount: { ...(plain['amount'] as object), somethingNew: { of: 'today' } },
      somethingNew: { of: 'today' },
    });
    const { description: _, ...rest } = plain;
    expect(await item('missing-members')).to.deep.equal(rest);
    expect(await item('null-members')).to.deep.include({
      ...rest,
      description: null,
      transactions: null,
      payerId: null,
    });
    expect(await item('unknown-values')).to.deep.equal({ ...plain, state: 'SOMETHING_NEW' });
    expect((await item({ digits: 3 }))['created']).to.match(/^2026-01-05T09:00:00\.\d{3}\+00:00$/);
    expect((await item({ digits: 0 }))['created']).to.equal('2026-01-05T09:00:00+00:00');
  });

  it('of lists have fewer items, another count or another order', async () => {
    const page = async (action: FaultAction): Promise<unknown> => {
      const { items, ...rest } = JSON.parse((await raw(action)).text) as {
        items: readonly { description: string }[];
      };
      return [items.map(({ description }) => description).join(' '), rest];
    };
    expect(await page({ rewrite: { page: 1 } })).to.deep.equal([
      'one',
      { count: 2, isCountUnknown: false },
    ]);
    expect(await page({ rewrite: { count: 'absent' } })).to.deep.equal([
      'one two',
      { isCountUnknown: false },
    ]);
    expect(await page({ rewrite: { count: 'unknown' } })).to.deep.equal([
      'one two',
      { count: 0, isCountUnknown: true },
    ]);
    expect(await page({ rewrite: { count: -5 } })).to.deep.equal([
      'one two',
      { count: 0, isCountUnknown: false },
    ]);
  });

  it('must be known', () => {
    const bad = [
      { drip: -1 },
      { padding: Number.NaN },
      { stale: -1 },
      { rewrite: 'odd' },
      { rewrite: {} },
      { rewrite: { as: 404 } },
    ];
    for (const action of bad)
      expect(() => createSandbox().fault({ action: action as never })).to.throw(
        /^action.*: must (be|have)/,
      );
    for (const event of [{ late: -1 }, { ahead: Number.NaN }])
      expect(() => createSandbox().fault({ event })).to.throw('must be');
  });
});
