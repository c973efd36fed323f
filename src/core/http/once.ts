import { badInput, InputError, RateLimitError } from '../errors/index.ts';
import type { Clock } from '../time.ts';
import { type Connection, internals, type Slot, slotState } from './connection.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { getOrMake } from './rate-limiter.ts';

/**
 * The maximum number of records of each resource. The oldest settled record is removed first. A
 * record of unknown outcome is never removed for another command, unless it moves no money.
 */
const MAX_RECORDS = 10_000;

/**
 * The memory that a client keeps of a command that must happen once, beyond the call that sent it.
 * It holds numbers only, because bodies may be private.
 */
export interface SendRecord {
  /** Distinguishes the bodies that were sent for it. */
  readonly bodyHash: number;
  /** When it was first sent: monotonic milliseconds, and milliseconds since 1970. */
  readonly begunAt: number;
  readonly firstSentAt: number;
  /** Attempts that were not cleanly refused: under way, of unknown outcome, or successful. */
  open: number;
  /** When the first attempt was sent whose outcome is unknown, milliseconds since 1970. */
  unknownSince?: number | undefined;
  /** Attempts that have not ended. */
  underWay: number;
  /** The command moves no money, so its record is removed before others of unknown outcome. */
  readonly movesNothing: boolean;
  /** Keeps the record beyond the call. */
  keep(): void;
}

type Records = Map<string | undefined, SendRecord>;

/** The records of each resource. */
const SENT: Slot<Map<string, Records>> = { name: 'core.sent', make: () => new Map() };

/**
 * The time for which a name may be sent, where the service may forget what it has done under the
 * name.
 */
export interface NameLifetime {
  /** When it was first sent, milliseconds since 1970, where an earlier call sent it. */
  readonly firstSentAt?: number | undefined;
  /** Throws for a name that this client has not sent and whose age is not known. */
  checkAge(now: number): void;
  /** Returns the milliseconds that are left; throws where none are left. */
  remaining(clock: Clock, record: SendRecord): number;
}

/**
 * Gets or makes the record of a command. Its name is unique within its resource; a command without
 * a name is remembered only by its call. With `isOwn` the call made the name itself: no other call
 * can use it before an error has shown it.
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
 * Tells whether another record can be kept. Where the map is full, the oldest record that nobody
 * needs is removed.
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

/** Without a record, a later refusal would wrongly say `not-done`. */
function tooManyUnknown(): RateLimitError {
  const message = `${MAX_RECORDS} earlier commands of this client have an unknown outcome`;
  const advice = 'find out their outcomes, then use a new client; nothing was sent';
  return new RateLimitError(`${message}: ${advice} (TOO_MANY_UNKNOWN)`, {
    code: 'TOO_MANY_UNKNOWN',
    outcome: 'not-done',
    next: 'read-first',
    attempts: 0,
  });
}

/**
 * Makes the error for another body under the same key. A new key is safe only where nothing can
 * have been done under this one.
 */
function otherBody({ open }: SendRecord): InputError {
  if (open === 0) return badInput('idempotencyKey', 'was sent with another body; use a new key');
  return new InputError(
    'idempotencyKey: was sent with another body, which may have been executed; find what it ' +
      'created',
    { code: 'INPUT_INVALID', outcome: 'unknown', next: 'read-first', maybeCreated: true },
  );
}

/** Returns 32 bits that distinguish texts. */
function hashText(text: string): number {
  let hash = text.length;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return hash;
}

const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';
const MAX_LENGTH = 40;

/**
 * Makes the correlationId of an order, at most 40 characters. The same order and attempt always
 * give the same text, others never do. It contains no amount: a changed price must collide and not
 * create a second payable invoice. Nothing is sent.
 *
 * @param orderId your own name of the order; short plain names stay readable, others become a hash
 * @param attempt counts the invoices of one order, from 1; take the next one only when the last
 * reads CANCELLED
 * @throws InputError for an empty or ill-formed name, an attempt that is no whole number from 1, or
 * a name that needs a hash in a page without https
 * @example
 * const correlationId = await correlationIdFor('order-7781');
 * const amount = { amount: '12.50', currency: 'EUR' };
 * const { invoice } = await client.invoices.ensure({ correlationId, amount });
 */
export async function correlationIdFor(orderId: string, attempt: number = 1): Promise<string> {
  if (typeof orderId !== 'string' || orderId === '' || /\p{Surrogate}/u.test(orderId))
    throw badInput('orderId', 'must be well-formed text');
  if (!Number.isSafeInteger(attempt) || attempt < 1 || attempt > 999)
    throw badInput('attempt', 'must be a whole number from 1 to 999');
  const suffix = attempt === 1 ? '' : `.${attempt}`;
  return (isPlain(orderId) ? orderId : `h-${await digestText(orderId)}`) + suffix;
}

/**
 * Tells whether an order's name can be used as it is: it must not resemble another order's second
 * attempt, or a hash.
 */
function isPlain(orderId: string): boolean {
  return (
    orderId.length <= MAX_LENGTH - 4 &&
    /^[\w.-]+$/.test(orderId) &&
    !/\.\d+$|^h-[a-z2-7]{26}$/i.test(orderId)
  );
}

/** Returns 128 bits of SHA-256 in base32. */
async function digestText(text: string): Promise<string> {
  if (!crypto.subtle)
    throw badInput(
      'orderId',
      'cannot be hashed here: browsers hash on https:// and localhost only. Serve the page over ' +
        `https://, or use up to ${MAX_LENGTH - 4} letters, digits, "_", "." and "-"`,
    );
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const bytes = new Uint8Array(digest, 0, 16);
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = bits.padEnd(130, '0').match(/.{5}/g)!;
  return digits.map((five) => DIGITS[Number.parseInt(five, 2)]).join('');
}
