import { type ErrorKind, isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { isPreimageOf } from '../../lightning/preimage.ts';
import { isSameMoney, type Money } from '../../money/index.ts';
import type { ExecutedPayment, Payment } from '../../resources/payments/model.ts';
import type { PayEvent } from './apply-event.ts';
import type { AgreedQuote, PayGuard, PayOrder, PayProof, PayReason, PayRow } from './row.ts';
import { NOT_SENT } from './schedule.ts';

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
export function outcomeOfError(thrown: unknown, processed: Processed): TryOutcome {
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
