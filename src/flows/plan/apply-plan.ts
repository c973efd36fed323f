import { badInput } from '../../core/errors/index.ts';
import { type Connection, internals, stateOf } from '../../core/http/index.ts';
import { onAbort } from '../../core/time/index.ts';
import { watchOf, type WatchSource } from '../../core/watch/index.ts';
import type { Store } from '../../stores/store.ts';
import type { CommonPaymentOptions } from '../pay/model.ts';
import { checkOptions } from '../pay/order.ts';
import type { Plan, PlanApplication, PlanStep } from './model.ts';
import { planHash } from './plan-hash.ts';
import { PlanRun } from './plan-run.ts';

type Runs = Map<string, PlanRun>;

/**
 * Makes the payments of a plan, each by `pay`: at most once for its intent, whatever is lost, killed
 * or applied twice. Starts at the call; the same plan joins. After a restart, apply it again: rows
 * that have ended are reported as they ended, those under way go on, the others are begun. Rows that
 * cost more than the plan allows are refused one by one.
 *
 * `stop()` begins no further row and lets those that are executed end. `retry()`, after the end,
 * begins another round of the rows that were refused, failed or stopped. It begins no further row by
 * itself either where all would be refused: see `error` of the report.
 *
 * @param made of `plan`; as it was, also after JSON
 * @param options `journal`: the one of `plan`; `signal`: stops it, as `stop()` does
 * @returns a run of steps `{ done, total, row? }`; its `result` never rejects
 * @throws InputError for a plan with problems, one that was changed, or a journal that forgets
 * @example
 * const amount = { amount: '5.00', currency: 'EUR' };
 * const rows = [{ intent: 'may-ada', to: 'ada@wallet.example', amount }];
 * const journal = memoryStore();
 * const made = await sandbox.run(plan(client, rows, { journal, sourceCurrency: 'EUR', maxFee: 'any' }));
 * const run = applyPlan(client, made, { journal });
 * run.subscribe(({ done, total }) => console.log(`${done} of ${total}`)); // 0 of 1, 1 of 1
 * console.log(formatReport(await sandbox.run(run.result)));
 */
export function applyPlan(
  client: Connection,
  made: Plan,
  options: Pick<CommonPaymentOptions, 'journal' | 'signal'>,
): PlanApplication {
  const { journal, signal } = checkOptions(client, options);
  checkPlan(made);
  const run = runFor(client, journal, made, false);
  const unlisten = onAbort(signal, () => void run.stop());
  if (signal?.aborted) void run.stop();
  void run.result.then(unlisten);
  return faceOf(client, journal, run);
}

/** What a person has seen is what is applied. */
function checkPlan(made: Plan): void {
  const { problems, hash } = (made ?? {}) as Partial<Plan>;
  if (!Array.isArray(problems) || hash !== planHash(made))
    throw badInput('plan', 'was changed after it was made; plan again');
  const [first] = made.problems;
  if (!first) return;
  const { row, text } = first;
  const place = row === undefined ? '' : `row ${row}: `;
  throw badInput('plan', `has ${problems.length} problems, such as ${place}${text}`);
}

function runFor(client: Connection, store: Store, made: Plan, isRetry: boolean): PlanRun {
  const stores = stateOf(client, 'flows.plans', () => new WeakMap<Store, Runs>());
  const runs = stores.get(store) ?? new Map<string, PlanRun>();
  stores.set(store, runs);
  const known = runs.get(made.hash);
  if (known) return known;
  const run = new PlanRun(client, store, made, isRetry);
  runs.set(made.hash, run);
  void run.result.then(() => void runs.delete(made.hash));
  return run;
}

function faceOf(client: Connection, store: Store, run: PlanRun): PlanApplication {
  const source: WatchSource<PlanStep> = {
    clock: client[internals].clock,
    status: () => ({ reason: `${run.step.done} of ${run.step.total}` }),
    idle: () => run.step,
    start: (to) => run.observe(to),
  };
  const face: PlanApplication = watchOf(source, {
    intent: run.plan.hash,
    result: run.result,
    stop: () => run.stop(),
    detach: () => run.detach(),
    // each row is acknowledged as it ends
    ack: async () => false,
    retry: () =>
      run.isEnded ? faceOf(client, store, runFor(client, store, run.plan, true)) : face,
    async resolve() {
      throw badInput('intent', 'is of one row: resolve the run that pay or resume gives for it');
    },
  });
  return face;
}
