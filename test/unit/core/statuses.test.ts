import { expect } from 'chai';
import type { ErrorKind, Next } from 'paystate';
import { describe, it, itLong } from '#test';
import { DRAFT, failureOf, openShop, type Repeating, repeats, rows } from './shop.ts';

interface Case {
  readonly status: number;
  /** Absent: something before the service answered, without its envelope. */
  readonly code?: string;
  readonly kind: ErrorKind;
  readonly attempts: 1 | 3;
  readonly next: Next;
  /** After these the caller of a command cannot know. */
  readonly doubt?: true;
  /** The thing itself is worked on by another request: a command may have been done by that. */
  readonly taken?: true;
  /** A proxy lets nothing through: its status says nothing of the key, the scope or the input. */
  readonly blocked?: true;
}

const FINAL: readonly Case[] = [
  { status: 400, code: 'INVALID_DATA', kind: 'refused', attempts: 1, next: 'fix-input' },
  { status: 400, code: 'INVALID_DATA_QUERY', kind: 'refused', attempts: 1, next: 'fix-input' },
  {
    status: 401,
    code: 'UNAUTHORIZED',
    kind: 'authentication',
    attempts: 1,
    next: 'fix-credential',
  },
  { status: 403, code: 'FORBIDDEN', kind: 'refused', attempts: 1, next: 'get-scope' },
  { status: 404, code: 'NOT_FOUND', kind: 'refused', attempts: 1, next: 'ask-user' },
  { status: 422, code: 'BALANCE_TOO_LOW', kind: 'refused', attempts: 1, next: 'ask-user' },
  { status: 422, code: 'A_CODE_OF_TOMORROW', kind: 'refused', attempts: 1, next: 'ask-user' },
  { status: 409, code: 'A_CONFLICT_OF_TOMORROW', kind: 'refused', attempts: 1, next: 'read-first' },
  { status: 429, code: 'TOO_MANY_ATTEMPTS', kind: 'limited', attempts: 1, next: 'wait' },
];

const PASSING: readonly Case[] = [
  {
    status: 409,
    code: 'PROCESSING_CONFLICT',
    kind: 'refused',
    attempts: 3,
    next: 'retry',
    taken: true,
  },
  { status: 425, code: 'ACCOUNT_NOT_READY', kind: 'refused', attempts: 3, next: 'wait' },
  { status: 429, code: 'RATE_LIMIT_EXCEEDED', kind: 'limited', attempts: 3, next: 'wait' },
];

const DOUBTFUL: readonly Case[] = [
  ...(
    [
      [500, 'INTERNAL_SERVER_ERROR'],
      [502, 'BAD_GATEWAY'],
      [503, 'MAINTENANCE_MODE'],
      [503, 'LN_UNAVAILABLE'],
      [504, 'GATEWAY_TIMEOUT'],
    ] as const
  ).map(
    ([status, code]): Case => ({
      status,
      code,
      kind: 'unreachable',
      attempts: 3,
      next: 'retry',
      doubt: true,
    }),
  ),
  ...[400, 401, 402, 403, 404, 407, 409, 413, 422, 451].map(
    (status): Case => ({
      status,
      kind: 'unreachable',
      attempts: 1,
      next: 'retry',
      doubt: true,
      blocked: true,
    }),
  ),
  ...(
    [
      [408, 'retry'],
      [425, 'wait'],
      [429, 'wait'],
      [500, 'retry'],
      [502, 'retry'],
      [503, 'retry'],
    ] as const
  ).map(
    ([status, next]): Case => ({ status, kind: 'unreachable', attempts: 3, next, doubt: true }),
  ),
];

const expected = (
  repeat: Repeating,
  { code = 'NOT_FROM_SERVICE', doubt, taken, blocked, status, kind, attempts, next }: Case,
): object => {
  const known = !(doubt || taken) || repeat === 'safe' || repeat === 'pure';
  const again = repeat === 'client-id' && !blocked;
  const step: Next = known ? next : again ? 'retry' : 'read-first';
  return { kind, code, status, attempts, outcome: known ? 'not-done' : 'unknown', next: step };
};

