import { internals } from '../core/http/index.ts';
import type { Clock } from '../core/time/index.ts';
import { badInput } from '../core/errors/index.ts';
import type { Work } from '../stores/inbox.ts';
import type { Effect, Handler } from './handlers.ts';
import type { Memo, Task } from './memo.ts';
import { handlerOf } from './nouns.ts';
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
export async function run<Tx>(
  setup: Setup<Tx>,
  work: Work,
  memo: Memo,
  task: Task,
): Promise<Memo | undefined> {
  const { store, tell, claimFor, client } = setup;
  const { clock } = client[internals];
  const [, ...rest] = memo.tasks;
  const begun: Task = {
    ...task,
    runs: task.runs + 1,
    since: task.runs === 0 ? clock.now() : task.since,
  };
  const held = () => ({ due: clock.now() + claimFor, until: clock.now() + claimFor });
  if (!(await store.commit(work, { memo: { ...memo, tasks: [begun, ...rest] }, ...held() })))
    return undefined;
  const left = { ...memo, tasks: rest };
  try {
    const write = await within(clock, claimFor, effectOf(setup, begun));
    return (await store.commit(work, { memo: left, ...held() }, write)) ? left : undefined;
  } catch (error) {
    tell({ kind: 'failed', key: begun.key, run: begun.runs, error });
  }
  if (begun.runs < begun.most && clock.now() < begun.since + PATIENCE)
    return { ...memo, tasks: [again(setup, begun), ...rest] };
  const parked = { key: begun.key, subject: work.subject, body: JSON.stringify(begun) };
  if (!(await store.park(work, { memo: left, ...held() }, parked))) return undefined;
  tell({ kind: 'parked', key: begun.key, runs: begun.runs });
  return left;
}

function again<Tx>({ client }: Setup<Tx>, task: Task): Task {
  return {
    ...task,
    due:
      client[internals].clock.now() +
      client[internals].random() * Math.min(CAP, BASE * 2 ** (task.runs - 1)),
  };
}

/** A handler that never ends is one that failed: nobody waits for it longer than its claim lasts. */
async function within<T>(clock: Clock, limit: number, work: Promise<T>): Promise<T> {
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
async function effectOf<Tx>(setup: Setup<Tx>, task: Task): Promise<(tx: Tx) => void> {
  let writes: ((tx: Tx) => void)[] | undefined = [];
  const effect: Effect<Tx> = {
    key: task.key,
    run: task.runs,
    tx(write) {
      if (!writes) throw badInput('tx', 'must be called before the handler has returned');
      writes.push(write);
    },
  };
  await call(setup, task, effect);
  const wanted = writes;
  writes = undefined;
  return (tx) => {
    for (const write of wanted)
      if (isPromise(write(tx)))
        throw badInput('tx', 'must write before it returns: a transaction cannot wait');
  };
}

/** A handler that was taken out since its effect was queued has nothing to do. */
async function call<Tx>(
  { on, otherwise }: Setup<Tx>,
  { kind, noun, state, event, value }: Task,
  effect: Effect<Tx>,
): Promise<void> {
  if (kind === 'event') await on.event?.[event!.eventType]?.(event!, { ...effect, value });
  else if (kind === 'otherwise')
    await otherwise?.(event ? { event } : { noun: noun!, state: state!, value: value! }, effect);
  else
    await (on as Readonly<Record<string, Handler<unknown, Effect<Tx>>>>)[
      handlerOf(noun!, state!)
    ]?.(value, effect);
}

function isPromise(returned: unknown): boolean {
  return typeof (returned as { then?: unknown } | undefined)?.then === 'function';
}
