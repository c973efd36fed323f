import type { Open } from '../core/errors/index.ts';
import type { ServiceEvent } from '../resources/events.ts';
import type { EventType } from '../resources/events.types.ts';
import type { HandledResource, HandledValue, HandledValues } from './resources.ts';

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
   * Writes beside the inbox when the handler has returned, as one with the record that it has:
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

/** What no handler is for: an event of another type, or a state that is new to this version. */
export type UnhandledEvent =
  | {
      /** As the service sent it. */
      readonly event: ServiceEvent;
    }
  | {
      /** Absent where it is a state that no handler is for. */
      readonly event?: undefined;
      /** What has come to the state. */
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
