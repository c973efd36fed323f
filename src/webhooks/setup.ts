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
 * One run of a handler. It runs at least once; its effects elsewhere must be safe to repeat under
 * the same key.
 */
export interface HandlerContext<Tx> {
  /** The same for every run, such as `invoice:<id>:PAID`: pass it on as idempotency key. */
  readonly key: string;
  /** 1, 2, 3 …; a run that ended with its process is counted. */
  readonly attempt: number;
  /**
   * Writes with the inbox when the handler has returned, as one with the record that it has:
   * exactly once. `write` must be synchronous.
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
  /** The resource as read after the event was received, where the inbox reads it. */
  readonly value?: HandledValue | undefined;
}

/**
 * Events and states that no handler is for: an event of another type, or a state that is new to
 * this version.
 */
export type UnhandledEvent =
  | {
      /** As the service sent it. */
      readonly event: ServiceEvent;
    }
  | {
      /** Absent where it is a state that no handler is for. */
      readonly event?: undefined;
      /** The resource that has come to the state. */
      readonly resource: HandledResource;
      /** The state, which may be new to this version. */
      readonly state: string;
      /** The resource as read in this state. */
      readonly value: HandledValue;
    };

/**
 * Is called with what was read and with the context of its run. It has succeeded when it returns,
 * or when the promise that it returns resolves; what it throws makes it run again later.
 */
export type Handler<T, E> = (subject: T, context: E) => unknown;

type Words<State extends string> = State extends `${infer First}_${infer Rest}`
  ? `${Capitalize<Lowercase<First>>}${Words<Rest>}`
  : Capitalize<Lowercase<State>>;

/** The known texts of an open text. */
type Known<Text extends string> = Text extends unknown
  ? string extends Text
    ? never
    : Text
  : never;

type HandlerName<R extends HandledResource> = `${R}${Words<Known<HandledValues[R]['state']>>}`;

/**
 * By state: once for each resource and state, however many events announce it, also where the state
 * comes back.
 */
export type StateHandlers<Tx> = {
  readonly [R in HandledResource as HandlerName<R>]?: Handler<HandledValues[R], HandlerContext<Tx>>;
};

/** By event: once for each event; several events may show the same state. */
export type EventHandlers<Tx> = {
  readonly [T in Open<EventType>]?: Handler<ServiceEvent, EventHandlerContext<Tx>>;
};

/** Handlers by state, and by event type in `event`. */
export type Handlers<Tx> = StateHandlers<Tx> & {
  /** By event type, such as `'invoice.updated'`: once for each event. */
  readonly event?: EventHandlers<Tx> | undefined;
};

/**
 * Why a paid invoice is no order's: no order has its `correlationId`, the order has another
 * invoice, another account made it or is credited, or amount or currency differ.
 */
export type NotOurs = 'no-order' | 'other-invoice' | 'receiver' | 'amount';

/** A problem that no caller waits for. Times are milliseconds since 1970. */
export type InboxProblem =
  | {
      /** A handler threw, or did not end in time; it is run again unless it is given up. */
      readonly kind: 'handler-failed';
      /** Key of the run, such as `invoice:<id>:PAID`. */
      readonly key: string;
      /** Number of the run that failed, from 1. */
      readonly attempt: number;
      /** The handler's error, as it is: it may hold secrets of yours. */
      readonly error: unknown;
    }
  | {
      /**
       * A handler runs longer than `handlerTimeout`. Other work has its place; it isn't run again
       * before `leaseDuration` is over, and counts if it ends by then.
       */
      readonly kind: 'handler-slow';
      /** Key of the run, such as `invoice:<id>:PAID`. */
      readonly key: string;
      /** Number of the run, from 1. */
      readonly attempt: number;
    }
  | {
      /** A handler was given up; `redeliver(key)` runs it again. */
      readonly kind: 'dead-letter';
      /** Key of the dead letter, for `redeliver`. */
      readonly key: string;
      /** Number of runs of the handler. */
      readonly attempts: number;
    }
  | {
      /** A paid invoice is not the one that was made for an order: it was kept from `orderPaid`. */
      readonly kind: 'not-ours';
      /** The invoice that was paid. */
      readonly invoiceId: string;
      /** The member that does not agree. */
      readonly reason: NotOurs;
    }
  | {
      /** Events of a time could not all be read: some may never be handled. */
      readonly kind: 'gap';
      /** From when to when, and why. */
      readonly gap: Gap;
    }
  | {
      /** The feed was not read to its end for an hour. */
      readonly kind: 'feed-late';
      /** When it was last read to its end, or since when that is tried. */
      readonly since: number;
    }
  | {
      /** An event waits for 25 days: after 30 the service forgets it. */
      readonly kind: 'backlog-late';
      /** When the oldest event that waits was made. */
      readonly since: number;
    }
  | {
      /** The store failed after the response; what is in it is processed later. */
      readonly kind: 'store-failed';
      /** The store's error. */
      readonly error: unknown;
    }
  | {
      /**
       * No delivery can be read as your server is set up, such as behind a body parser. Reported
       * once for each error; every delivery is answered with 500 until you mend it.
       */
      readonly kind: 'setup-failed';
      /** What is wrong and what to do, such as a `WebhookError` `BODY_ALREADY_READ`. */
      readonly error: unknown;
    };

/** Other ways to read resources. Each must ask after it is called and never answer from memory. */
export type ResourceReads = {
  readonly [R in HandledResource]?: (id: string) => Promise<HandledValues[R]>;
};

/** The parts of an inbox, checked and complete. */
export interface Setup<Tx> {
  readonly client: Connection;
  readonly store: InboxStore<Tx>;
  readonly on: Handlers<Tx>;
  readonly otherwise: Handler<UnhandledEvent, HandlerContext<Tx>> | undefined;
  /** Resolves to nothing, or throws `NOT_FOUND`, where there is no such thing. */
  readonly read: (resource: HandledResource, id: string) => Promise<HandledValue | undefined>;
  /** True if a handler needs this resource. */
  readonly isRead: (resource: HandledResource) => boolean;
  /** Never throws. */
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
 * Names the subject of an event: one subject's events are processed in order. An id that a database
 * may refuse as text names nothing, or the events that are written with it would fail as well.
 */
export function nameSubject({ id, eventType, data }: ServiceEvent): string {
  const resource = findResource(eventType);
  const entity = resource && RESOURCES[resource].subjectId(data);
  const isText = entity !== undefined && !/[\p{Cc}\p{Cs}]/u.test(entity);
  return isText ? `${resource}:${entity}` : `event:${id}`;
}

/** The resource and id behind a subject; `undefined` for a single event. */
export function splitSubject(
  subject: string,
): { readonly resource: HandledResource; readonly id: string } | undefined {
  const [name = ''] = subject.split(':', 1);
  return Object.hasOwn(RESOURCES, name)
    ? { resource: name as HandledResource, id: subject.slice(name.length + 1) }
    : undefined;
}
