// Protects: members that the service leaves out in practice do not make a whole answer unreadable.
import { expect } from 'chai';
import { describe, it } from '#test';
import { answering, json, openShop } from '../core/shop.ts';

describe('an answer', () => {
  it('about a profile may lack its id', async () => {
    const profile = { handle: 'shop', canReceive: true, currencies: [] };
    const { client, run } = openShop({ fetch: answering(json(profile)).fetch });
    const { id, handle } = await run(client.accounts.getProfileByHandle('shop'));
    expect([id, handle]).to.deep.equal([undefined, 'shop']);
  });

  it('about balances may lack what is available', async () => {
    const balance = { currency: 'EUR', current: '1.00', pending: '0.00', reserved: '0.00' };
    const { client, run } = openShop({ fetch: answering(json([balance])).fetch });
    const [read] = await run(client.balances.list());
    expect([read!.available, read!.current]).to.deep.equal([undefined, '1.00']);
  });
});
