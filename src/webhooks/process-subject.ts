import { badInput, isPaystateError } from '../core/errors/index.ts';
import { internals } from '../core/http/index.ts';
import { within } from '../core/time.ts';
import type { Commit, Lease } from '../stores/inbox-store.ts';
import { type HandledResource, type HandledValue, handlerName, RESOURCES } from './reads.ts';
import { splitSubject, type Handler, type HandlerContext, type Setup } from './setup.ts';
import {
  type EntityRead,
  type InboxJob,
  MAX_ATTEMPTS,
  nameEvent,
  nextReadAt,
  type ParsedEvent,
  parseEvent,
  settleEvents,
  type SubjectState,
  parseSubjectState,
  unsettledIn,
} from './subject-state.ts';

/**
 * Processes one subject as far as possible right now. Reads its resource, then runs the jobs that
 * are due. Each step is stored before the next one starts.
 *
 * @param leave called when a handler is slow, so that other work can start
 */
export async function processSubject<Tx>(
  setup: Setup<Tx>,
  lease: Lease,
  leave: () => void,
): Promise<void> {
  const { clock } = setup.client[internals];
  const events = lease.events.map(parseEvent);
  let state = withRedeliveries(parseSubjectState(lease.state), events, clock.now());
  if (nextReadAt(state, events, clock.now()) <= clock.now())
    state = await readSubject(setup, lease.subject, state, events);
  for (let [job] = state.jobs; job && job.due <= clock.now(); [job] = state.jobs) {
    const next = await runJob(setup, lease, state, job, leave);
    if (!next) return;
    state = next;
  }
  await setup.store.commit(lease, makeCommit(state, events, clock.now()));
}

function withRedeliveries(
  state: SubjectState,
  events: readonly ParsedEvent[],
  now: number,
): SubjectState {
  const again = events.filter((event) => event.job && !state.settled.includes(nameEvent(event)));
  return {
    ...state,
    jobs: [...again.map(({ job }) => ({ ...job!, since: now, due: now })), ...state.jobs],
    settled: [...state.settled, ...again.map(nameEvent)],
  };
}

/** Returns a lease's last commit. The events are done if no jobs are left. */
function makeCommit(state: SubjectState, events: readonly ParsedEvent[], now: number): Commit {
  const earliest = Math.min(nextReadAt(state, events, now), state.jobs[0]?.due ?? Infinity);
  const due = Number.isFinite(earliest) ? earliest : undefined;
  if (state.jobs.length > 0) return { state, due };
  const notified = state.notified.filter((name) => state.waiting.includes(name));
  const done = events.filter((event) => state.settled.includes(nameEvent(event)));
  return { state: { ...state, settled: [], notified }, done, due };
}

/**
 * The upper bound on the random delay after a failed read, in milliseconds. It doubles with each
 * failure.
 */
const READ_RETRY_MS = 2_000;
const MAX_READ_RETRY_MS = 600_000;

type ReadResult =
  | (EntityRead & { readonly value?: HandledValue })
  | { readonly failed: true; readonly failures: number; readonly retryAt: number };

interface Entity {
  readonly resource: HandledResource;
  readonly id: string;
}

/** Reads a subject's resource, and adds jobs for the result and the subject's events. */
async function readSubject<Tx>(
  setup: Setup<Tx>,
  subject: string,
  state: SubjectState,
  events: readonly ParsedEvent[],
): Promise<SubjectState> {
  const entity = splitSubject(subject);
  const open = unsettledIn(state, events);
  const now = setup.client[internals].clock.now();
  if (!entity || !setup.isRead(entity.resource))
    return {
      ...state,
      settled: [...state.settled, ...open.map(nameEvent)],
      jobs: [...state.jobs, ...eventJobs(setup, open, undefined, now)],
    };
  const result = await read(setup, entity, state.failures);
  if ('failed' in result)
    return {
      ...state,
      failures: result.failures,
      waiting: open.map(nameEvent),
      readAt: now,
      nextReadAt: result.retryAt,
    };
  const settled = settleEvents(RESOURCES[entity.resource].states, state, events, result);
  const jobs = [
    ...state.jobs,
    ...(settled.isNews ? stateJobs(setup, subject, entity.resource, result.value!, now) : []),
    ...eventJobs(setup, settled.notify, result.value, now),
  ];
  const notified = [...state.notified, ...settled.notify.map(nameEvent)];
  return { ...settled.state, jobs, notified };
}

/**
 * Reads the resource. If the resource doesn't exist or belongs to another account, the result has
 * no state. If the response is for a different resource, the read counts as failed, so no handler
 * runs.
 */
async function read<Tx>(
  { client, read: readResource }: Setup<Tx>,
  { resource, id }: Entity,
  failures: number,
): Promise<ReadResult> {
  const sentAt = client[internals].clock.now();
  try {
    const value = await readResource(resource, id);
    if (value === undefined) return { sentAt };
    if (RESOURCES[resource].idOf(value) !== id)
      throw new Error('the response is for another resource');
    return { sentAt, state: value.state, value };
  } catch (thrown) {
    const error = isPaystateError(thrown) ? thrown : undefined;
    if (error?.kind === 'input' || (error?.kind === 'refused' && error.status === 404))
      return { sentAt };
    // false if our own rate limit prevented the request
    const isSent = error?.code !== 'QUEUE_TIMEOUT';
    const wait =
      client[internals].random() *
      (isSent ? Math.min(MAX_READ_RETRY_MS, READ_RETRY_MS * 2 ** failures) : READ_RETRY_MS);
    return {
      failed: true,
      failures: isSent ? failures + 1 : failures,
      retryAt: Math.max(client[internals].clock.now() + wait, error?.retryAt ?? 0),
    };
  }
}

