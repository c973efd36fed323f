import { describe, it, itLong } from '#test';
import { expect } from 'chai';
import { createClient, InputError } from 'paystate';
import { pay } from 'paystate/flows';
import { createLogin } from 'paystate/oauth';
import { createSandbox } from 'paystate/sandbox';
import {
  d1Driver,
  durableObjectDriver,
  memoryInboxStore,
  type MemoryInboxStore,
  memoryStore,
  type MemoryTransaction,
  type SqlDriver,
  SqlError,
  sqlStore,
} from 'paystate/stores';
import { type BesideInbox, checkInboxStore, checkStore } from 'paystate/testing';
import { createInbox } from 'paystate/webhooks';
import {
  confusedKeys,
  confusing,
  convertedValues,
  converting,
  lyingOnce,
  spoiling,
  spoiltValues,
  unfitInboxStores,
  unfitStores,
} from './unfit-stores.ts';

const besideIn = (store: MemoryInboxStore): BesideInbox<MemoryTransaction> => ({
  write: (tx, key, value) => tx.put(key, value),
  read: (key) => store.valueOf(key) as string | undefined,
});

const problemsOf = (work: Promise<void>): Promise<string> =>
  work.then(
    () => '',
    (thrown: Error) => thrown.message,
  );

const LIMITS = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;

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

describe('drivers of Cloudflare', () => {
  const statements = [
    { sql: 'SELECT ?', values: ['a'] },
    { sql: 'SELECT ?', values: [2] },
  ];

  it('D1: prepares each statement with its values, and gives the rows of each', async () => {
    const prepared: unknown[] = [];
    const prepare = (sql: string) => ({ bind: (...values: unknown[]) => [sql, ...values] });
    const driver = d1Driver({
      prepare: prepare as never,
      async batch(list) {
        prepared.push(...list);
        return [{ results: [{ one: 1 }] }, {}];
      },
    });
    expect(await driver.batch(statements)).to.deep.equal([[{ one: 1 }], []]);
    expect(prepared).to.deep.equal([
      ['SELECT ?', 'a'],
      ['SELECT ?', 2],
    ]);
    expect([driver.dialect, driver.durable]).to.deep.equal(['sqlite', true]);
  });

  for (const [message, outcome] of [
    ['D1_ERROR: UNIQUE constraint failed: SQLITE_CONSTRAINT', 'not-done'],
    ['D1_ERROR: Network connection lost.', 'unknown'],
  ] as const)
    it(`D1: says whether a statement that failed may be done: ${outcome}`, async () => {
      const cause = Object.assign(new Error(message), { code: 'D1' });
      const driver = d1Driver({
        prepare: () => ({ bind: () => [] }) as never,
        batch: () => Promise.reject(cause),
      });
      const thrown = await driver.batch(statements).catch((error: unknown) => error);
      expect(thrown).to.be.instanceOf(SqlError);
      expect(thrown).to.include({ message: `D1: ${message}`, outcome, cause, code: 'D1' });
      expect((thrown as SqlError).name).to.equal('SqlError');
      const numbered = new SqlError('x', 'unknown', { code: 7 });
      expect([numbered.code, new SqlError('x', 'unknown').code]).to.deep.equal([
        undefined,
        undefined,
      ]);
    });

  it('an object: runs a batch in one transaction', async () => {
    const done: string[] = [];
    const storage = {
      sql: {
        exec: (sql: string, ...values: unknown[]) => {
          done.push(`${sql} ${values.join()}`);
          return { toArray: () => [{ n: values[0] }] };
        },
      },
      transactionSync<T>(work: () => T): T {
        done.push('begin');
        const value = work();
        done.push('commit');
        return value;
      },
    };
    const driver = durableObjectDriver(storage as never);
    expect(await driver.batch(statements)).to.deep.equal([[{ n: 'a' }], [{ n: 2 }]]);
    expect(done.splice(0)).to.deep.equal(['begin', 'SELECT ? a', 'SELECT ? 2', 'commit']);
    const rows = await driver.transaction!((run) => run(statements[1]!));
    expect(rows).to.deep.equal([{ n: 2 }]);
    expect(done).to.deep.equal(['begin', 'SELECT ? 2', 'commit']);
    expect([driver.dialect, driver.durable]).to.deep.equal(['sqlite', true]);
  });
});

