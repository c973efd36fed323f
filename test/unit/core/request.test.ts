import { expect } from 'chai';
import { createConnection, type Invoice, request, type StandardSchema } from 'paystate';
import { InvoiceSchema, rejectDrift } from 'paystate/schemas';
import { describe, it } from '#test';
import { answering, DRAFT, failureOf, json, openShop, refusal } from './shop.ts';

const KEY = '7d5b1c6e-0a2f-4d8b-9c31-e4f6a7b8c9d0';

/** The smallest schema there can be. */
const schemaOf = <T>(validate: (value: unknown) => unknown): StandardSchema<T> => ({
  '~standard': { version: 1, vendor: 'test', validate },
});

describe('request', () => {
  it('keeps the name of a parameter in its place too', async () => {
    const wire = answering(json({}));
    const { client, run } = openShop({ fetch: wire.fetch, baseUrl: 'https://pay.example' });
    await run(request(client, 'GET', '/v1/x', { params: { 'a&b=1#c': 'd', $top: 1 } }));
    expect(wire.sent[0]!.url).to.equal('https://pay.example/v1/x?a%26b%3D1%23c=d&$top=1');
    const bad = request(client, 'GET', '/v1/x', { params: { '\ud800': 'd' } });
    expect((await failureOf(run(bad))).kind).to.equal('input');
  });

  it('asks for what has no name, and types the answer by a schema', async () => {
    const { sandbox, client, run } = openShop({ drift: rejectDrift });
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    const found: Invoice = await run(
      request(client, 'GET', '/v1/invoices/{id}', {
        params: { id: invoiceId },
        schema: InvoiceSchema as StandardSchema<Invoice>,
      }),
    );
    expect(found.state).to.equal('UNPAID');
    const raw = await run(
      request(client, 'GET', '/v1/invoices', {
        params: { $top: '1', $orderby: 'created asc', absent: undefined },
      }),
    );
    expect((raw as { count: number }).count).to.equal(1);
    expect(sandbox.log.at(-1)!.query).to.equal('?$top=1&$orderby=created%20asc');
    const made = await run(
      request<Invoice>(client, 'POST', '/v1/invoices', { body: DRAFT }).withResponse(),
    );
    expect([made.status, made.value.state]).to.deep.equal([201, 'UNPAID']);
  });

  it('repeats array values, and keeps every value in its place', async () => {
    const wire = answering(json({}));
    const { client, run } = openShop({ fetch: wire.fetch, baseUrl: 'https://pay.example' });
    await run(
      request(client, 'GET', '/v1/receives/{id}', {
        params: { id: '../a?b#c', $hash: ['x&y', 'z=1'] },
      }),
    );
    expect(wire.sent[0]!.url).to.equal(
      'https://pay.example/v1/receives/..%2Fa%3Fb%23c?$hash=x%26y&$hash=z%3D1',
    );
    for (const path of [
      'v1/x',
      '/v1/../x',
      '/v1/x?a=1',
      '/v1/x#a',
      '/v1/{gone}',
      '@evil.example/',
      '/v1\\x',
      '/v1/\n',
      'hasOwnProperty',
      '__proto__',
      '',
    ])
      expect((await failureOf(run(request(client, 'GET', path)))).kind, path).to.equal('input');
    expect(wire.sent).to.have.length(1);
  });

  it('repeats a GET, a command only under a key', async () => {
    for (const [method, idempotencyKey, attempts, outcome, maybeCreated] of [
      ['GET', undefined, 3, 'not-done', undefined],
      ['POST', undefined, 1, 'unknown', true],
      ['PATCH', undefined, 1, 'unknown', true],
      ['DELETE', undefined, 1, 'unknown', true],
      ['POST', KEY, 3, 'unknown', undefined],
    ] as const) {
      const { sandbox, client, run } = openShop();
      sandbox.fault({ action: 'lost-after' });
      const error = await failureOf(run(request(client, method, '/v1/things', { idempotencyKey })));
      expect([method, error.attempts, error.outcome, error.maybeCreated]).to.deep.equal([
        method,
        attempts,
        outcome,
        maybeCreated,
      ]);
    }
  });

  it('sends the body and the key as they are', async () => {
    const wire = answering(json({}));
    const { client, run } = openShop({ fetch: wire.fetch });
    await run(
      request(client, 'POST', '/v1/things', { body: { a: [1, null, 'x'] }, idempotencyKey: KEY }),
    );
    expect([
      wire.sent[0]!.init.body,
      wire.sent[0]!.headers['idempotency-key'],
      wire.sent[0]!.headers['content-type'],
    ]).to.deep.equal(['{"a":[1,null,"x"]}', KEY, 'application/json']);
    expect(
      (await failureOf(run(request(client, 'POST', '/v1/things', { idempotencyKey: 'a b' })))).kind,
    ).to.equal('input');
    expect(
      (await failureOf(run(request(client, 'POST', '/v1/things', { body: 1n })))).kind,
    ).to.equal('input');
  });

  it('takes an answer without a body where no schema asks for one', async () => {
    const empty = () => new Response(null, { status: 204 });
    const { client, run } = openShop({ fetch: answering(empty).fetch });
    expect(
      await run(request(client, 'DELETE', '/v1/things/{id}', { params: { id: 'x' } })),
    ).to.equal(undefined);
    expect(
      (
        await failureOf(
          run(request(client, 'DELETE', '/v1/things', { schema: schemaOf(() => ({ value: 1 })) })),
        )
      ).code,
    ).to.equal('RESPONSE_NOT_JSON');
  });

  it('an answer that the schema refuses is an error that names fields and holds no values', async () => {
    const issues = [{ message: 'SECRET', path: ['a', { key: 0 }, 'b'] }, { message: 'SECRET' }];
    const reads: readonly ((value: unknown) => unknown)[] = [
      () => ({ issues }),
      () => Promise.resolve({ value: 1 }),
      () => {
        throw new Error('SECRET');
      },
    ];
    for (const [at, read] of reads.entries()) {
      const { client, run } = openShop({ fetch: answering(json({ a: 'SECRET' })).fetch });
      const error = await failureOf(
        run(request(client, 'GET', '/v1/things', { schema: schemaOf(read) })),
      );
      expect([error.kind, error.code, error.outcome]).to.deep.equal([
        'response',
        'RESPONSE_INVALID',
        'not-done',
      ]);
      expect(Object.keys(error.validationErrors!)).to.deep.equal(
        at === 0 ? ['a.0.b', 'body'] : ['body'],
      );
      expect(JSON.stringify(error) + error.message).not.to.contain('SECRET');
    }
  });

  it('names no scope, for it knows none, and works without a client', async () => {
    const { sandbox } = openShop({});
    const wire = answering(refusal(403, 'FORBIDDEN'));
    const error = await failureOf(
      sandbox.run(
        request(
          createConnection({ ...sandbox.clientOptions, fetch: wire.fetch }),
          'GET',
          '/v1/things',
        ),
      ),
    );
    expect([error.code, 'neededScope' in error]).to.deep.equal(['FORBIDDEN', false]);
  });
});
