// What a driver of PostgreSQL does with its connections, which the tests play: never more than it may, and none is lost.
import { expect } from 'chai';
import { type PgPool, postgresqlDriver, type PostgresSql } from 'paystate/stores';
import { describe, it } from '#test';

const READ = [{ sql: 'SELECT 1', values: [] }];
const BRIEF = { timeoutMs: 5 };

const failureOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing',
    (error: Error) => error.message,
  );

/** A driver over connections that answer when the test lets them. */
const openPool = (max: number | undefined, answering: Promise<unknown> = Promise.resolve()) => {
  const opened: PostgresSql[] = [];
  const open = (): PostgresSql => {
    const options = { max: 1 };
    const unsafe = () => answering.then(() => []);
    const connection = { options, unsafe, listen: async () => {}, end: async () => {} };
    opened.push(connection);
    return connection;
  };
  return { ...postgresqlDriver(open, { max }), opened };
};

describe('a pool of connections of the package postgres', () => {
  for (const [max, most] of [
    [2, 2],
    [undefined, 10],
  ] as const)
    it(`opens ${most} at most where max is ${max}, and lets the others wait`, async () => {
      const { batch, opened } = openPool(max);
      await Promise.all(Array.from({ length: most + 3 }, () => batch(READ)));
      expect(opened).to.have.length(most);
    });

  it('has a connection for the next one where who waited for it has given up', async () => {
    const answering = Promise.withResolvers<void>();
    const { batch, opened } = openPool(1, answering.promise);
    const busy = batch(READ);
    expect(await failureOf(batch(READ, BRIEF))).to.equal('PostgreSQL: no response within 5 ms');
    answering.resolve();
    await busy;
    expect(await batch(READ, { timeoutMs: 1_000 })).to.deep.equal([[]]);
    expect(opened).to.have.length(1);
  });
});

describe('a pool of the package pg', () => {
  it('gets back a connection that comes when nobody waits for it any more', async () => {
    const opening = Promise.withResolvers<object>();
    let releases = 0;
    const connection = { query: async () => [], on() {}, release: () => void (releases += 1) };
    const pool = { on() {}, end: async () => {}, connect: () => opening.promise };
    const { batch } = postgresqlDriver(pool as unknown as PgPool);
    expect(await failureOf(batch(READ, BRIEF))).to.equal('PostgreSQL: no response within 10 ms');
    opening.resolve(connection);
    await opening.promise;
    expect(releases).to.equal(1);
  });
});
