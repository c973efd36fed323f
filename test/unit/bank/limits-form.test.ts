// Protects: an answer of another form is not taken for one where nothing is limited.
import { expect } from 'chai';
import { describe, it } from '#test';
import { answering, failureOf, json, openShop } from '../core/shop.ts';

describe('limits', () => {
  it('are no array', async () => {
    const { client, run } = openShop({ fetch: answering(json([])).fetch });
    expect((await failureOf(run(client.accounts.getLimits()))).code).to.equal('RESPONSE_INVALID');
  });
});
