// Who pays by `pay`, the SDK's own loop: the journal is on disk, and after a process has ended the next one begins the same intent.
import { deposit, exchange, pay, payOut, refund } from 'paystate/flows';
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

const endOf = (result) => {
  const { phase, payment, movement } = result;
  const moved = payment ?? movement;
  const id = moved?.paymentId ?? moved?.id;
  if (phase === 'paid' || phase === 'completed') return { said: 'done', id, state: moved.state };
  if (phase === 'failed') return { said: 'failed', id };
  if (phase !== 'unknown') return { said: 'not-done' };
  return { said: result.error?.message && result.candidates ? 'unknown' : 'stuck' };
};

/** Money that is on its way for longer has to say why, virtual milliseconds. */
const LONGEST = 8 * 86_400_000;

const BEGIN = { pay, exchange, payout: payOut, deposit, refund };

/** `draft`: what the run `name` is given, but for the journal. */
export const run =
  (draft, name = 'pay') =>
  async (user) => {
    for (;;)
      try {
        const end = await user.call(name, undefined, async (client) => {
          const journal = reachedBy(user.store, user.process);
          const limits = name === 'pay' || name === 'refund' ? { maxTotal: 'any' } : {};
          const fee = name === 'exchange' ? {} : { maxFee: 'any' };
          const one = BEGIN[name](client, { ...draft, ...limits, ...fee, journal });
          const late = user.clock.wait(LONGEST).then(() => undefined);
          return (
            (await Promise.race([one.result, late])) ?? { phase: 'unknown', step: one.current() }
          );
        });
        return endOf(end);
      } catch (thrown) {
        if (!(thrown instanceof Restart)) throw thrown;
      }
  };
