// Protects: what `npm run prove -- simulate` has found in lives of payments stays mended.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { pay } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { makeErrorResponse } from 'paystate/testing';
import { describe, it } from '#test';
import { EUR, orderOf } from './pay-lives.ts';

/** Fails after so many writes: a run that goes round and round ends. */
const limited = (most: number): { readonly store: Store; writes(): number } => {
  const store = memoryStore();
  let writes = 0;
  const compareAndSet: Store['compareAndSet'] = async (...given) => {
    if (++writes > most) throw new Error('too many writes');
    return store.compareAndSet(...given);
  };
  return { store: { ...store, compareAndSet }, writes: () => writes };
};

describe('a payment that is tried again while no token can be had', () => {
  for (const rail of ['lnurl', 'onchain'] as const)
    it(`ends as not done, and goes on when it is asked once more: ${rail}`, async () => {
      const sandbox = createSandbox();
      const { store, writes } = limited(100);
      const { apiKey, ...others } = sandbox.clientOptions;
      let isAway = false;
      const token = async () => {
        if (isAway) throw new Error('no token today');
        return apiKey as string;
      };
      const end = sandbox.fault({ subject: 'payment', state: 'LN_ROUTE_NOT_FOUND' });
      const order = orderOf(sandbox, rail);
      const run = pay(createClient({ ...others, token }), { ...order, journal: store });
      expect((await sandbox.run(run.result)).phase).to.equal('refused');
      end();

      isAway = true;
      const before = writes();
      const second = run.retry();
      expect(await sandbox.run(second.result)).to.deep.include({ phase: 'refused' });
      expect(writes() - before).to.be.below(10);

      isAway = false;
      expect((await sandbox.run(second.retry().result)).phase).to.equal('paid');
    });
});

describe('a payment of which an answer names another one', () => {
  /** Pays where the first answer to it names a stranger's payment. */
  const payMixed = async (canRead: boolean) => {
    const sandbox = createSandbox();
    const own = createClient(sandbox.clientOptions);
    const order = orderOf(sandbox, 'lnurl');
    const draft = { lnAddressOrUrl: order.to, sourceCurrency: 'EUR', amount: EUR('7.00') };
    const { paymentQuoteId } = await sandbox.run(own.paymentQuotes.createLnurl(draft));
    const stranger = await sandbox.run(own.paymentQuotes.execute(paymentQuoteId));
    const values = { paymentId: stranger.paymentId };
    let isMixed = true;
    const client = createClient({
      ...sandbox.clientOptions,
      async fetch(url, init) {
        if (!canRead && String(url).includes(stranger.paymentId))
          return makeErrorResponse('INTERNAL_SERVER_ERROR');
        const response = await sandbox.fetch(url, init);
        if (!isMixed || !String(url).endsWith('/execute')) return response;
        isMixed = false;
        return makeErrorResponse('PAYMENT_PROCESSED', { values });
      },
    });
    const result = await sandbox.run(pay(client, { ...order, journal: memoryStore() }).result);
    return { result, stranger };
  };

  for (const canRead of [true, false])
    it(`is not taken for it where the terms differ: ${canRead ? 'read' : 'it cannot be read'}`, async () => {
      const { result, stranger } = await payMixed(canRead);
      if (result.phase !== 'paid') throw new Error(result.phase);
      expect(result.payment.amount).to.deep.include({ amount: '20.00', currency: 'EUR' });
      expect(result.payment.paymentId).not.to.equal(stranger.paymentId);
    });
});
