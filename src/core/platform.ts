interface Scope {
  readonly document?: unknown;
  readonly importScripts?: unknown;
  readonly location?: unknown;
  readonly navigator?: { readonly product?: string };
}

/**
 * Checks whether users can read the code, as in a page, a page's worker, or a React Native app.
 * Server workers have `importScripts` (workerd before 2024-03-04) or a `location` (Deno). Only a
 * page's workers have both.
 */
export function isBrowser(): boolean {
  const { document, importScripts, location, navigator } = globalThis as Scope;
  return !!document || (!!importScripts && !!location) || navigator?.product === 'ReactNative';
}

/** Looks up `Math.random` at each call, so tests can replace it. */
export function systemRandom(): number {
  return Math.random();
}

/**
 * Returns a random number generator from 0 (included) to 1 (excluded), repeatable by its seed
 * (mulberry32). Never for secrets.
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

/** Returns a version 4 UUID. Browsers only have `randomUUID` in secure contexts. */
export function systemUuid(): string {
  const bytes = systemBytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// The platform computes and compares HMAC-SHA-256 in constant time.

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

type Bytes = Uint8Array<ArrayBuffer>;

function importKey(key: Bytes, usage: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, ALGORITHM, false, [usage]);
}

/** Returns the 32-byte tag. The platform rejects an empty key. */
export async function signHmac(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(
    await crypto.subtle.sign('HMAC', await importKey(copyBytes(key), 'sign'), copyBytes(message)),
  );
}

/** Verifies the tag of a message. A tag of the wrong length is invalid, but doesn't throw. */
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
 * Copies bytes, because the platform rejects shared memory, and they must not change in the
 * meantime.
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
 * Parses a string, or returns `undefined` if it isn't a URL. `URL.parse` is missing in some
 * browsers that shops still support.
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
 * Returns how to reach the relay at `base`, if the URL belongs to the page or the caller passed a
 * `WebSocket`. The service itself has no such protocol.
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
// from the platform, so tests can replace it.

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
  /** Runs `work` as one transaction, and rolls it back if it throws. */
  transactionSync<T>(work: () => T): T;
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
}

/** A handle for calling one object. */
export interface ObjectStub {
  /** Sends a request to the object. Rejects if the object can't be reached. */
  fetch(input: string | Request, init?: RequestInit): Promise<Response>;
}

/** The part of a Durable Object's state that this package uses. */
export interface ObjectState {
  /** Stores data that must survive the process. */
  readonly storage: DurableStorage;
}
