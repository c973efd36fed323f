import { describe, it } from '#test';
import { expect } from 'chai';
import {
  memoryInboxStore,
  type MemoryInboxStore,
  memoryStore,
  type MemoryTransaction,
} from 'paystate/stores';
import { type BesideInbox, checkInboxStore, checkStore } from 'paystate/testing';
import { unfitInboxStores, unfitStores } from './unfit-stores.ts';

const besideIn = (store: MemoryInboxStore): BesideInbox<MemoryTransaction> => ({
  write: (tx, key, value) => tx.put(key, value),
  read: (key) => store.valueOf(key) as string | undefined,
});

const problemsOf = (work: Promise<void>): Promise<string> =>
  work.then(
    () => '',
    (thrown: Error) => thrown.message,
  );

describe('memory', () => {
  it('keeps what a store has to keep', async () => {
    const store = memoryStore();
    await checkStore(() => store);
  });

  it('keeps what an inbox has to keep', async () => {
    const store = memoryInboxStore();
    await checkInboxStore(() => store, besideIn(store));
  });

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

describe('the check of stores', () => {
  for (const [name, [unfit, reason]] of Object.entries(unfitStores))
    it(`rejects a store ${name}`, async () => {
      expect(await problemsOf(checkStore(unfit()))).to.match(reason);
    });

  for (const [name, [unfit, reason]] of Object.entries(unfitInboxStores))
    it(`rejects an inbox store ${name}`, async () => {
      const open = unfit();
      expect(await problemsOf(checkInboxStore(open, besideIn(open())))).to.match(reason);
    });

  it('refuses to work in an inbox that is in use', async () => {
    const store = memoryInboxStore();
    await store.add([], { floor: 1 });
    expect(await problemsOf(checkInboxStore(() => store))).to.contain(
      'give an inbox that is empty',
    );
  });
});
