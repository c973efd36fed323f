import type { Connection } from '../core/http/index.ts';
import type { ServiceEvent } from '../resources/events/model.ts';
import type { Gap } from '../resources/events/cursor.ts';
import type { InboxStore } from '../stores/inbox-store.ts';
import type { HandlerContext, Handler, Handlers, UnhandledEvent } from './handlers.ts';
import { type HandledResource, type ResourceValues, resourceOf } from './resources.ts';

/**
 * Why a paid invoice is no order's: no order has its `correlationId`, the order has another invoice, somebody else made it or
 * is credited, or amount or currency differ.
 */
export type NotOurs = 'no-order' | 'other-invoice' | 'receiver' | 'amount';

/** What went wrong where nobody waits for an answer. Times are milliseconds since 1970. */
export type InboxProblem =
  /** A handler threw; it is run again. */
  | { readonly kind: 'failed'; readonly key: string; readonly run: number; readonly error: unknown }
  /** A handler was given up; `replay(key)` runs it again. */
  | { readonly kind: 'parked'; readonly key: string; readonly runs: number }
  /** A paid invoice is not the one that was made for an order: it was kept from `orderPaid`. */
  | { readonly kind: 'not-ours'; readonly invoiceId: string; readonly why: NotOurs }
  /** Events of this time could not all be read. */
  | { readonly kind: 'gap'; readonly gap: Gap }
  /** The feed was not read to its end for an hour. */
  | { readonly kind: 'recorded-late'; readonly since: number }
  /** Something waits for 25 days: after 30 the service forgets it. */
  | { readonly kind: 'handled-late'; readonly since: number }
  /** The store failed after the answer; what is in it is worked on later. */
  | { readonly kind: 'broken'; readonly error: unknown };

/** What an inbox works with, checked and complete. */
export interface Setup<Tx> {
  readonly client: Connection;
  readonly store: InboxStore<Tx>;
  readonly on: Handlers<Tx>;
  readonly otherwise: Handler<UnhandledEvent, HandlerContext<Tx>> | undefined;
  readonly read: <N extends HandledResource>(
    noun: N,
    id: string,
  ) => Promise<ResourceValues[N]['value']>;
  /** Reads this noun for somebody. */
  readonly isRead: (noun: HandledResource) => boolean;
  /** Never throws. */
  readonly report: (trouble: InboxProblem) => void;
  readonly leaseDuration: number;
}

/** What an event is about: work on one subject is done in order. */
export function subjectOf({ id, eventType, data }: ServiceEvent): string {
  const noun = resourceOf(eventType);
  return noun && data.entityId !== '' ? `${noun}:${data.entityId}` : `event:${id}`;
}

/** The noun and id behind a subject; `undefined` for a single event. */
export function entityOf(
  subject: string,
): { readonly noun: HandledResource; readonly id: string } | undefined {
  const [name = ''] = subject.split(':', 1);
  const noun = resourceOf(`${name}.`);
  return noun && { noun, id: subject.slice(name.length + 1) };
}
