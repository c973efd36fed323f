import { expect } from 'chai';
import { createSandbox, type SandboxOptions } from 'paystate/sandbox';
import { describe, it } from '#test';
import { asker, euros, failure, logged, newInvoice, query } from './ask.ts';
import { openShop, subscribe } from './receiver.ts';

/** SHA-256 of the transcript below for seed 7: the same in every runtime. A change of it changes what users recorded. */
const EXPECTED = 'a1f3aefad7ae6e06bc0561f0d6a9d72ae0c92043e7b5efc6f5ee9552ec137a5c';

/** The same of what is delivered to a receiver with bad days. */
const EXPECTED_DELIVERIES = 'cf2f2c40b366b9a58e136c41eb2f5c44dd864ac88da711a40795570e71ed4907';

/** A fixed script; every byte that a client could see. */
const transcript = async (options: SandboxOptions): Promise<string> => {
  const sandbox = createSandbox(options);
  const { clientOptions: connection } = sandbox;
  const lines: string[] = [];
  const ask = asker(sandbox, {
    ...connection,
    fetch: async (input, init) => {
      const response = await connection.fetch!(input, init);
      const text = await response.text();
      lines.push(
        [
          response.status,
          ...['content-type', 'retry-after', 'date'].map((name) => response.headers.get(name)),
          text,
        ].join('\n'),
      );
      return new Response(text, { status: response.status, headers: response.headers });
    },
  });
  sandbox.fault({ probability: 0.2, action: { status: 502, code: 'BAD_GATEWAY' } });
  for (let round = 0; round < 12; round++) {
    const currency = ['EUR', 'BTC', 'USD', 'AUD'][round % 4]!;
    const created = await ask('POST', '/v1/invoices', {
      amount: { amount: `${round}.5`, currency },
      correlationId: connection.uuid!(),
      description: 'ünï☕',
    });
    const id = created.word('invoiceId') ?? 'none';
    const quote = await ask(
      'POST',
      `/v1/invoices/${id}/quote`,
      round % 3 === 0 ? { descriptionHash: 'ab'.repeat(32) } : undefined,
    );
    const lnInvoice = quote.word('lnInvoice');
    if (lnInvoice && round % 2 === 0)
      lines.push(
        JSON.stringify(
          await sandbox.run(
            sandbox.payer.pay(lnInvoice, { pendingFor: 700, fails: round % 4 === 2 }),
          ),
        ),
      );
    else await ask('PATCH', `/v1/invoices/${id}/cancel`);
    await ask('GET', `/v1/invoices/${id}?includeTransactions=true`);
    await sandbox.advance(Math.floor(connection.random!() * 20_000));
  }
  await ask('POST', '/v1/invoices', { correlationId: 7, ...euros('x') });
  await ask(
    'GET',
    `/v1/invoices${query({ filter: "state in ('PAID','CANCELLED') and created gt 2026-01-05T09:00:01Z", top: 5 })}`,
  );
  await ask('GET', '/v1/events?$top=100');
  lines.push(JSON.stringify([connection.apiKey, connection.random!(), logged(sandbox)]));
  return lines.join('\n\n');
};

/** Events for three subscriptions, with faults; every request that a receiver could see, and when. */
const deliveries = async (seed: number | string): Promise<string> => {
  const shop = openShop((_, count) => [200, 500, 200, 404, 200, 410][count % 6]!, { seed });
  const { sandbox } = shop;
  for (const name of ['a', 'b', 'ü'])
    await subscribe(shop, { webhookUrl: `https://${name}.example/hooks` });
  for (const delivery of [
    'lost-before',
    'lost-after',
    'duplicated',
    'reordered',
    'bad-signature',
    { delay: 900 },
  ] as const)
    sandbox.fault({ probability: 0.1, delivery });
  for (let round = 0; round < 12; round++) {
    const id = await newInvoice(shop.ask);
    await sandbox.run(sandbox.payer.pay(id, { pendingFor: round * 100 }));
    await sandbox.advance(round * 3_000);
  }
  await sandbox.advance(9 * 24 * 60 * 60_000);
  const seen = shop.got.map(({ at, url, body, headers }) => [
    at,
    url,
    body,
    headers.get('content-type'),
    headers.get('x-webhook-signature'),
  ]);
  return JSON.stringify([
    seen,
    sandbox.deliveries,
    (await shop.ask('GET', '/v1/events?$top=100')).text,
  ]);
};

