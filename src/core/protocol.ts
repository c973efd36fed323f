// Defines the messages between a page and its invoice's room over a WebSocket. The room's side is
// in `relay`, the page's in `state/sources/relay.ts`.

/**
 * The WebSocket subprotocol (RFC 6455 1.9). The page offers it before its token, and only this name
 * is returned.
 */
export const SUBPROTOCOL = 'paystate.v1';
/** Close code for a token that has expired or is for another invoice (RFC 6455 7.4.2). */
export const TOKEN_REJECTED = 4401;
/**
 * A page sends `PING` to check its socket. The platform responds with `formatPong` without waking
 * the room.
 */
export const PING = 'ping';
export const PONG = 'pong:';

export interface RoomPosition {
  /** Changes when the room is recreated. Numbers from different epochs can't be compared. */
  readonly epoch: string;
  readonly seq: number;
}

/**
 * A message from the room. It contains the whole state, so it replaces all earlier ones. Times are
 * milliseconds since 1970 by the clock of `sentAt`. A page converts them to its own clock, so the
 * clocks of two machines are never compared.
 */
export interface RoomMessage<Value, Quote> extends RoomPosition {
  /** When it was sent. If absent, the value is only a hint that something may have changed. */
  readonly sentAt?: number | undefined;
  /** When the relay read the value from the service. */
  readonly asOf?: number | undefined;
  /** The latest time at which the relay was watching the value and had no newer one. */
  readonly confirmedAt?: number | undefined;
  /** Absent until the relay has read the value for the first time. */
  readonly value?: Value | undefined;
  /** A newer state that the relay has read but not confirmed yet. */
  readonly unconfirmed?: string | undefined;
  readonly quote?: Quote | undefined;
  /** Seconds left on the quote when the message was sent. */
  readonly secondsLeft?: number | undefined;
  /** Earlier messages can no longer be replayed, because they're too old or from another epoch. */
  readonly snapshot?: true | undefined;
}

/**
 * A message from a page. `resume` is the last position the page has seen, or `null`. The room
 * responds with the missed messages, or the newest one. `token` replaces an expired token.
 */
export interface PageMessage {
  readonly resume?: RoomPosition | null | undefined;
  readonly token?: string | undefined;
}

/**
 * Formats the response to `PING`: the room's position, which reveals missed messages, and the
 * latest time at which its value was known to be true.
 */
export function formatPong(position: RoomPosition | null, confirmedAt?: number): string {
  return `${PONG}${position?.epoch}:${position?.seq}:${confirmedAt ?? ''}`;
}

/**
 * A sandbox server sends the name of its world in this header. It changes at each start without
 * stored data. The real service has no such header.
 */
export const SANDBOX_WORLD_HEADER = 'paystate-world';
