import { isPaystateError } from '../core/errors/index.ts';
import { internals } from '../core/http/index.ts';
import { handlerName, type HandledResource, RESOURCES, type HandledValue } from './resources.ts';
import { type EntityRead, settleEvents } from './settle-rules.ts';
import { entityOf, type Setup } from './setup.ts';
import {
  type InboxJob,
  MAX_ATTEMPTS,
  nameOf,
  type ParsedEvent,
  type SubjectState,
  unsettledIn,
} from './subject-state.ts';

/** A failed read is repeated after a random time below a bound that doubles, milliseconds. */
const BASE = 2_000;
const CAP = 600_000;

type ReadResult =
  | (EntityRead & { readonly value?: HandledValue })
  | { readonly failed: true; readonly failures: number; readonly retryAt: number };

interface Entity {
  readonly resource: HandledResource;
  readonly id: string;
}

/** Reads the subject's resource for its events, and makes jobs of what follows. */
export async function readSubject<Tx>(
  setup: Setup<Tx>,
  subject: string,
  state: SubjectState,
  events: readonly ParsedEvent[],
): Promise<SubjectState> {
  const entity = entityOf(subject);
  const open = unsettledIn(state, events);
  const now = setup.client[internals].clock.now();
  if (!entity || !setup.isRead(entity.resource))
    return {
      ...state,
      settled: [...state.settled, ...open.map(nameOf)],
      jobs: [...state.jobs, ...eventJobs(setup, open, undefined, now)],
    };
  const result = await read(setup, entity, state.failures);
  if ('failed' in result)
    return {
      ...state,
      failures: result.failures,
      waiting: open.map(nameOf),
      readAt: now,
      nextReadAt: result.retryAt,
    };
  const settled = settleEvents(RESOURCES[entity.resource].states, state, events, result);
  const jobs = [
    ...state.jobs,
    ...(settled.isNews ? stateJobs(setup, subject, entity.resource, result.value!, now) : []),
    ...eventJobs(setup, settled.notify, result.value, now),
  ];
  const notified = [...state.notified, ...settled.notify.map(nameOf)];
  return { ...settled.state, jobs, notified };
}

/**
 * Reads the resource; one that does not exist, or belongs to another account, has no state. A
 * response about another resource is a failed read: no handler may run for it.
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
      throw new Error('the response is about another resource');
    return { sentAt, state: value.state, value };
  } catch (thrown) {
    const error = isPaystateError(thrown) ? thrown : undefined;
    if (error?.kind === 'input' || (error?.kind === 'refused' && error.status === 404))
      return { sentAt };
    const isSent = error?.code !== 'QUEUE_TIMEOUT'; // else only our own limit has said no
    const wait = client[internals].random() * (isSent ? Math.min(CAP, BASE * 2 ** failures) : BASE);
    return {
      failed: true,
      failures: isSent ? failures + 1 : failures,
      retryAt: Math.max(client[internals].clock.now() + wait, error?.retryAt ?? 0),
    };
  }
}

const NEW_JOB = { attempts: 0, maxAttempts: MAX_ATTEMPTS, since: 0 };

/**
 * A known state goes to its handler; one that this version does not know goes to `otherwise`, at
 * once.
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

/** Events go to their own handler, or to `otherwise` where no resource stands for them. */
function eventJobs<Tx>(
  { on, otherwise }: Setup<Tx>,
  events: readonly ParsedEvent[],
  value: HandledValue | undefined,
  due: number,
): readonly InboxJob[] {
  return events.flatMap(({ event, subject }): readonly InboxJob[] => {
    if (!event) return [];
    const hasOwn = Object.hasOwn(on.event ?? {}, event.eventType);
    if (!hasOwn && (!otherwise || entityOf(subject))) return [];
    const kind = hasOwn ? 'event' : 'otherwise';
    return [{ ...NEW_JOB, key: `event:${event.id}`, kind, event, value, due }];
  });
}
