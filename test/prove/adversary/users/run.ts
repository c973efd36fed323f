// A user who pays by the SDK's own runs: the journal is on disk, and after a process has ended the
// next one begins the same intent.
import type { Client } from 'paystate';
import { type MoneyResult, type MoneyStep, resume, type Run } from 'paystate/flows';
import type { Store, StoredValue } from 'paystate/stores';
import type { End, Play, Process } from '../intent.ts';
import { Restart, type User } from '../user.ts';

const never = new Promise<never>(() => {});

/** A commit of a row, and what was there before it. */
interface Commit {
  readonly key: string;
  readonly version: number;
  readonly before: StoredValue | undefined;
  readonly at: number;
}

/**
 * The database, which forgets the last commits of an intent when it fails over, and many when it is
 * restored from a backup.
 */
class Database {
  /** When the backup was made from which it was restored last. */
  restoredFrom: number | undefined;
  readonly #store: Store;
  readonly #commits: Commit[] = [];
  readonly #now: () => number;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** The journal as a process reaches it: a dead one does not. */
  reachedBy(process: Process): Store {
    const reach = <T>(act: () => Promise<T>): Promise<T> => (process.isDead ? never : act());
    const store = this.#store;
    return {
      durable: store.durable,
      get: (key) => reach(() => store.get(key)),
      put: (key, value) => reach(() => store.put(key, value)),
      compareAndSet: (key, version, value, open) =>
        reach(async () => {
          const before = await store.get(key);
          const isWritten = await store.compareAndSet(key, version, value, open);
          if (isWritten) this.#commits.push({ key, version: version + 1, before, at: this.#now() });
          return isWritten;
        }),
      listOpen: (prefix) => reach(() => store.listOpen(prefix)),
    };
  }

  /** Forgets the last commits of rows; never the first of one, because a row that is gone is new. */
  async failOver(count: number): Promise<void> {
    const rows = this.#rows();
    for (const { key, before } of rows.slice(-count).reverse()) {
      const now = await this.#store.get(key);
      await this.#store.compareAndSet(key, now!.version, before!.value, true);
    }
  }

  /** Is restored from a backup that was made after any of the commits. */
  async restore(chance: User['chance']): Promise<void> {
    const rows = this.#rows();
    if (rows.length === 0) return;
    const lost = chance.between(1, rows.length);
    this.restoredFrom = rows.at(-lost)!.at;
    await this.failOver(lost);
  }

  #rows(): readonly Commit[] {
    return this.#commits.filter(({ key, before }) => key.startsWith('pay/') && before);
  }
}

/** Says in a journal since when it may lack something; nothing is taken up. */
async function declare(client: Client, journal: Store, restoredFrom: number): Promise<void> {
  const none: Store = { ...journal, listOpen: () => Promise.resolve([]) };
  await resume(client, { journal: none, restoredFrom });
}

function endOf(result: MoneyResult): End {
  const { phase } = result;
  if (phase === 'unknown')
    return { said: result.error?.message && result.candidates ? 'unknown' : 'stuck' };
  if (phase === 'refused' || phase === 'stopped') return { said: 'not-done' };
  const [id, state] =
    'payment' in result
      ? [result.payment.paymentId, result.payment.state]
      : [result.movement.id, result.movement.state];
  return phase === 'failed' ? { said: 'failed', id } : { said: 'done', id, state };
}

/** Money that is on its way for longer has to say why, virtual milliseconds. */
const LONGEST_MS = 8 * 86_400_000;

/** Begins the intent, or finds what an earlier process has begun. */
export type Begin = (client: Client, journal: Store) => Run<MoneyStep, MoneyResult>;

/** After this time, or never, somebody stops the run. */
const STOPPED_AFTER_MS = [0, 300, 2_000, 20_000, 70_000];

async function endOfRun(user: User, begin: () => ReturnType<Begin>): Promise<End> {
  const run = begin();
  if (user.chance.hits(0.1))
    void user.clock.wait(user.chance.pick(STOPPED_AFTER_MS)).then(() => run.stop());
  const late = user.clock.wait(LONGEST_MS).then(() => undefined);
  const result = await Promise.race([run.result, late]);
  return result ? endOf(result) : { said: 'stuck' };
}

/**
 * Plays one run, named `name`, until its end. When its process dies, the database may forget its
 * last commits too, or is restored from a backup, which the next one is told.
 */
export const run =
  (begin: Begin, name: string): Play =>
  async (user) => {
    const database = new Database(user.store, () => user.clock.now());
    for (;;)
      try {
        return await user.call(name, undefined, async (client) => {
          const journal = database.reachedBy(user.process);
          const { restoredFrom } = database;
          if (restoredFrom !== undefined) await declare(client, journal, restoredFrom);
          return endOfRun(user, () => begin(client, journal));
        });
      } catch (thrown) {
        if (!(thrown instanceof Restart)) throw thrown;
        if (user.chance.hits(0.4)) await database.failOver(user.chance.between(1, 2));
        else if (user.chance.hits(0.2)) await database.restore(user.chance);
      }
  };
