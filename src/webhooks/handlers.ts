import type { Open } from '../core/errors/index.ts';
import type { ServiceEvent } from '../resources/events/model.ts';
import type { EventType } from '../resources/events/types.ts';
import type { HandledResource, ResourceValues, ResourceValue } from './resources.ts';

/** One run of a handler. It runs at least once; whatever it does elsewhere must be safe to do again under the same key. */
export interface HandlerContext<Tx> {
  /** The same for every run, such as `invoice:<id>:PAID`: pass it on as idempotency key. */
  readonly key: string;
  /** 1, 2, 3 …; also counted when the process died in the run before. */
  readonly attempt: number;
  /**
   * Writes beside the inbox when the handler has returned, as one with the mark that it has: exactly once.
   * `write` must be synchronous.
   *
   * @example
   * createInbox({
   *   client, secrets, store: durableObjectInbox(ctx.storage),
   *   on: { invoicePaid: ({ invoiceId }, { key, tx }) => tx((sql) => sql.exec('INSERT INTO paid VALUES (?, ?)', invoiceId, key)) },
   * });
   */
  readonly tx: (write: (tx: Tx) => void) => void;
}

/** A run for a single event. */
export interface EventHandlerContext<Tx> extends HandlerContext<Tx> {
  /** The entity as read after the event had arrived, where its noun is read. */
  readonly value?: ResourceValue | undefined;
}

/** What nobody had foreseen: an event of a type without a handler, or a state that is new to this version. */
export type UnhandledEvent =
  | { readonly event: ServiceEvent }
  | {
      readonly event?: undefined;
      readonly noun: HandledResource;
      readonly state: string;
      readonly value: ResourceValue;
    };

export type Handler<T, E> = (subject: T, effect: E) => unknown;

type StateName<N extends HandledResource> =
  `${N}${Capitalize<Lowercase<ResourceValues[N]['state']>>}`;

/** By state: once for each resource and state, however many events announce it. */
export type StateHandlers<Tx> = {
  readonly [N in HandledResource as StateName<N>]?: Handler<
    ResourceValues[N]['value'],
    HandlerContext<Tx>
  >;
};

/** By event: once for each event, which may show the same state several times. */
export type EventHandlers<Tx> = {
  readonly [T in Open<EventType>]?: Handler<ServiceEvent, EventHandlerContext<Tx>>;
};

/** What to do when something is so. */
export type Handlers<Tx> = StateHandlers<Tx> & { readonly event?: EventHandlers<Tx> | undefined };
