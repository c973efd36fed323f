import { type ErrorKind, isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import {
  type CallOptions,
  type CallResult,
  type Connection,
  internals,
  serviceTime,
} from '../../core/http/index.ts';
import { isPreimageOf } from '../../lightning/hashes.ts';
import { isSameMoney, type Money } from '../../money/index.ts';
import type { ExecutedPayment, Payment } from '../../resources/payments.ts';
import { idKey } from '../../resources/resource.ts';
import type { KeyKind } from './account.ts';
import type { PayJournal } from './journal.ts';
import type {
  AgreedQuote,
  MoneyOrder,
  Moved,
  PayGuard,
  PayOrder,
  PayProof,
  PayReason,
  PayRow,
} from './row.ts';
import { NOT_SENT, TRY_TIMEOUT } from './schedule.ts';
import type { PayEvent } from './transitions.ts';

/** What is decided about a row; who and when is added. */
export type RowDecision = Omit<PayEvent, 'at' | 'by'>;

/** What asking for terms needs. */
export interface Asking {
  readonly client: Connection;
  readonly journal: PayJournal;
  readonly signal: AbortSignal;
  /** Longest wait for a place in the rate limit, milliseconds. */
  readonly queueTimeout?: number | undefined;
  /**
   * Asks under an idempotency key that no other request has; a key of its own for each where it is
   * not said. Throws `TakenNumber`, `PastAsking`, and what `send` throws.
   */
  ask?<T>(send: (idempotencyKey?: string) => Promise<T>): Promise<T>;
  /** Told when the service's clock is known. */
  setSkew(skew: number): void;
  /** By the service's clock. */
  now(): number;
}

/** What a search needs. */
export interface Search {
  readonly client: Connection;
  readonly journal: PayJournal;
  readonly signal: AbortSignal;
  /** By the clock of the row. */
  readonly now: number;
}

/** One way that money takes: what differs between a payment, an exchange, a payout and a deposit. */
export interface Rail<Order extends MoneyOrder = MoneyOrder> {
  /** The function that begins it, as errors name it. */
  readonly operation: string;
  /** What its idempotency keys are of; absent where the service takes none. */
  readonly kind?: KeyKind;
  /** Its member of a result. */
  readonly member: 'payment' | 'currencyExchangeQuote' | 'payout' | 'deposit';
  /** Asks for terms and checks them: what happened is that they are agreed to, or why not. */
  quote(row: PayRow<Order>, asking: Asking): Promise<RowDecision>;
  /** Sends the one request that moves the money, and says what came of it; never rejects. */
  execute(client: Connection, row: PayRow<Order>, now: number): Promise<Executed>;
  /** Reads what moves the money: what that says. */
  read(
    client: Connection,
    row: PayRow<Order>,
    options: CallOptions,
  ): Promise<Pick<PayEvent, 'is' | 'proof'> & { readonly payment: Moved }>;
  /** Name of what it reserves before it moves money; given back where nothing was moved. */
  reservationOf?(row: PayRow<Order>): string;
  /** Looks for what may have been done. */
  search(row: PayRow<Order>, search: Search): Promise<PayEvent>;
}

/** Name of the claim that an intent has on what moves its money. */
export function claimOf({ member }: Pick<Rail, 'member'>, id: string): string {
  return `pay-${member}/${idKey(id)}`;
}

/**
 * Name of the claim that an intent has on its terms before they are executed: what can be read is
 * claimed itself, a payment quote by its own id. A deposit has a key that no other intent has.
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

/** What came of one request to move the money. */
export interface Executed {
  readonly outcome: TryOutcome;
  /** How far the service's clock is ahead, where the response tells. */
  readonly skew?: number | undefined;
}

/** It was too late to send it. */
export const UNSENT: Executed = { outcome: { is: 'unsent', code: NOT_SENT, why: LATE } };

/**
 * One request that waits so long for its place in the rate limit. No signal aborts it: what was
 * sent cannot be called back.
 */
export function oneTry(left: number): CallOptions {
  const queueTimeout = Math.min(left, TRY_TIMEOUT);
  return { attemptTimeout: TRY_TIMEOUT, queueTimeout, maxAttempts: 1, reason: 'move money' };
}

/** What a response, or an error, says of one try. */
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

/** What a response to a try, or its loss, says; without the try's number and time. */
export type TryOutcome = Pick<PayEvent, 'is' | 'code' | 'why' | 'paymentId' | 'payment' | 'proof'>;

/** What a table has for a word of the service, which may be a name that every object has. */
function ownOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/** By the state of a payment. */
const EXECUTED: Readonly<Record<string, 'completed' | 'failed'>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
};

/** The service took the quote. A payment of other terms or another hash is not this one: doubt. */
export function outcomeOfResponse(row: PayRow<PayOrder>, response: ExecutedPayment): TryOutcome {
  const { paymentId, state, amount, totalAmount } = response;
  const { quote } = row;
  if (!paymentId || !agrees(quote!.totalAmount, totalAmount)) return { is: 'blind' };
  const payment =
    amount && totalAmount ? ({ ...response, amount, totalAmount } as Payment) : undefined;
  const proof = proofOf(row, payment);
  if (proof === 'bad') return { is: 'blind', proof };
  // without its terms, or the proof of a text, a payment is read before it ends anything
  const isUnproved = state === 'COMPLETED' && proof === 'none' && !!row.order.hash;
  const is = (payment && !isUnproved && ownOf(EXECUTED, state)) || 'accepted';
  return { is, paymentId, payment: payment && withoutPreimage(payment), proof };
}

