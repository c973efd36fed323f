export { isBrowser } from './browser.ts';
export { bytesOfHex, hexOf, hmacOf, isHmacOf } from './hmac.ts';
export type { DurableStorage, ObjectState, ObjectStub, SqlStorage, SqlValue } from './platform.ts';
export { systemBytes, systemRandom, systemUuid } from './randomness.ts';
export { type Dial, dialOf, type Socket, type SocketClass } from './socket.ts';
