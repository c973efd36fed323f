import { badInput } from '../../core/errors/index.ts';
import { type Connection, internals, type Slot, slotState } from '../../core/http/index.ts';
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

/** A watch that emits the steps of a money transfer. The run continues even without subscribers. */
export interface Run<Step, Result> extends Watch<Step> {
  /** The run's name in the journal. */
  readonly intent: string;
  /**
   * How the run ends. Never rejects. Stays pending until it's known whether the money has arrived,
   * however long that takes.
   */
  readonly result: Promise<Result>;
  /**
   * Ends the run if nothing has been executed yet. Resolves to whether the run was ended that way.
   */
  stop(): Promise<boolean>;
  /**
   * Stops watching the run for all callers that share it. The money keeps moving. If `result` is
   * still pending, it resolves as `unknown`. You can continue the run with `resume`.
   */
  detach(): void;
  /**
   * Acknowledges that you have handled the result. Until then, `resume` returns it again for 30
   * days. Call it after your own work, and make that work idempotent by keying it on `intent`.
   * Calling it before the run has ended does nothing.
   *
   * @param write adds SQL statements to run in the same transaction as the acknowledgment. Only
   * works with a journal from `sqlStore`
   * @returns whether this call acknowledged the result and ran the statements
   * @throws InputError if you pass statements with another store, UnreachableError if the journal
   * fails
   *
   * @example
   * if (result.phase === 'paid') await run.ack();
   */
  ack(write?: (tx: SqlTransaction) => void): Promise<boolean>;
  /**
   * Starts another round of the same intent after `refused`, `failed` or `stopped`, with the limits
   * of this call. First waits for money that may still be on its way, and reads a failed transfer
   * again. After any other result, joins the existing run.
   *
   * @param options `acknowledge`: transaction id of a failed on-chain payment. The transaction may
   * still be confirmed, so without its id the retry is `refused` (guard `acknowledge`)
   */
  retry(options?: { readonly acknowledge?: string | undefined }): Run<Step, Result>;
  /**
   * Records a person's decision about an `unknown` intent. Does nothing in any other phase. Reads
   * the given transfer first. Rejects with InputError if it has a different amount or belongs to
   * another intent, and with the service's refusal if it doesn't exist.
   */
  resolve(verdict: 'paid', movementId: string): Promise<void>;
  /** Records a person's decision that nothing was paid. */
  resolve(verdict: 'not-paid'): Promise<void>;
}

type Runs = Map<string, MoveRun>;

interface Desk {
  readonly client: Connection;
  readonly store: Store;
  readonly rail: Rail;
  readonly request: MoveCommand;
}

/** Starts or joins an intent's run. `Step` and `Result` are the types of its rail. */
export function begin<Step extends MoneyStep, Result extends MoneyResult>(
  client: Connection,
  rail: Rail,
  request: MoveCommand,
  { journal, signal }: { readonly journal: Store; readonly signal?: AbortSignal | undefined },
): Run<Step, Result> {
  const desk = { client, store: journal, rail, request };
  const run = runFor(desk, {});
  // the run only stops when no caller needs it any more
  run.holders++;
  const give = () => {
    if (--run.holders === 0) void run.stop().then((isStopped) => !isStopped && run.detach());
  };
  const unlisten = onAbort(signal, give);
  if (signal?.aborted) give();
  void run.steps.result.then(unlisten);
  return makeFace(desk, run) as Run<Step, Result>;
}

/** Continues an intent that another process started. */
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
 * Returns the current run of this intent, or a new one. If the intent is already in use for a
 * different order, returns a separate run that ends as refused.
 */
function runFor({ client, store, rail, request }: Desk, start: RunStart): MoveRun {
  const { intent, fingerprint } = request;
  const stores = slotState(client, RUNS);
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
        throw badInput('movementId', 'must be the id of the resource that moved the money');
      return withJournal(run.resolve(verdict, movementId));
    },
  });
  return face;
}

/** Collects the caller's SQL statements so that they run together with the acknowledgment. */
async function ackWith(
  { store }: Desk,
  run: MoveRun,
  write?: (tx: SqlTransaction) => void,
): Promise<boolean> {
  const statements: SqlStatement[] = [];
  if (write && !store.compareAndSetWith)
    throw badInput('write', 'needs a journal from sqlStore: no other store runs SQL');
  write?.({ run: (sql, ...values) => void statements.push({ sql, values }) });
  return withJournal(run.ack(statements));
}