function agrees(wanted: Money, found: Money | undefined): boolean {
  return found === undefined || isSameMoney(wanted, found);
}

/** The code by which the service says that it was done before, and where it names what it did. */
interface Processed {
  readonly code: string;
  /** Name of the value that holds its id. */
  readonly value?: string;
  /** Its id, where that is known. */
  readonly id?: string;
}

/**
 * An error of one try. What counts is what was said of this request: of the quote as a whole a client
 * says `unknown` once one of them was lost.
 */
function outcomeOfError(thrown: unknown, processed: Processed): TryOutcome {
  if (!isPaystateError(thrown)) return { is: 'lost', code: 'ABORTED' };
  const { code, values, attempts } = thrown;
  const named = processed.id ?? values?.[processed.value ?? ''];
  const paymentId = typeof named === 'string' ? named : undefined;
  // no credential, no place in the rate limit, or no connection: this request had no effect
  if (attempts === 0) return { is: 'unsent', code: NOT_SENT, why: reasonOf(thrown) };
  if (code === processed.code)
    return paymentId ? { is: 'processed', paymentId, code } : { is: 'processed-blind', code };
  if (code === 'PROCESSING_PAYMENT' || code === 'PROCESSING_CONFLICT') return { is: 'busy', code };
  if (isServiceRefusal(thrown)) return { is: 'refused', code, why: refusalOf(thrown) };
  const isSuccess = (thrown.status ?? 500) < 300;
  return isSuccess && thrown.kind === 'response' ? { is: 'blind', code } : { is: 'lost', code };
}

/** The service itself said no: a status below 500, in its envelope. */
function isServiceRefusal({ kind, status = 0 }: PaystateError): boolean {
  const kinds: readonly ErrorKind[] = ['refused', 'limited', 'authentication'];
  return kinds.includes(kind) && status >= 400 && status < 500;
}

/** Refusals that a guard could have given. */
const GUARDS: Readonly<Record<string, PayGuard>> = {
  LN_INVOICE_PROCESSED: 'already-paid',
  SELF_PAYMENT_NOT_ALLOWED: 'own-invoice',
  INVALID_STATE_FOR_INVOICE_EXPIRED: 'expired',
  PAYMENT_METHOD_NOT_READY: 'bank-method',
  PAYOUT_ORIGINATOR_NOT_APPROVED: 'originator',
};

/** A refusal as the journal keeps it. */
export function refusalOf(error: PaystateError): PayReason {
  const guard = Object.hasOwn(GUARDS, error.code) ? GUARDS[error.code] : undefined;
  return { ...reasonOf(error), ...(guard && { guard }) };
}

function reasonOf({ code, kind, next, status, message }: PaystateError): PayReason {
  return { code, kind, next, status, text: message.slice(0, 300) };
}

/** The preimage proves a payment and is nobody else's business: it is in no journal. */
export function withoutPreimage(payment: Payment): Payment {
  const { lightning, ...rest } = payment;
  return { ...rest, ...(lightning && { lightning: { networkFee: lightning.networkFee } }) };
}

/** Whether the preimage of a completed payment fits the text that was paid. */
export function proofOf(
  { order: { hash } }: PayRow<PayOrder>,
  payment: Payment | undefined,
): PayProof | undefined {
  if (payment?.state !== 'COMPLETED') return undefined;
  const preimage = payment.lightning?.preImage;
  if (!hash || !preimage) return 'none';
  return isPreimageOf(preimage, hash) ? 'ok' : 'bad';
}

/** The terms of a payment are those of the quote. */
export function hasTermsOf(
  { totalFee, totalAmount, amount }: AgreedQuote,
  payment: Payment,
): boolean {
  const isSameFee =
    totalFee && payment.totalFee
      ? isSameMoney(totalFee, payment.totalFee)
      : totalFee === payment.totalFee;
  return (
    isSameFee &&
    isSameMoney(totalAmount, payment.totalAmount) &&
    isSameMoney(amount, payment.amount)
  );
}

const READINGS: Readonly<Record<string, 'read-completed' | 'read-failed'>> = {
  COMPLETED: 'read-completed',
  FAILED: 'read-failed',
  // what came back has not arrived
  REVERSED: 'read-failed',
};

/** What a state says that was read, of whatever moves the money. */
export function readingOf(
  state: string,
  proof?: PayProof,
): 'read-completed' | 'read-disproved' | 'read-failed' | 'read-pending' {
  return proof === 'bad' ? 'read-disproved' : (ownOf(READINGS, state) ?? 'read-pending');
}

/** How far the service's clock may be ahead of one that no response has told, milliseconds. */
const UNTOLD_SKEW = 10_000;
/** A `Date` header names a whole second. */
const SECOND = 999;

/** How far the service's clock is ahead of ours at most, by a response. */
export function skewBy({ headers }: CallResult<unknown>, now: number): number {
  const isTold = headers.has('date');
  return isTold ? serviceTime(headers, now) + SECOND - now : UNTOLD_SKEW;
}
