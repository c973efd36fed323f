import { badInput } from '../../core/errors/index.ts';
import { type Connection, internals, stateOf } from '../../core/http/index.ts';
import { onAbort } from '../../core/time/index.ts';
import { watchOf, type WatchSource } from '../../core/watch/index.ts';
import type { Store } from '../../stores/store.ts';
import { PayJournal, withJournal } from './journal.ts';
import type { PaymentOptions, PayResult, PayStep, Run } from './model.ts';
import { checkJournal, type PayCommand, readRequest } from './order.ts';
import { PayRun, type PayStart } from './pay-run.ts';

type Runs = Map<string, PayRun>;

/**
 * Pays a BOLT11 text, a Lightning address, an LNURL or an on-chain address: reads it, asks for a
 * quote, checks its terms against your limits, writes it down, executes it, and watches how it ends.
 * Starts at the call. One `intent` is paid at most once: whatever is lost, doubled or killed in
 * between, the same intent joins what was begun, here or in another process with the same journal.
 *
 * @param options `to`, `sourceCurrency`, `maxFee`, `journal`; see `PaymentOptions`
 * @returns a run: its `result` never rejects, and says `unknown` where nobody knows
 * @throws InputError for what cannot be paid, a limit that is none, or a journal that forgets
 * @example
 * const run = pay(client, {
 *   to: sandbox.payer.createBolt11({ sat: '2100' }),
 *   sourceCurrency: 'EUR',
 *   maxFee: { amount: '0.50', currency: 'EUR' },
 *   journal: memoryStore(),
 * });
 * console.log((await sandbox.run(run.result)).phase); // paid
 */
export function pay(client: Connection, options: PaymentOptions): Run<PayStep, PayResult> {
  const request = readRequest(client, options);
  const { journal, signal } = options;
  const run = runFor(client, journal, request);
  const give = () => void run.stop().then((isStopped) => !isStopped && run.detach());
  const unlisten = onAbort(signal, give);
  if (signal?.aborted) give();
  void run.result.then(unlisten);
  return faceOf(client, journal, request, run);
}

/**
 * Takes up every payment of a journal that is not over, after a restart: what was under way is
 * looked at and ended, and nothing is paid twice.
 *
 * @param options `journal`: the store that was given to `pay`
 * @throws InputError for a journal that forgets, UnreachableError for one that cannot be read
 * @example
 * const runs = await resume(client, { journal: memoryStore() });
 * for (const { intent, result } of runs) console.log(intent, (await result).phase);
 */
export async function resume(
  client: Connection,
  { journal }: Pick<PaymentOptions, 'journal'>,
): Promise<readonly Run<PayStep, PayResult>[]> {
  checkJournal(client, journal);
  const open = await withJournal(new PayJournal(journal, client[internals].clock).listOpen());
  return open.map((row) => faceOf(client, journal, row, runFor(client, journal, row, 'restart')));
}

/** Takes one payment up as `resume` does, or joins its run. */
export function resumeOne(client: Connection, options: PaymentOptions): Run<PayStep, PayResult> {
  const request = readRequest(client, options);
  const { journal } = options;
  return faceOf(client, journal, request, runFor(client, journal, request, 'restart'));
}

/** The run of this intent that is under way, or a new one. Another order gets one of its own, which is refused. */
function runFor(
  client: Connection,
  store: Store,
  request: PayCommand,
  start: PayStart = 'call',
): PayRun {
  const { intent, fingerprint } = request;
  const stores = stateOf(client, 'flows.payments', () => new WeakMap<Store, Runs>());
  const runs = stores.get(store) ?? new Map<string, PayRun>();
  stores.set(store, runs);
  const known = runs.get(intent);
  if (known && !known.isEnded && known.request.fingerprint === fingerprint) return known;
  const journal = new PayJournal(store, client[internals].clock);
  const run = new PayRun(client, journal, request, start);
  if (known && !known.isEnded) return run;
  runs.set(intent, run);
  void run.result.then(() => void (runs.get(intent) === run && runs.delete(intent)));
  return run;
}

function faceOf(
  client: Connection,
  store: Store,
  request: PayCommand,
  run: PayRun,
): Run<PayStep, PayResult> {
  const source: WatchSource<PayStep> = {
    clock: client[internals].clock,
    status: () => ({ reason: run.step.phase }),
    idle: () => run.step,
    start: (to) => run.observe(to),
  };
  const again = () => faceOf(client, store, request, runFor(client, store, request, 'retry'));
  const face: Run<PayStep, PayResult> = watchOf(source, {
    intent: run.request.intent,
    result: run.result,
    stop: () => run.stop(),
    detach: () => run.detach(),
    retry: () => (run.isEnded ? again() : face),
    resolve(verdict: 'paid' | 'not-paid', paymentId?: string) {
      if (verdict === 'paid' && !paymentId) throw badInput('paymentId', 'names the payment');
      return withJournal(run.resolve(verdict, paymentId));
    },
  });
  return face;
}
