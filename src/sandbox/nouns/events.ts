import type { Ticks } from '../../core/instant.ts';
import type * as rows from '../../resources/events/endpoints.ts';
import type { ServiceEvent } from '../../resources/events/model.ts';
import type { EventType } from '../../resources/events/types.ts';
import type { Handlers } from '../http/handlers.ts';
import { placeOf, printed, ticksOfMillis } from '../time/instants.ts';
import { type Field, pageOf } from '../http/lists.ts';
import { Refusal } from '../http/refusals.ts';
import { type Account, bookOf, type World } from '../world.ts';

export interface StoredEvent {
  readonly id: string;
  readonly eventType: EventType;
  readonly entityId: string;
  readonly changes: readonly string[] | undefined;
  readonly created: Ticks;
  /** Null while it is undecided. */
  deliverySuccess: boolean | null;
}

interface History {
  /** Ascending by `created`. */
  readonly list: StoredEvent[];
  readonly byId: Map<string, StoredEvent>;
}

function historyOf(world: World, account: Account): History {
  return bookOf(world, `events/${account.id}`, () => ({ list: [], byId: new Map() }));
}

type Listener = (account: Account, event: StoredEvent) => void;

function listenersOf(world: World): Listener[] {
  return bookOf(world, 'event-listeners', () => []);
}

/** Calls `listener` after each event, when the history has it. */
export function onEvent(world: World, listener: Listener): void {
  listenersOf(world).push(listener);
}

const HISTORY = 30 * 24 * 60 * 60_000;

/** Writes an event into the account's history; the state has changed before. */
export function emit(world: World, account: Account, eventType: EventType, entityId: string, changes?: readonly string[]): void {
  const purpose = `event/${account.id}`;
  const id = world.random.uuid(purpose, world.random.next(purpose));
  const event: StoredEvent = { id, eventType, entityId, changes, created: world.stamp(), deliverySuccess: false };
  const history = historyOf(world, account);
  history.list.push(event);
  history.byId.set(id, event);
  for (const listener of listenersOf(world)) listener(account, event);
}

/** The history without what is too old for it. */
function recent(world: World, account: Account): History {
  const history = historyOf(world, account);
  const gone = placeOf(history.list, ticksOfMillis(world.clock.now() - HISTORY));
  for (const event of history.list.splice(0, gone)) history.byId.delete(event.id);
  return history;
}

const FIELDS: Readonly<Record<string, Field<StoredEvent>>> = {
  eventType: { kind: 'text', of: (event) => event.eventType },
  created: { kind: 'time', of: (event) => event.created },
  deliverySuccess: { kind: 'flag', of: (event) => event.deliverySuccess ?? undefined },
};

function show({ id, eventType, entityId, changes, created, deliverySuccess }: StoredEvent): ServiceEvent {
  const shown = { id, eventType, webhookVersion: 'v1', data: { entityId, ...(changes && { changes }) }, created: printed(created), deliverySuccess };
  return shown as ServiceEvent; // a null on the wire is read as absent
}

export const eventHandlers: Handlers<typeof rows> = {
  list: (world, { account, where }) => ({ body: pageOf(recent(world, account).list, where, FIELDS, show) }),
  find(world, { account, where: { eventId } }) {
    const event = recent(world, account).byId.get(eventId);
    if (!event) throw new Refusal('NOT_FOUND', { id: eventId });
    return { body: show(event) };
  },
};
