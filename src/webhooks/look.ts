import { internals } from '../core/http/index.ts';
import { isPaystateError } from '../core/errors/index.ts';
import { type Look, weigh } from './belief.ts';
import { type Heard, type Memo, MOST_RUNS, nameOf, openIn, type Task } from './memo.ts';
import { handlerOf, type Noun, NOUNS, type Value } from './nouns.ts';
import { entityOf, type Setup } from './setup.ts';

/** Failed looks are repeated after a random time below a bound that doubles, milliseconds. */
const BASE = 2_000;
const CAP = 600_000;

type Seen =
  | (Look & { readonly value?: Value })
  | { readonly failed: true; readonly retryAt: number };

/** Looks at the subject's entity for its arrivals, and queues what follows from it. */
export async function look<Tx>(
  setup: Setup<Tx>,
  subject: string,
  memo: Memo,
  arrivals: readonly Heard[],
): Promise<Memo> {
  const entity = entityOf(subject);
  const open = openIn(memo, arrivals);
  const now = setup.client[internals].clock.now();
  if (!entity || !setup.wants(entity.noun)) {
    const believed = [...memo.believed, ...open.map(nameOf)];
    return {
      ...memo,
      believed,
      tasks: [...memo.tasks, ...eventTasks(setup, open, undefined, now)],
    };
  }
  const seen = await read(setup, entity, memo.failures);
  if ('failed' in seen)
    return {
      ...memo,
      failures: memo.failures + 1,
      waiting: open.map(nameOf),
      lookedAt: now,
      nextLook: seen.retryAt,
    };
  const { memo: next, news, tell } = weigh(NOUNS[entity.noun].life, memo, arrivals, seen);
  const tasks = [
    ...memo.tasks,
    ...(news ? stateTasks(setup, subject, entity.noun, seen.value!, now) : []),
    ...eventTasks(setup, tell, seen.value, now),
  ];
  return { ...next, tasks, told: [...memo.told, ...tell.map(nameOf)] };
}

/**
 * Reads the entity; one that does not exist, or belongs to somebody else, has no state. An answer about another entity,
 * whoever mixed them up, is none: nobody's effect may come from it.
 */
async function read<Tx>(
  { client, look: find }: Setup<Tx>,
  { noun, id }: { readonly noun: Noun; readonly id: string },
  failures: number,
): Promise<Seen> {
  const sentAt = client[internals].clock.now();
  try {
    const value = await find(noun, id);
    if (NOUNS[noun].idOf(value) !== id) throw new Error('another entity was read');
    return { sentAt, state: value.state, value };
  } catch (thrown) {
    const error = isPaystateError(thrown) ? thrown : undefined;
    if (error?.kind === 'input' || (error?.kind === 'refused' && error.status === 404))
      return { sentAt };
    const wait = client[internals].random() * Math.min(CAP, BASE * 2 ** failures);
    return {
      failed: true,
      retryAt: Math.max(client[internals].clock.now() + wait, error?.retryAt ?? 0),
    };
  }
}

const FRESH = { runs: 0, most: MOST_RUNS, since: 0 };

function stateTasks<Tx>(
  { on, otherwise }: Setup<Tx>,
  subject: string,
  noun: Noun,
  value: Value,
  due: number,
): readonly Task[] {
  const { state } = value;
  const isKnown = NOUNS[noun].life.rank(state) !== undefined;
  const wanted = isKnown ? Object.hasOwn(on, handlerOf(noun, state)) : otherwise !== undefined;
  return wanted
    ? [
        {
          ...FRESH,
          key: `${subject}:${state}`,
          kind: isKnown ? 'state' : 'otherwise',
          noun,
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
  arrivals: readonly Heard[],
  value: Value | undefined,
  due: number,
): readonly Task[] {
  return arrivals.flatMap(({ event, subject }): readonly Task[] => {
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
