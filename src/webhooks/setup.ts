import type { Open } from '../core/errors/index.ts';
import type { Connection } from '../core/http/index.ts';
import { isolated } from '../core/watch.ts';
import type { Gap } from '../resources/events.cursor.ts';
import type { ServiceEvent } from '../resources/events.ts';
import type { EventType } from '../resources/events.types.ts';
import type { InboxStore } from '../stores/inbox-store.ts';
import {
  type HandledResource,
  type HandledValue,
  type HandledValues,
  handlerNames,
  findResource,
  resourceReads,
  RESOURCES,
} from './reads.ts';

/**
 * One run of a handler. A handler runs at least once, so its effects on other systems must be safe
 * to repeat with the same key.
 */
export interface HandlerContext<Tx> {
  /**
   * The key of the run, such as `invoice:<id>:PAID`. It's the same for every attempt, so you can
   * use it as an idempotency key.
   */
  readonly key: string;
  /** The attempt number, starting at 1. Attempts that ended in a crash count too. */
  readonly attempt: number;
  /**
   * Writes in the transaction that completes this run, after the handler has returned. Your data is
   * therefore written exactly once. `write` must be synchronous.
   *
   * @example
   * createInbox({
   *   client,
   *   secrets,
   *   store: sqlInboxStore(driver),
   *   on: {
   *     invoicePaid: ({ invoiceId }, { key, tx }) =>
   *       tx((sql) => sql.run('INSERT INTO paid VALUES (?, ?)', invoiceId, key)),
   *   },
   * });
   */
  readonly tx: (write: (tx: Tx) => void) => void;
}

/** A run of a handler for a single event. */
export interface EventHandlerContext<Tx> extends HandlerContext<Tx> {
  /** The resource, read after the event arrived. Absent if the inbox doesn't read it. */
  readonly value?: HandledValue | undefined;
}

/** An event or a state that has no handler. It may be newer than this version of the SDK. */
export type UnhandledEvent =
  | {
      /** The event as received from the service. */
      readonly event: ServiceEvent;
    }
  | {
      /** Always absent for a state. */
      readonly event?: undefined;
      /** The type of the resource. */
      readonly resource: HandledResource;
      /** The state, which may have been introduced after this version of the SDK. */
      readonly state: string;
      /** The resource, as read in this state. */
      readonly value: HandledValue;
    };

/**
 * Handles a value. The run succeeds when the function returns or its promise resolves. If it throws
 * or rejects, it runs again later.
 */
export type Handler<T, E> = (subject: T, context: E) => unknown;

type Words<State extends string> = State extends `${infer First}_${infer Rest}`
  ? `${Capitalize<Lowercase<First>>}${Words<Rest>}`
  : Capitalize<Lowercase<State>>;

type Known<Text extends string> = Text extends unknown
  ? string extends Text
    ? never
    : Text
  : never;

type HandlerName<R extends HandledResource> = `${R}${Words<Known<HandledValues[R]['state']>>}`;

/**
 * Handlers by state. Each runs once per resource and state, even if several events report that
 * state or the state comes back.
 */
export type StateHandlers<Tx> = {
  readonly [R in HandledResource as HandlerName<R>]?: Handler<HandledValues[R], HandlerContext<Tx>>;
};

/**
 * Handlers by event type. Each runs once per event, even if several events report the same state.
 */
export type EventHandlers<Tx> = {
  readonly [T in Open<EventType>]?: Handler<ServiceEvent, EventHandlerContext<Tx>>;
};

/** Handlers by state, and by event type under `event`. */
export type Handlers<Tx> = StateHandlers<Tx> & {
  /** Handlers by event type, such as `'invoice.updated'`. Each is called once per event. */
  readonly event?: EventHandlers<Tx> | undefined;
};

/**
 * The reason a paid invoice doesn't belong to an order. Either there's no order with its
 * `correlationId`, or the order has a different invoice, issuer, receiver, amount or currency.
 */
export type NotOurs = 'no-order' | 'other-invoice' | 'receiver' | 'amount';