const NEW_JOB = { attempts: 0, maxAttempts: MAX_ATTEMPTS, since: 0 };

/**
 * Returns the job for a state. States that this version doesn't support are passed to `otherwise`.
 */
function stateJobs<Tx>(
  { on, otherwise }: Setup<Tx>,
  subject: string,
  resource: HandledResource,
  value: HandledValue,
  due: number,
): readonly InboxJob[] {
  const { state } = value;
  const isKnown = RESOURCES[resource].states.rank(state) !== undefined;
  const isWanted = isKnown ? Object.hasOwn(on, handlerName(resource, state)) : otherwise;
  if (!isWanted) return [];
  const kind = isKnown ? 'state' : 'otherwise';
  return [{ ...NEW_JOB, key: `${subject}:${state}`, kind, resource, state, value, due }];
}

/**
 * Returns the jobs for events that have their own handler. Events that don't belong to a resource
 * are passed to `otherwise`.
 */
function eventJobs<Tx>(
  { on, otherwise }: Setup<Tx>,
  events: readonly ParsedEvent[],
  value: HandledValue | undefined,
  due: number,
): readonly InboxJob[] {
  return events.flatMap(({ event, subject }): readonly InboxJob[] => {
    if (!event) return [];
    const hasOwn = Object.hasOwn(on.event ?? {}, event.eventType);
    if (!hasOwn && (!otherwise || splitSubject(subject))) return [];
    const kind = hasOwn ? 'event' : 'otherwise';
    return [{ ...NEW_JOB, key: `event:${event.id}`, kind, event, value, due }];
  });
}

/**
 * The upper bound on the random delay after a failed handler, in milliseconds. It doubles with each
 * failure.
 */
const HANDLER_RETRY_MS = 1_000;
const MAX_HANDLER_RETRY_MS = 3_600_000;
/** How long after its first run a handler is still retried, in milliseconds. */
const GIVE_UP_MS = 24 * 3_600_000;

/**
 * Runs the first job. The attempt is stored before it starts. Its result is stored together with
 * the handler's writes. Resolves to the remaining state, or to `undefined` if the lease is void.
 */
async function runJob<Tx>(
  setup: Setup<Tx>,
  lease: Lease,
  state: SubjectState,
  job: InboxJob,
  leave: () => void,
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
    const write = await runInTime(setup, begun, leave);
    return (await store.commit(lease, { state: left, ...nextLease() }, write)) ? left : undefined;
  } catch (error) {
    report({ kind: 'handler-failed', key: begun.key, attempt: begun.attempts, error });
  }
  if (begun.attempts < begun.maxAttempts && clock.now() < begun.since + GIVE_UP_MS)
    return { ...state, jobs: [delayJob(setup, begun), ...rest] };
  const letter = { key: begun.key, subject: lease.subject, body: JSON.stringify(begun) };
  if (!(await store.deadLetter(lease, { state: left, ...nextLease() }, letter))) return undefined;
  report({ kind: 'dead-letter', key: begun.key, attempts: begun.attempts });
  return left;
}

function delayJob<Tx>({ client }: Setup<Tx>, job: InboxJob): InboxJob {
  const bound = Math.min(MAX_HANDLER_RETRY_MS, HANDLER_RETRY_MS * 2 ** (job.attempts - 1));
  return { ...job, due: client[internals].clock.now() + client[internals].random() * bound };
}

/**
 * Runs a handler. If it's slow, calls `leave` so that other work can start. If it doesn't finish
 * within its lease, the run counts as failed.
 */
async function runInTime<Tx>(
  setup: Setup<Tx>,
  job: InboxJob,
  leave: () => void,
): Promise<(tx: Tx) => void> {
  const { client, report, leaseDuration, handlerTimeout } = setup;
  const { clock } = client[internals];
  const run = runHandler(setup, job);
  const inTime = Math.min(handlerTimeout, leaseDuration);
  const write = await within(clock, inTime, run);
  if (write) return write;
  if (inTime < leaseDuration) {
    report({ kind: 'handler-slow', key: job.key, attempt: job.attempts });
    leave();
    const late = await within(clock, leaseDuration - inTime, run);
    if (late) return late;
  }
  throw badInput('on', `a handler must finish within ${leaseDuration} ms; see leaseDuration`);
}

/** Runs a handler. Resolves to a function that performs all of the handler's writes. */
async function runHandler<Tx>(setup: Setup<Tx>, job: InboxJob): Promise<(tx: Tx) => void> {
  let writes: ((tx: Tx) => void)[] | undefined = [];
  const context: HandlerContext<Tx> = {
    key: job.key,
    attempt: job.attempts,
    tx(write) {
      if (!writes) throw badInput('tx', 'must be called before the handler returns');
      writes.push(write);
    },
  };
  await callHandler(setup, job, context);
  const wanted = writes;
  writes = undefined;
  return (tx) => {
    for (const write of wanted)
      if (isPromise(write(tx)))
        throw badInput('tx', "must finish writing before it returns: transactions can't wait");
  };
}

/** Calls a job's handler. Does nothing if the handler was removed after the job was queued. */
async function callHandler<Tx>(
  { on, otherwise }: Setup<Tx>,
  { kind, resource, state, event, value }: InboxJob,
  context: HandlerContext<Tx>,
): Promise<void> {
  if (kind === 'event') {
    const { eventType } = event!;
    // the handler can be a method of a class, but not one inherited from Object.prototype
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
