import { type PaystateError, RateLimitError } from '../core/errors/index.ts';
import {
  type CallOptions,
  type Connection,
  internals,
  countPlaces,
  type Priority,
  send,
  withPriority,
} from '../core/http/index.ts';
import { anyOf } from '../core/lists/index.ts';
import type { Clock } from '../core/time.ts';
import type { ResourceName, ResourceValues } from '../resources/any-resource.ts';
import type { ServiceEventSubject } from '../resources/events.ts';
import { readEventPrefix, type EventType, eventTypes } from '../resources/events.types.ts';
import { listReceives, type Receive, receiveStates } from '../resources/receive-requests.ts';
import * as registry from '../resources/registry.ts';
import {
  isPlainId,
  type ListRules,
  type Resource,
  type StateMachine,
} from '../resources/resource.ts';
import {
  type LearnedCapabilities,
  getLearnedCapabilities,
  PAGE,
} from '../resources/service-facts.ts';

type Stateful = {
  readonly [Name in ResourceName]: ResourceValues[Name] extends { readonly state: string }
    ? Name
    : never;
}[ResourceName];

/**
 * The resources that can have handlers. These are the resources with states that can be watched,
 * and receives. A receive request has no state, so its receives are handled instead.
 */
export type HandledResource = Stateful | 'receive';

/** The value types of the resources that can have handlers, by resource. */
export type HandledValues = { readonly [Name in Stateful]: ResourceValues[Name] } & {
  /** A payment towards a receive request. */
  readonly receive: Receive;
};

/** The value of any resource that can have handlers. */
export type HandledValue = HandledValues[HandledResource];

interface ResourceReader {
  /** The part of the resource's event types before the last dot. */
  readonly events: string;
  readonly states: StateMachine<string>;
  /** Returns the id to read for an event, or `undefined` if the event has none. */
  subjectId(subject: ServiceEventSubject): string | undefined;
  idOf(value: HandledValue): string;
  /** Reads the resource. Resolves to `undefined` or throws `NOT_FOUND` if it doesn't exist. */
  read(connection: Connection, id: string, options: CallOptions): Promise<HandledValue | undefined>;
  /** The list endpoint that reads many resources at once, if there is one. */
  readonly list?: ListRules<HandledValue> | undefined;
}

function readersIn(resources: readonly unknown[]): Record<HandledResource, ResourceReader> {
  const readers = (resources as readonly Resource<HandledValue>[]).flatMap((resource) => {
    const { name, events, states, read, idOf, watch: { list } = {} } = resource;
    const isHandled = events && states && read && Object.keys(states.transitions).length > 0;
    return isHandled ? [[name, { events, states, read, idOf, list, subjectId: readEntityId }]] : [];
  });
  return { ...(Object.fromEntries(readers) as Record<Stateful, ResourceReader>), receive };
}

function readEntityId({ entityId }: ServiceEventSubject): string | undefined {
  return entityId || undefined;
}

/**
 * Receives are reported through their receive request's events, and read through that request.
 * Their id is `<receiveRequestId>/<receiveId>`.
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
 * Returns the resource that an event type belongs to, if an inbox can read that resource. Works for
 * unknown event types too.
 */
export function findResource(eventType: string): HandledResource | undefined {
  const prefix = readEventPrefix(eventType);
  const names = Object.keys(RESOURCES) as readonly HandledResource[];
  return names.find((name) => RESOURCES[name].events === prefix);
}

/** Returns the name of a handler, such as `invoicePaid` or `payoutOriginatorPendingReview`. */
export function handlerName(resource: HandledResource, state: string): string {
  const words = state.toLowerCase().split('_');
  return resource + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}

export function handlerNames(resource: HandledResource): readonly string[] {
  return Object.keys(RESOURCES[resource].states.transitions).map((state) =>
    handlerName(resource, state),
  );
}

export function allHandlerNames(): readonly string[] {
  return (Object.keys(RESOURCES) as readonly HandledResource[]).flatMap(handlerNames);
}

/** Returns the event types that these handlers need. */
export function eventTypesFor(on: object, events: object = {}): readonly EventType[] {
  return (Object.keys(eventTypes) as readonly EventType[]).filter((type) => {
    const resource = findResource(type);
    const names = resource ? handlerNames(resource) : [];
    return Object.hasOwn(events, type) || names.some((name) => Object.hasOwn(on, name));
  });
}

/** The fraction of a window's requests that can be sent right away after a quiet period. */
const AT_ONCE = 1 / 8;

/**
 * Spreads requests evenly over a window. After a quiet period, a few can be sent right away. No
 * window has more than `most` requests. Times are in milliseconds on the monotonic clock.
 */
class ReadPace {
  readonly #interval: number;
  /** How much earlier than its scheduled time a request can be sent. */
  readonly #early: number;
  /** When the next request would be sent if all requests were spread evenly. */
  #turn: number = -Infinity;

  constructor(most: number, window: number) {
    const atOnce = most * AT_ONCE;
    this.#interval = window / (most - atOnce);
    this.#early = atOnce * this.#interval;
  }

  /** Returns the delay until another request can be sent, in milliseconds. */
  delay(now: number): number {
    return Math.max(0, this.#turn - this.#early - now);
  }

  take(now: number): void {
    this.#turn = Math.max(now, this.#turn) + this.#interval;
  }
}

/**
 * The longest time that a read waits for the rate limit, in milliseconds. If the wait would be
 * longer, the inbox releases the lease and tries again later.
 */
export const PLACE_WAIT = 5_000;

/** Limits reads to a fraction of the rate limit. */
export interface ReadTurns {
  /**
   * Resolves when another request can be sent. Rejects with `QUEUE_TIMEOUT` if that would take too
   * long.
   */
  next(): Promise<void>;
}

class OwnTurns implements ReadTurns {
  readonly #clock: Clock;
  readonly #pace: ReadPace;