/** A problem that no caller is waiting for. Times are in milliseconds since 1970. */
export type InboxProblem =
  | {
      /**
       * A handler threw or didn't finish in time. It runs again, unless it became a dead letter.
       */
      readonly kind: 'handler-failed';
      /** The key of the run, such as `invoice:<id>:PAID`. */
      readonly key: string;
      /** The failed run's number, starting at 1. */
      readonly attempt: number;
      /** The handler's error, unchanged. It may contain your own secrets. */
      readonly error: unknown;
    }
  | {
      /**
       * A handler has been running longer than `handlerTimeout`. It no longer blocks other work. It
       * succeeds if it finishes within `leaseDuration`, and doesn't run again before that.
       */
      readonly kind: 'handler-slow';
      /** The key of the run, such as `invoice:<id>:PAID`. */
      readonly key: string;
      /** The run's number, starting at 1. */
      readonly attempt: number;
    }
  | {
      /** A handler has failed for good. Use `redeliver(key)` to run it again. */
      readonly kind: 'dead-letter';
      /** The key of the dead letter. Pass it to `redeliver`. */
      readonly key: string;
      /** How many times the handler ran. */
      readonly attempts: number;
    }
  | {
      /** A paid invoice isn't the one that was created for its order, so `orderPaid` didn't run. */
      readonly kind: 'not-ours';
      /** The invoice that was paid. */
      readonly invoiceId: string;
      /** The first difference found. */
      readonly reason: NotOurs;
    }
  | {
      /** Some events in a period couldn't be read, and may never be handled. */
      readonly kind: 'gap';
      /** The start and end of the period, and the reason. */
      readonly gap: Gap;
    }
  | {
      /** The feed hasn't been read to its end for an hour. */
      readonly kind: 'feed-late';
      /** When the feed was last read to its end, or when it was first tried. */
      readonly since: number;
    }
  | {
      /** An event has been waiting for 25 days. The service deletes it after 30. */
      readonly kind: 'backlog-late';
      /** When the oldest waiting event was created. */
      readonly since: number;
    }
  | {
      /** The store failed after we had responded. Stored events are processed later. */
      readonly kind: 'store-failed';
      /** The store's error. */
      readonly error: unknown;
    }
  | {
      /**
       * Your server is set up in a way that makes deliveries unreadable, for example because a body
       * parser runs first. Each error is reported once. Every delivery gets a 500 response until
       * you fix it.
       */
      readonly kind: 'setup-failed';
      /** The cause and how to fix it, such as a `WebhookError` `BODY_ALREADY_READ`. */
      readonly error: unknown;
    };

/**
 * Custom functions to read resources. Each of them must send a request on every call and must not
 * return cached values.
 */
export type ResourceReads = {
  readonly [R in HandledResource]?: (id: string) => Promise<HandledValues[R]>;
};

export interface Setup<Tx> {
  readonly client: Connection;
  readonly store: InboxStore<Tx>;
  readonly on: Handlers<Tx>;
  readonly otherwise: Handler<UnhandledEvent, HandlerContext<Tx>> | undefined;
  /** Reads a resource. Resolves to `undefined` or throws `NOT_FOUND` if it doesn't exist. */
  readonly read: (resource: HandledResource, id: string) => Promise<HandledValue | undefined>;
  /** Returns whether a resource has to be read for a handler. */
  readonly isRead: (resource: HandledResource) => boolean;
  readonly report: (problem: InboxProblem) => void;
  readonly leaseDuration: number;
  readonly handlerTimeout: number;
}

type Given<Tx> = Omit<Setup<Tx>, 'read' | 'isRead' | 'report'> & {
  readonly read: ResourceReads | undefined;
  readonly onProblem: ((problem: InboxProblem) => void) | undefined;
};

export function makeSetup<Tx>({ read = {}, onProblem, ...given }: Given<Tx>): Setup<Tx> {
  const { client, on, otherwise } = given;
  const reads = resourceReads(client);
  const byEvent = Object.keys(on.event ?? {}).map(findResource);
  return {
    ...given,
    read: (resource, id) => read[resource]?.(id) ?? reads(resource, id),
    isRead: (resource) =>
      otherwise !== undefined ||
      read[resource] !== undefined ||
      byEvent.includes(resource) ||
      handlerNames(resource).some((name) => Object.hasOwn(on, name)),
    report: (problem) => isolated(() => onProblem?.(problem)),
  };
}

/**
 * Returns the subject of an event. Events with the same subject are processed in order. If the
 * resource's id contains characters that a database might reject, the event becomes its own
 * subject. Otherwise it would prevent other events from being stored.
 */
export function nameSubject({ id, eventType, data }: ServiceEvent): string {
  const resource = findResource(eventType);
  const entity = resource && RESOURCES[resource].subjectId(data);
  const isText = entity !== undefined && !/[\p{Cc}\p{Cs}]/u.test(entity);
  return isText ? `${resource}:${entity}` : `event:${id}`;
}

/** Returns the resource and id of a subject, or `undefined` if the subject is a single event. */
export function splitSubject(
  subject: string,
): { readonly resource: HandledResource; readonly id: string } | undefined {
  const [name = ''] = subject.split(':', 1);
  return Object.hasOwn(RESOURCES, name)
    ? { resource: name as HandledResource, id: subject.slice(name.length + 1) }
    : undefined;
}
