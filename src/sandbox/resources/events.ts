import { type Ticks, TICKS_PER_SECOND } from '../../core/time.ts';
import * as rows from '../../generated/endpoints/events.ts';
import type { ServiceEvent } from '../../resources/events.ts';
import type { EventType } from '../../resources/events.types.ts';
import { assumedTime, readAssumption } from '../provenance/alternatives.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';
import { textOfTicks, ticksOfMillis, TICKS_PER_MS } from '../time/instants.ts';
import { EVENT_FIELDS } from '../query/odata.ts';
import { type Fields, insert, makePage, findPosition } from '../query/lists.ts';
import { notFound } from '../world/responses.ts';
import { type EventFault, findEventFault } from '../faults/rules.ts';
import { type Account, getStore, runLater, type World } from '../world/world.ts';

export interface StoredEvent {
  readonly id: string;
  readonly eventType: EventType;
  readonly entityId: string;
  readonly changes?: readonly string[] | undefined;
  /** Id of the received payment, for events about receive requests. */
  readonly receiveId?: string | undefined;
  readonly created: Ticks;
  /** Whether all webhook subscriptions have received the event. */
  deliverySuccess: boolean;
}

interface History {
  /** Events in ascending order of `created`. */
  readonly list: StoredEvent[];
  readonly byId: Map<string, StoredEvent>;
}

function getHistory(world: World, account: Account): History {
  return getStore(world, `events/${account.id}`, () => ({ list: [], byId: new Map() }));
}

type Listener = (account: Account, event: StoredEvent) => void;

function getListeners(world: World): Listener[] {
  return getStore(world, 'event-listeners', () => []);
}

/** Calls `listener` for each event after storing it. */
export function onEvent(world: World, listener: Listener): void {
  getListeners(world).push(listener);
}

const HISTORY = 30 * 24 * 60 * 60_000;

type Subject = Pick<StoredEvent, 'entityId' | 'changes' | 'receiveId'>;

/** Emits an event. Call this after you've changed the state. */
export function emit(world: World, account: Account, eventType: EventType, subject: Subject): void {
  emitOnce(world, account, eventType, subject);
  if (subject.changes && readAssumption(world, 'events.repeats') === 'twice')
    emitOnce(world, account, eventType, subject);
}

function emitOnce(world: World, account: Account, eventType: EventType, subject: Subject): void {
  const purpose = `event/${account.id}`;
  const id = world.random.uuid(purpose, world.random.next(purpose));
  const fault = findEventFault(world, eventType);
  const history = getHistory(world, account);
  const created = chooseCreated(world, history, fault);
  const event: StoredEvent = {
    id,
    eventType,
    ...subject,
    created,
    deliverySuccess: false,
  };
  const show = (): void => {
    insert(history.list, event);
    history.byId.set(id, event);
  };
  const isLate = typeof fault === 'object' && 'late' in fault;
  const late = isLate ? fault.late : assumedTime(world, 'events.lag');
  if (isLate || late > 0) runLater(world, late, show);
  else show();
  for (const listener of getListeners(world)) listener(account, event);
}

function chooseCreated(world: World, { list }: History, fault: EventFault | undefined): Ticks {
  const stamp = world.stamp();
  const last = list.at(-1)?.created ?? 0n;
  if (fault === 'tied' && last < stamp && stamp - last < TICKS_PER_SECOND) return last;
  return typeof fault === 'object' && 'ahead' in fault
    ? stamp + BigInt(Math.trunc(fault.ahead)) * TICKS_PER_MS
    : stamp;
}

function recent(world: World, account: Account): History {
  const history = getHistory(world, account);
  const gone = findPosition(history.list, ticksOfMillis(world.clock.now() - HISTORY));
  for (const event of history.list.splice(0, gone)) history.byId.delete(event.id);
  return history;
}

const FIELDS: Fields<StoredEvent, keyof typeof EVENT_FIELDS> = {
  kinds: EVENT_FIELDS,
  read: {
    eventType: (event) => event.eventType,
    created: (event) => event.created,
    deliverySuccess: (event) => event.deliverySuccess,
  },
};

/** Returns the `data` of an event, as in lists and webhooks. */
export function readSubject({ entityId, changes, receiveId }: StoredEvent): ServiceEvent['data'] {
  return { entityId, ...(changes && { changes }), ...(receiveId !== undefined && { receiveId }) };
}

function show(event: StoredEvent): ServiceEvent {
  const { id, eventType, created, deliverySuccess } = event;
  return {
    id,
    eventType,
    webhookVersion: 'v1',
    data: readSubject(event),
    created: textOfTicks(created),
    deliverySuccess,
  };
}

export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  list: (world, { account, where }) => ({
    body: makePage(recent(world, account).list, where, FIELDS, show),
  }),
  get(world, { account, where: { eventId } }) {
    const event = recent(world, account).byId.get(eventId);
    if (!event) throw notFound();
    return { body: show(event) };
  },
});
