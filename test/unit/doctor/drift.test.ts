// Protects: what the service changes in any answer is said in words, and nothing is said of a service that has not changed.
import { expect } from 'chai';
import { type ClientOptions, createClient, type RequestView } from 'paystate';
import { doctor, type DoctorOptions, type DoctorReport } from 'paystate/doctor';
import * as endpoints from 'paystate/endpoints';
import type { AnyEndpoint } from 'paystate/endpoints';
import type { FaultAction } from 'paystate/sandbox';
import { describe, it } from '#test';
import type { Bank } from '../bank/bank.ts';
import { reasonOf } from '../core/shop.ts';
import { openFullAccount } from './account.ts';
import { messageOf, openShop, problemsOf, unknownOf } from './shop.ts';

type Json = Readonly<Record<string, unknown>>;
type Fetch = NonNullable<ClientOptions['fetch']>;

const ROUND: DoctorOptions = { drift: true, webhooks: false };

/** Every endpoint that reads, but for the one that calls the server of a Lightning address. */
const READS = Object.values<object>(endpoints)
  .flatMap((table) => Object.values(table) as unknown[])
  .filter((one): one is AnyEndpoint => (one as AnyEndpoint | null)?.method === 'GET')
  .filter(({ operation }) => operation !== 'paymentQuotes.getLnurl');

/** The read that a path belongs to, the one with the fewest ids first. */
const readAt = (url: string): string | undefined =>
  [...READS]
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
    .find(({ path }) =>
      new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(new URL(url).pathname),
    )?.operation;

