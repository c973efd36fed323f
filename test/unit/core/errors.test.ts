import { expect } from 'chai';
import {
  ResponseError,
  InputError,
  isPaystateError,
  AuthenticationError,
  type Next,
  PaystateError,
  RateLimitError,
  RefusedError,
  WebhookError,
  UnreachableError,
} from 'paystate';
import { decide, type Idempotency, serviceCodes } from 'paystate/endpoints';
import { describe, it, itLong } from '#test';
import { DRAFT, failureOf, openShop } from './shop.ts';

const CLASSES = {
  input: InputError,
  refused: RefusedError,
  limited: RateLimitError,
  unreachable: UnreachableError,
  response: ResponseError,
  webhook: WebhookError,
  authentication: AuthenticationError,
};
const FACTS = {
  code: 'NOT_FOUND',
  outcome: 'not-done',
  status: 404,
  traceId: 't-1',
  values: { id: 'x' },
  next: 'ask-user',
  attempts: 1,
} as const;

describe('errors', () => {
  it('have one closed kind each, and a name', () => {
    for (const [kind, Class] of Object.entries(CLASSES)) {
      const error = new Class('text', FACTS);
      expect([error.kind, error.name, error.message, `${error}`]).to.deep.equal([
        kind,
        Class.name,
        'text',
        `${Class.name}: text`,
      ]);
      expect(error).to.be.an.instanceOf(PaystateError).and.an.instanceOf(Error);
      expect(isPaystateError(error)).to.equal(true);
    }
  });

  it('are told from everything else, also across two copies of the package', () => {
    class Copy extends Error {
      constructor() {
        super('of another copy');
        Object.defineProperty(this, Symbol.for('paystate.error'), { value: true });
      }
    }
    expect(isPaystateError(new Copy())).to.equal(true);
    for (const other of [
      new Error('x'),
      new TypeError('x'),
      undefined,
      null,
      'text',
      7,
      {},
      { kind: 'refused', code: 'NOT_FOUND' },
      { [Symbol.for('paystate.error')]: true },
    ])
      expect(isPaystateError(other)).to.equal(false);
  });

  it('become JSON of name, message, kind and facts', () => {
    const error = new RefusedError('text', { ...FACTS, traceId: undefined, retryAt: undefined });
    expect(JSON.parse(JSON.stringify(error))).to.deep.equal({
      code: 'NOT_FOUND',
      outcome: 'not-done',
      status: 404,
      values: { id: 'x' },
      next: 'ask-user',
      attempts: 1,
      kind: 'refused',
      name: 'RefusedError',
      message: 'text',
    });
    expect('traceId' in error || 'retryAt' in error || error.cause !== undefined).to.equal(false);
  });

  it('carry facts that travel between threads', async () => {
    const { sandbox, client, run } = openShop();
    const found: unknown[] = [
      await failureOf(run(client.invoices.get('x'))),
      await failureOf(run(client.invoices.create({ amount: { amount: 'x', currency: 'EUR' } }))),
    ];
    await run(client.invoices.create({ ...DRAFT, correlationId: 'a' }));
    found.push(
      await failureOf(
        run(client.invoices.ensure({ ...DRAFT, description: 'other', correlationId: 'a' })),
      ),
    );
    sandbox.fault({
      action: { status: 503, code: 'MAINTENANCE_MODE', headers: { 'retry-after': '999' } },
    });
    found.push(await failureOf(run(client.invoices.get('x'))));
    for (const error of found as object[]) {
      const copy = structuredClone({ ...error });
      expect(copy).to.deep.equal({ ...error });
      expect(JSON.parse(JSON.stringify(copy))).to.deep.equal(copy);
    }
  });

  it('know every code of the service by its status', async () => {
    for (const [code, status] of Object.entries(serviceCodes)) {
      const { sandbox, client, run } = openShop({ maxAttempts: 1 });
      sandbox.fault({ action: { status, code, values: { some: 'value' } } });
      const error = await failureOf(run(client.invoices.get('x')));
      expect([error.code, error.status, error.values]).to.deep.equal([
        code,
        status,
        { some: 'value' },
      ]);
      expect(error.kind).to.equal(
        status >= 500
          ? 'unreachable'
          : ({ 401: 'authentication', 429: 'limited' }[status] ?? 'refused'),
      );
      expect(error.message).to.contain(code).and.contain('invoices.get: ');
    }
  });
});

describe('the next step', () => {
  const steps: readonly (readonly [
    Idempotency,
    { code: string; status?: number },
    'not-done' | 'unknown',
    Next,
  ])[] = [
    ['safe', { code: 'TIMEOUT' }, 'not-done', 'retry'],
    ['safe', { code: 'OFFLINE', status: 200 }, 'not-done', 'retry'],
    ['safe', { code: 'RESPONSE_NOT_JSON', status: 200 }, 'not-done', 'retry'],
    ['safe', { code: 'RESPONSE_INVALID', status: 200 }, 'not-done', 'stop'],
    ['safe', { code: 'REDIRECT', status: 302 }, 'not-done', 'stop'],
    ['safe', { code: 'QUEUE_TIMEOUT' }, 'not-done', 'wait'],
    ['none', { code: 'TOKEN_UNAVAILABLE' }, 'not-done', 'retry'],
    ['client-id', { code: 'DUPLICATE_INVOICE', status: 409 }, 'unknown', 'read-first'],
    ['key-only', { code: 'DUPLICATE_PAYMENT_QUOTE', status: 422 }, 'unknown', 'new-quote'],
    ['same-request', { code: 'PAYMENT_QUOTE_EXPIRED', status: 422 }, 'not-done', 'new-quote'],
    [
      'same-request',
      { code: 'CURRENCY_EXCHANGE_QUOTE_EXPIRED', status: 422 },
      'not-done',
      'new-quote',
    ],
    ['safe', { code: 'INTERNAL_SERVER_ERROR', status: 500 }, 'not-done', 'retry'],
    ...(['client-id', 'key-then-read', 'key-then-read-money', 'convergent'] as const).map(
      (repeat) => [repeat, { code: 'TIMEOUT' }, 'unknown', 'retry'] as const,
    ),
    ...(['same-request', 'none'] as const).map(
      (repeat) => [repeat, { code: 'TIMEOUT' }, 'unknown', 'read-first'] as const,
    ),
    ['key-only', { code: 'TIMEOUT' }, 'unknown', 'new-quote'], // it cannot be read, and moves nothing
    ...(['client-id', 'same-request', 'none'] as const).map(
      (repeat) =>
        [repeat, { code: 'BALANCE_TOO_LOW', status: 422 }, 'not-done', 'ask-user'] as const,
    ),
  ];
  for (const [repeat, facts, outcome, next] of steps)
    itLong(`${repeat}, ${facts.code}, ${outcome}: ${next}`, () => {
      const phase = facts.status ? 'responded' : outcome === 'unknown' ? 'sent' : 'unsent';
      expect(decide(facts.code, repeat, phase)).to.include({ outcome, next });
    });
});
