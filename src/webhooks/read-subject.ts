import { isPaystateError } from '../core/errors/index.ts';
import { type EntityRead, applyRead } from './settle-rules.ts';
import {
  type ParsedEvent,
  type SubjectState,
  MAX_ATTEMPTS,
  nameOf,
  unsettledIn,
  type Job,
} from './subject-state.ts';
import { handlerName, type HandledResource, RESOURCES, type ResourceValue } from './resources.ts';
import { entityOf, type Setup } from './setup.ts';

/** Failed looks are repeated after a random time below a bound that doubles, milliseconds. */
const BASE = 2_000;
const CAP = 600_000;

type Seen =
  | (EntityRead & { readonly value?: ResourceValue })
  | { readonly failed: true; readonly retryAt: number };

/** Looks at the subject's entity for its arrivals, and queues what follows from it. */
export async function readSubject<Tx>(
  setup: Setup<Tx>,
  subject: string,
  memo: SubjectState,
  arrivals: readonly ParsedEvent[],
): Promise<SubjectState> {
  const entity = entityOf(subject);
  const open = unsettledIn(memo, arrivals);
  const now = setup.client.clock.now();
  if (!entity || !setup.isRead(entity.noun)) {
    const believed = [...memo.settled, ...open.map(nameOf)];
    return {
      ...memo,
      settled: believed,
      jobs: [...memo.jobs, ...eventTasks(setup, open, undefined, now)],
    };
  }
  const seen = await read(setup, entity, memo.failures);
  if ('failed' in seen)
    return {
      ...memo,
      failures: memo.failures + 1,
      waiting: open.map(nameOf),
      readAt: now,
      nextReadAt: seen.retryAt,
    };
  const {
    state: next,
    news,
    notify: tell,
  } = applyRead(RESOURCES[entity.noun].life, memo, arrivals, seen);
  const tasks = [
    ...memo.jobs,
    ...(news ? stateTasks(setup, subject, entity.noun, seen.value!, now) : []),
    ...eventTasks(setup, tell, seen.value, now),
  ];
  return { ...next, jobs: tasks, notified: [...memo.notified, ...tell.map(nameOf)] };
}

/**
 * Reads the entity; one that does not exist, or belongs to somebody else, has no state. An answer about another entity,
 * whoever mixed them up, is none: nobody's effect may come from it.
 */
async function read<Tx>(
  { client, read: find }: Setup<Tx>,
  { noun, id }: { readonly noun: HandledResource; readonly id: string },
  failures: number,
): Promise<Seen> {
  const sentAt = client.clock.now();
  try {
    const value = await find(noun, id);
    if (RESOURCES[noun].idOf(value) !== id) throw new Error('another entity was read');
    return { sentAt, state: value.state, value };
  } catch (thrown) {
    const error = isPaystateError(thrown) ? thrown : undefined;
    if (error?.kind === 'input' || (error?.kind === 'refused' && error.status === 404))
      return { sentAt };
    const wait = client.random() * Math.min(CAP, BASE * 2 ** failures);
    return { failed: true, retryAt: Math.max(client.clock.now() + wait, error?.retryAt ?? 0) };
  }
}

const FRESH = { runs: 0, most: MAX_ATTEMPTS, since: 0 };

function stateTasks<Tx>(
  { on, otherwise }: Setup<Tx>,
  subject: string,
  noun: HandledResource,
  value: ResourceValue,
  due: number,
): readonly Job[] {
  const { state } = value;
  const isKnown = RESOURCES[noun].life.rank(state) !== undefined;
  const wanted = isKnown ? Object.hasOwn(on, handlerName(noun, state)) : otherwise !== undefined;
  return wanted
    ? [
        {
          ...FRESH,
          key: `${subject}:${state}`,
          kind: isKnown ? 'state' : 'otherwise',
          resource: noun,
          state,
          value,
          due,
        },
      ]
    : [];
}

/** Events go to their own handler, or to `otherwise` where no noun stands for them. */
function eventTasks<Tx>(
  { on, otherwise }: Setup<Tx>,
  arrivals: readonly ParsedEvent[],
  value: ResourceValue | undefined,
  due: number,
): readonly Job[] {
  return arrivals.flatMap(({ event, subject }): readonly Job[] => {
    if (!event) return [];
    const own = Object.hasOwn(on.event ?? {}, event.eventType);
    const wanted = own || (otherwise !== undefined && !entityOf(subject));
    return wanted
      ? [
          {
            ...FRESH,
            key: `event:${event.id}`,
            kind: own ? 'event' : 'otherwise',
            event,
            value,
            due,
          },
        ]
      : [];
  });
}
