// Protects: in the inbox of a Durable Object an event that comes during work is not forgotten; on SQLite without the platform.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { durableObjectDriver, type DurableObjectStorage, sqlInboxStore } from 'paystate/stores';
import { describe, it } from '#test';

/** As much of an object's storage as the inbox uses. */
function storageOn(db: DatabaseSync): DurableObjectStorage {
  let depth = 0;
  return {
    sql: {
      exec(query: string, ...bindings: readonly unknown[]) {
        const rows = db.prepare(query).all(...(bindings as never[]));
        return Object.assign(rows, { toArray: () => rows }) as never;
      },
    },
    transactionSync<T>(work: () => T): T {
      const name = `level${depth++}`;
      db.exec(`SAVEPOINT ${name}`);
      try {
        const done = work();
        db.exec(`RELEASE ${name}`);
        return done;
      } catch (thrown) {
        db.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
        throw thrown;
      } finally {
        depth--;
      }
    },
  };
}

const event = (id: string, receivedAt: number) => ({
  kind: 'event' as const,
  id,
  subject: 'invoice:a',
  body: '{}',
  createdAt: receivedAt,
  receivedAt,
});

describe('the inbox store in a Durable Object', () => {
  it('gives an event that came during work to the next worker, at once', async () => {
    const store = sqlInboxStore(durableObjectDriver(storageOn(new DatabaseSync(':memory:'))));
    await store.add([event('1', 10)]);
    const [lease] = await store.lease(20, 1_000, 10);
    await store.add([event('2', 30)]);
    expect(await store.commit(lease!, { done: lease!.events, state: {} })).to.equal(true);
    const [next] = await store.lease(40, 1_000, 10);
    expect(next!.events.map(({ id }) => id)).to.deep.equal(['2']);
  });
});
