// A user who pays by the SDK's own runs: the journal is on disk, and after a process has ended the
// next one begins the same intent.
import type { Client } from 'paystate';
import type { MoneyResult, MoneyStep, Run } from 'paystate/flows';
import type { Store } from 'paystate/stores';
import type { End, Play, Process } from '../intent.ts';
import { Restart, type User } from '../user.ts';

const never = new Promise<never>(() => {});

/** The journal as a process reaches it: a dead one does not. */
function reachedBy(store: Store, process: Process): Store {
  const reach = <T>(act: () => Promise<T>): Promise<T> => (process.isDead ? never : act());
  return {
    durable: store.durable,
    get: (key) => reach(() => store.get(key)),
    put: (key, value) => reach(() => store.put(key, value)),
    compareAndSet: (key, version, value, open) =>
      reach(() => store.compareAndSet(key, version, value, open)),
    listOpen: (prefix) => reach(() => store.listOpen(prefix)),
  };
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

async function endOfRun(user: User, client: Client, begin: Begin): Promise<End> {
  const run = begin(client, reachedBy(user.store, user.process));
  const late = user.clock.wait(LONGEST_MS).then(() => undefined);
  const result = await Promise.race([run.result, late]);
  return result ? endOf(result) : { said: 'stuck' };
}

/** Plays one run, named `name`, until its end. */
export const run =
  (begin: Begin, name: string): Play =>
  async (user) => {
    for (;;)
      try {
        return await user.call(name, undefined, (client) => endOfRun(user, client, begin));
      } catch (thrown) {
        if (!(thrown instanceof Restart)) throw thrown;
      }
  };
