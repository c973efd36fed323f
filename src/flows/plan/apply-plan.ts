import { badInput, isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { type Connection, internals, type Slot, slotState } from '../../core/http/index.ts';
import { countWait, onAbort } from '../../core/time.ts';
import {
  frozenCopy,
  type Observer,
  reportUncaught,
  makeWatch,
  type WatchSource,
  type Work,
} from '../../core/watch.ts';
import type { Store } from '../../stores/store.ts';
import { checkMove, type CommonPaymentOptions } from '../pay/intent.ts';
import { MoveJournal, withJournal } from '../pay/journal.ts';
import { readView } from '../pay/facts.ts';
import { type Plan, planHash } from './planned.ts';
import { isRowOver, Pace, chooseRail, type RowRun, type RowState } from './rails.ts';
import {
  type PlanApplication,
  type PlanReport,
  type PlanReportRow,
  type PlanStep,
  makeReport,
} from './report.ts';

type Runs = Map<string, PlanRun>;

/**
 * Executes the payments of a plan. Each intent is paid with `pay` at most once, even after lost
 * responses, crashes or a second call. Starts right away. If you call it again with the same plan,
 * you join the run. After a restart, apply the plan again. Finished rows are reported, rows in
 * progress continue, and the others are started. A row that costs more than the plan allows is
 * refused, without affecting the others.
 *
 * After `stop()`, no more rows are started, and rows that were already executed finish. When the
 * run has ended, `retry()` starts another round of the refused, failed or stopped rows. If a
 * refusal would affect all other rows too, no more rows are started, and `error` in the report is
 * the reason.
 *
 * @param made the unchanged result of `plan`, which may have been stored as JSON
 * @param options `journal`: the store you passed to `plan`; `signal`: stops the run, like `stop()`
 * @returns a run that emits steps `{ done, total, row? }`. Its `result` never rejects.
 * @throws InputError if the plan has problems or was changed, or the journal isn't durable
 *
 * @example
 * const amount = { amount: '5.00', currency: 'EUR' };
 * const rows = [{ intent: 'may-ada', to: 'ada@wallet.example', amount }];
 * const journal = memoryStore();
 * const made = await plan(client, rows, { journal, sourceCurrency: 'EUR', maxFee: 'any' });
 * const run = applyPlan(client, made, { journal });
 * run.subscribe(({ done, total }) => console.log(`${done} of ${total}`)); // 0 of 1, 1 of 1
 * console.log(formatReport(await run.result));
 */
export function applyPlan(
  client: Connection,
  made: Plan,
  options: Pick<CommonPaymentOptions, 'journal' | 'signal'>,
): PlanApplication {
  const { journal, signal } = checkMove(client, options, { journal: 'any', signal: 'signal' });
  checkPlan(made);
  const run = runFor(client, journal, made, false);
  const unlisten = onAbort(signal, () => void run.stop());
  if (signal?.aborted) void run.stop();
  void run.result.then(unlisten);
  return makeFace(client, journal, run);
}

/** Throws InputError if the plan has problems or was changed since `plan` returned it. */
function checkPlan(made: Plan): void {
  const { problems, hash } = (made ?? {}) as Partial<Plan>;
  if (!Array.isArray(problems) || hash !== planHash(made))
    throw badInput('plan', 'the plan was changed after it was made; call plan() again');
  const [first] = made.problems;
  if (!first) return;
  const { row, text } = first;
  const place = row === undefined ? '' : `row ${row}: `;
  throw badInput('plan', `has ${problems.length} problems, such as ${place}${text}`);
}

const RUNS: Slot<WeakMap<Store, Runs>> = { name: 'flows.plans', make: () => new WeakMap() };

function runFor(client: Connection, store: Store, made: Plan, isRetry: boolean): PlanRun {
  const stores = slotState(client, RUNS);
  const runs = stores.get(store) ?? new Map<string, PlanRun>();
  stores.set(store, runs);
  const known = runs.get(made.hash);
  if (known) return known;
  const run = new PlanRun(client, store, made, isRetry);
  runs.set(made.hash, run);
  void run.result.then(() => void runs.delete(made.hash));
  return run;
}

function makeFace(client: Connection, store: Store, run: PlanRun): PlanApplication {
  const { clock } = client[internals];
  let result: Promise<PlanReport> | undefined;
  const source: WatchSource<PlanStep> = {
    clock,
    status: () => ({ reason: `${run.step.done} of ${run.step.total}` }),
    idle: () => run.step,
    start: (to) => run.observe(to),
  };
  const face: PlanApplication = makeWatch(source, {
    intent: run.plan.hash,
    get result() {
      return (result ??= countWait(clock, run.result, 'the result of the plan'));
    },
    stop: () => countWait(clock, run.stop(), 'stopping the plan'),
    detach: () => run.detach(),
    // each row is acknowledged separately when it ends
    ack: async () => false,
    retry: () =>
      run.isEnded ? makeFace(client, store, runFor(client, store, run.plan, true)) : face,
    async resolve() {
      throw badInput(
        'intent',
        'a plan cannot be resolved as a whole; call resolve() on the run that pay or resume returns for the row',
      );
    },
  });
  return face;
}

/**
 * The number of rows that are quoted or executed concurrently. More rows would only wait for the
 * rate limit.
 */
const MAX_CONCURRENT_ROWS = 8;
/** The number of pending rows that are watched concurrently. Each of them is read repeatedly. */
const MAX_UNDER_WAY = 64;
/**
 * How many times a row is tried if it's refused temporarily. The delays between attempts are 1, 2,
 * 4 … 60 s.
 */
const MAX_ATTEMPTS = 10;
const MAX_PAUSE_MS = 60_000;
/** Codes of refusals that would affect all other rows too. */
const REFUSED_FOR_ALL: readonly string[] = ['BALANCE_TOO_LOW', 'TOO_MANY_TRANSACTIONS'];

/**
 * Applies a plan. Starts a few rows at a time and follows each until it ends. If the process
 * crashes, the journal is enough to continue.
 */
class PlanRun {
  readonly plan: Plan;
  readonly result: Promise<PlanReport>;
  step: PlanStep;
  isEnded: boolean = false;
  readonly #client: Connection;
  readonly #journal: Store;
  readonly #isRetry: boolean;
  readonly #pace: Pace;
  readonly #rows: PlanReportRow[];
  /** Runs that haven't ended, by row number. */
  readonly #runs: Map<number, RowRun> = new Map();
  readonly #underWay: Set<number> = new Set();
  readonly #later: Set<number> = new Set();
  readonly #acks: Set<Promise<void>> = new Set();
  readonly #observers: Set<Observer<PlanStep>> = new Set();
  /** Aborted when no more rows should start. */
  readonly #begins: AbortController = new AbortController();
  /** Indexes of the remaining rows, with the next row last. */
  #left: number[] = [];
  #isStopping: boolean = false;
  #error: PaystateError | undefined;
  #wake: () => void = () => {};
  #end: (report: PlanReport) => void = () => {};

  constructor(client: Connection, journal: Store, plan: Plan, isRetry: boolean) {
    this.#client = client;
    this.#journal = journal;
    this.plan = frozenCopy(plan); // frozen, so the plan can't change after it was shown
    this.#isRetry = isRetry;
    this.#pace = new Pace(client);
    this.#rows = this.plan.rows.map(({ intent, terms }) => {
      return { intent, phase: 'not-begun', planned: terms?.total };
    });
    this.step = frozenCopy({ done: 0, total: plan.rows.length });
    this.result = new Promise((resolve) => void (this.#end = resolve));
    void this.#work();
  }

  /** Adds an observer, which receives the current step immediately. */
  observe(to: Observer<PlanStep>): Work {
    to.next(this.step);
    if (this.isEnded) to.complete();
    else this.#observers.add(to);
    return { stop: () => void this.#observers.delete(to) };
  }

  /**
   * Prevents more rows from starting. Resolves to true if no row was paid or might still be paid.
   */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    this.#begins.abort();
    this.#wake();
    const { rows } = await this.result;
    return rows.every(({ phase }) => UNPAID.includes(phase));
  }

  /** Ends the run, while rows in progress continue. */
  detach(): void {
    this.#begins.abort();
    this.#finish();
  }

  async #work(): Promise<void> {
    await this.#order().catch((thrown) => this.#break(thrown));
    const workers = Array.from({ length: MAX_CONCURRENT_ROWS }, () => this.#beginRows());
    await Promise.all(workers.map((one) => one.catch((thrown) => this.#break(thrown))));
    await this.#untilUnderWay(0);
    await Promise.all(this.#acks);
    this.#finish();
  }

  async #beginRows(): Promise<void> {
    for (let index = this.#take(); index !== undefined; index = this.#take()) {
      if (this.#later.has(index)) await this.#untilUnderWay(MAX_UNDER_WAY - 1);
      await this.#doRow(index);
    }
  }

  #take(): number | undefined {
    return this.#begins.signal.aborted ? undefined : this.#left.pop();
  }

  /** Moves rows in progress to the front, because their quotes expire soon. */
  async #order(): Promise<void> {
    const journal = new MoveJournal(this.#journal, this.#client);
    const found = await withJournal(journal.listOpen());
    const underWay = found.filter(({ row }) => !row || !readView(row).over);
    const open = new Set(underWay.map(({ intent }) => intent));
    const all = this.#rows.map((_, index) => index).reverse();
    const isOpen = (index: number) => open.has(this.#rows[index]!.intent);
    this.#left = [...all.filter((index) => !isOpen(index)), ...all.filter(isOpen)];
  }

  /** Waits until at most `most` rows are pending, or the plan is stopped. */
  async #untilUnderWay(most: number): Promise<void> {
    while (this.#underWay.size > most && !this.#isStopping && !this.isEnded) {
      const wake = this.#wake;
      await new Promise<void>((resolve) => {
        this.#wake = () => {
          wake();
          resolve();
        };
      });
    }
  }

  /** Starts or continues a row. Resolves when the row has ended or is pending. */
  async #doRow(index: number): Promise<void> {
    const options = { ...this.plan.rows[index]!.options, journal: this.#journal };
    const rail = chooseRail(options);
    const known = await withJournal(rail.readKnown(this.#client, options));
    const ended = known?.isOurs && isRowOver(known.state) ? known.state : undefined;
    const isWanted = this.#isRetry && ended && AGAIN.includes(ended.phase);
    // if the outcome is unknown, search for the payment again
    if (ended && !isWanted && ended.phase !== 'unknown') {
      if (!known?.isAcknowledged) await this.#acknowledge(rail.start(this.#client, options, true));
      return this.#settle(index, ended);
    }
    const isQuoted = known?.isOurs && known.state.phase !== 'new' && !isWanted;
    if (!isQuoted)
      await this.#pace.takeTurn(rail.costOf(this.#client, options, true), this.#begins.signal);
    if (this.#begins.signal.aborted) return;
    // no need to wait for the process that started the row, since repeating a quote is safe
    const run = rail.start(this.#client, options, Boolean(known?.isOurs));
    if (!isWanted) return this.#follow(index, run);
    await run.end;
    return this.#follow(index, run.retry());
  }

  /** Follows a row until it ends. Restarts it after a temporary refusal. */
  async #follow(index: number, first: RowRun): Promise<void> {
    const { clock } = this.#client[internals];
    for (let run = first, round = 1, pause = 1_000; ; round++, pause *= 2) {
      const state = await this.#hear(index, run);
      if (state.phase === 'pending') return this.#leaveUnderWay(index, run);
      const isPassing = isRefusedFor(state, ['unreachable', 'limited']);
      if (isPassing && round < MAX_ATTEMPTS) {
        await clock.wait(Math.min(pause, MAX_PAUSE_MS), this.#begins.signal);
        if (!this.#begins.signal.aborted) {
          run = run.retry();
          continue;
        }
      } else if (isPassing || isForAll(state)) this.#halt(state.error);
      return this.#settle(index, state);
    }
  }

  /** Subscribes to a row. Resolves when the row has ended or is pending. */
  #hear(index: number, run: RowRun): Promise<RowState> {
    this.#runs.set(index, run);
    return new Promise((resolve) => {
      const unsubscribe = run.subscribe((state) => {
        if (this.isEnded) return;
        this.#note(index, state);
        if (state.phase !== 'pending' && !isRowOver(state)) return;
        resolve(state);
        queueMicrotask(() => unsubscribe());
      });
    });
  }

  /**
   * Watches a pending row until it ends. If too many rows are being watched, detaches from this one
   * and reads it again after the other rows.
   */
  #leaveUnderWay(index: number, run: RowRun): void {
    if (this.#underWay.size >= MAX_UNDER_WAY) {
      run.detach();
      this.#runs.delete(index);
      this.#later.add(index);
      this.#left.unshift(index);
      return;
    }
    this.#underWay.add(index);
    void run.end.then((state) => this.#settle(index, state));
  }

  /**
   * Acknowledges the result of a row. The report still contains it, even if the plan is applied
   * again.
   */
  async #acknowledge(run: RowRun): Promise<void> {
    const ack = run.end.then(() => run.ack());
    this.#acks.add(ack);
    await ack;
    this.#acks.delete(ack);
  }

  #note(index: number, state: RowState): void {
    const { intent, planned } = this.#rows[index]!;
    this.#rows[index] = { intent, planned, ...state };
  }

  #settle(index: number, state: RowState): void {
    if (this.isEnded) return;
    this.#note(index, state);
    const run = this.#runs.get(index);
    if (run) void this.#acknowledge(run);
    this.#runs.delete(index);
    this.#underWay.delete(index);
    this.step = frozenCopy({ ...this.step, done: this.step.done + 1, row: this.#rows[index] });
    for (const observer of [...this.#observers]) observer.next(this.step);
    this.#wake();
  }

  #halt(error: PaystateError | undefined): void {
    this.#error ??= error;
    this.#begins.abort();
  }

  /** Stops starting rows after the journal or this package has failed. */
  #break(thrown: unknown): void {
    if (!isPaystateError(thrown)) reportUncaught(thrown);
    this.#halt(isPaystateError(thrown) ? thrown : undefined);
  }

  #finish(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#wake();
    for (const run of this.#runs.values()) run.detach();
    this.#end(frozenCopy(makeReport(this.plan.hash, this.#rows, this.#error)));
    for (const observer of [...this.#observers]) observer.complete();
    this.#observers.clear();
  }
}

const UNPAID: readonly string[] = ['not-begun', 'refused', 'failed', 'stopped'];
const AGAIN: readonly string[] = ['refused', 'failed', 'stopped'];

function isRefusedFor({ phase, error, guard }: RowState, kinds: readonly string[]): boolean {
  return phase === 'refused' && guard === undefined && kinds.includes(error!.kind);
}

function isForAll(state: RowState): boolean {
  const isNoAccess = isRefusedFor(state, ['authentication']);
  return isNoAccess || (state.phase === 'refused' && REFUSED_FOR_ALL.includes(state.error!.code));
}
