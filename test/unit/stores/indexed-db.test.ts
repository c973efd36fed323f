// In browsers the stores in IndexedDB are checked; elsewhere they say that there is none.
import { describe, it } from '#test';
import { expect } from 'chai';
import { indexedDbStore } from 'paystate/stores';
import { checkStore } from 'paystate/testing';

interface Databases {
  deleteDatabase(name: string): { onsuccess: unknown };
}

const remove = (name: string): Promise<unknown> =>
  new Promise((resolve) => {
    indexedDB!.deleteDatabase(name).onsuccess = resolve;
  });

const { indexedDB, IDBDatabase } = globalThis as {
  readonly indexedDB?: Databases;
  readonly IDBDatabase?: { readonly prototype: { transaction(...given: unknown[]): unknown } };
};

/** Uses a database of its own. */
const withName = async (use: (name: string) => Promise<void>): Promise<void> => {
  const name = `check ${crypto.randomUUID()}`;
  try {
    await use(name);
  } finally {
    await remove(name);
  }
};

describe('stores in IndexedDB', () => {
  if (!indexedDB) {
    it('say that there is none', async () => {
      const problem = await indexedDbStore('a')
        .get('a')
        .catch((thrown: unknown) => thrown);
      expect(`${problem}`).to.contain('requires IndexedDB, which this runtime does not have');
    });
    return;
  }

  it('keep what a store has to keep, between two tabs', () =>
    withName(async (name) => {
      const tabs = [indexedDbStore(name), indexedDbStore(name)];
      let opened = 0;
      await checkStore(() => tabs[opened++ % 2]!);
    }));

  it('open a database once more that was closed under the page', () =>
    withName(async (name) => {
      const { prototype } = IDBDatabase!;
      const real = prototype.transaction;
      const handles = new Set<{ close(): void }>();
      prototype.transaction = function transaction(...given) {
        handles.add(this as unknown as { close(): void });
        return real.apply(this, given);
      };
      try {
        const store = indexedDbStore(name);
        await store.put('a', 1);
        for (const handle of handles) handle.close();
        await Promise.all([store.put('a', 2), store.put('b', 3)]);
        for (const handle of handles) handle.close();
        expect(await store.get('a')).to.deep.equal({ value: 2, version: 2 });
        expect(await store.get('b')).to.deep.equal({ value: 3, version: 1 });
      } finally {
        prototype.transaction = real;
        for (const handle of handles) handle.close();
      }
    }));

  it('find again what was kept, and write so that it is on disk', () =>
    withName(async (name) => {
      const { prototype } = IDBDatabase!;
      const real = prototype.transaction;
      const seen: unknown[] = [];
      prototype.transaction = function transaction(...given) {
        if (given[1] === 'readwrite') seen.push(given[2]);
        return real.apply(this, given);
      };
      try {
        const store = indexedDbStore(name);
        await store.compareAndSet('a', 0, { n: 1 }, true);
        await store.put('a', { n: 2 });
      } finally {
        prototype.transaction = real;
      }
      expect(seen).to.deep.equal([{ durability: 'strict' }, { durability: 'strict' }]);
      const again = indexedDbStore(name);
      expect(await again.get('a')).to.deep.equal({ value: { n: 2 }, version: 2 });
      expect(await again.listOpen('')).to.have.length(1);
      expect(again.durable).to.equal(true);
    }));

  it('let no two tabs write the same version', () =>
    withName(async (name) => {
      const tabs = Array.from({ length: 8 }, () => indexedDbStore(name));
      const written = await Promise.all(tabs.map((tab, n) => tab.compareAndSet('a', 0, n)));
      expect(written.filter(Boolean)).to.have.length(1);
      expect((await tabs[0]!.get('a'))!.version).to.equal(1);
    }));

  it('say so where the data of the site was removed while a page had it open', () =>
    withName(async (name) => {
      const [store, second] = [indexedDbStore(name), indexedDbStore(name)];
      await store.put('a', 1);
      expect((await second.get('a'))!.version).to.equal(1);
      await remove(name);
      await indexedDbStore(name).put('b', 1); // another tab begins with an empty one
      const works = [store.get('a'), store.compareAndSet('a', 0, 1), second.listOpen('')];
      for (const work of works) {
        const problem = await work.catch((thrown: unknown) => thrown);
        expect(`${problem}`).to.contain(
          'the data of this site was removed while the page was open',
        );
      }
    }));
});
