// Flows for the crash matrix, which any store can be put under, and adapters of stores that it must
// find.
import { createClient } from 'paystate';
import { pay, payOut, type PayResult } from 'paystate/flows';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import type { CrashOptions, CrashProcess, CrashReport } from 'paystate/testing';
import { methodDraft } from '../bank/bank.ts';
import { untilReady } from '../bank/bank-time.ts';
import { EUR, movedOf, paymentsMoved } from '../flows/pay-lives.ts';

export const ADA = {
  to: 'ada@wallet.example',
  sourceCurrency: 'EUR',
  amount: EUR('5.00'),
} as const;

/** Pays once by the journal of the process; in a bad network the end may stay unknown. */
export const FLOW: CrashOptions<Sandbox, PayResult> = {
  open: () => createSandbox({ signed: false }),
  run: ({ clientOptions, store }) =>
    pay(createClient(clientOptions), { ...ADA, intent: 'a', maxFee: 'any', journal: store }).result,
  check(sandbox, results) {
    const moved = paymentsMoved(sandbox);
    return [
      ...(moved.length > 1 ? [`paid ${moved.length} times`] : []),
      ...results
        .filter(({ phase }) => (phase === 'paid') !== (moved.length === 1) && phase !== 'unknown')
        .map(({ phase }) => `says ${phase}`),
    ];
  },
};

/** The network is well, so each life must end with its payment made and said to be made. */
export const PAYMENT: typeof FLOW = {
  ...FLOW,
  check: (sandbox, results) => [
    ...timesPaid(paymentsMoved(sandbox)),
    ...results.filter(({ phase }) => phase !== 'paid').map(({ phase }) => `says ${phase}`),
  ],
};

const timesPaid = ({ length }: readonly string[]): readonly string[] =>
  length === 1 ? [] : [`paid ${length} times`];

/** The matrix over a store that is opened for each life: what it found, in words. */
export function foundIn({ steps, failures }: CrashReport): readonly string[] {
  const few = steps > 8 ? [] : [`only ${steps} steps`];
  return [...few, ...failures.map((life) => JSON.stringify(life))];
}

/** A journal for each life in one store: what the lives write has keys of its own. */
export function livesIn(store: Store): () => Store {
  let lives = 0;
  return () => {
    const own = `life ${++lives} `;
    return {
      durable: store.durable,
      get: (key) => store.get(own + key),
      put: (key, value) => store.put(own + key, value),
      compareAndSet: (key, ...given) => store.compareAndSet(own + key, ...given),
      listOpen: async (prefix) =>
        (await store.listOpen(own + prefix)).map((row) => ({
          ...row,
          key: row.key.slice(own.length),
        })),
    };
  };
}

interface World extends Sandbox {
  readonly bankPaymentMethodId: string;
}

/** Pays out once; the service does not recognise a payout that is asked for again. */
export const PAYOUT: CrashOptions<World, readonly string[]> = {
  async open() {
    const sandbox = createSandbox({ signed: false });
    const { bankPaymentMethods } = createClient(sandbox.clientOptions);
    const { id } = await sandbox.run(bankPaymentMethods.create(methodDraft('SEPA')));
    await untilReady(sandbox);
    return { ...sandbox, bankPaymentMethodId: id };
  },
  run: (process, world) => payOutIn(1, process, world),
  check: (sandbox, results) => [
    ...timesPaid(movedOf(sandbox, 'payout')),
    ...results
      .flat()
      .filter((phase) => phase !== 'completed')
      .map((phase) => `says ${phase}`),
  ],
};

/** As many clients of one process pay out the same intent at once, as tabs do. */
async function payOutIn(
  tabs: number,
  { clientOptions, store }: CrashProcess,
  { bankPaymentMethodId }: World,
): Promise<readonly string[]> {
  const order = { intent: 'a', bankPaymentMethodId, amount: '20.00', maxFee: 'any' } as const;
  const runs = Array.from({ length: tabs }, () =>
    payOut(createClient(clientOptions), { ...order, journal: store }),
  );
  return (await Promise.all(runs.map(({ result }) => result))).map(({ phase }) => phase);
}

export const TWO_TABS: typeof PAYOUT = {
  ...PAYOUT,
  run: (process, world) => payOutIn(2, process, world),
};

/** Writes whatever was written meanwhile. */
export function withoutCompare(): Store {
  const store = memoryStore();
  return {
    ...store,
    async compareAndSet(key, version, value, open) {
      const now = (await store.get(key))?.version ?? 0;
      return store.compareAndSet(key, Math.max(now, version), value, open);
    },
  };
}

/** Says that the third write of a key is done, and does not do it: the terms that were agreed to. */
export function losing(): Store {
  const store = memoryStore();
  const writes = new Map<string, number>();
  return {
    ...store,
    async compareAndSet(key, ...given) {
      const count = (writes.get(key) ?? 0) + 1;
      writes.set(key, count);
      return count === 3 || store.compareAndSet(key, ...given);
    },
  };
}

/** Another process sees what was written only after this time, milliseconds of the world. */
const LAG_MS = 600_000;

/**
 * A process reads and compares in a copy near it. What it writes reaches the others later, and the
 * last one wins.
 */
function eventual({ clock }: Sandbox, shared: Store): Store {
  const near = memoryStore();
  const known = new Set<string>();
  /** Fills the copy once from what has arrived; what others write later is not seen in time. */
  const fill = async (key: string): Promise<void> => {
    if (known.has(key)) return;
    known.add(key);
    const row = await shared.get(key);
    if (row) await near.put(key, row.value);
  };
  const send = (key: string, value: unknown): void => {
    clock.after(LAG_MS, () => void shared.put(key, value));
  };
  return {
    ...near,
    async get(key) {
      await fill(key);
      return near.get(key);
    },
    async compareAndSet(key, version, value, open) {
      await fill(key);
      const isDone = await near.compareAndSet(key, version, value, open);
      if (isDone) send(key, value);
      return isDone;
    },
  };
}

/** Each process has its own copy. */
export const EVENTUAL: typeof PAYOUT = {
  ...PAYOUT,
  run: (process, world) =>
    payOutIn(1, { ...process, store: eventual(world, process.store) }, world),
};
