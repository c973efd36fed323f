import { badInput } from '../../core/errors/index.ts';
import { type Connection, internals, type Slot, stateOf } from '../../core/http/index.ts';
import { countWait, onAbort } from '../../core/time.ts';
import { type Watch, makeWatch, type WatchSource } from '../../core/watch.ts';
import type { SqlStatement } from '../../stores/drivers.ts';
import type { SqlTransaction } from '../../stores/sql-inbox-store.ts';
import type { Store } from '../../stores/store.ts';
import type { MoveCommand } from './intent.ts';
import { MoveJournal, withJournal } from './journal.ts';
import type { Rail } from './rail.ts';
import type { MoneyResult, MoneyStep } from './result.ts';
import { MoveRun, type RunStart } from './run.ts';

/** A watch of the steps of moving money. The run goes on without listeners. */
export interface Run<Step, Result> extends Watch<Step> {
  /** Names the run in the journal. */
  readonly intent: string;
  /** The end. Never rejects; money that is pending keeps it open for as long as it takes. */
  readonly result: Promise<Result>;
  /** Ends the run if nothing was executed yet; resolves to whether that is so. */
  stop(): Promise<boolean>;
  /**
   * Stops watching, for all callers that have joined; the money goes on. A `result` that was not
   * known resolves as `unknown`, and `resume` takes the run up again.
   */
  detach(): void;
  /**
   * Says that you have acted on its end. Until then `resume` gives it again, for 30 days: call it
   * after what you do, and make that harmless twice by the `intent`. Does nothing before the end.
   *
   * @param write with a journal of `sqlStore` only: statements in the dialect of the database,
   * which run in the same transaction, so that both are done, or neither
   * @returns whether this call has acknowledged the end, and run the statements
   * @throws InputError for statements with another store, UnreachableError for a journal that fails
   * @example
   * if (result.phase === 'paid') await run.ack();
   */
  ack(write?: (tx: SqlTransaction) => void): Promise<boolean>;
  /**
   * Begins another round of the same intent after `refused`, `failed` or `stopped`, with the limits
   * of this call. Before that it waits for money that may still be on its way, and reads a failed
   * movement once more. After any other end it joins the run.
   *
   * @param options `acknowledge`: id of the transaction of an on-chain payment that failed. Such a
   * transaction may still be confirmed: without its id the retry is `refused` (guard
   * `acknowledge`).
   */
  retry(options?: { readonly acknowledge?: string | undefined }): Run<Step, Result>;
  /**
   * Says what a person found out about an intent that is `unknown`; does nothing otherwise. The
   * movement that is named is read first: rejects with InputError where it has another amount or
   * belongs to another intent, and with the service's refusal where it does not exist.
   */
  resolve(verdict: 'paid', movementId: string): Promise<void>;
  /** Says that nothing was paid. */
  resolve(verdict: 'not-paid'): Promise<void>;
}

type Runs = Map<string, MoveRun>;

/** The dependencies of a run. */
interface Desk {
  readonly client: Connection;
  readonly store: Store;
  readonly rail: Rail;
  readonly request: MoveCommand;
}

/** Begins or joins the run of an intent; `Step` and `Result` belong to its rail. */
export function begin<Step extends MoneyStep, Result extends MoneyResult>(
  client: Connection,
  rail: Rail,
  request: MoveCommand,
  { journal, signal }: { readonly journal: Store; readonly signal?: AbortSignal | undefined },
): Run<Step, Result> {
  const desk = { client, store: journal, rail, request };
  const run = runFor(desk, {});
  // other callers that have joined may still need the run
  run.holders++;
  const give = () => {
    if (--run.holders === 0) void run.stop().then((isStopped) => !isStopped && run.detach());
  };
  const unlisten = onAbort(signal, give);
  if (signal?.aborted) give();
  void run.steps.result.then(unlisten);
  return makeFace(desk, run) as Run<Step, Result>;
}

/** Takes up an intent that another process has begun. */
export function takeUp(
  client: Connection,
  rail: Rail,
  request: MoveCommand,
  store: Store,
  isOnlyLooking?: boolean,
): Run<MoneyStep, MoneyResult> {
  const desk = { client, store, rail, request };
  const run = runFor(desk, { isRestart: true, isOnlyLooking: isOnlyLooking === true });
  run.holders++;
  return makeFace(desk, run);
}

const RUNS: Slot<WeakMap<Store, Runs>> = { name: 'flows.payments', make: () => new WeakMap() };

/**
 * Returns the run of this intent that is under way, or a new one. Another order under the same
 * intent gets a run of its own, which refuses.
 */
function runFor({ client, store, rail, request }: Desk, start: RunStart): MoveRun {
  const { intent, fingerprint } = request;
  const stores = stateOf(client, RUNS);
  const runs = stores.get(store) ?? new Map<string, MoveRun>();
  stores.set(store, runs);
  const known = runs.get(intent);
  const isUnderWay = known && !known.steps.isSettled;
  if (isUnderWay && known.request.fingerprint === fingerprint) return known;
  const journal = new MoveJournal(store, client);
  const run = new MoveRun(client, journal, request, rail, start);
  if (isUnderWay) return run;
  runs.set(intent, run);
  void run.steps.result.then(() => void (runs.get(intent) === run && runs.delete(intent)));
  return run;
}

function makeFace(desk: Desk, run: MoveRun): Run<MoneyStep, MoneyResult> {
  const { clock } = desk.client[internals];
  const { intent } = run.request;
  let result: Promise<MoneyResult> | undefined;
  const source: WatchSource<MoneyStep> = {
    clock,
    status: () => ({ reason: run.steps.step.phase }),
    idle: () => run.steps.step,
    start: (to) => run.steps.observe(to),
  };
  const face: Run<MoneyStep, MoneyResult> = makeWatch(source, {
    intent,
    get result() {
      return (result ??= countWait(clock, run.steps.result, `the result of ${intent}`));
    },
    stop: () => countWait(clock, run.stop(), `the stop of ${intent}`),
    detach: () => run.detach(),
    ack: (write?: (tx: SqlTransaction) => void) => ackWith(desk, run, write),
    retry: ({ acknowledge }: { readonly acknowledge?: string | undefined } = {}) =>
      run.steps.isSettled
        ? makeFace(desk, runFor(desk, { after: run, acknowledged: acknowledge }))
        : face,
    resolve(verdict: 'paid' | 'not-paid', movementId?: string) {
      if (verdict !== 'paid' && verdict !== 'not-paid')
        throw badInput('verdict', "must be 'paid' or 'not-paid'");
      if (verdict === 'paid' && (typeof movementId !== 'string' || movementId === ''))
        throw badInput('movementId', 'must be the id of what moved the money');
      return withJournal(run.resolve(verdict, movementId));
    },
  });
  return face;
}

/** Collects the caller's statements, and acknowledges the end with them. */
async function ackWith(
  { store }: Desk,
  run: MoveRun,
  write?: (tx: SqlTransaction) => void,
): Promise<boolean> {
  const statements: SqlStatement[] = [];
  if (write && !store.compareAndSetWith)
    throw badInput('write', 'needs a journal of sqlStore: no other store runs statements');
  write?.({ run: (sql, ...values) => void statements.push({ sql, values }) });
  return withJournal(run.ack(statements));
}
