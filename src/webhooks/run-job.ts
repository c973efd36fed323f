import type { Clock } from '../core/time/index.ts';
import { badInput } from '../core/errors/index.ts';
import type { Lease } from '../stores/inbox-store.ts';
import type { HandlerContext, Handler } from './handlers.ts';
import type { SubjectState, Job } from './subject-state.ts';
import { handlerName } from './resources.ts';
import type { Setup } from './setup.ts';

/** A handler that failed runs again after a random time below a bound that doubles, milliseconds. */
const BASE = 1_000;
const CAP = 3_600_000;
/** It is given up so long after its first run. */
const PATIENCE = 24 * 3_600_000;

/**
 * Runs the first effect. Its run is counted in the store before it begins, and the mark that it is done is one with what
 * it wrote. Resolves to what is left, or to nothing when the claim is void.
 */
export async function runJob<Tx>(
  setup: Setup<Tx>,
  work: Lease,
  memo: SubjectState,
  task: Job,
): Promise<SubjectState | undefined> {
  const {
    store,
    report: tell,
    leaseDuration: claimFor,
    client: { clock },
  } = setup;
  const [, ...rest] = memo.jobs;
  const begun: Job = {
    ...task,
    attempts: task.attempts + 1,
    since: task.attempts === 0 ? clock.now() : task.since,
  };
  const held = () => ({ due: clock.now() + claimFor, until: clock.now() + claimFor });
  if (!(await store.commit(work, { state: { ...memo, tasks: [begun, ...rest] }, ...held() })))
    return undefined;
  const left = { ...memo, tasks: rest };
  try {
    const write = await withTimeout(clock, claimFor, runHandler(setup, begun));
    return (await store.commit(work, { state: left, ...held() }, write)) ? left : undefined;
  } catch (error) {
    tell({ kind: 'failed', key: begun.key, run: begun.attempts, error });
  }
  if (begun.attempts < begun.maxAttempts && clock.now() < begun.since + PATIENCE)
    return { ...memo, jobs: [retryLater(setup, begun), ...rest] };
  const parked = { key: begun.key, subject: work.subject, body: JSON.stringify(begun) };
  if (!(await store.deadLetter(work, { state: left, ...held() }, parked))) return undefined;
  tell({ kind: 'parked', key: begun.key, runs: begun.attempts });
  return left;
}

function retryLater<Tx>({ client }: Setup<Tx>, task: Job): Job {
  return {
    ...task,
    due: client.clock.now() + client.random() * Math.min(CAP, BASE * 2 ** (task.attempts - 1)),
  };
}

/** A handler that never ends is one that failed: nobody waits for it longer than its claim lasts. */
async function withTimeout<T>(clock: Clock, limit: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = clock.wait(limit, over.signal).then((): never => {
    throw badInput('on', `a handler must end within ${limit} ms; see claimFor`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

/** Runs the handler; resolves to everything that it wants to write. */
async function runHandler<Tx>(setup: Setup<Tx>, task: Job): Promise<(tx: Tx) => void> {
  let writes: ((tx: Tx) => void)[] | undefined = [];
  const effect: HandlerContext<Tx> = {
    key: task.key,
    attempt: task.attempts,
    tx(write) {
      if (!writes) throw badInput('tx', 'must be called before the handler has returned');
      writes.push(write);
    },
  };
  await callHandler(setup, task, effect);
  const wanted = writes;
  writes = undefined;
  return (tx) => {
    for (const write of wanted)
      if (isPromise(write(tx)))
        throw badInput('tx', 'must write before it returns: a transaction cannot wait');
  };
}

/** A handler that was taken out since its effect was queued has nothing to do. */
async function callHandler<Tx>(
  { on, otherwise }: Setup<Tx>,
  { kind, resource: noun, state, event, value }: Job,
  effect: HandlerContext<Tx>,
): Promise<void> {
  if (kind === 'event') await on.event?.[event!.eventType]?.(event!, { ...effect, value });
  else if (kind === 'otherwise')
    await otherwise?.(event ? { event } : { noun: noun!, state: state!, value: value! }, effect);
  else
    await (on as Readonly<Record<string, Handler<unknown, HandlerContext<Tx>>>>)[
      handlerName(noun!, state!)
    ]?.(value, effect);
}

function isPromise(returned: unknown): boolean {
  return typeof (returned as { then?: unknown } | undefined)?.then === 'function';
}