const hash = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
};

describe('sandbox: determinism', () => {
  it('gives the same bytes for the same seed and calls in every runtime', async () => {
    const found = await hash(await transcript({ seed: 7 }));
    expect(found === EXPECTED, `the transcript's hash is ${found}`).to.equal(true);
  });

  it('delivers the same bytes at the same times in every runtime', async () => {
    const found = await hash(await deliveries(7));
    expect(found === EXPECTED_DELIVERIES, `the hash of what was delivered is ${found}`).to.equal(
      true,
    );
    expect(await deliveries(8)).not.to.equal(await deliveries(7));
  });

  it('gives others for another seed', async () => {
    const [one, two] = [await transcript({ seed: 'a' }), await transcript({ seed: 'b' })];
    expect(await transcript({ seed: 'a' })).to.equal(one);
    expect(two).not.to.equal(one);
  });

  it('does not depend on who asks first', async () => {
    const ids = async (first: number): Promise<unknown> => {
      const sandbox = createSandbox();
      const others = [sandbox.clientOptionsFor(), sandbox.clientOptionsFor()];
      const uuids = [others[first]!.uuid!(), others[1 - first]!.uuid!()];
      return first === 0 ? uuids : uuids.reverse();
    };
    expect(await ids(1)).to.deep.equal(await ids(0));
  });

  it('hands each connection its own randomness', () => {
    const sandbox = createSandbox();
    const draws = [
      sandbox.clientOptions,
      sandbox.clientOptionsFor(),
      sandbox.clientOptionsFor(),
    ].map(({ random, uuid, apiKey }) => [random!(), uuid!(), apiKey]);
    expect(new Set(draws.flat()).size).to.equal(9);
    for (const [number] of draws) expect(number).to.be.within(0, 1);
    expect(sandbox.clientOptions.apiKey).to.match(/^[\dA-F]{64}$/);
  });

  it('gives clients a clock that may be wrong while its monotonic time is right', async () => {
    const sandbox = createSandbox();
    const { clock } = sandbox.clientOptionsFor({ clockSkew: -3_600_000 });
    await sandbox.advance(1_500);
    expect(clock!.now()).to.equal(sandbox.clock.now() - 3_600_000);
    expect(clock!.monotonic()).to.equal(1_500);
    await sandbox.run(clock!.wait(10));
    expect(sandbox.clock.monotonic()).to.equal(1_510);
    const { headers } = await sandbox.fetch('/v1/invoices');
    expect(headers.get('date')).to.equal('Mon, 05 Jan 2026 09:00:01 GMT');
  });
});

describe('sandbox: options', () => {
  it('must make sense, and say which one does not', async () => {
    const cases: readonly (readonly [string, object])[] = [
      ['startAt', { startAt: Number.NaN }],
      ['clock', { clock: 'fast' }],
      ['rateLimits', { rateLimits: 'none' }],
      ['quoteLifetimes.plain', { quoteLifetimes: { plain: 500 } }],
      ['quoteLifetimes.plain', { quoteLifetimes: { plain: 1_500 } }],
      ['assume.payments.checks', { assume: { 'payments.checks': 'none' } }],
      ['accounts', { accounts: [{ handle: 'a' }, { handle: 'a' }] }],
      ['accounts.0.handle', { accounts: [{}] }],
      ['accounts', { accounts: [{ handle: 'a', currencies: ['EUR'], balances: { USD: '1.00' } }] }],
      ['accounts', { accounts: [{ handle: 'a', currencies: ['EUR'], defaultCurrency: 'USD' }] }],
    ];
    for (const [field, options] of cases) {
      const error = await failure((async () => createSandbox(options))());
      expect([error.name, error.message.split(':')[0]]).to.deep.equal(['InputError', field]);
    }
    expect(
      (await failure((async () => createSandbox().clientOptionsFor({ account: 'nobody' }))()))
        .message,
    ).to.match(/^account:/);
  });
});
