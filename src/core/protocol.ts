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

/**
 * A room's message: everything that it holds, so that one message stands for all before it. Times
 * are milliseconds since 1970 by the clock of `sentAt`: a page turns them into its own by it, so
 * that the clocks of two machines are never compared.
 */
export interface RoomMessage<Value, Quote> extends RoomPosition {
  /** When it was sent; absent: the value is no more than a hint that something may have changed. */
  readonly sentAt?: number | undefined;
  /** When the relay read the value from the service. */
  readonly asOf?: number | undefined;
  /** Until then at least the value was true: the relay watches it, and knew nothing newer. */
  readonly confirmedAt?: number | undefined;
  /** Absent while nothing was read yet. */
  readonly value?: Value | undefined;
  /** A state that the relay has read since, and does not believe yet. */
  readonly unconfirmed?: string | undefined;
  readonly quote?: Quote | undefined;
  /** Left of the quote at sending; count from there. */
  readonly secondsLeft?: number | undefined;
  /** Messages before it can no longer be repeated: they are too old, or of another epoch. */
  readonly snapshot?: true | undefined;
}

/**
 * A page's message: the last position that it has seen (`null`: none), which is answered with what
 * it has missed, or else with the newest message; or a new token.
 */
export interface PageMessage {
  readonly resume?: RoomPosition | null | undefined;
  readonly token?: string | undefined;
}

/**
 * The response to `PING`: the room's position, so that a page notices a message that it has missed,
 * and until when its value was true at least.
 */
export function pongOf(position: RoomPosition | null, confirmedAt?: number): string {
  return `${PONG}${position?.epoch}:${position?.seq}:${confirmedAt ?? ''}`;
}

/**
 * By this header a sandbox that is served says which of its worlds answers: another one after each
 * start that keeps nothing. The real service has no such header, and nothing depends on it there.
 */
export const SANDBOX_WORLD_HEADER = 'paystate-world';
