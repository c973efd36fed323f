import { badInput } from '../core/errors/index.ts';
import { internals } from '../core/http/index.ts';
import { type Clock, within } from '../core/time.ts';
import type { Lease } from '../stores/inbox-store.ts';
import type { Handler, HandlerContext } from './handlers.ts';
import { handlerName } from './resources.ts';
import type { Setup } from './setup.ts';
import type { InboxJob, SubjectState } from './subject-state.ts';

/**
 * A handler that failed runs again after a random time below a bound that doubles, milliseconds.
 */
const BASE = 1_000;
const CAP = 3_600_000;
/** It is given up so long after its first run. */
const LONGEST = 24 * 3_600_000;

/**
 * Runs the first job. The attempt is counted in the store before it begins, and the record that it
 * has ended is one with what the handler wrote. Resolves to what is left, or to nothing when the
 * lease is void.
 */
export async function runJob<Tx>(
  setup: Setup<Tx>,
  lease: Lease,
  state: SubjectState,
  job: InboxJob,
): Promise<SubjectState | undefined> {
  const { store, leaseDuration, report, client } = setup;
  const { clock } = client[internals];
  const [, ...rest] = state.jobs;
  const since = job.attempts === 0 ? clock.now() : job.since;
  const begun: InboxJob = { ...job, attempts: job.attempts + 1, since };
  const nextLease = () => ({
    due: clock.now() + leaseDuration,
    until: clock.now() + leaseDuration,
  });
  if (!(await store.commit(lease, { state: { ...state, jobs: [begun, ...rest] }, ...nextLease() })))
    return undefined;
  const left = { ...state, jobs: rest };
  try {
    const write = await withTimeout(clock, leaseDuration, runHandler(setup, begun));
    return (await store.commit(lease, { state: left, ...nextLease() }, write)) ? left : undefined;
  } catch (error) {
    report({ kind: 'handler-failed', key: begun.key, attempt: begun.attempts, error });
  }
  if (begun.attempts < begun.maxAttempts && clock.now() < begun.since + LONGEST)
    return { ...state, jobs: [delayJob(setup, begun), ...rest] };
  const letter = { key: begun.key, subject: lease.subject, body: JSON.stringify(begun) };
  if (!(await store.deadLetter(lease, { state: left, ...nextLease() }, letter))) return undefined;
  report({ kind: 'dead-letter', key: begun.key, attempts: begun.attempts });
  return left;
}

function delayJob<Tx>({ client }: Setup<Tx>, job: InboxJob): InboxJob {
  const bound = Math.min(CAP, BASE * 2 ** (job.attempts - 1));
  return { ...job, due: client[internals].clock.now() + client[internals].random() * bound };
}

/** A handler that does not end within its lease has failed. */
async function withTimeout<T>(clock: Clock, limit: number, work: Promise<T>): Promise<T> {
  const ended = await within(
    clock,
    limit,
    work.then((value) => ({ value })),
  );
  if (ended) return ended.value;
  throw badInput('on', `a handler must end within ${limit} ms; see leaseDuration`);
}

/** Runs the handler; resolves to everything that it wants to write. */
async function runHandler<Tx>(setup: Setup<Tx>, job: InboxJob): Promise<(tx: Tx) => void> {
  let writes: ((tx: Tx) => void)[] | undefined = [];
  const context: HandlerContext<Tx> = {
    key: job.key,
    attempt: job.attempts,
    tx(write) {
      if (!writes) throw badInput('tx', 'must be called before the handler has returned');
      writes.push(write);
    },
  };
  await callHandler(setup, job, context);
  const wanted = writes;
  writes = undefined;
  return (tx) => {
    for (const write of wanted)
      if (isPromise(write(tx)))
        throw badInput('tx', 'must write before it returns: a transaction cannot wait');
  };
}

/** A job whose handler was removed since it was queued does nothing. */
async function callHandler<Tx>(
  { on, otherwise }: Setup<Tx>,
  { kind, resource, state, event, value }: InboxJob,
  context: HandlerContext<Tx>,
): Promise<void> {
  if (kind === 'event') {
    const { eventType } = event!;
    // a handler may be a method of a class, and no member that every object has
    if (!(eventType in Object.prototype))
      await on.event?.[eventType]?.(event!, { ...context, value });
  } else if (kind === 'otherwise')
    await otherwise?.(
      event ? { event } : { resource: resource!, state: state!, value: value! },
      context,
    );
  else
    await (on as Readonly<Record<string, Handler<unknown, HandlerContext<Tx>>>>)[
      handlerName(resource!, state!)
    ]?.(value, context);
}

function isPromise(returned: unknown): boolean {
  return typeof (returned as { then?: unknown } | undefined)?.then === 'function';
}
