import { badInput, UnreachableError } from '../../core/errors/index.ts';
import { type Connection, internals, stateOf } from '../../core/http/index.ts';
import { onAbort } from '../../core/time/index.ts';
import { watchOf, type WatchSource } from '../../core/watch/index.ts';
import type { Store } from '../../stores/store.ts';
import type { MoneyResult, MoneyStep } from './move-model.ts';
import type { PayCommand } from './order.ts';
import type { PayRun, PayStart } from './pay-run.ts';
import type { Rail } from './rail.ts';
import type { Run } from './run-model.ts';
import { RunSteps } from './run-steps.ts';

/** Loads a rail: what quotes, executes, reads and searches is needed when a run begins. */
export type RailLoader = () => Promise<Rail>;

/** What a run works with. */
interface Desk {
  readonly client: Connection;
  readonly store: Store;
  readonly loadRail: RailLoader;
  readonly request: PayCommand;
}

/** A run whose code is there, or on its way. */
interface Handle {
  readonly request: PayCommand;
  readonly steps: RunSteps;
  /** Rejects where its code cannot be loaded. */
  readonly loaded: Promise<PayRun>;
}

type Handles = Map<string, Handle>;

/** Begins or joins the run of an intent; `Step` and `Result` are those of its rail. */
export function begin<Step, Result>(
  client: Connection,
  loadRail: RailLoader,
  request: PayCommand,
  { journal, signal }: { readonly journal: Store; readonly signal?: AbortSignal | undefined },
): Run<Step, Result> {
  const desk = { client, store: journal, loadRail, request };
  const run = faceOf(desk, handleFor(desk, {}));
  const give = () => void run.stop().then((isStopped) => !isStopped && run.detach());
  const unlisten = onAbort(signal, give);
  if (signal?.aborted) give();
  void run.result.then(unlisten);
  return run as unknown as Run<Step, Result>;
}

/** Takes up what other processes have begun. */
export function takeUp(
  client: Connection,
  loadRail: RailLoader,
  request: PayCommand,
  store: Store,
): Run<MoneyStep, MoneyResult> {
  const desk = { client, store, loadRail, request };
  return faceOf(desk, handleFor(desk, { isRestart: true }));
}

/** The run of this intent that is under way, or a new one. Another order gets one of its own, which is refused. */
function handleFor(desk: Desk, start: PayStart): Handle {
  const { client, store, request } = desk;
  const { intent, fingerprint } = request;
  const stores = stateOf(client, 'flows.payments', () => new WeakMap<Store, Handles>());
  const handles = stores.get(store) ?? new Map<string, Handle>();
  stores.set(store, handles);
  const known = handles.get(intent);
  const isUnderWay = known && !known.steps.isSettled;
  if (isUnderWay && known.request.fingerprint === fingerprint) return known;
  const handle = startRun(desk, start);
  if (isUnderWay) return handle;
  handles.set(intent, handle);
  const forget = () => void (handles.get(intent) === handle && handles.delete(intent));
  void handle.steps.result.then(forget);
  return handle;
}

function startRun({ client, store, loadRail, request }: Desk, start: PayStart): Handle {
  const steps = new RunSteps();
  const load = async () => {
    const [rail, { PayRun }] = await Promise.all([loadRail(), import('./pay-run.ts')]);
    return new PayRun(client, store, request, rail, start, steps);
  };
  const loaded = client[internals].clock.external(load());
  loaded.catch(() => steps.finish(unloaded()));
  return { request, steps, loaded };
}

/** Nothing was sent by this run; whether by an earlier one, only the journal knows. */
function unloaded(): MoneyResult {
  const text = 'its code could not be loaded, and nothing was sent; call again with this intent';
  const facts = { code: 'UNREACHABLE', outcome: 'unknown', next: 'retry' } as const;
  return { phase: 'unknown', error: new UnreachableError(`pay: ${text}`, facts), candidates: [] };
}

function faceOf(desk: Desk, handle: Handle): Run<MoneyStep, MoneyResult> {
  const { steps, loaded, request } = handle;
  const source: WatchSource<MoneyStep> = {
    clock: desk.client[internals].clock,
    status: () => ({ reason: steps.step.phase }),
    idle: () => steps.step,
    start: (to) => steps.observe(to),
  };
  const face: Run<MoneyStep, MoneyResult> = watchOf(source, {
    intent: request.intent,
    result: steps.result,
    stop: () =>
      loaded.then(
        (run) => run.stop(),
        () => true,
      ),
    detach: () =>
      void loaded.then(
        (run) => run.detach(),
        () => {},
      ),
    retry: ({ acknowledge }: { readonly acknowledge?: string | undefined } = {}) =>
      steps.isSettled
        ? faceOf(desk, handleFor(desk, { isRetry: true, acknowledged: acknowledge }))
        : face,
    async resolve(verdict: 'paid' | 'not-paid', paymentId?: string) {
      if (verdict === 'paid' && !paymentId) throw badInput('paymentId', 'names the payment');
      await (await loaded).resolve(verdict, paymentId);
    },
  });
  return face;
}
