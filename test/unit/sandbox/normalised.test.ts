// Node only: the sandbox computes the same in every engine.
// Protects: the sandbox plays a service that writes what it is sent in a form of its own, and its books, ids and refusals
// stay what they are.
import { expect } from 'chai';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { methodDraft, PERSON } from '../bank/bank.ts';
import { untilReady } from '../bank/bank-time.ts';
import { asker } from './ask.ts';

const openService = (assume: 'normalised' | 'as-sent' = 'normalised') => {
  const sandbox = createSandbox({ signed: false, assume: { 'responses.form': assume } });
  return { sandbox, ask: asker(sandbox) };
};

describe('sandbox: a service that normalises', () => {
  it('masks account numbers, in lists too, and drops accents from names', async () => {
    const { ask } = openService();
    const made = await ask(
      'POST',
      '/v1/payment-methods/bank',
      methodDraft('SEPA', { beneficiaries: [{ type: 'INDIVIDUAL', name: 'Zoë Müller' }] }),
    );
    const read = await ask('GET', `/v1/payment-methods/bank/${made.word('id')}`);
    const listed = await ask('GET', '/v1/payment-methods/bank');
    for (const [answer, at] of [
      [made, ''],
      [read, ''],
      [listed, 'items.0.'],
    ] as const) {
      expect(answer.at(`${at}accountNumber`)).to.equal('XXXX0000');
      expect(answer.at(`${at}beneficiaries.0.name`)).to.equal('Zoe Muller');
      expect(answer.at(`${at}routingNumber`)).to.equal('EXAMATWWXXX');
    }
  });

  it('cuts and trims descriptions, and rounds amounts to the digits of their currency', async () => {
    const { ask } = openService();
    for (const [given, currency, kept] of [
      ['12.345', 'EUR', '12.35'],
      ['12.344', 'EUR', '12.34'],
      ['0.123456785', 'BTC', '0.12345679'],
      ['12.50', 'EUR', '12.50'],
    ] as const) {
      const made = await ask('POST', '/v1/invoices', {
        amount: { amount: given, currency },
        description: '  Twelve bottles of red wine ',
        correlationId: ` ${given} `,
      });
      expect(made.at('amount.amount'), given).to.equal(kept);
      expect(made.at('description')).to.equal('Twelve bottles of re');
      expect(made.at('correlationId')).to.equal(` ${given} `);
    }
  });

  it('cuts references, and books the rounded amount', async () => {
    const { sandbox, ask } = openService();
    const method = await ask('POST', '/v1/payment-methods/bank', methodDraft('SEPA'));
    await untilReady(sandbox);
    const made = await ask('POST', '/v1/payouts', {
      paymentMethodId: method.word('id'),
      amount: '12.345',
      reference: 'SALARY',
    });
    expect([made.at('amount.amount'), made.at('reference')]).to.deep.equal(['12.35', 'SALAR']);
    await ask('PATCH', `/v1/payouts/${made.word('id')}/initiate`);
    await sandbox.advance(86_400_000);
    expect(sandbox.settlements('SALARY')).to.have.length(1);
    expect(sandbox.ledger.total('EUR')).to.match(/^0\.0+$/);
  });

  it('adds members that are not published, to no refusal', async () => {
    const { ask } = openService();
    const made = await ask('POST', '/v1/invoices', { amount: { amount: '5.00', currency: 'EUR' } });
    expect(made.at('somethingNew')).to.deep.equal({ of: 'today' });
    const listed = await ask('GET', '/v1/invoices');
    expect(listed.at('items.0.somethingNew')).to.deep.equal({ of: 'today' });
    const refused = await ask('GET', '/v1/invoices/x');
    expect([refused.status, refused.at('somethingNew')]).to.deep.equal([404, undefined]);
  });

  it('answers with a body where none is published', async () => {
    for (const form of ['normalised', 'as-sent'] as const) {
      const { ask } = openService(form);
      const amount = { amount: '10.00', currency: 'EUR' };
      const quote = await ask('POST', '/v1/currency-exchange-quotes', {
        sell: 'EUR',
        buy: 'BTC',
        amount,
      });
      const originator = await ask('POST', '/v1/payout-originators', PERSON);
      const id = quote.word('id');
      const executed = await ask('PATCH', `/v1/currency-exchange-quotes/${id}/execute`);
      const removed = await ask('DELETE', `/v1/payout-originators/${originator.word('id')}`);
      const shown = [executed, removed].map((one) => [one.status, one.at('id')]);
      expect(shown).to.deep.equal(
        form === 'normalised'
          ? [
              [202, id],
              [200, originator.at('id')],
            ]
          : [
              [202, undefined],
              [204, undefined],
            ],
      );
    }
  });

  it('is assumed: strict mode refuses it', async () => {
    const sandbox = createSandbox({ strict: true, assume: { 'responses.form': 'normalised' } });
    const answer = await asker(sandbox)('POST', '/v1/invoices', {
      amount: { amount: '5.00', currency: 'EUR' },
    });
    expect([answer.status, answer.at('data.values.assumption')]).to.deep.equal([
      422,
      'responses.form',
    ]);
  });
});
