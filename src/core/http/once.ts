import { badInput, InputError, RateLimitError } from '../errors/index.ts';
import type { Clock } from '../time.ts';
import { type Connection, internals, type Slot, slotState } from './connection.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { getOrMake } from './rate-limiter.ts';

/**
 * Maximum number of records per resource. The oldest settled record is removed first. A record with
 * unknown outcome only makes room for another command if it moves no money.
 */
const MAX_RECORDS = 10_000;

/**
 * A client's record of a command that must only happen once. It outlives the call, and only
 * contains numbers, because bodies may be private.
 */
export interface SendRecord {
  readonly bodyHash: number;
  /** When it was first sent, in monotonic milliseconds and in milliseconds since 1970. */
  readonly begunAt: number;
  readonly firstSentAt: number;
  /**
   * Attempts that are in progress, succeeded or have an unknown outcome. Excludes those that were
   * cleanly refused.
   */
  open: number;
  /** When the first attempt with unknown outcome was sent, in milliseconds since 1970. */
  unknownSince?: number | undefined;
  underWay: number;
  /**
   * Whether the command moves no money, so that its record is removed before others with unknown
   * outcome.
   */
  readonly movesNothing: boolean;
  keep(): void;
}

type Records = Map<string | undefined, SendRecord>;

const SENT: Slot<Map<string, Records>> = { name: 'core.sent', make: () => new Map() };

/** How long a name may be sent, because the service may forget it later. */
export interface NameLifetime {
  /** When an earlier call first sent it, in milliseconds since 1970. */
  readonly firstSentAt?: number | undefined;
  /** Throws if the name is of unknown age and this client hasn't sent it. */
  checkAge(now: number): void;
  /** Returns the milliseconds left. Throws if there are none. */
  remaining(clock: Clock, record: SendRecord): number;
}

/**
 * Gets or creates the record of a command, whose name is unique within its resource. Without a
 * name, only the call remembers it. With `isOwn`, the call generated the name, so no other call can
 * use it before an error has revealed it.
 */
export function openRecord(
  connection: Connection,
  { path, idempotency }: AnyEndpoint,
  name: string | undefined,
  body: string = '',
  { isOwn, lifetime }: { readonly isOwn?: boolean; readonly lifetime?: NameLifetime | undefined },
): SendRecord {
  const { clock } = connection[internals];
  const resource = path.split('/')[2]!;
  const all =
    name === undefined
      ? undefined
      : getOrMake(slotState(connection, SENT), resource, (): Records => new Map());
  const known = all?.get(name);
  if (!known && !isOwn) lifetime?.checkAge(clock.now());
  if (!known && all && !hasRoom(all)) throw tooManyUnknown();
  const bodyHash = hashText(body);
  const record: SendRecord = known ?? {
    bodyHash,
    open: 0,
    underWay: 0,
    movesNothing: idempotency === 'key-only',
    begunAt: clock.monotonic(),
    firstSentAt: lifetime?.firstSentAt ?? clock.now(),
    keep() {
      if (!all) return;
      if (!all.has(name)) hasRoom(all);
      all.set(name, record);
    },
  };
  if (record.bodyHash !== bodyHash && idempotency.startsWith('key')) throw otherBody(record);
  if (!isOwn) record.keep();
  return record;
}

/**
 * Checks whether there's room for another record, and removes the oldest unneeded one if necessary.
 */
function hasRoom(all: Records): boolean {
  if (all.size < MAX_RECORDS) return true;
  return (
    removeOldest(all, ({ unknownSince }) => unknownSince === undefined) ||
    removeOldest(all, ({ movesNothing }) => movesNothing)
  );
}

function removeOldest(all: Records, mayGo: (record: SendRecord) => boolean): boolean {
  for (const [name, record] of all)
    if (record.underWay === 0 && mayGo(record)) return all.delete(name);
  return false;
}

/** Without a record, a later refusal would wrongly count as `not-done`. */
function tooManyUnknown(): RateLimitError {
  const message = `nothing was sent, because ${MAX_RECORDS} earlier commands have an unknown outcome: find out their outcomes, then use a new client (TOO_MANY_UNKNOWN)`;
  return new RateLimitError(message, {
    code: 'TOO_MANY_UNKNOWN',
    outcome: 'not-done',
    next: 'read-first',
    attempts: 0,
  });
}

/**
 * Creates the error for a different body under the same key. A new key is only safe if nothing can
 * have been done under this one.
 */
function otherBody({ open }: SendRecord): InputError {
  if (open === 0)
    return badInput('idempotencyKey', 'was already used with another body; use a new key');
  return new InputError(
    'idempotencyKey: was already used with another body, which may have been executed; check what it created',
    { code: 'INPUT_INVALID', outcome: 'unknown', next: 'read-first', maybeCreated: true },
  );
}

function hashText(text: string): number {
  let hash = text.length;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return hash;
}

const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';
const MAX_LENGTH = 40;

/**
 * Returns a correlationId for an order, at most 40 characters. The same order and attempt always
 * give the same id, others a different one. The amount isn't part of it, so a changed price
 * collides instead of creating a second payable invoice. Nothing is sent.
 *
 * @param orderId your own id of the order. Short plain ids stay readable, others are hashed
 * @param attempt number of the order's invoice, starting at 1. Only use the next number if the last
 * invoice is CANCELLED
 * @throws InputError if the id is empty or ill-formed, if the attempt isn't a whole number from 1,
 * or if the id needs hashing in a page without https
 *
 * @example
 * const correlationId = await correlationIdFor('order-7781');
 * const amount = { amount: '12.50', currency: 'EUR' };
 * const { invoice } = await client.invoices.ensure({ correlationId, amount });
 */
export async function correlationIdFor(orderId: string, attempt: number = 1): Promise<string> {
  if (typeof orderId !== 'string' || orderId === '' || /\p{Surrogate}/u.test(orderId))
    throw badInput('orderId', 'must be well-formed Unicode');
  if (!Number.isSafeInteger(attempt) || attempt < 1 || attempt > 999)
    throw badInput('attempt', 'must be a whole number from 1 to 999');
  const suffix = attempt === 1 ? '' : `.${attempt}`;
  return (isPlain(orderId) ? orderId : `h-${await digestText(orderId)}`) + suffix;
}

/**
 * Checks whether an order id can be used unchanged. It must not look like another order's second
 * attempt or a hash.
 */
function isPlain(orderId: string): boolean {
  return (
    orderId.length <= MAX_LENGTH - 4 &&
    /^[\w.-]+$/.test(orderId) &&
    !/\.\d+$|^h-[a-z2-7]{26}$/i.test(orderId)
  );
}

/** Returns 128 bits of the SHA-256 hash in base32. */
async function digestText(text: string): Promise<string> {
  if (!crypto.subtle)
    throw badInput(
      'orderId',
      `cannot be hashed here: browsers only hash on https:// and localhost. Serve the page over https://, or use up to ${MAX_LENGTH - 4} letters, digits, "_", "." and "-"`,
    );
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const bytes = new Uint8Array(digest, 0, 16);
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = bits.padEnd(130, '0').match(/.{5}/g)!;
  return digits.map((five) => DIGITS[Number.parseInt(five, 2)]).join('');
}