describe('a value that is replaced together with statements', () => {
  const replace = (failure: SqlError, stored: number): Promise<unknown> => {
    const batch: SqlDriver['batch'] = async ([first]) => {
      if (first!.sql.startsWith('INSERT')) throw failure;
      return [[{ value: '1', version: stored }]];
    };
    const store = sqlStore({ dialect: 'sqlite', durable: true, batch });
    const statements = [{ sql: 'SELECT 1', values: [] }];
    return store.compareAndSetWith!('a', 1, 2, statements).catch((thrown: unknown) => thrown);
  };

  it('is not said to be replaced by another where the database has failed', async () => {
    const full = new SqlError('the disk is full', 'not-done');
    expect(await replace(full, 1)).to.equal(full);
    expect(await replace(full, 2)).to.equal(false);
  });

  it('is not said to be left as it was where the answer of the database is lost', async () => {
    const lost = new SqlError('no answer', 'unknown');
    for (const stored of [1, 2]) expect(await replace(lost, stored), `${stored}`).to.equal(lost);
  });
});

describe('a store that forgets', () => {
  const sandbox = createSandbox();
  const clientAt = (baseUrl: string) => createClient({ ...sandbox.clientOptions, baseUrl });
  const there = clientAt('https://service.example');
  const secrets = 'a secret for the webhooks of tests';
  const { authUrl, ...login } = sandbox.oauth.loginOptions;
  const elsewhere = 'https://login.example';
  const payment = { to: sandbox.payer.createBolt11({ sat: '1' }), ...LIMITS } as const;
  const takers: Readonly<Record<string, (mayForget?: boolean) => unknown>> = {
    'store: an inbox': (mayForget) =>
      createInbox({ client: there, secrets, store: memoryInboxStore({ mayForget }), on: {} }),
    'store: a login': (mayForget) =>
      createLogin({ ...login, authUrl: elsewhere, store: memoryStore({ mayForget }) }),
    'journal: a payment': (mayForget) =>
      pay(there, { ...payment, journal: memoryStore({ mayForget }) }),
  };

  for (const [name, take] of Object.entries(takers))
    it(`is not taken outside of a sandbox, unless it may forget (${name})`, () => {
      const [field] = name.split(' ');
      expect(() => take()).to.throw(InputError, `${field} must be durable outside a sandbox`);
      expect(() => take()).to.throw('create the store with mayForget: true');
      expect(() => take(true)).not.to.throw();
    });

  it('is not what a login outside of a sandbox is kept in where no store is given', () => {
    const { store: _, ...rest } = { ...login, store: undefined };
    expect(() => createLogin({ ...rest, authUrl: elsewhere })).to.throw(InputError, 'store: ');
    const endpoints = { issuer: elsewhere, authorization: elsewhere, token: elsewhere };
    expect(() => createLogin({ ...rest, endpoints })).to.throw(InputError, 'store: ');
    expect(() => createLogin({ ...rest, authUrl })).not.to.throw();
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

  it('rejects a store that takes one key for another, whichever two', async () => {
    for (const pair of confusedKeys) {
      const store = confusing(pair);
      expect(await problemsOf(checkStore(() => store)), `${pair}`).to.match(/never collide/);
    }
  });

  it('rejects a store that keeps one value not as it was, whichever', async () => {
    for (const pair of spoiltValues) {
      const store = spoiling(pair);
      expect(await problemsOf(checkStore(() => store)), `${pair[0]}`).to.match(/JSON values/);
    }
    for (const pair of convertedValues) {
      const store = converting(pair);
      expect(await problemsOf(checkStore(() => store)), `${pair[0]}`).to.match(/other values/);
    }
  });

  itLong('notices a single wrong answer, whatever it is about', async () => {
    const unnoticed = async (play: (nth: number, heard: string[]) => Promise<void>) => {
      const calls: string[] = [];
      expect(await problemsOf(play(0, calls))).to.equal('');
      const missed: string[] = [];
      for (let nth = 1; nth <= calls.length; nth++)
        if ((await problemsOf(play(nth, []))) === '') missed.push(calls[nth - 1]!);
      return Object.fromEntries(
        [...Map.groupBy(missed, (name) => name)].map(([name, { length }]) => [name, length]),
      );
    };
    // Not needed: reads of a writer that tries again, and what a write says that is read back.
    expect(
      await unnoticed((nth, heard) => {
        const store = lyingOnce(memoryStore(), nth, heard);
        return checkStore(() => store);
      }),
    ).to.deep.equal({ put: 12, get: 34, compareAndSet: 48 });
    expect(
      await unnoticed((nth, heard) => {
        const memory = memoryInboxStore();
        const store = lyingOnce(memory, nth, heard);
        return checkInboxStore(() => store, besideIn(memory));
      }),
    ).to.deep.equal({ add: 23, commit: 14, deadLetters: 1, forget: 1, lease: 2 });
  });

  it('refuses to work in an inbox that is in use', async () => {
    const store = memoryInboxStore();
    await store.add([], { floor: 1 });
    expect(await problemsOf(checkInboxStore(() => store))).to.contain(
      'of the inbox, which must be empty at the start',
    );
  });
});
