import { badInput, InputError, RateLimitError } from '../errors/index.ts';
import type { Clock } from '../time.ts';
import { type Connection, internals, type Slot, stateOf } from './connection.ts';
import type { AnyEndpoint } from './endpoint.ts';

/**
 * Records that are kept of each resource. The oldest that is settled is removed first; what is in
 * doubt is never removed for another command.
 */
const MAX_RECORDS = 10_000;

/**
 * What a client remembers of one thing that must happen once, beyond the call that sent it: numbers
 * only, because bodies may be private.
 */
export interface SendRecord {
  /** Tells apart the bodies that were sent for it. */
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
  /** It moves nothing, so that its doubt costs no money: it is removed before all other doubt. */
  readonly movesNothing: boolean;
  /** Keeps the record beyond the call. */
  keep(): void;
}

type Records = Map<string | undefined, SendRecord>;

/** The records of each resource. */
const SENT: Slot<Map<string, Records>> = { name: 'core.sent', make: () => new Map() };

/** How long a name may be sent for, where the service may forget what it stands for. */
export interface NameLifetime {
  /** When it was first sent, milliseconds since 1970, where that was before this call. */
  readonly firstSentAt?: number | undefined;
  /** Throws for a name that this client has not sent and whose age is not known. */
  checkAge(now: number): void;
  /** Milliseconds that are left; throws where none are. */
  remaining(clock: Clock, record: SendRecord): number;
}

/** Who gave the name, and how long it may be sent for. */
interface Naming {
  /** The call made it itself: no other call can use it before an error has named it. */
  readonly isOwn?: boolean;
  readonly lifetime?: NameLifetime | undefined;
}

/**
 * Gets or makes the record of the thing, which has its name in its resource alone; without a name
 * it is remembered by its call alone.
 */
export function openRecord(
  connection: Connection,
  { path, idempotency }: AnyEndpoint,
  name: string | undefined,
  body: string = '',
  { isOwn, lifetime }: Naming,
): SendRecord {
  const { clock } = connection[internals];
  const all: Records = name === undefined ? new Map() : recordsOf(connection, path);
  const known = all.get(name);
  if (!known && !isOwn) lifetime?.checkAge(clock.now());
  if (!known && !hasRoom(all)) throw tooManyUnknown();
  const bodyHash = hashOf(body);
  const record: SendRecord = known ?? {
    bodyHash,
    open: 0,
    underWay: 0,
    movesNothing: idempotency === 'key-only',
    begunAt: clock.monotonic(),
    firstSentAt: lifetime?.firstSentAt ?? clock.now(),
    keep() {
      if (!all.has(name)) hasRoom(all);
      all.set(name, record);
    },
  };
  if (record.bodyHash !== bodyHash && idempotency.startsWith('key')) throw otherBody(record);
  if (!isOwn) record.keep();
  return record;
}

/** The records of the resource that a path is of. */
function recordsOf(connection: Connection, path: string): Records {
  const byResource = stateOf(connection, SENT);
  const resource = path.split('/')[2]!;
  const known = byResource.get(resource);
  if (known) return known;
  const records: Records = new Map();
  byResource.set(resource, records);
  return records;
}

/** Whether another record can be kept; a full map gives up the oldest one that nobody needs. */
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

/** Without a record, a later refusal would say `not-done` of what may have been done. */
function tooManyUnknown(): RateLimitError {
  const message = `${MAX_RECORDS} earlier commands of this client have an unknown outcome`;
  const advice = 'find out what became of them, then go on with a new client; nothing was sent';
  return new RateLimitError(`${message}: ${advice} (TOO_MANY_UNKNOWN)`, {
    code: 'TOO_MANY_UNKNOWN',
    outcome: 'not-done',
    next: 'read-first',
    attempts: 0,
  });
}

/** A new key is right only where nothing can have been done under this one. */
function otherBody({ open }: SendRecord): InputError {
  if (open === 0) return badInput('idempotencyKey', 'had another body; take a new key');
  return new InputError(
    'idempotencyKey: had another body, which may have been done; look for what it made',
    { code: 'INPUT_INVALID', outcome: 'unknown', next: 'read-first', maybeCreated: true },
  );
}

/** 32 bits that tell texts apart. */
function hashOf(text: string): number {
  let hash = text.length;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return hash;
}

const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';
const LONGEST = 40;

/**
 * The correlationId of an order: the same for the same order and attempt, and never the same for
 * others, at most 40 characters. It holds no amount: a changed price must collide, not make a
 * second payable invoice. Resolves to the text; nothing is sent.
 *
 * @param orderId your own name of the order; short plain names stay readable, others become a hash
 * @param attempt counts the invoices of one order, from 1; take the next one only when the last
 * reads CANCELLED
 * @throws InputError for an empty or ill-formed name, or an attempt that is no whole number from 1
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
  return (isPlain(orderId) ? orderId : `h-${await digestOf(orderId)}`) + suffix;
}

/** Can be used as it is: not what resembles another order's second attempt, or a hash. */
function isPlain(orderId: string): boolean {
  return (
    orderId.length <= LONGEST - 4 &&
    /^[\w.-]+$/.test(orderId) &&
    !/\.\d+$|^h-[a-z2-7]{26}$/i.test(orderId)
  );
}

/** 128 bits of SHA-256 in base32. */
async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(
    await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)),
  );
  let [digits, rest, bits] = ['', 0, 0];
  for (const byte of bytes.subarray(0, 16)) {
    rest = ((rest << 8) | byte) & 0xfff; // at most four bits are left of before
    for (bits += 8; bits >= 5; ) digits += DIGITS[(rest >> (bits -= 5)) & 31]!;
  }
  return digits + DIGITS[(rest << (5 - bits)) & 31]!;
}
