import { type ErrorKind, isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type CallResult,
  type Connection,
  internals,
  serviceTime,
} from '../../core/http/index.ts';
import { idKey } from '../../resources/resource.ts';
import type { KeyKind } from './account.ts';
import type { MoveJournal } from './journal.ts';
import type { MoneyOrder, Moved, MoveReason, MoveRow, PayGuard, PayProof } from './row.ts';
import { NOT_SENT, TRY_TIMEOUT_MS } from './schedule.ts';
import { type MoveEvent, QUOTE_EXPIRED } from './transitions.ts';

/** An event about a row, before its time and its run are added. */
export type RowDecision = Omit<MoveEvent, 'at' | 'by'>;

/** The dependencies of a request for terms. */
export interface Asking {
  readonly client: Connection;
  readonly journal: MoveJournal;
  readonly signal: AbortSignal;
  /** Longest wait for a place in the rate limit, milliseconds. */
  readonly queueTimeout?: number | undefined;
  /**
   * Sends under an idempotency key that no other request has. Where it is absent, each request gets
   * a random key. Throws `TakenNumber`, `PastAsking`, and what `send` throws.
   */
  ask?<T>(send: (idempotencyKey?: string) => Promise<T>): Promise<T>;
  /** Notes how far the service's clock is ahead of ours, milliseconds. */
  setSkew(skew: number): void;
  /** The time by the service's clock. */
  now(): number;
}

/** The dependencies of a search. */
export interface Search {
  readonly client: Connection;
  readonly journal: MoveJournal;
  readonly signal: AbortSignal;
  /** The time by the clock of the row. */
  readonly now: number;
}

/**
 * One way in which money moves: all that differs between a payment, an exchange, a payout and a
 * deposit.
 */
export interface Rail<Order extends MoneyOrder = MoneyOrder> {
  /** Name of the public function, as errors show it. */
  readonly operation: string;
  /** The kind of its idempotency keys; absent where the service takes none. */
  readonly kind?: KeyKind;
  /** The resource that moves the money. Names of claims in the journal contain it. */
  readonly member: 'payment' | 'currencyExchangeQuote' | 'payout' | 'deposit';
  /** Requests terms and checks them; resolves to the agreement, or to why there is none. */
  quote(row: MoveRow<Order>, asking: Asking): Promise<RowDecision>;
  /** Sends the one request that moves the money; resolves to its outcome, and never rejects. */
  execute(client: Connection, row: MoveRow<Order>, now: number): Promise<Executed>;
  /** Reads the movement; resolves to the event for its state. */
  read(
    client: Connection,
    row: MoveRow<Order>,
    options: CallOptions,
  ): Promise<Pick<MoveEvent, 'is' | 'proof'> & { readonly movement: Moved }>;
  /** Returns the name of the reservation that is made before money moves. */
  reservationOf?(row: MoveRow<Order>): string;
  /** Searches for a movement that may have been made. */
  search(row: MoveRow<Order>, search: Search): Promise<MoveEvent>;
}

/** Returns the name of the claim that an intent has on its movement. */
export function claimOf({ member }: Pick<Rail, 'member'>, id: string): string {
  return `pay-${member}/${idKey(id)}`;
}

/**
 * Returns the name of the claim that an intent has on its terms before they are executed. Exchanges
 * and payouts are claimed as the movement itself, and so is a deposit's key, which no other intent
 * has; a payment's quote is claimed by its own id.
 */
export function termsClaimOf({ member }: Pick<Rail, 'member'>, id: string): string {
  return member === 'payment' ? `pay-quote/${idKey(id)}` : claimOf({ member }, id);
}

const LATE = {
  code: NOT_SENT,
  kind: 'input',
  next: 'new-quote',
  text: 'the quote had ended',
} as const;

/** The outcome of one request to move the money. */
export interface Executed {
  readonly outcome: TryOutcome;
  /** Lead of the service's clock over ours, milliseconds, where the response shows it. */
  readonly skew?: number | undefined;
}

/** It was too late to send the request. */
export const UNSENT: Executed = { outcome: { is: 'unsent', code: NOT_SENT, why: LATE } };

/**
 * Options of one request that waits for the rate limit for at most `left` milliseconds. No signal
 * aborts it, because a request that was sent cannot be called back.
 */
export function oneTry(left: number): CallOptions {
  const queueTimeout = Math.min(left, TRY_TIMEOUT_MS);
  return { attemptTimeout: TRY_TIMEOUT_MS, queueTimeout, maxAttempts: 1, reason: 'move money' };
}

/** Awaits one request, and turns its response or its error into an outcome. */
export async function outcomeOf<T>(
  client: Connection,
  call: { withResponse(): Promise<CallResult<T>> },
  accept: (value: T) => TryOutcome,
  processed: Parameters<typeof outcomeOfError>[1],
): Promise<Executed> {
  try {
    const response = await call.withResponse();
    const skew = skewBy(response, client[internals].clock.now());
    return { outcome: accept(response.value), skew };
  } catch (thrown) {
    return { outcome: outcomeOfError(thrown, processed) };
  }
}

/**
 * The event for a response to a try, or for its loss, without the try's number and time.
 */
export type TryOutcome = Pick<
  MoveEvent,
  'is' | 'code' | 'why' | 'movementId' | 'movement' | 'proof'
>;

/** Finds a word of the service in a table; the word may be a name that every object has. */
function ownOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/** The code with which the service says that the movement was made before, and where its id is. */
interface Processed {
  readonly code: string;
  /** Name of the error's value that holds the id. */
  readonly value?: string;
  /** The id, where it is known already. */
  readonly id?: string;
}

/**
 * The outcome of a try that failed. It concerns this request only; `outcome` of the error concerns
 * all requests of the call.
 */
