import type { Connection } from '../core/http/index.ts';
import { isolated } from '../core/watch.ts';
import type { Gap } from '../resources/events.cursor.ts';
import type { ServiceEvent } from '../resources/events.ts';
import type { InboxStore } from '../stores/inbox-store.ts';
import type { Handler, HandlerContext, Handlers, UnhandledEvent } from './handlers.ts';
import {
  type HandledResource,
  handlerNames,
  resourceOf,
  RESOURCES,
  type HandledValue,
  type HandledValues,
} from './resources.ts';
import { resourceReads } from './resource-reads.ts';

/**
 * Why a paid invoice is no order's: no order has its `correlationId`, the order has another
 * invoice, another account made it or is credited, or amount or currency differ.
 */
export type NotOurs = 'no-order' | 'other-invoice' | 'receiver' | 'amount';

/** What went wrong where no caller waits for it. Times are milliseconds since 1970. */
export type InboxProblem =
  | {
      /** A handler threw, or did not end in time; it is run again unless it is given up. */
      readonly kind: 'handler-failed';
      /** Key of the run, such as `invoice:<id>:PAID`. */
      readonly key: string;
      /** Number of the run that failed, from 1. */
      readonly attempt: number;
      /** What the handler threw, as it is: it may hold secrets of yours. */
      readonly error: unknown;
    }
  | {
      /** A handler was given up; `redeliver(key)` runs it again. */
      readonly kind: 'dead-letter';
      /** Key of the dead letter, for `redeliver`. */
      readonly key: string;
      /** How often the handler was run. */
      readonly attempts: number;
    }
  | {
      /** A paid invoice is not the one that was made for an order: it was kept from `orderPaid`. */
      readonly kind: 'not-ours';
      /** The invoice that was paid. */
      readonly invoiceId: string;
      /** What does not agree. */
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
      /** What the store threw. */
      readonly error: unknown;
    };

/** Other ways to read resources. Each must ask after it is called and never answer from memory. */
export type ResourceReads = {
  readonly [R in HandledResource]?: (id: string) => Promise<HandledValues[R]>;
};

/** What an inbox works with, checked and complete. */
export interface Setup<Tx> {
  readonly client: Connection;
  readonly store: InboxStore<Tx>;
  readonly on: Handlers<Tx>;
  readonly otherwise: Handler<UnhandledEvent, HandlerContext<Tx>> | undefined;
  /** Resolves to nothing, or throws `NOT_FOUND`, where there is no such thing. */
  readonly read: (resource: HandledResource, id: string) => Promise<HandledValue | undefined>;
  /** Whether a handler needs this resource. */
  readonly isRead: (resource: HandledResource) => boolean;
  /** Never throws. */
  readonly report: (problem: InboxProblem) => void;
  readonly leaseDuration: number;
}

type Given<Tx> = Pick<Setup<Tx>, 'client' | 'store' | 'on' | 'otherwise' | 'leaseDuration'> & {
  readonly read: ResourceReads | undefined;
  readonly onProblem: ((problem: InboxProblem) => void) | undefined;
};

export function setupOf<Tx>({ read = {}, onProblem, ...given }: Given<Tx>): Setup<Tx> {
  const { client, on, otherwise } = given;
  const reads = resourceReads(client);
  const byEvent = Object.keys(on.event ?? {}).map(resourceOf);
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
export function subjectOf({ id, eventType, data }: ServiceEvent): string {
  const resource = resourceOf(eventType);
  const entity = resource && RESOURCES[resource].subjectId(data);
  const isText = entity !== undefined && !/[\p{Cc}\p{Cs}]/u.test(entity);
  return isText ? `${resource}:${entity}` : `event:${id}`;
}

/** The resource and id behind a subject; `undefined` for a single event. */
export function entityOf(
  subject: string,
): { readonly resource: HandledResource; readonly id: string } | undefined {
  const [name = ''] = subject.split(':', 1);
  return Object.hasOwn(RESOURCES, name)
    ? { resource: name as HandledResource, id: subject.slice(name.length + 1) }
    : undefined;
}
