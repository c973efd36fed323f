interface Scope {
  readonly document?: unknown;
  readonly importScripts?: unknown;
  readonly navigator?: { readonly product?: string };
}

/**
 * Whether strangers run this code and can read all of it: a page, a worker of a page (those of
 * servers import no scripts), or an app of React Native.
 */
export function isBrowser(): boolean {
  const { document, importScripts, navigator } = globalThis as Scope;
  return !!document || !!importScripts || navigator?.product === 'ReactNative';
}

/** A number from 0 up to 1, from the machine. Wrapped, so that nothing is held at import. */
export function systemRandom(): number {
  return Math.random();
}

/** Random bytes of cryptographic quality. */
export function systemBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/**
 * A random version 4 UUID; browsers offer it in secure contexts only, so it is built from bytes.
 */
export function systemUuid(): string {
  const bytes = systemBytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// HMAC-SHA-256 over bytes, by the platform. Comparing is the platform's too: it takes the same time
// for every wrong tag.

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

type Bytes = Uint8Array<ArrayBuffer>;

function importKey(key: Bytes, usage: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, ALGORITHM, false, [usage]);
}

/** The 32 bytes of the tag. The platform refuses an empty key. */
export async function hmacOf(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(
    await crypto.subtle.sign('HMAC', await importKey(copyBytes(key), 'sign'), copyBytes(message)),
  );
}

/** Whether the tag is that of the message; a tag of another length is wrong and nothing worse. */
export async function isHmacOf(
  key: Uint8Array,
  message: Uint8Array,
  tag: Uint8Array,
): Promise<boolean> {
  return crypto.subtle.verify(
    'HMAC',
    await importKey(copyBytes(key), 'verify'),
    copyBytes(tag),
    copyBytes(message),
  );
}

/**
 * A copy: the platform takes no shared memory, and the bytes must not change while they are read.
 */
function copyBytes(bytes: Uint8Array): Bytes {
  return new Uint8Array(bytes);
}

/** Lower-case hex digits. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of hex digits in either case; `undefined` where the text is something else. */
export function bytesOfHex(text: string): Uint8Array | undefined {
  if (!/^([0-9a-fA-F]{2})+$/.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}

/** As much of a WebSocket as is used. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'open' | 'message' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
}

/** What opens sockets: the platform's `WebSocket`, or another of its form. */
export type SocketClass = new (url: string, protocols: string[]) => Socket;

/** The way to the relay. */
export interface Dial {
  /** The token of now. */
  readonly token: () => Promise<string | undefined>;
  /** What opens a socket; the platform's, where none was given. */
  readonly given: SocketClass | undefined;
}

/**
 * How to reach the relay at `base`: where the address belongs to the page, it is the shop's own;
 * elsewhere only if a `WebSocket` is given: the service does not speak this protocol.
 */
export function dialOf(
  base: () => string,
  page: string | undefined,
  given: SocketClass | undefined,
  token: () => Promise<string | undefined>,
): Dial | undefined {
  const isOwn = page !== undefined && new URL(base()).origin === new URL(page).origin;
  return given || isOwn ? { token, given } : undefined;
}

// What is used of the platform's objects, by shape alone: nothing is imported from it, and a test
// can stand in for it.

/** A value that SQLite keeps. */
export type SqlValue = string | number | null | ArrayBuffer;

/** The SQLite database of a Durable Object; every call happens before it returns. */
export interface SqlStorage {
  exec<Row extends Record<string, SqlValue>>(
    query: string,
    ...bindings: unknown[]
  ): Iterable<Row> & { toArray(): Row[] };
}

/** The storage of a Durable Object with SQLite. */
export interface DurableStorage {
  readonly sql: SqlStorage;
  /** Runs `work` as one transaction: when it throws, nothing of it has happened. */
  transactionSync<T>(work: () => T): T;
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
  /**
   * Resolves when all that was written is where it outlives this process; rejects where the object
   * lives elsewhere by now. Absent where the platform holds back what goes out by itself.
   */
  flush?(): Promise<void>;
}

/** The way to one object. */
export interface ObjectStub {
  /** Sends a request to the object; rejects where it cannot be reached. */
  fetch(input: string | Request, init?: RequestInit): Promise<Response>;
}

/** As much of a Durable Object's state as is used. */
export interface ObjectState {
  /** Where the object keeps what outlives it. */
  readonly storage: DurableStorage;
}
