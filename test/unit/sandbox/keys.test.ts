// Node only: the sandbox computes the same in every engine.
// Protects: a key can be revoked like a real one, and an account has the keys that it was given.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { failureOf } from '../core/shop.ts';
import { loggedIn } from '../oauth/shop.ts';
import { asker, euros, failure, newInvoice } from './ask.ts';

const accounts = [
  { handle: 'shop', apiKeys: ['shop-key', 'shop-reads'] },
  { handle: 'cafe', currencies: ['USD', 'BTC'], travelRule: true },
];

const keysOf = (
  sandbox: Sandbox,
  account?: string,
): readonly { readonly apiKey: string; readonly isRevoked: boolean }[] =>
  sandbox.inspect(account)['api-keys'] as never;

describe('sandbox: keys', () => {
  it('are refused from the moment on in which they are revoked, by a client too', async () => {
    const sandbox = createSandbox();
    const client = createClient(sandbox.clientOptions);
    await sandbox.run(client.invoices.create(euros('5.00')));
    sandbox.revoke(sandbox.clientOptions.apiKey);
    expect(await failureOf(sandbox.run(client.invoices.create(euros('5.00'))))).to.include({
      code: 'UNAUTHORIZED',
      outcome: 'not-done',
    });
    const { at } = await asker(sandbox, sandbox.clientOptionsFor())('GET', '/v1/invoices');
    expect(at('count'), 'the other keys of the account go on').to.equal(1);
  });

  it('that are revoked are given to no other', async () => {
    const sandbox = createSandbox();
    const { apiKey } = sandbox.clientOptionsFor();
    sandbox.revoke(apiKey);
    sandbox.revoke(apiKey);
    const fresh = [sandbox.clientOptionsFor().apiKey, sandbox.clientOptionsFor().apiKey];
    const all = [sandbox.clientOptions.apiKey, apiKey, ...fresh];
    expect(new Set(all).size).to.equal(4);
    expect(keysOf(sandbox).map(({ apiKey: text, isRevoked }) => [text, isRevoked])).to.deep.equal(
      all.map((text) => [text, text === apiKey]),
    );
  });

  it('that no account has are not revoked, and are not repeated in the error', async () => {
    const sandbox = createSandbox();
    const thrown = await failure(Promise.resolve().then(() => sandbox.revoke('tea')));
    expect(thrown).to.include({ code: 'INPUT_INVALID', name: 'InputError' });
    expect(thrown.message).not.to.include('tea');
  });

  it('of the login server are revoked too, and are not shown', async () => {
    const { sandbox, login, run } = await loggedIn();
    const ask = asker(sandbox, { ...sandbox.clientOptions, apiKey: await run(login.token()) });
    expect((await ask('GET', '/v1/invoices')).status).to.equal(200);
    sandbox.revoke(await run(login.token()));
    expect((await ask('GET', '/v1/invoices')).status).to.equal(401);
    expect(keysOf(sandbox)).to.have.length(1);
  });

  it('can be chosen, and every account has one', async () => {
    const sandbox = createSandbox({ accounts });
    expect(sandbox.clientOptions.apiKey).to.equal('shop-key');
    expect(keysOf(sandbox).map(({ apiKey }) => apiKey)).to.deep.equal(['shop-key', 'shop-reads']);
    for (const apiKey of ['shop-key', 'shop-reads']) {
      await newInvoice(asker(sandbox, { ...sandbox.clientOptions, apiKey }));
    }
    expect(sandbox.inspect('shop')['invoices']).to.have.length(2);
    expect(sandbox.inspect('cafe')['account']![0]).to.deep.include({
      handle: 'cafe',
      currencies: ['USD', 'BTC'],
      defaultCurrency: 'USD',
      isPrivate: false,
      canReceive: true,
      travelRule: true,
    });
    const draft = { amount: { amount: '5.00', currency: 'USD' } };
    await newInvoice(
      asker(sandbox, { ...sandbox.clientOptions, ...keysOf(sandbox, 'cafe')[0] }),
      draft,
    );
    expect(sandbox.inspect('cafe')['invoices']).to.have.length(1);
  });

  it('are unique', async () => {
    const two = accounts.map((account) => ({ ...account, apiKeys: ['one'] }));
    const thrown = await failure(Promise.resolve().then(() => createSandbox({ accounts: two })));
    expect(thrown.message).to.equal('accounts: account handles and keys must be unique');
  });
});