  /**
   * @param part the fraction of the rate limit for this priority
   */
  constructor(client: Connection, part: number, priority: Priority) {
    this.#clock = client[internals].clock;
    const { places, window } = countPlaces(client, 'others', priority);
    this.#pace = new ReadPace(places * part, window);
  }

  async next(): Promise<void> {
    const now = this.#clock.monotonic();
    const delay = this.#pace.delay(now);
    if (delay > PLACE_WAIT) throw noPlaceInTime(this.#clock, delay);
    this.#pace.take(now);
    await this.#clock.wait(delay);
  }
}

/**
 * Creates the error for a request that was never sent, because our own rate limit was exhausted.
 */
export function noPlaceInTime(clock: Clock, delay: number): RateLimitError {
  return new RateLimitError('this read would have timed out while waiting for the rate limit', {
    code: 'QUEUE_TIMEOUT',
    outcome: 'not-done',
    next: 'wait',
    retryAt: clock.now() + delay,
  });
}

interface ManyReads<Value> {
  one(id: string): Promise<Value>;
  many(ids: readonly string[]): Promise<ReadonlyMap<string, Value>>;
}

interface Batch<Value> {
  readonly ids: Set<string>;
  /** The maximum number of ids in the request. */
  readonly width: number;
  /** Returns the value for an id from the response. */
  readonly find: Promise<(id: string) => Value | Promise<Value>>;
}

/**
 * Combines concurrent reads into list requests. The first few requests can be sent right away.
 * Later ones are spread evenly, so each of them reads more resources.
 */
export class GatheredReads<Value> {
  readonly #reads: ManyReads<Value>;
  readonly #turns: ReadTurns;
  readonly #learned: LearnedCapabilities;
  /** The next request. It's only set until it's sent. */
  #next: Batch<Value> | undefined;

  constructor(client: Connection, reads: ManyReads<Value>, turns: ReadTurns) {
    this.#reads = reads;
    this.#turns = turns;
    this.#learned = getLearnedCapabilities(client);
  }

  /**
   * Reads one resource with a request sent after this call. Rejects with `QUEUE_TIMEOUT` if that
   * would take too long.
   */
  async read(id: string): Promise<Value> {
    if (!isPlainId(id)) return this.#reads.one(id);
    const next = this.#next;
    const isIn = next && (next.ids.size < next.width || next.ids.has(id));
    const batch = isIn ? next : this.#begin();
    batch.ids.add(id);
    return (await batch.find)(id);
  }

  #begin(): Batch<Value> {
    const ids = new Set<string>();
    const batch: Batch<Value> = {
      ids,
      width: this.#learned.capabilities.list ? this.#learned.take(Infinity) : 1,
      find: this.#turns
        .next()
        .finally(() => {
          if (this.#next === batch) this.#next = undefined;
        })
        .then(() => this.#send([...ids])),
    };
    return (this.#next = batch);
  }

  /**
   * Reads a list of ids. If the list doesn't include a resource, reads it individually, because the
   * list may lag or exclude it. If the service refuses the list, later lists are shorter.
   */
  async #send(ids: readonly string[]): Promise<Awaited<Batch<Value>['find']>> {
    if (ids.length === 1) return (id) => this.#reads.one(id);
    try {
      const found = await this.#reads.many(ids);
      this.#learned.noteAccepted(ids.length);
      return (id) => found.get(id) ?? this.#reads.one(id);
    } catch (thrown) {
      if (!this.#learned.noteRefused(thrown as PaystateError, ids.length)) throw thrown;
      return (id) => this.read(id);
    }
  }
}

export const EVENT_READS: number = 1 / 2;

type ReadResource = (resource: HandledResource, id: string) => Promise<HandledValue | undefined>;

/**
 * Creates the function that an inbox uses to read resources. Resources with a list endpoint are
 * read together.
 */
export function resourceReads(connection: Connection): ReadResource {
  const client = withPriority(connection, 'normal');
  const options = { reason: 'an event', queueTimeout: PLACE_WAIT };
  const gathered = new Map<HandledResource, GatheredReads<HandledValue | undefined>>();
  const gather = (resource: HandledResource, rules: ListRules<HandledValue>) => {
    const { read, idOf } = RESOURCES[resource];
    const reads = {
      one: (id: string) => read(client, id, options),
      many: (ids: readonly string[]) => readMany(client, rules, idOf, ids),
    };
    const made = new GatheredReads(client, reads, new OwnTurns(client, EVENT_READS, 'normal'));
    gathered.set(resource, made);
    return made;
  };
  return (resource, id) => {
    const { read, list } = RESOURCES[resource];
    if (!list) return read(client, id, options);
    return (gathered.get(resource) ?? gather(resource, list)).read(id);
  };
}

/**
 * Reads the resources of several events with a single list request. Resolves to the resources in
 * the list, by id.
 */
export async function readMany<Value>(
  client: Connection,
  { endpoint, id }: ListRules<Value>,
  idOf: (value: Value) => string,
  ids: readonly string[],
  occasion: string = 'events',
  tries: Pick<CallOptions, 'maxAttempts'> = {},
): Promise<ReadonlyMap<string, Value>> {
  const where = { filter: anyOf(id, ids), top: PAGE };
  const reason = `${occasion} of ${ids.length}, in one list`;
  const options: CallOptions = { reason, queueTimeout: PLACE_WAIT, ...tries };
  const { items } = await send(client, endpoint, { where }, options);
  return new Map(items.map((value) => [idOf(value), value]));
}
