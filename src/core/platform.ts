interface Scope {
  readonly document?: unknown;
  readonly importScripts?: unknown;
  readonly location?: unknown;
  readonly navigator?: { readonly product?: string };
}

/**
 * Tells whether the code runs where its users can read it: in a page, in a worker of a page, or in
 * an app of React Native. Workers of servers have `importScripts` (workerd before 2024-03-04) or a
 * `location` (Deno), and only those of a page have both.
 */
export function isBrowser(): boolean {
  const { document, importScripts, location, navigator } = globalThis as Scope;
  return !!document || (!!importScripts && !!location) || navigator?.product === 'ReactNative';
}

/**
 * Returns a number from 0 up to 1. It calls `Math.random` late, so that a test can replace that.
 */
export function systemRandom(): number {
  return Math.random();
}

/**
 * Makes numbers from 0 up to 1, the same for the same seed (mulberry32): for what has to be played
 * again, never for secrets.
 */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns random bytes that are fit for keys. */
export function systemBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/**
 * Makes a random version 4 UUID from bytes: browsers offer `randomUUID` in secure contexts only.
 */
export function systemUuid(): string {
  const bytes = systemBytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// The platform computes and compares HMAC-SHA-256; its comparison takes the same time for every
// wrong tag.

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

type Bytes = Uint8Array<ArrayBuffer>;

function importKey(key: Bytes, usage: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, ALGORITHM, false, [usage]);
}

/** Returns the 32 bytes of the tag. The platform refuses an empty key. */
export async function signHmac(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(
    await crypto.subtle.sign('HMAC', await importKey(copyBytes(key), 'sign'), copyBytes(message)),
  );
}

/**
 * Tells whether the tag is that of the message. A tag of another length is wrong too, and throws
 * nothing.
 */
export async function verifyHmac(
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
 * Copies the bytes: the platform takes no shared memory, and bytes must not change while it reads.
 */
function copyBytes(bytes: Uint8Array): Bytes {
  return new Uint8Array(bytes);
}

/** Writes bytes as lower-case hex digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Reads hex digits in either case; returns `undefined` where the text is something else. */
export function bytesOfHex(text: string): Uint8Array | undefined {
  if (!/^([0-9a-fA-F]{2})+$/.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}

/** Parses JSON; returns `undefined` for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Parses an address; returns `undefined` for any other text. Some browsers that shops still see
 * have no `URL.parse`.
 */
export function parseUrl(text: string | URL, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** The part of a WebSocket that this package uses. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'open' | 'message' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
}

/** A class that opens sockets: the platform's `WebSocket`, or another of its form. */
export type SocketClass = new (url: string, protocols: string[]) => Socket;

/** Everything that a client needs to open a socket to the relay. */
export interface Dial {
  /** Gets the current token. */
  readonly token: () => Promise<string | undefined>;
  /** The class that the caller gave; the platform's is used when absent. */
  readonly given: SocketClass | undefined;
}

/**
 * Says how to reach the relay at `base`. A socket is possible where the address belongs to the
 * page, or where the caller gave a `WebSocket`; the service itself has no such protocol.
 */
export function makeDial(
  base: () => string,
  page: string | undefined,
  given: SocketClass | undefined,
  token: () => Promise<string | undefined>,
): Dial | undefined {
  const isOwn = page !== undefined && new URL(base()).origin === new URL(page).origin;
  return given || isOwn ? { token, given } : undefined;
}

// These types describe the parts of a Durable Object that this package uses. Nothing is imported
// from the platform, so that a test can replace it.

/** A value that SQLite keeps. */
export type SqlValue = string | number | null | ArrayBuffer;

/** The SQLite database of a Durable Object; every call happens before it returns. */
interface SqlStorage {
  exec<Row extends Record<string, SqlValue>>(
    query: string,
    ...bindings: unknown[]
  ): Iterable<Row> & { toArray(): Row[] };
}

/** The storage of a Durable Object with a SQLite database. */
export interface DurableStorage {
  readonly sql: SqlStorage;
  /** Runs `work` as one transaction: when it throws, nothing of it has happened. */
  transactionSync<T>(work: () => T): T;
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
}

/** A handle by which one object is called. */
export interface ObjectStub {
  /** Sends a request to the object; rejects where it cannot be reached. */
  fetch(input: string | Request, init?: RequestInit): Promise<Response>;
}

/** The part of a Durable Object's state that this package uses. */
export interface ObjectState {
  /** Keeps what must survive the process. */
  readonly storage: DurableStorage;
}
