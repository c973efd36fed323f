import { badInput } from '../../core/errors/index.ts';
import { type Connection, internals, stateOf } from '../../core/http/index.ts';
import { onAbort } from '../../core/time.ts';
import { type Watch, watchOf, type WatchSource } from '../../core/watch.ts';
import type { SqlStatement } from '../../stores/sql-driver.ts';
import type { SqlTransaction } from '../../stores/sql-inbox-store.ts';
import type { Store } from '../../stores/store.ts';
import type { PayCommand } from './intent.ts';
import { PayJournal, withJournal } from './journal.ts';
import type { Rail } from './rail.ts';
import type { MoneyResult, MoneyStep } from './result.ts';
import type { PayRow } from './row.ts';
import { PayRun, type PayStart } from './run.ts';

/** Money on its way: a watch of its steps. It goes on without listeners. */
export interface Run<Step, Result> extends Watch<Step> {
  /** Names it in the journal. */
  readonly intent: string;
  /** How it ends. Never rejects; money that is pending keeps it open for as long as it takes. */
  readonly result: Promise<Result>;
  /** Ends it, if nothing was executed yet; resolves to whether that is so. */
  stop(): Promise<boolean>;
  /**
   * Stops watching, for all who have joined; the money goes on. `result` resolves as `unknown`
   * where it was not known, and `resume` takes it up again.
   */
  detach(): void;
  /**
   * Says that you have acted on its end. Until then `resume` gives it again, for 30 days: call it
   * after what you do, and make that harmless twice by the `intent`. Does nothing before the end.
   *
   * @param write with a journal of `sqlStore` only: statements in the dialect of the database, which
   * run in the same transaction, so that both are done, or neither
   * @returns whether this call has acknowledged the end, and run the statements
   * @throws InputError for statements with another store, UnreachableError for a journal that fails
   * @example
   * if (result.phase === 'paid') await run.ack();
   */
  ack(write?: (tx: SqlTransaction) => void): Promise<boolean>;
  /**
   * Begins another round of the same intent after `refused`, `failed` or `stopped`, with the limits
   * of this call. Money that may still be on its way is waited for first, and what has failed is read
   * once more. After anything else it is the same as joining.
   *
   * @param options `acknowledge`: id of the transaction of an on-chain payment that failed. Such a
   * transaction may still be confirmed: without its id the retry is `refused` (guard `acknowledge`).
   */
  retry(options?: { readonly acknowledge?: string | undefined }): Run<Step, Result>;
  /**
   * Says what a person found out about an intent that is `unknown`; does nothing otherwise. What is
   * named as paid is read first: rejects with InputError where it is of another amount or of another
   * intent, and with the service's refusal where there is none.
   */
  resolve(verdict: 'paid', paymentId: string): Promise<void>;
  /** Says that nothing was paid. */
  resolve(verdict: 'not-paid'): Promise<void>;
}

type Runs = Map<string, PayRun>;

/** What a run works with. */
interface Desk {
  readonly client: Connection;
  readonly store: Store;
  readonly rail: Rail;
  readonly request: PayCommand;
}

/** Begins or joins the run of an intent; `Step` and `Result` are those of its rail. */
export function begin<Step, Result>(
  client: Connection,
  rail: Rail,
  request: PayCommand,
  { journal, signal }: { readonly journal: Store; readonly signal?: AbortSignal | undefined },
): Run<Step, Result> {
  const desk = { client, store: journal, rail, request };
  const run = runFor(desk, {});
  // others who have joined may still want it
  run.holders++;
  const give = () => {
    if (--run.holders === 0) void run.stop().then((isStopped) => !isStopped && run.detach());
  };
  const unlisten = onAbort(signal, give);
  if (signal?.aborted) give();
  void run.steps.result.then(unlisten);
  return faceOf(desk, run) as unknown as Run<Step, Result>;
}

/** Takes up what other processes have begun. */
export function takeUp(
  client: Connection,
  rail: Rail,
  request: PayCommand,
  store: Store,
  row?: PayRow,
): Run<MoneyStep, MoneyResult> {
  const desk = { client, store, rail, request };
  const run = runFor(desk, { isRestart: true, row });
  run.holders++;
  return faceOf(desk, run);
}

/**
 * The run of this intent that is under way, or a new one. Another order gets one of its own, which
 * is refused.
 */
function runFor({ client, store, rail, request }: Desk, start: PayStart): PayRun {
  const { intent, fingerprint } = request;
  const stores = stateOf(client, 'flows.payments', () => new WeakMap<Store, Runs>());
  const runs = stores.get(store) ?? new Map<string, PayRun>();
  stores.set(store, runs);
  const known = runs.get(intent);
  const isUnderWay = known && !known.steps.isSettled;
  if (isUnderWay && known.request.fingerprint === fingerprint) return known;
  const journal = new PayJournal(store, client);
  const run = new PayRun(client, journal, request, rail, start);
  if (isUnderWay) return run;
  runs.set(intent, run);
  void run.steps.result.then(() => void (runs.get(intent) === run && runs.delete(intent)));
  return run;
}

function faceOf(desk: Desk, run: PayRun): Run<MoneyStep, MoneyResult> {
  const source: WatchSource<MoneyStep> = {
    clock: desk.client[internals].clock,
    status: () => ({ reason: run.steps.step.phase }),
    idle: () => run.steps.step,
    start: (to) => run.steps.observe(to),
  };
  const face: Run<MoneyStep, MoneyResult> = watchOf(source, {
    intent: run.request.intent,
    result: run.steps.result,
    stop: () => run.stop(),
    detach: () => run.detach(),
    ack: (write?: (tx: SqlTransaction) => void) => ackWith(desk, run, write),
    retry: ({ acknowledge }: { readonly acknowledge?: string | undefined } = {}) =>
      run.steps.isSettled
        ? faceOf(desk, runFor(desk, { isRetry: true, acknowledged: acknowledge }))
        : face,
    resolve(verdict: 'paid' | 'not-paid', paymentId?: string) {
      if (verdict !== 'paid' && verdict !== 'not-paid')
        throw badInput('verdict', "must be 'paid' or 'not-paid'");
      if (verdict === 'paid' && (typeof paymentId !== 'string' || paymentId === ''))
        throw badInput('paymentId', 'must be the id of what moved the money');
      return withJournal(run.resolve(verdict, paymentId));
    },
  });
  return face;
}

/** Collects the caller's statements, and acknowledges the end with them. */
async function ackWith(
  { store }: Desk,
  run: PayRun,
  write?: (tx: SqlTransaction) => void,
): Promise<boolean> {
  const statements: SqlStatement[] = [];
  if (write && !store.compareAndSetWith)
    throw badInput('write', 'needs a journal of sqlStore: no other store runs statements');
  write?.({ run: (sql, ...values) => void statements.push({ sql, values }) });
  return withJournal(run.ack(statements));
}
