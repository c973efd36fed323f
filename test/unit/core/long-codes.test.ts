// A code is a word of the service: what is no such word is not repeated, however it got into the envelope.
import { expect } from 'chai';
import { describe, it } from '#test';
import { answering, failureOf, openShop, refusal } from './shop.ts';

describe('the code of an answer', () => {
  it('is taken for no code of the service where it is long or no plain word', async () => {
    for (const code of [
      'X'.repeat(100),
      'X'.repeat(100_000),
      'TWO WORDS',
      'A\nB',
      'Bearer-KEY',
      '',
      'INVALID_DATA<b>',
    ])
      for (const status of [400, 404, 422, 500]) {
        const { client, run } = openShop({ fetch: answering(refusal(status, code)).fetch });
        const error = await failureOf(run(client.invoices.get('x', { maxAttempts: 1 })));
        expect([error.code, error.kind], `${status} ${code.slice(0, 20)}`).to.deep.equal([
          'NOT_FROM_SERVICE',
          'unreachable',
        ]);
        expect(error.message.length).to.be.below(500);
      }
  });
});
