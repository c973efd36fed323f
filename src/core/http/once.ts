import { badInput, InputError, RateLimitError } from '../errors/index.ts';
import type { Clock } from '../time.ts';
import { type Connection, internals, type Slot, slotState } from './connection.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { getOrMake } from './rate-limiter.ts';

/**
 * Maximum number of records per resource. When it's reached, the oldest record with a known outcome
 * is removed. If there's none, the oldest record of a command that moves no money is removed.
 */
const MAX_RECORDS = 10_000;

/**
 * A client's record of a command that must be executed only once. The record outlives the call. It
 * stores a hash of the body, because the body itself may be private.
 */
export interface SendRecord {
  readonly bodyHash: number;
  /**
   * When the command was first sent, in milliseconds on the monotonic clock. `firstSentAt` is the
   * same time in milliseconds since 1970.
   */
  readonly begunAt: number;
  readonly firstSentAt: number;
  /**
   * Number of attempts that are in progress, have succeeded or have an unknown outcome. Attempts
   * that were clearly refused don't count.
   */
  open: number;
  /** When the first attempt with an unknown outcome was sent, in milliseconds since 1970. */
  unknownSince?: number | undefined;
  underWay: number;
  /**
   * Whether the command moves no money. Its record may be removed even if the outcome is unknown.
   */
  readonly movesNothing: boolean;
  keep(): void;
}

type Records = Map<string | undefined, SendRecord>;

const SENT: Slot<Map<string, Records>> = { name: 'core.sent', make: () => new Map() };

/**
 * Limits how long an idempotency key or correlationId may be used, because the service may
 * eventually forget it.
 */
export interface NameLifetime {
  /** When an earlier call first sent the key, in milliseconds since 1970. */
  readonly firstSentAt?: number | undefined;
  /** Checks a key that this client hasn't sent before. Throws if the key's age is unknown. */
  checkAge(now: number): void;
  /** Returns the milliseconds until the key expires. Throws if it has expired. */
  remaining(clock: Clock, record: SendRecord): number;
}

/**
 * Gets or creates the record of a command. `name` is its idempotency key or correlationId, which is
 * unique within the resource. Without a name, the record only exists for the duration of the call.
 * `isOwn` means that the call generated the name. Such a record is only kept once an error has
 * revealed the name to the caller.
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
 * Makes room for another record, removing an old one if necessary. Returns false if none may be
 * removed.
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

/**
 * Creates the error for too many records with unknown outcomes. Sending without a record isn't
 * safe, because a later refusal would wrongly count as `not-done`.
 */
function tooManyUnknown(): RateLimitError {
  const message = `nothing was sent, because ${MAX_RECORDS} earlier commands have unknown outcomes: look them up, then use a new client (TOO_MANY_UNKNOWN)`;
  return new RateLimitError(message, {
    code: 'TOO_MANY_UNKNOWN',
    outcome: 'not-done',
    next: 'read-first',
    attempts: 0,
  });
}

/**
 * Creates the error for reusing an idempotency key with a different body. Only recommends a new key
 * if no request with this key can have had an effect.
 */
function otherBody({ open }: SendRecord): InputError {
  if (open === 0)
    return badInput('idempotencyKey', 'was already used with another body; use a new key');
  return new InputError(
    'idempotencyKey: was used with another body, which may have been executed; check what it created',
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
 * Returns a correlationId for an order, with at most 40 characters. The result depends only on the
 * order and the attempt, not on the amount. That way, a changed price causes an error instead of a
 * second payable invoice. Sends no request.
 *
 * @param orderId your own id for the order. Short plain ids are used as they are, and others are
 * hashed
 * @param attempt number of the order's invoice, starting at 1. Only use the next number if the
 * previous invoice is CANCELLED
 * @throws InputError if the id is empty or not well-formed Unicode, if the attempt isn't a whole
 * number from 1 to 999, or if the id must be hashed in a page without https
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
 * Checks whether an order id can be used unchanged. It must not look like a hash or like another
 * order's second attempt.
 */
function isPlain(orderId: string): boolean {
  return (
    orderId.length <= MAX_LENGTH - 4 &&
    /^[\w.-]+$/.test(orderId) &&
    !/\.\d+$|^h-[a-z2-7]{26}$/i.test(orderId)
  );
}

/** Returns the first 128 bits of the text's SHA-256 hash in base32. */
async function digestText(text: string): Promise<string> {
  if (!crypto.subtle)
    throw badInput(
      'orderId',
      `cannot be hashed here: browsers only hash on https:// and localhost. Use https://, or up to ${MAX_LENGTH - 4} letters, digits, "_", "." and "-"`,
    );
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const bytes = new Uint8Array(digest, 0, 16);
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = bits.padEnd(130, '0').match(/.{5}/g)!;
  return digits.map((five) => DIGITS[Number.parseInt(five, 2)]).join('');
}