function outcomeOfError(thrown: unknown, processed: Processed): TryOutcome {
  if (!isPaystateError(thrown)) return { is: 'lost', code: 'ABORTED' };
  const { code, values, attempts } = thrown;
  const named = processed.id ?? values?.[processed.value ?? ''];
  const movementId = typeof named === 'string' ? named : undefined;
  // without a credential, a place in the rate limit, or a connection, the request had no effect
  if (attempts === 0) return { is: 'unsent', code: NOT_SENT, why: reasonOf(thrown) };
  if (code === processed.code)
    return movementId ? { is: 'processed', movementId, code } : { is: 'processed-blind', code };
  if (code === 'PROCESSING_PAYMENT' || code === 'PROCESSING_CONFLICT') return { is: 'busy', code };
  if (isServiceRefusal(thrown)) return { is: 'refused', code, why: refusalOf(thrown) };
  const isSuccess = (thrown.status ?? 500) < 300;
  return isSuccess && thrown.kind === 'response' ? { is: 'blind', code } : { is: 'lost', code };
}

/** Tells whether the service itself has refused: with a status below 500, in its envelope. */
function isServiceRefusal({ kind, status = 0 }: PaystateError): boolean {
  const kinds: readonly ErrorKind[] = ['refused', 'limited', 'authentication'];
  return kinds.includes(kind) && status >= 400 && status < 500;
}

/** Refusals of the service that count as a guard's. */
const GUARDS: Readonly<Record<string, PayGuard>> = {
  LN_INVOICE_PROCESSED: 'already-paid',
  SELF_PAYMENT_NOT_ALLOWED: 'own-invoice',
  INVALID_STATE_FOR_INVOICE_EXPIRED: 'expired',
  PAYMENT_METHOD_NOT_READY: 'bank-method',
  PAYOUT_ORIGINATOR_NOT_APPROVED: 'originator',
};

/** Returns a refusal as the journal keeps it. */
export function refusalOf(error: PaystateError): MoveReason {
  const guard = Object.hasOwn(GUARDS, error.code) ? GUARDS[error.code] : undefined;
  return { ...reasonOf(error), ...(guard && { guard }) };
}

function reasonOf({ code, kind, next, status, message }: PaystateError): MoveReason {
  return { code, kind, next, status, text: message.slice(0, 300) };
}

const READINGS: Readonly<Record<string, 'read-completed' | 'read-failed'>> = {
  COMPLETED: 'read-completed',
  FAILED: 'read-failed',
  // money that came back has not arrived
  REVERSED: 'read-failed',
};

/** Returns the event for a state that was read, of any kind of movement. */
export function readingOf(
  state: string,
  proof?: PayProof,
): 'read-completed' | 'read-disproved' | 'read-failed' | 'read-pending' {
  return proof === 'bad' ? 'read-disproved' : (ownOf(READINGS, state) ?? 'read-pending');
}

/** Lead of the service's clock that is assumed where no response shows it. */
const ASSUMED_SKEW_MS = 10_000;
/** A `Date` header has whole seconds. */
const DATE_PRECISION_MS = 999;

/** Returns how far the service's clock is ahead of ours at most, by a response, milliseconds. */
export function skewBy({ headers }: CallResult<unknown>, now: number): number {
  const isTold = headers.has('date');
  return isTold ? serviceTime(headers, now) + DATE_PRECISION_MS - now : ASSUMED_SKEW_MS;
}

/**
 * This many reads, with pauses between them, show that nothing was executed: one replica may lag
 * behind.
 */
export const MIN_READS = 3;
/** Pause between two of these reads. */
export const READ_PAUSE_MS = 10_000;
/** After this many reads the service's clock does not move. */
const MAX_READS = 10;

/** Longest wait for the service's clock. */
const MAX_CLOCK_WAIT_MS = 600_000;

/**
 * Reads whether a quote or a payout was executed, when nothing can execute it any more: it was not
 * where all reads say so. `notBefore`: reads count from this time of the service on, by the dates
 * of its responses; without dates the result is unclear.
 */
export async function searchByReading(
  id: string,
  { client, signal, now: at }: Search,
  read: (options: CallOptions) => Call<Moved>,
  notBefore: number = -Infinity,
): Promise<MoveEvent> {
  const { clock } = client[internals];
  const evidence = { searchedAt: at, candidates: [] };
  try {
    let pause = 0;
    for (let shown = 0, reads = 0; shown < MIN_READS; reads++) {
      if (reads > 0) await clock.wait(Math.max(READ_PAUSE_MS, pause), signal);
      const call = read({ signal, reason: 'was it executed' });
      const { value: found, headers } = await call.withResponse();
      if (found.state !== 'NEW')
        return { is: 'found', at, evidence, movementId: id, movement: found };
      pause = notBefore === -Infinity ? 0 : notBefore - serviceTime(headers, NaN);
      if (!(pause <= MAX_CLOCK_WAIT_MS) || reads > MAX_READS)
        return { is: 'unclear', at, evidence };
      if (pause <= 0) shown++;
    }
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    const { neededScope } = thrown;
    return { is: 'unclear', at, evidence: { ...evidence, isIncomplete: true, neededScope } };
  }
  const text = 'the service shows that it was not executed';
  const why = { code: QUOTE_EXPIRED, kind: 'refused', next: 'new-quote', text } as const;
  return { is: 'not-executed', at, evidence, why };
}

/** Reads whether a quote or a payout was executed; `false` where it cannot be read. */
export async function wasExecuted(
  read: (options: CallOptions) => Promise<Moved>,
): Promise<boolean> {
  try {
    return (await read({ reason: 'was it executed' })).state !== 'NEW';
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return false;
  }
}
