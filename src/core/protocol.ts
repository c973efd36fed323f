// This file defines the messages that a page and the room of its invoice exchange over a WebSocket.
// `relay` is the room's side, `state/sources/relay.ts` the page's.

/**
 * The sub-protocol of the socket (RFC 6455 1.9). The page offers it before its token; only this
 * word is returned.
 */
export const SUBPROTOCOL = 'paystate.v1';
/**
 * The code with which a room closes a socket whose token has expired or is for another invoice (RFC
 * 6455 7.4.2).
 */
export const TOKEN_REJECTED = 4401;
/**
 * A page sends `PING` to find out whether its socket is alive. The platform responds with `pongOf`
 * without waking the room.
 */
export const PING = 'ping';
export const PONG = 'pong:';

/** A place in a room's messages. */
export interface RoomPosition {
  /** Changes when the room is created again; numbers of different epochs cannot be compared. */
  readonly epoch: string;
  /** Rises by one with each message. */
  readonly seq: number;
}

/**
 * A room's message holds everything that the room knows, so that it replaces all earlier ones.
 * Times are milliseconds since 1970 by the clock of `sentAt`. A page converts them to its own
 * clock, so that the clocks of two machines are never compared.
 */
export interface RoomMessage<Value, Quote> extends RoomPosition {
  /** When it was sent. When absent, the value is only a hint that something may have changed. */
  readonly sentAt?: number | undefined;
  /** When the relay read the value from the service. */
  readonly asOf?: number | undefined;
  /** The latest time at which the relay watched the value and knew no newer one. */
  readonly confirmedAt?: number | undefined;
  /** Absent until the relay has read the value once. */
  readonly value?: Value | undefined;
  /** A state that the relay has read since and has not confirmed yet. */
  readonly unconfirmed?: string | undefined;
  readonly quote?: Quote | undefined;
  /** Seconds that the quote had left when the message was sent. */
  readonly secondsLeft?: number | undefined;
  /** Messages before it can no longer be repeated: they are too old, or of another epoch. */
  readonly snapshot?: true | undefined;
}

/**
 * A page's message. `resume` is the last position that the page has seen (`null` for none): the
 * room responds with what the page has missed, or with the newest message. `token` replaces an
 * expired token.
 */
export interface PageMessage {
  readonly resume?: RoomPosition | null | undefined;
  readonly token?: string | undefined;
}

/**
 * Writes the response to `PING`: the room's position, by which a page notices a missed message, and
 * the latest time at which its value was true.
 */
export function formatPong(position: RoomPosition | null, confirmedAt?: number): string {
  return `${PONG}${position?.epoch}:${position?.seq}:${confirmedAt ?? ''}`;
}

/**
 * A served sandbox names its world in this header; it has another one after each start without
 * stored data. The real service has no such header and needs none.
 */
export const SANDBOX_WORLD_HEADER = 'paystate-world';
