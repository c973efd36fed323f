interface Scope {
  readonly document?: unknown;
  readonly importScripts?: unknown;
  readonly location?: unknown;
  readonly navigator?: { readonly product?: string };
}

/**
 * Checks whether the code is running on a user's device, in a page, a page's worker or a React
 * Native app. Server runtimes may define `importScripts` (workerd before 2024-03-04) or `location`
 * (Deno). Only a page's workers define both.
 */
export function isBrowser(): boolean {
  const { document, importScripts, location, navigator } = globalThis as Scope;
  return !!document || (!!importScripts && !!location) || navigator?.product === 'ReactNative';
}

/** Looks up `Math.random` on each call, so tests can replace it. */
export function systemRandom(): number {
  return Math.random();
}

/**
 * Creates a seeded random number generator (mulberry32) that returns numbers from 0 up to but not
 * including 1. Don't use it for secrets.
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

export function systemBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/**
 * Returns a version 4 UUID. Doesn't use `randomUUID`, which browsers only provide in secure
 * contexts.
 */
export function systemUuid(): string {
  const bytes = systemBytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// Web Crypto computes and compares HMAC-SHA-256 tags in constant time.

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

type Bytes = Uint8Array<ArrayBuffer>;

function importKey(key: Bytes, usage: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, ALGORITHM, false, [usage]);
}

/** Returns the 32-byte HMAC-SHA-256 tag of a message. Web Crypto rejects an empty key. */
export async function signHmac(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(
    await crypto.subtle.sign('HMAC', await importKey(copyBytes(key), 'sign'), copyBytes(message)),
  );
}

/** Verifies the HMAC-SHA-256 tag of a message. Returns `false` for a tag of the wrong length. */
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
 * Copies bytes, because Web Crypto rejects shared memory, and because the caller could change them
 * before the promise settles.
 */
function copyBytes(bytes: Uint8Array): Bytes {
  return new Uint8Array(bytes);
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function bytesOfHex(text: string): Uint8Array | undefined {
  if (!/^([0-9a-fA-F]{2})+$/.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Parses a string, or returns `undefined` if it isn't a URL. Doesn't use `URL.parse`, because older
 * browsers don't have it.
 */
export function parseUrl(text: string | URL, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'open' | 'message' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
}

export type SocketClass = new (url: string, protocols: string[]) => Socket;

export interface Dial {
  readonly token: () => Promise<string | undefined>;
  readonly given: SocketClass | undefined;
}

/**
 * Returns the settings for opening a WebSocket connection to the relay at `base`. Returns
 * `undefined` if `base` isn't on the page's own origin and the caller didn't pass a `WebSocket`
 * class, because the service itself doesn't offer WebSockets.
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

// The types below describe the parts of a Durable Object that this package uses. They aren't
// imported from the platform, so tests can replace it.

export type SqlValue = string | number | null | ArrayBuffer;

/** The SQLite database of a Durable Object. All calls are synchronous. */
interface SqlStorage {
  exec<Row extends Record<string, SqlValue>>(
    query: string,
    ...bindings: unknown[]
  ): Iterable<Row> & { toArray(): Row[] };
}

export interface DurableStorage {
  readonly sql: SqlStorage;
  /** Runs `work` as one transaction, which is rolled back if `work` throws. */
  transactionSync<T>(work: () => T): T;
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
}

/** A handle for sending requests to one Durable Object. */
export interface ObjectStub {
  /** Sends a request to the Durable Object. Rejects if it can't be reached. */
  fetch(input: string | Request, init?: RequestInit): Promise<Response>;
}

/** The parts of a Durable Object's state that this package uses. */
export interface ObjectState {
  /** The object's storage, which outlives the process. */
  readonly storage: DurableStorage;
}
