import { expect } from 'chai';
import type { InvoiceDraft, ValidationErrors } from 'paystate';
import { decodeBolt11 } from 'paystate/lightning';
import { describe, it } from '#test';
import { DRAFT, failureOf, openShop } from '../core/shop.ts';

const DECIMAL = 'must be a decimal string such as "12.50"';
const amount = (text: unknown, currency: unknown = 'EUR') => ({
  amount: { amount: text, currency },
});

interface Broken {
  readonly draft: unknown;
  readonly field: string;
  readonly code?: string;
  readonly says?: string;
  readonly values?: object;
}

const BROKEN: readonly Broken[] = [
  { draft: {}, field: 'amount', code: 'INVALID_DATA_REQUIRED', says: 'is required' },
  { draft: { amount: null }, field: 'amount' },
  { draft: { amount: '12.50' }, field: 'amount' },
  {
    draft: { amount: { currency: 'EUR' } },
    field: 'amount.amount',
    code: 'INVALID_DATA_REQUIRED',
    says: 'is required',
  },
  {
    draft: { amount: { amount: '1' } },
    field: 'amount.currency',
    code: 'INVALID_DATA_REQUIRED',
    says: 'is required',
  },
  ...[
    '',
    '-1',
    '+1',
    '1.',
    '.5',
    '1e3',
    '1,50',
    ' 1',
    '1 ',
    '0x10',
    'NaN',
    'Infinity',
    '1.2.3',
    '١٢',
    `${'9'.repeat(21)}`,
    `0.${'1'.repeat(19)}`,
    '1\n',
  ].map((text): Broken => ({ draft: amount(text), field: 'amount.amount', says: DECIMAL })),
  ...[12.5, 12n, null, true, {}, ['1']].map(
    (value): Broken => ({ draft: amount(value), field: 'amount.amount' }),
  ),
  { draft: amount('1', 978), field: 'amount.currency' },
  {
    draft: { ...DRAFT, correlationId: 'x'.repeat(41) },
    field: 'correlationId',
    code: 'INVALID_DATA_MAXLENGTH',
    says: 'must be at most 40 characters',
    values: { maxLength: 40 },
  },
  { draft: { ...DRAFT, correlationId: 7 }, field: 'correlationId' },
  { draft: { ...DRAFT, description: {} }, field: 'description' },
];

