import { describe, it } from '#test';
import { expect } from 'chai';
import { memoryStore, type Store } from 'paystate/stores';

/** What every store must do; the adapters to come pass the same list. */
function conformance(name: string, open: () => Store): void {
  describe(`${name} as a store`, () => {
    it('knows nothing of a key that was never written', async () => {
      expect(await open().get('a')).to.equal(undefined);
    });

    it('gives back what was put, with a version that rises', async () => {
      const store = open();
      expect(await store.put('a', { n: 1 })).to.equal(1);
      expect(await store.put('a', { n: 2 })).to.equal(2);
      expect(await store.get('a')).to.deep.equal({ value: { n: 2 }, version: 2 });
    });

    it('keeps what was written, whatever the writer does to it later', async () => {
      const store = open();
      const value = { list: [1] };
      await store.put('a', value);
      value.list.push(2);
      ((await store.get('a'))!.value as typeof value).list.push(3);
      expect((await store.get('a'))!.value).to.deep.equal({ list: [1] });
    });

    it('swaps only the version that was read', async () => {
      const store = open();
      expect(await store.swap('a', 0, 'first')).to.equal(true);
      expect(await store.swap('a', 0, 'second')).to.equal(false);
      expect(await store.swap('a', 1, 'third')).to.equal(true);
      expect(await store.get('a')).to.deep.equal({ value: 'third', version: 2 });
    });

    it('lets one of many swaps win', async () => {
      const store = open();
      const won = await Promise.all(Array.from({ length: 20 }, (_, n) => store.swap('a', 0, n)));
      expect(won.filter(Boolean)).to.have.length(1);
      expect((await store.get('a'))!.value).to.equal(won.indexOf(true));
    });

    it('lists the open rows of a prefix in order, and forgets those that were closed', async () => {
      const store = open();
      for (const key of ['pay/b', 'pay/a', 'other/c', 'pay/closed']) await store.swap(key, 0, key, true);
      await store.swap('pay/closed', 1, 'done', false);
      expect((await store.openRows('pay/')).map(({ key, row }) => [key, row.value, row.version])).to.deep.equal([
        ['pay/a', 'pay/a', 1], ['pay/b', 'pay/b', 1],
      ]);
    });
  });
}

conformance('memory', memoryStore);

describe('memory', () => {
  it('says that it is not durable', () => {
    expect(memoryStore().durable).to.equal(false);
  });
});
