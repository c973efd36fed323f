// Who pays by `pay`, the SDK's own loop: the journal is on disk, and after a process has ended the next one begins the same intent.
import { pay } from 'paystate/flows';
import { memoryStore } from 'paystate/stores';
import { Restart } from '../user.mjs';

const never = new Promise(() => {});

/** The journal as a process reaches it: a dead one does not. */
const reachedBy = (store, process) => {
  const reach =
    (name) =>
    (...given) =>
      process.isDead ? never : store[name](...given);
  const names = ['get', 'put', 'compareAndSet', 'listOpen'];
  return {
    durable: store.durable,
    ...Object.fromEntries(names.map((name) => [name, reach(name)])),
  };
};

const endOf = ({ phase, payment }) => {
  if (phase === 'paid') return { said: 'done', id: payment.paymentId, state: payment.state };
  if (phase === 'failed') return { said: 'failed', id: payment.paymentId };
  return { said: phase === 'unknown' ? 'unknown' : 'not-done' };
};

/** `draft`: what `pay` is given, but for the journal. */
export const run = (draft) => async (user) => {
  const store = memoryStore();
  for (;;)
    try {
      const result = await user.call('pay', undefined, (client) => {
        const journal = reachedBy(store, user.process);
        return pay(client, { ...draft, maxFee: 'any', journal }).result;
      });
      return endOf(result);
    } catch (thrown) {
      if (!(thrown instanceof Restart)) throw thrown;
    }
};
