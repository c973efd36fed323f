// What a page and the room of its invoice say to each other over a WebSocket. Both sides read it
// here: `relay` is the room's side, `state/sources/relay.ts` the page's.

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
 * A page sends it to see that its socket is alive. The platform responds with `pongOf`, without
 * waking the room.
 */
export const PING = 'ping';
export const PONG = 'pong:';

/** A place in a room's messages. */
export interface RoomPosition {
  /** Changes when the room was made anew; numbers of another epoch mean nothing. */
  readonly epoch: string;
  /** Rises by one with each message. */
  readonly seq: number;
}

/** A room's message: everything that it holds, so that one message stands for all before it. */
export interface RoomMessage<Value, Quote> extends RoomPosition {
  /** When the value was read from the service, milliseconds since 1970. */
  readonly asOf?: number | undefined;
  /** Absent while nothing was read yet. */
  readonly value?: Value | undefined;
  readonly quote?: Quote | undefined;
  /** Left of the quote at sending; count from there. */
  readonly secondsLeft?: number | undefined;
  /** Messages before it can no longer be repeated: they are too old, or of another epoch. */
  readonly snapshot?: true | undefined;
}

/** A page's message: the last position that it has seen (`null`: none), or a new token. */
export interface PageMessage {
  readonly resume?: RoomPosition | null | undefined;
  readonly token?: string | undefined;
}

/**
 * The response to `PING`: the room's position, so that a page notices a message that it has missed.
 */
export function pongOf(position: RoomPosition | null): string {
  return `${PONG}${position?.epoch}:${position?.seq}`;
}
