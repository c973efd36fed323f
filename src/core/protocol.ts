// Messages between a page and the relay's room for its invoice, sent over a WebSocket. The room is
// implemented in `relay`, and the page's side in `state/sources/relay.ts`.

/**
 * The WebSocket subprotocol (RFC 6455 1.9). The page offers this name and its token, and the relay
 * accepts only this name.
 */
export const SUBPROTOCOL = 'paystate.v1';
/** Close code for a token that has expired or belongs to a different invoice (RFC 6455 7.4.2). */
export const TOKEN_REJECTED = 4401;
/**
 * A page sends `PING` to check that its socket is still open. The platform responds with the text
 * from `formatPong` without waking the Durable Object.
 */
export const PING = 'ping';
export const PONG = 'pong:';

export interface RoomPosition {
  /**
   * Changes when the room is recreated. Sequence numbers from different epochs can't be compared.
   */
  readonly epoch: string;
  readonly seq: number;
}

/**
 * A message from the room to a page. It contains the complete state, so it replaces all earlier
 * messages. Times are in milliseconds since 1970 by the relay's clock. The page uses `sentAt` to
 * convert them to its own clock, because the two clocks may differ.
 */
export interface RoomMessage<Value, Quote> extends RoomPosition {
  /**
   * When the message was sent. If absent, the value is only a hint that something may have changed.
   */
  readonly sentAt?: number | undefined;
  /** When the relay read the value from the service. */
  readonly asOf?: number | undefined;
  /** Latest time when the relay was polling the value and hadn't seen a newer one. */
  readonly confirmedAt?: number | undefined;
  /** Absent until the relay has read the value for the first time. */
  readonly value?: Value | undefined;
  /**
   * A newer state that the relay has read but hasn't accepted yet, because it contradicts the known
   * state.
   */
  readonly unconfirmed?: string | undefined;
  readonly quote?: Quote | undefined;
  /** Seconds until the quote expires, as of when the message was sent. */
  readonly secondsLeft?: number | undefined;
  /**
   * Set if the room couldn't replay the missed messages, because they're too old or from another
   * epoch.
   */
  readonly snapshot?: true | undefined;
}

/**
 * A message from a page to the room. `resume` is the position of the last message that the page
 * received, or `null`. The room responds with the missed messages or, if it can't replay them, with
 * the latest message. `token` replaces an expired token.
 */
export interface PageMessage {
  readonly resume?: RoomPosition | null | undefined;
  readonly token?: string | undefined;
}

/**
 * Formats the response to `PING`. It contains the room's position, which lets the page detect
 * missed messages, and the latest time when the room's value was confirmed.
 */
export function formatPong(position: RoomPosition | null, confirmedAt?: number): string {
  return `${PONG}${position?.epoch}:${position?.seq}:${confirmedAt ?? ''}`;
}

/**
 * Response header with the id of a sandbox server's data set. The id changes each time the server
 * starts without stored data. The real service doesn't send this header.
 */
export const SANDBOX_WORLD_HEADER = 'paystate-world';
