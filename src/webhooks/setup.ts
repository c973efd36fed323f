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
 * One run of a handler. A handler runs at least once, so its effects elsewhere must be safe to
 * repeat under the same key.
 */
export interface HandlerContext<Tx> {
  /** The same for every run, such as `invoice:<id>:PAID`. Pass it on as an idempotency key. */
  readonly key: string;
  /** Number of this run, starting at 1. Runs that died with their process count. */
  readonly attempt: number;
  /**
   * Writes in the same transaction that ends this run, after the handler has returned. So it's
   * written exactly once. `write` must be synchronous.
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

/** A run for a single event. */
export interface EventHandlerContext<Tx> extends HandlerContext<Tx> {
  /** The resource, read after the event arrived, if the inbox reads it. */
  readonly value?: HandledValue | undefined;
}

/** An event or a state without a handler. It may be newer than this version of the SDK. */
export type UnhandledEvent =
  | {
      /** The event, as sent by the service. */
      readonly event: ServiceEvent;
    }
  | {
      /** Absent for a state. */
      readonly event?: undefined;
      /** Type of the resource in this state. */
      readonly resource: HandledResource;
      /** The state, which may be newer than this version of the SDK. */
      readonly state: string;
      /** The resource, read in this state. */
      readonly value: HandledValue;
    };

/**
 * Handles a value. It succeeds when it returns, or when its promise resolves. If it throws or
 * rejects, it runs again later.
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
 * Handlers by state. Each runs once per resource and state, however many events announce it, and
 * even if the state comes back.
 */
export type StateHandlers<Tx> = {
  readonly [R in HandledResource as HandlerName<R>]?: Handler<HandledValues[R], HandlerContext<Tx>>;
};

/** Handlers by event. Each runs once per event. Several events may show the same state. */
export type EventHandlers<Tx> = {
  readonly [T in Open<EventType>]?: Handler<ServiceEvent, EventHandlerContext<Tx>>;
};

/** Handlers by state, and by event type under `event`. */
export type Handlers<Tx> = StateHandlers<Tx> & {
  /** Handlers by event type, such as `'invoice.updated'`. Each is called once per event. */
  readonly event?: EventHandlers<Tx> | undefined;
};

/**
 * Why a paid invoice belongs to no order. Either no order has its `correlationId`, or the order has
 * a different invoice, a different account issued or receives it, or the amount or currency
 * differs.
 */
export type NotOurs = 'no-order' | 'other-invoice' | 'receiver' | 'amount';

/** A problem that no caller is waiting for. Times are milliseconds since 1970. */
export type InboxProblem =
  | {
      /** A handler threw, or didn't finish in time. It runs again unless it's given up. */
      readonly kind: 'handler-failed';
      /** Key of the run, such as `invoice:<id>:PAID`. */
      readonly key: string;
      /** Number of the failed run, starting at 1. */
      readonly attempt: number;
      /** The handler's error, unchanged. It may contain your own secrets. */
      readonly error: unknown;
    }
  | {
      /**
       * A handler has been running longer than `handlerTimeout`. Other work now has its slot. It
       * doesn't run again before `leaseDuration` is over, and counts if it finishes by then.
       */
      readonly kind: 'handler-slow';
      /** Key of the run, such as `invoice:<id>:PAID`. */
      readonly key: string;
      /** Number of the run, starting at 1. */
      readonly attempt: number;
    }
  | {
      /** A handler was given up. Use `redeliver(key)` to run it again. */
      readonly kind: 'dead-letter';
      /** Key of the dead letter. Pass it to `redeliver`. */
      readonly key: string;
      /** How many times the handler ran. */
      readonly attempts: number;
    }
  | {
      /** A paid invoice isn't the one created for its order, so `orderPaid` didn't run. */
      readonly kind: 'not-ours';
      /** The invoice that was paid. */
      readonly invoiceId: string;
      /** The first difference. */
      readonly reason: NotOurs;
    }
  | {
      /** Some events in a period couldn't be read, and may never be handled. */
      readonly kind: 'gap';
      /** Start, end and reason. */
      readonly gap: Gap;
    }
  | {
      /** The feed hasn't been read to its end for an hour. */
      readonly kind: 'feed-late';
      /** When it was last read to its end, or first tried. */
      readonly since: number;
    }
  | {
      /** An event has been waiting for 25 days. The service deletes it after 30. */
      readonly kind: 'backlog-late';
      /** When the oldest waiting event was created. */
      readonly since: number;
    }
  | {
      /** The store failed after the response. Stored events are processed later. */
      readonly kind: 'store-failed';
      /** The store's error. */
      readonly error: unknown;
    }
  | {
      /**
       * Your server's setup makes deliveries unreadable, for example through a body parser.
       * Reported once per error. Every delivery gets a 500 response until you fix it.
       */
      readonly kind: 'setup-failed';
      /** The cause and how to fix it, such as a `WebhookError` `BODY_ALREADY_READ`. */
      readonly error: unknown;
    };

/**
 * Custom ways to read resources. Each must send a request when it's called, and never return cached
 * values.
 */
export type ResourceReads = {
  readonly [R in HandledResource]?: (id: string) => Promise<HandledValues[R]>;
};

export interface Setup<Tx> {
  readonly client: Connection;
  readonly store: InboxStore<Tx>;
  readonly on: Handlers<Tx>;
  readonly otherwise: Handler<UnhandledEvent, HandlerContext<Tx>> | undefined;
  /** Resolves to `undefined` or throws `NOT_FOUND` if it doesn't exist. */
  readonly read: (resource: HandledResource, id: string) => Promise<HandledValue | undefined>;
  /** Returns whether a handler needs this resource. */
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
 * Names the subject of an event. Events with the same subject are processed in order. An id that a
 * database might reject gets no subject, because it would make the other events in the same write
 * fail.
 */
export function nameSubject({ id, eventType, data }: ServiceEvent): string {
  const resource = findResource(eventType);
  const entity = resource && RESOURCES[resource].subjectId(data);
  const isText = entity !== undefined && !/[\p{Cc}\p{Cs}]/u.test(entity);
  return isText ? `${resource}:${entity}` : `event:${id}`;
}

/** Returns the resource and id of a subject, or `undefined` for a single event. */
export function splitSubject(
  subject: string,
): { readonly resource: HandledResource; readonly id: string } | undefined {
  const [name = ''] = subject.split(':', 1);
  return Object.hasOwn(RESOURCES, name)
    ? { resource: name as HandledResource, id: subject.slice(name.length + 1) }
    : undefined;
}
