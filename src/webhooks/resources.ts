import type { CallOptions, Connection } from '../core/http/index.ts';
import type { ServiceEventSubject } from '../resources/events.ts';
import { eventTypes, eventPrefixOf, type EventType } from '../resources/events.types.ts';
import { listReceives, type Receive, receiveStates } from '../resources/receive-requests.ts';
import * as registry from '../resources/registry.ts';
import type { ListRules, Resource, StateMachine } from '../resources/resource.ts';
import type { ResourceName, ResourceValues } from '../resources/any-resource.ts';

type Stateful = {
  readonly [Name in ResourceName]: ResourceValues[Name] extends { readonly state: string }
    ? Name
    : never;
}[ResourceName];

/**
 * A resource that handlers can be for: each watched one with states, and a receive, for a receive
 * request has no state.
 */
export type HandledResource = Stateful | 'receive';

/** The value that is read of each of them. */
export type HandledValues = { readonly [Name in Stateful]: ResourceValues[Name] } & {
  /** A payment that came in for a receive request. */
  readonly receive: Receive;
};

/** The value of any resource that handlers can be for. */
export type HandledValue = HandledValues[HandledResource];

/** An inbox's reader of a resource. */
interface ResourceReader {
  /** The part of its event types before the last dot. */
  readonly events: string;
  readonly states: StateMachine<string>;
  /** The id that an event names, for `read`; nothing where the event does not say. */
  subjectId(subject: ServiceEventSubject): string | undefined;
  idOf(value: HandledValue): string;
  /** Resolves to nothing, or throws `NOT_FOUND`, where there is no such thing. */
  read(connection: Connection, id: string, options: CallOptions): Promise<HandledValue | undefined>;
  /** Reads many at once by a list, where there is one. */
  readonly list?: ListRules<HandledValue> | undefined;
}

function readersIn(resources: readonly unknown[]): Record<HandledResource, ResourceReader> {
  const readers = (resources as readonly Resource<HandledValue>[]).flatMap((resource) => {
    const { name, events, states, read, idOf, watch: { list } = {} } = resource;
    const isHandled = events && states && read && Object.keys(states.transitions).length > 0;
    return isHandled ? [[name, { events, states, read, idOf, list, subjectId: entityIdOf }]] : [];
  });
  return { ...(Object.fromEntries(readers) as Record<Stateful, ResourceReader>), receive };
}

function entityIdOf({ entityId }: ServiceEventSubject): string | undefined {
  return entityId || undefined;
}

/**
 * A receive is named by its request's events and read through its request:
 * `<receiveRequestId>/<receiveId>`.
 */
const receive: ResourceReader = {
  events: 'receive-request',
  states: receiveStates,
  subjectId: ({ entityId, receiveId }) =>
    entityId && receiveId ? `${entityId}/${receiveId}` : undefined,
  idOf(value) {
    const { receiveRequestId, receiveId } = value as Receive;
    return `${receiveRequestId}/${receiveId}`;
  },
  async read(connection, id, options) {
    const slash = id.lastIndexOf('/');
    const filter = { receiveId: id.slice(slash + 1) };
    const found = listReceives(connection, id.slice(0, slash), filter, options);
    return (await found.toArray({ limit: 1 }))[0];
  },
};

export const RESOURCES: Readonly<Record<HandledResource, ResourceReader>> =
  /* @__PURE__ */ readersIn(Object.values(registry).map(({ resource }) => resource));

/**
 * The resource that an event is about, where an inbox reads it; also for an event type that is not
 * known here.
 */
export function resourceOf(eventType: string): HandledResource | undefined {
  const prefix = eventPrefixOf(eventType);
  const names = Object.keys(RESOURCES) as readonly HandledResource[];
  return names.find((name) => RESOURCES[name].events === prefix);
}

/** The handler's name for a state, such as `invoicePaid` or `payoutOriginatorPendingReview`. */
export function handlerName(resource: HandledResource, state: string): string {
  const words = state.toLowerCase().split('_');
  return resource + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}

/** The names of all handlers for known states of a resource. */
export function handlerNames(resource: HandledResource): readonly string[] {
  return Object.keys(RESOURCES[resource].states.transitions).map((state) =>
    handlerName(resource, state),
  );
}

/** The names of all handlers for known states. */
export function allHandlerNames(): readonly string[] {
  return (Object.keys(RESOURCES) as readonly HandledResource[]).flatMap(handlerNames);
}

/** The event types that announce what these handlers are for. */
export function eventTypesFor(on: object, events: object = {}): readonly EventType[] {
  return (Object.keys(eventTypes) as readonly EventType[]).filter((type) => {
    const resource = resourceOf(type);
    const names = resource ? handlerNames(resource) : [];
    return Object.hasOwn(events, type) || names.some((name) => Object.hasOwn(on, name));
  });
}