describe('drafts', () => {
  for (const { draft, field, code = 'INVALID_DATA_VALUE', says, values } of BROKEN) {
    const name = JSON.stringify(draft, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    ).slice(0, 90);
    it(`refused before sending: ${name}`, async () => {
      const { sandbox, client, run } = openShop();
      const error = await failureOf(run(client.invoices.create(draft as InvoiceDraft)));
      expect([error.kind, error.code, error.outcome, error.next]).to.deep.equal([
        'input',
        'INPUT_INVALID',
        'not-done',
        'fix-input',
      ]);
      expect(Object.keys(error.validationErrors!)).to.deep.equal([field]);
      const [issue, ...more] = error.validationErrors![field]!;
      expect([issue!.code, issue!.values, more]).to.deep.equal([code, { field, ...values }, []]);
      if (says) expect(issue!.message).to.equal(says);
      expect(error.message).to.contain(field);
      expect(error.correlationId).not.to.equal(undefined);
      expect(sandbox.log).to.have.length(0);
    });
  }

  it('names every broken field at once', async () => {
    const { client, run } = openShop();
    const error = await failureOf(
      run(
        client.invoices.create({
          amount: { amount: 'x', currency: 'EUR' },
          correlationId: 'x'.repeat(41),
          description: 7 as never,
        }),
      ),
    );
    expect(Object.keys(error.validationErrors!).sort()).to.deep.equal([
      'amount.amount',
      'correlationId',
      'description',
    ]);
  });

  it('are held to the bounds that the service states, and to no others', async () => {
    const { client, run } = openShop();
    const description = 'Käse für zwei. '.repeat(200);
    const made = await run(client.invoices.create({ ...DRAFT, description }));
    expect((await run(client.invoices.get(made.invoiceId))).description).to.equal(description);
    // BOLT 11 holds the hash of what is longer than 639 bytes
    const { lnInvoice } = await run(client.invoices.quote(made.invoiceId));
    const { descriptionHash } = decodeBolt11(lnInvoice);
    expect(descriptionHash).to.match(/^[0-9a-f]{64}$/);
    const short = await run(client.invoices.create({ ...DRAFT, description: 'ü'.repeat(319) }));
    const quote = await run(client.invoices.quote(short.invoiceId));
    expect(decodeBolt11(quote.lnInvoice).description).to.equal('ü'.repeat(319));
    const { bolt11 } = await run(client.receiveRequests.create({ bolt11: { description } }));
    expect(bolt11!.description).to.equal(description);
    expect(decodeBolt11(bolt11!.invoice).descriptionHash).to.equal(descriptionHash);
  });

  it('never repeats what was given', async () => {
    const { client, run } = openShop();
    for (const draft of [
      amount('S3CRET'),
      { ...DRAFT, correlationId: `S3CRET${'x'.repeat(200)}` },
      { ...DRAFT, correlationId: ['S3CRET'] },
    ]) {
      const error = await failureOf(run(client.invoices.create(draft as InvoiceDraft)));
      expect(
        JSON.stringify({ ...error, correlationId: '' }) + error.message + error.stack,
      ).not.to.contain('S3CRET');
    }
  });

  it('are refused in the shape of the service itself', async () => {
    const { client, run } = openShop();
    const ours = await failureOf(
      run(client.invoices.create({ ...DRAFT, correlationId: 'x'.repeat(41) })),
    );
    const { sandbox } = openShop();
    const headers = {
      authorization: `Bearer ${sandbox.clientOptions.apiKey}`,
      'content-type': 'application/json',
    };
    const answer = await sandbox.fetch('/v1/invoices', {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...DRAFT, correlationId: 'x'.repeat(41) }),
    });
    const { data } = (await answer.json()) as { data: { validationErrors: ValidationErrors } };
    const bare = (errors: ValidationErrors | undefined) =>
      Object.entries(errors ?? {}).map(([field, issues]) => [
        field,
        issues.map(({ code, values }) => ({ code, values })),
      ]);
    expect(bare(ours.validationErrors)).to.deep.equal(bare(data.validationErrors));
  });

  it('pass at their bounds, and what the service may add passes too', async () => {
    const { client, run } = openShop();
    for (const draft of [
      { ...DRAFT, correlationId: 'x'.repeat(40) },
      { ...DRAFT, description: 'x'.repeat(200) },
      { ...DRAFT, description: '' },
      { ...DRAFT, correlationId: undefined, description: undefined },
      { ...DRAFT, correlationId: 'a b/ü\u0001🎟️' },
      { ...DRAFT, extra: { memberOfTomorrow: { deep: true } } },
      { amount: { amount: '00000000000000000012.50', currency: 'EUR' } },
    ])
      expect((await run(client.invoices.create(draft))).state).to.equal('UNPAID');
    const error = await failureOf(
      run(client.invoices.create({ amount: { amount: '1', currency: 'XXX' } })),
    );
    expect([error.kind, error.code, Object.keys(error.validationErrors!)]).to.deep.equal([
      'refused',
      'INVALID_DATA',
      ['amount.currency'],
    ]);
  });

  it('that cannot be written as JSON leave a typed error', async () => {
    const { sandbox, client, run } = openShop();
    const circle: Record<string, unknown> = { ...DRAFT };
    circle['self'] = circle;
    for (const draft of [
      circle,
      { ...DRAFT, big: 1n },
      {
        ...DRAFT,
        toJSON: () => {
          throw new Error('S3CRET');
        },
      },
    ]) {
      const error = await failureOf(run(client.invoices.create(draft as unknown as InvoiceDraft)));
      expect([error.kind, error.outcome]).to.deep.equal(['input', 'not-done']);
      expect(error.message).not.to.contain('S3CRET');
    }
    expect(sandbox.log).to.have.length(0);
  });

  it('of a quote: 64 hex digits, or nothing at all', async () => {
    const { sandbox, client, run } = openShop();
    const { invoiceId } = await run(client.invoices.create({ ...DRAFT, description: 'tea' }));
    const before = sandbox.log.length;
    for (const descriptionHash of [
      '',
      'x',
      'a'.repeat(63),
      'a'.repeat(65),
      'g'.repeat(64),
      `${'a'.repeat(64)}\n`,
    ]) {
      const error = await failureOf(run(client.invoices.quote(invoiceId, { descriptionHash })));
      expect([
        error.kind,
        Object.keys(error.validationErrors!),
        error.validationErrors!['descriptionHash']![0]!.message,
      ]).to.deep.equal(['input', ['descriptionHash'], 'must be 64 hex digits']);
    }
    expect(sandbox.log).to.have.length(before);
    expect((await run(client.invoices.quote(invoiceId))).description).to.equal('tea');
    expect(
      (await run(client.invoices.quote(invoiceId, { descriptionHash: 'aB'.repeat(32) })))
        .description,
    ).to.equal(undefined);
  });
});
