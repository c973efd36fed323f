// One process after another of somebody who uses the client as the manual teaches. What is in `journal` is on disk.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createClient, isPaystateError } from 'paystate';

/** The process has ended in the middle of a call. */
export class Restart extends Error {}

/** Longest patience of a person, virtual milliseconds. */
const PATIENCE = 900_000;

/** Whose call it is, where several people have one client. */
const caller = new AsyncLocalStorage();

/** A client that several people use at once. */
export const createShared = (network, connection) => {
  const process = { number: 1, isDead: false };
  return {
    process,
    client: createClient({
      ...connection,
      account: 'shop',
      fetch: (...given) => network.fetchFor(caller.getStore(), process)(...given),
    }),
  };
};

export const createUser = ({ sandbox, network, intent }) => {
  const { clock } = sandbox;
  const { chance, connection } = intent;
  const begun = clock.now();
  let process;
  let pauses = 0; // longer and longer

  const start = () => {
    if (intent.shared) return void ({ client: user.client, process } = intent.shared);
    let die;
    const died = new Promise((resolve) => void (die = resolve));
    process = { number: (process?.number ?? 0) + 1, isDead: false, die };
    const { apiKey, ...rest } = connection;
    const mine = process;
    const token = async () => {
      if (chance.hits(intent.outages)) throw new Error('the login server is away');
      return apiKey;
    };
    user.client = createClient({
      ...rest,
      account: intent.handle,
      clock: {
        ...clock,
        /** What a dead process waits for holds nobody up. */
        external(work) {
          void clock.external(Promise.race([work.catch(() => {}), died]));
          return work;
        },
      },
      ...(intent.outages > 0 ? { token } : { apiKey }),
      fetch: network.fetchFor(intent, mine),
    });
  };

  const user = {
    client: undefined,
    clock,
    chance,
    get process() {
      return process;
    },
    order: intent.order,
    journal: intent.journal,
    store: intent.store,
    /** Remembers doubt by itself, beside the SDK. */
    isCareful: intent.isCareful,
    hasTime: (patience = PATIENCE) => clock.now() - begun < patience,

    /** A call of the SDK that may end with the process; `about` is what must be done once. */
    async call(name, about, act) {
      const record = { name, about, process, from: network.log.length, at: clock.now() };
      intent.calls.push(record);
      const work = caller.run(intent, () => act(user.client));
      const end = (outcome) =>
        Object.assign(record, { to: network.log.length, until: clock.now(), ...outcome });
      const ended = work.then(
        (value) => end({ value, isDone: true }),
        (error) => end({ error }),
      );
      if (chance.hits(intent.crashes)) {
        await Promise.race([ended, clock.wait(chance.pick([0, 50, 3_000, 30_000]))]);
        if (record.until === undefined) {
          process.isDead = true;
          process.die();
          end({ isCut: true });
          intent.notes.push({ at: clock.now(), text: `process ${process.number} ends` });
          await clock.wait(chance.pick([500, 5_000, 70_000]));
          start();
          throw new Restart();
        }
      }
      await ended;
      if (record.error === undefined) return record.value;
      if (!isPaystateError(record.error)) intent.strays.push(record.error);
      throw record.error;
    },

    async pause(retryAt) {
      const usual =
        chance.pick([1_000, 2_000, 5_000, 15_000, 30_000, 61_000, 120_000]) * (1 + pauses++ / 3);
      await clock.wait(Math.max(usual, retryAt === undefined ? 0 : retryAt - clock.now()));
    },
  };
  start();
  return user;
};