/** What the service sent for an address. */
interface Taped {
  readonly operation: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Plays one round against the sandbox, and keeps what was sent. */
const tape = async ({ sandbox, run }: Bank): Promise<ReadonlyMap<string, Taped>> => {
  const all = new Map<string, Taped>();
  const { fetch: send, ...options } = sandbox.clientOptions;
  const fetch: Fetch = async (url, init) => {
    expect(init.method ?? 'GET').to.equal('GET');
    const response = await send!(url, init);
    const { status, headers } = response;
    const body = await sandbox.clock.external(response.clone().json() as Promise<unknown>);
    all.set(url, { operation: readAt(url)!, status, headers, body });
    return response;
  };
  await run(doctor(createClient({ ...options, fetch }), ROUND));
  return all;
};

/** Plays a round against what was kept, with one operation's bodies changed. */
const replay = (
  { sandbox, run }: Bank,
  taped: ReadonlyMap<string, Taped>,
  change: (one: Taped) => Response | undefined = () => undefined,
): Promise<DoctorReport> => {
  const missing = { traceId: 't', data: { status: 404, code: 'NOT_FOUND', message: 'none' } };
  const fetch: Fetch = async (url) => {
    const one = taped.get(url);
    if (!one) return Response.json(missing, { status: 404 });
    const { status, headers, body } = one;
    return change(one) ?? Response.json(body, { status, headers });
  };
  return run(doctor(createClient({ ...sandbox.clientOptions, fetch }), ROUND));
};

/** A way to change an answer: applied to its first row, or to itself; `undefined` where it cannot be. */
type Distortion = (row: Json, at: number) => Json | undefined;

const memberWhere = (
  row: Json,
  at: number,
  isWanted: (value: unknown, name: string) => boolean,
): string | undefined => {
  const names = Object.entries(row).filter(([name, value]) => isWanted(value, name));
  return names[at % Math.max(names.length, 1)]?.[0];
};

const changed = (
  row: Json,
  name: string | undefined,
  make: (value: never) => unknown,
): Json | undefined =>
  name === undefined ? undefined : { ...row, [name]: make(row[name] as never) };

const without = (row: Json, name: string | undefined): Json | undefined =>
  name === undefined
    ? undefined
    : Object.fromEntries(Object.entries(row).filter(([one]) => one !== name));

const isMoney = (value: unknown): boolean =>
  typeof (value as Json | null)?.['amount'] === 'string' && 'currency' in (value as Json);
const addOne = (money: Json): Json => ({ ...money, amount: `1${String(money['amount'])}` });
const isTime = (value: unknown, name: string): boolean =>
  /^(created|completed|validUntil|expires|updated)$/.test(name) && typeof value === 'string';
const isWord = (_: unknown, name: string): boolean =>
  /^(state|type|currency|sourceCurrency|eventType|transferType|webhookVersion)$/.test(name);

const DISTORTIONS: Readonly<Record<string, Distortion>> = {
  'a member is removed': (row, at) =>
    without(
      row,
      memberWhere(row, at, () => true),
    ),
  'a member is renamed': (row, at) => {
    const name = memberWhere(row, at, () => true);
    return name === undefined ? undefined : { ...without(row, name), [`${name}V2`]: row[name] };
  },
  'a member has another type': (row, at) =>
    changed(
      row,
      memberWhere(row, at, (value) => typeof value !== 'object'),
      (value) => (typeof value === 'string' ? 7 : 'seven'),
    ),
  'a member is null': (row, at) =>
    changed(
      row,
      memberWhere(row, at, () => true),
      () => null,
    ),
  'a member is new': (row) => ({ ...row, settlementHint: 'T1' }),
  'an enum has a new value': (row, at) =>
    changed(row, memberWhere(row, at, isWord), () => 'HELD_BACK'),
  'an amount is a number': (row, at) =>
    changed(row, memberWhere(row, at, isMoney), (money: Json) => ({
      ...money,
      amount: Number(money['amount']),
    })),
  'a currency is missing': (row, at) =>
    changed(row, memberWhere(row, at, isMoney), (money: Json) => without(money, 'currency')),
  'a time is broken': (row, at) =>
    changed(row, memberWhere(row, at, isTime), () => 'yesterday at noon'),
  'an object is a text': (row, at) =>
    changed(
      row,
      memberWhere(row, at, (value) => typeof value === 'object' && value !== null),
      () => 'see below',
    ),
};

const rowsIn = (body: unknown): readonly Json[] =>
  [(body as { items?: readonly Json[] }).items ?? body].flat() as readonly Json[];

/** The same body with its first row changed. */
const withRow = (body: unknown, row: Json): unknown => {
  if (Array.isArray(body)) return [row, ...(body as unknown[]).slice(1)];
  const { items } = body as { readonly items?: readonly Json[] };
  return items ? { ...(body as Json), items: [row, ...items.slice(1)] } : row;
};

/** Ways to change a whole answer. */
const SHAPES: Readonly<Record<string, (body: unknown, operation: string) => unknown>> = {
  'a list has another form': (body) => {
    if (Array.isArray(body)) return { data: body };
    const { items } = body as { readonly items?: unknown };
    return items ? { data: items } : undefined;
  },
  'a page has more rows than were asked for': (body) => {
    const { items } = body as { readonly items?: readonly Json[] };
    return items && { ...(body as Json), items: Array.from({ length: 100 }, () => items[0]) };
  },
  'a count is a text': (body) =>
    'count' in (body as Json) ? { ...(body as Json), count: '3 or so' } : undefined,
  'another id is answered': (body, operation) => {
    const { echo } = READS.find((one) => one.operation === operation)!;
    const [name] = Object.values(echo ?? {});
    return name === undefined ? undefined : { ...(body as Json), [name]: crypto.randomUUID() };
  },
  'an answer is wrapped': (body) => ({ result: body }),
};

/** The reads that the classes of distortions miss: a member that may be absent is no promise. */
const MAY_MISS: readonly string[] = ['a member is removed', 'a member is null'];

type Change = (one: Taped, at: number) => unknown;

const CHANGES: readonly (readonly [string, Change])[] = [
  ...Object.entries(DISTORTIONS).map(([kind, distort]): readonly [string, Change] => [
    kind,
    ({ body }, at) => {
      const row = rowsIn(body)[0];
      const other = row && distort(row, at);
      return other && withRow(body, other);
    },
  ]),
  ...Object.entries(SHAPES).map(([kind, distort]): readonly [string, Change] => [
    kind,
    ({ body, operation }) => distort(body, operation),
  ]),
];

const isDrift = (code: string): boolean => /^DRIFT_(NEW|BROKEN|READ_FAILED)$/.test(code);

describe('a round of the doctor', () => {
  it('notices what is distorted in the answers to all reads', async () => {
    const bank = await openFullAccount();
    const taped = await tape(bank);
    expect(problemsOf(await replay(bank, taped)), 'as it is').to.deep.equal([]);
    const names = READS.map(({ operation }) => operation);
    const missed: [kind: string, operation: string][] = [];
    let count = 0;
    // lists apart from what needs an id of them, and few at once, because a report has an end
    for (const [kind, change] of CHANGES)
      for (const group of [0, 1, 2, 3]) {
        const touched = new Set<string>();
        const { findings } = await replay(bank, taped, (one) => {
          const at = names.indexOf(one.operation);
          const isOfGroup = 2 * +READS[at]!.path.includes('{') + (at % 2) === group;
          const isChosen = one.status === 200 && isOfGroup;
          const body = isChosen ? change(one, at) : undefined;
          if (body === undefined) return undefined;
          touched.add(one.operation);
          return Response.json(body, { headers: one.headers });
        });
        const told = findings.filter(({ code }) => isDrift(code)).map(({ message }) => message);
        for (const operation of touched)
          if (!told.some((message) => message.startsWith(`${operation}:`)))
            missed.push([kind, operation]);
        count += touched.size;
      }
    expect(count).to.be.greaterThan(160);
    expect(1 - missed.length / count, `${missed}`).to.be.greaterThan(134 / 160);
    expect(missed.filter(([kind]) => !MAY_MISS.includes(kind))).to.deep.equal([]);
  });

  it('finds no change in any of the worlds that the sandbox may be', async () => {
    const { assumptions } = openShop().sandbox;
    const worlds = Math.max(...assumptions.map(({ options }) => options.length));
    // a service that normalises adds a member to each response, which is a change
    const others = assumptions.filter(({ id }) => id !== 'responses.form');
    for (let world = 0; world < worlds; world++) {
      const values = others.map(({ id, options }) => [id, options[world % options.length]!.value]);
      const { run, client } = await openFullAccount({ assume: Object.fromEntries(values) });
      const report = await run(doctor(client, ROUND));
      expect(problemsOf(report), `${world}`).to.deep.equal([]);
      // where events come ten minutes late, there is none to read yet
      const isLate = values.some(([id, value]) => id === 'events.lag' && value === '10-min');
      const reads = isLate ? 24 : 25;
      expect(messageOf(report, 'DRIFT_OK')).to.equal(
        `${reads} responses match this version of the SDK`,
      );
    }
  });

  it('sends at most 30 requests, all of them GET, also for 10,000 rows', async () => {
    const bank = await openFullAccount();
    const before = bank.sandbox.log.length;
    expect(problemsOf(await bank.run(doctor(bank.client, ROUND)))).to.deep.equal([]);
    const sent = bank.sandbox.log.slice(before);
    expect(new Set(sent.map(({ method }) => method))).to.deep.equal(new Set(['GET']));
    expect(sent.length).to.equal(30);
    const taped = await tape(bank);
    const many = await replay(bank, taped, ({ body, headers }) => {
      const { items = [], ...page } = body as { readonly items?: readonly Json[]; count?: unknown };
      if (items.length === 0) return undefined;
      const rows = Array.from({ length: 20 }, (_, at) => items[at % items.length]);
      return Response.json({ ...page, items: rows, count: 10_000 }, { headers });
    });
    expect(problemsOf(many)).to.deep.equal([]);
  });

  it('says of an empty account what could not be compared', async () => {
    const { examine } = openShop();
    const report = await examine(ROUND);
    expect([report.ok, unknownOf(report)]).to.deep.equal([
      true,
      ['SCOPES_UNKNOWN', 'DRIFT_UNREAD'],
    ]);
    expect(messageOf(report, 'DRIFT_OK')).to.equal('12 responses match this version of the SDK');
    expect(messageOf(report, 'DRIFT_UNREAD')).to.match(
      /^The account has no data for accounts\.getProfile, .*subscriptions\.get$/,
    );
  });

  it('leaves out what the key may not read, and says so', async () => {
    const { sandbox, run } = await openFullAccount();
    const scopes = ['partner.invoice.read', 'partner.webhooks.manage'];
    const reader = createClient(sandbox.clientOptionsFor({ scopes }));
    const report = await run(doctor(reader, { ...ROUND, scopes }));
    expect(problemsOf(report)).to.deep.equal([]);
    expect(messageOf(report, 'DRIFT_OK')).to.equal('6 responses match this version of the SDK');
    expect(messageOf(report, 'DRIFT_UNREAD')).to.match(
      /^The key is not allowed to call .*balances\.list, .*payouts\.get/,
    );
    expect(sandbox.log.filter(({ status }) => status === 403)).to.have.length(11);
  });

  it('says in words what changed, and for programs where', async () => {
    const { examine, sandbox, client } = openShop();
    await sandbox.run(client.invoices.create({ amount: { amount: '5.00', currency: 'EUR' } }));
    const end = sandbox.fault({ path: '/v1/invoices', action: { rewrite: 'extra-members' } });
    const { findings, ok } = await examine(ROUND);
    expect(ok).to.equal(false);
    const { drift, message, ...finding } = findings.find(({ code }) => code === 'DRIFT_NEW')!;
    expect(finding).to.deep.equal({ subject: 'drift', verdict: 'problem', code: 'DRIFT_NEW' });
    expect(drift).to.include({ path: '/v1/invoices', kind: 'unknown-field' });
    expect(message).to.equal(
      `invoices.list: ${drift!.field} is a new field. It's passed through, and nothing breaks`,
    );
    end();
    expect(problemsOf(await examine(ROUND))).to.deep.equal([]);
  });

  it('says what a change means: for a call, a row, a sum, a state', async () => {
    const bank = await openFullAccount();
    const taped = await tape(bank);
    const state = (one: Taped, value: string): unknown =>
      withRow(one.body, { ...rowsIn(one.body)[0], state: value });
    const changes: Readonly<Record<string, (one: Taped) => unknown>> = {
      'payouts.get': (one) => state(one, 'REVERSED'),
      'payouts.list': (one) => state(one, 'FAILED'),
      'invoices.get': ({ body }) => without(body as Json, 'state'),
      'payments.get': ({ body }) => changed(body as Json, 'totalAmount', addOne),
      'deposits.list': ({ body }) => {
        const row = rowsIn(body)[0]!;
        return withRow(body, { ...row, id: 7 });
      },
    };
    const { findings } = await replay(bank, taped, (one) => {
      const body = one.status === 200 && changes[one.operation]?.(one);
      return body ? Response.json(body, { headers: one.headers }) : undefined;
    });
    const told = findings.filter(({ code }) => code === 'DRIFT_BROKEN');
    const id = '[\\w-]{36}';
    const words = [
      `payouts\\.get: state changed from FAILED to REVERSED, which is unexpected\\. Check your code .* \\(id ${id}\\)`,
      'invoices\\.get: state is missing\\. Your call fails',
      `payments\\.get: totalAmount is not the sum of its parts: .*\\. Check your books \\(id ${id}\\)`,
      "deposits\\.list: items\\[\\]\\.id must be string, but isn't\\. The list returns this item under `unreadable`",
    ];
    for (const one of words)
      expect(
        told.filter(({ message }) => new RegExp(`^${one}$`).test(message)),
        one,
      ).to.have.length(1);
    expect(told).to.have.length(words.length);
  });

  it('names a read that another server answers, and goes on', async () => {
    const { examine, sandbox } = openShop();
    const html = '<!doctype html><title>Sign in</title>';
    sandbox.fault({ path: '/v1/payouts', action: { status: 404, html } });
    sandbox.fault({ path: '/v1/deposits', action: { status: 200, html } });
    const report = await examine(ROUND);
    expect(problemsOf(report)).to.deep.equal(['DRIFT_READ_FAILED', 'DRIFT_READ_FAILED']);
    const told = report.findings.filter(({ code }) => code === 'DRIFT_READ_FAILED');
    expect(told[0]!.message).to.match(/^deposits\.list: .*\(RESPONSE_NOT_JSON, status 200\)/);
    expect(told[1]!.message).to.match(/^payouts\.list: .*\(NOT_FROM_SERVICE, status 404\)/);
    expect(sandbox.log.filter(({ path }) => path === '/v1/payouts')).to.have.length(1);
  });

  it('is a problem where it ends early, and keeps what it has found', async () => {
    const refused = { status: 401, code: 'UNAUTHORIZED' };
    const block = { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '3600' } };
    const ends: readonly (readonly [string, FaultAction, string])[] = [
      ['/v1/receive-requests/receives', refused, 'KEY_REFUSED'],
      ['/v1/receive-requests/receives', block, 'BLOCKED'],
      ['/v1/receive-requests/receives', 'lost-before', 'DRIFT_UNREAD'],
      ['/v1/payouts', refused, 'KEY_REFUSED'],
      ['/v1/payouts', block, 'BLOCKED'],
      ['/v1/payouts', { status: 500, code: 'INTERNAL_SERVER_ERROR' }, 'DRIFT_UNREAD'],
    ];
    for (const [path, action, code] of ends) {
      const { sandbox, client, run } = await openFullAccount();
      sandbox.fault({ path: '/v1/balances', action: { rewrite: 'extra-members' } });
      sandbox.fault({ path, action });
      const report = await run(doctor(client, { drift: true }));
      expect(problemsOf(report), path).to.include.members([code, 'DRIFT_NEW', 'DRIFT_UNREAD']);
      expect(messageOf(report, 'DRIFT_UNREAD')).to.match(
        /^The check ended before it could read .*subscriptions/,
      );
      expect(sandbox.log.at(-1)!.path).to.equal(path);
    }
  });

  it('shows no words of others that a terminal would obey, no secret, and not more than 50 changes', async () => {
    const bank = await openFullAccount();
    const taped = await tape(bank);
    const { apiKey } = bank.sandbox.clientOptions;
    const evil = '\u001b]0;owned\u0007\u202e\u009b31m';
    const hostile = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`${evil}${at}`, apiKey]),
    );
    const report = await replay(bank, taped, ({ body, operation, headers }) => {
      const row = rowsIn(body)[0];
      if (!row || !READS.some((one) => one.operation === operation)) return undefined;
      const other = { ...row, ...hostile, state: `${evil}${apiKey}`, created: evil };
      return Response.json(withRow(body, other), { headers });
    });
    const text = JSON.stringify(report.findings);
    expect(text).not.to.match(/\\u00|[\u0080-\u009f\u202e]/);
    expect(text).not.to.include(apiKey);
    expect(report.findings.filter(({ code }) => isDrift(code))).to.have.length(51);
    expect(report.findings.at(-1)!.message).to.match(/^\d+ more changes are not shown$/);
  });

  it('reports a limit in a currency that cannot be one, and does not throw', async () => {
    const bank = await openFullAccount();
    const report = await replay(bank, await tape(bank), ({ operation, headers }) =>
      operation === 'accounts.getLimits'
        ? Response.json(
            { send: { amount: { effective: { amount: '5', currency: 'e u' } } } },
            { headers },
          )
        : undefined,
    );
    expect(messageOf(report, 'LIMITS_OK')).to.equal('limits left: send 5 e u');
    expect(problemsOf(report)).to.deep.equal(['DRIFT_NEW']);
  });

  it('stops when it is told to', async () => {
    const { sandbox, run } = await openFullAccount();
    const stop = new AbortController();
    const reason = new Error('the user has left');
    const onRequest = ({ operation }: RequestView) =>
      operation === 'events.get' && stop.abort(reason);
    const client = createClient({
      ...sandbox.clientOptions,
      onRequest: (view) => void onRequest(view),
    });
    expect(await reasonOf(run(doctor(client, { ...ROUND, signal: stop.signal })))).to.equal(reason);
  });
});