describe('send: every status of every kind of row', () => {
  for (const repeat of repeats)
    for (const one of [...FINAL, ...PASSING, ...DOUBTFUL])
      itLong(`${repeat}: ${one.status} ${one.code ?? 'without the envelope'}`, async () => {
        const { sandbox, client, run } = openShop();
        const { invoiceId } = await run(client.invoices.create(DRAFT));
        const before = sandbox.log.length;
        sandbox.fault({
          action: {
            status: one.status,
            ...(one.code?.endsWith('_OF_TOMORROW')
              ? { extra: { code: one.code } }
              : { code: one.code }),
            headers: { 'retry-after': '1' },
          },
        });
        const error = await failureOf(run(rows[repeat](client, invoiceId)));
        const { kind, code, status, attempts, outcome, next } = error;
        expect({ kind, code, status, attempts, outcome, next }).to.deep.equal(
          expected(repeat, one),
        );
        expect(sandbox.log.length - before).to.equal(one.attempts);
        expect(error.correlationId === undefined).to.equal(repeat !== 'client-id');
        if (one.code) expect(error.traceId).to.equal('fault');
        else expect(error.message).to.contain('from something in between');
        expect(error.neededScope === undefined).to.equal(
          one.status !== 403 || one.code === undefined,
        );
      });

  it('a lost connection is doubt for commands only', async () => {
    for (const action of ['lost-before', 'lost-after', 'cut-body'] as const)
      for (const repeat of ['safe', 'pure'] as const) {
        const { sandbox, client, run } = openShop();
        const { invoiceId } = await run(client.invoices.create(DRAFT));
        sandbox.fault({ action });
        const { kind, code, outcome, attempts, next, status } = await failureOf(
          run(rows[repeat](client, invoiceId)),
        );
        expect({ kind, code, outcome, attempts, next }).to.deep.equal({
          kind: 'unreachable',
          code: 'UNREACHABLE',
          outcome: 'not-done',
          attempts: 3,
          next: 'retry',
        });
        expect(status).to.equal(
          action === 'cut-body' ? (repeat === 'safe' ? 200 : 201) : undefined,
        );
      }
    const { sandbox, client, run } = openShop();
    sandbox.fault({ action: 'lost-before' });
    const error = await failureOf(run(client.invoices.create(DRAFT)));
    expect([error.code, error.outcome, error.attempts]).to.deep.equal([
      'UNREACHABLE',
      'unknown',
      3,
    ]);
  });

  it('goes on when a later attempt succeeds, whatever failed before', async () => {
    for (const [status, code] of [
      [500, 'INTERNAL_SERVER_ERROR'],
      [503, undefined],
      [409, 'PROCESSING_CONFLICT'],
      [408, undefined],
    ] as const)
      for (const repeat of repeats) {
        const { sandbox, client, run } = openShop();
        const { invoiceId } = await run(client.invoices.create(DRAFT));
        sandbox.fault({ nth: [1, 2], action: { status, code } });
        const before = sandbox.log.length;
        await run(rows[repeat](client, invoiceId));
        expect(sandbox.log.length - before).to.equal(3);
      }
  });

  it('a refusal after a doubtful try of a creation leaves the doubt', async () => {
    const { sandbox, client, run } = openShop();
    sandbox.fault({ nth: 1, action: { status: 502 } });
    sandbox.fault({
      nth: 2,
      action: {
        status: 422,
        code: 'AMOUNT_TOO_HIGH',
        values: { limit: { amount: '10.00', currency: 'EUR' } },
      },
    });
    const error = await failureOf(
      run(client.invoices.create({ ...DRAFT, correlationId: 'order-1' })),
    );
    expect([
      error.kind,
      error.code,
      error.outcome,
      error.correlationId,
      error.attempts,
    ]).to.deep.equal(['refused', 'AMOUNT_TOO_HIGH', 'unknown', 'order-1', 2]);
    expect(error.values).to.deep.equal({ limit: { amount: '10.00', currency: 'EUR' } });
  });

  it('names scope, trace and fields of a real refusal, and a hint where the path may be another', async () => {
    const { sandbox, client, run } = openShop();
    const reader = openShop(sandbox.clientOptionsFor({ scopes: ['partner.invoice.create'] }));
    const forbidden = await failureOf(run(reader.client.invoices.get('x')));
    expect([forbidden.code, forbidden.neededScope]).to.deep.equal([
      'FORBIDDEN',
      'partner.invoice.read',
    ]);
    expect(forbidden.message).to.contain('partner.invoice.read');
    const missing = await failureOf(
      run(client.payouts.create({ paymentMethodId: 'x' as never, amount: '5' })),
    );
    expect([missing.code, missing.values]).to.deep.equal(['NOT_FOUND', { id: 'x' }]);
    sandbox.fault({ action: { status: 404, html: '<h1>nobody here</h1>' } });
    const elsewhere = await failureOf(run(client.invoices.get('x')));
    expect(elsewhere.message).to.contain('paths of createClient').and.not.contain('nobody');
  });
});
