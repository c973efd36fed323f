import { describe, it } from '#test';
import { expect } from 'chai';
import {
  type MemoryInboxStore,
  memoryInboxStore,
  memoryStore,
  type MemoryTransaction,
} from 'paystate/stores';
import { unfitStores } from '../flows/pay-lives.ts';
import { type Cases, inboxCases, storeCases } from './conformance.ts';

/** What every store must do; a Durable Object passes the same lists in test/e2e. */
function conformance<T>(name: string, cases: Cases<T>, open: () => T): void {
  describe(name, () => {
    for (const [title, run] of Object.entries(cases)) it(title, () => run(open));
  });
}

conformance('memory as a store', storeCases, memoryStore);

conformance(
  'memory as an inbox',
  inboxCases<MemoryTransaction>({
    write: (tx, key, value) => tx.put(key, value),
    read: (store, key) => (store as MemoryInboxStore).valueOf(key) as string | undefined,
  }),
  memoryInboxStore,
);

describe('memory', () => {
  it('says that it is not durable', () => {
    expect([memoryStore().durable, memoryInboxStore().durable]).to.deep.equal([false, false]);
  });

  it('lets a transaction read what it has written', async () => {
    const store = memoryInboxStore();
    await store.add([
      { kind: 'event', id: 'a', subject: 's', body: '', createdAt: 0, receivedAt: 0 },
    ]);
    const [work] = await store.lease(0, 1, 1);
    let seen: unknown;
    await store.commit(work!, { state: 1 }, (tx) => {
      tx.put('n', 1);
      tx.put('n', (tx.get('n') as number) + 1);
      seen = tx.get('n');
    });
    expect([seen, store.valueOf('n')]).to.deep.equal([2, 2]);
  });
});

describe('the cases that every store must pass', () => {
  for (const [name, unfit] of Object.entries(unfitStores))
    it(`fail for a store ${name}`, async () => {
      const results = await Promise.allSettled(
        Object.values(storeCases).map((run) => run(() => unfit(memoryStore(), () => 0))),
      );
      expect(results.filter(({ status }) => status === 'rejected')).to.not.have.length(0);
    });
});
