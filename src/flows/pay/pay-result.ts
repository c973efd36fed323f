import {
  AuthenticationError,
  type ErrorFacts,
  InputError,
  type PaystateError,
  RateLimitError,
  RefusedError,
  UnreachableError,
} from '../../core/errors/index.ts';
import type { PaymentQuote } from '../../resources/payment-quotes/model.ts';
import type { RunFacts } from './model.ts';
import type { MoneyResult, MoneyStep } from './move-model.ts';
import type { Rail } from './rail.ts';
import type { Moved, PayGuard, PayPhase, PayReason, PayRow } from './row.ts';

const CLASSES: Readonly<Record<string, new (message: string, facts: ErrorFacts) => PaystateError>> =
  {
    input: InputError,
    limited: RateLimitError,
    authentication: AuthenticationError,
    unreachable: UnreachableError,
    response: UnreachableError,
  };

const WAYS: Partial<Record<PayPhase, 'new' | 'executing' | 'unconfirmed' | 'pending'>> = {
  EXECUTING: 'executing',
  DOUBT: 'unconfirmed',
  PENDING: 'pending',
};

type Without<T, Members extends PropertyKey> = T extends unknown ? Omit<T, Members> : never;
/** A result, before it is said when it came about. */
export type BareResult = Without<MoneyResult, keyof RunFacts>;
/** What a row shows, before it is said when that came about. */
export type BareStep = Without<MoneyStep, keyof RunFacts>;

/** What a row shows while it has no result; `unread`: why it could not be read. */
export function stepOf(row: PayRow, { member }: Rail, unread?: PaystateError): MoneyStep {
  const { phase, quote, payment } = row;
  const step = {
    phase: WAYS[phase] ?? 'new',
    quote: quote && termsOf(quote),
    [member]: payment,
    reason: reasonOf(row, unread),
  };
  return step as MoneyStep;
}

/** Why it has not ended, and what comes next. */
function reasonOf(
  { phase, tries, payment }: PayRow,
  unread: PaystateError | undefined,
): string | undefined {
  if (phase === 'DOUBT') {
    const code = tries.at(-1)?.code;
    const cause = code ? ` (${code})` : '';
    return `no response says whether it was done${cause}; it is tried again, which cannot move the money twice, and then searched for`;
  }
  if (phase !== 'PENDING') return undefined;
  if (unread)
    return `it was accepted, and its state cannot be read (${unread.code}); it is read again, and ends as unknown where that lasts`;
  const { state } = (payment ?? {}) as Partial<Moved>;
  return state === undefined
    ? 'it was accepted; its state is read next'
    : `the service says ${state}; it is read again until that ends`;
}

type Terms = Pick<PaymentQuote, 'amount' | 'totalFee' | 'totalAmount'>;

function termsOf({ amount, totalFee, totalAmount }: Terms): Terms {
  return { amount, totalFee, totalAmount };
}

/** How a row ended; `undefined` where it has not. */
export function resultOf(row: PayRow, { member, operation }: Rail): BareResult | undefined {
  const { phase, payment, proof = 'none', why, evidence, quote } = row;
  if (phase === 'PAID')
    return (
      member === 'payment'
        ? { phase: 'paid', payment, proof }
        : { phase: 'completed', [member]: payment }
    ) as BareResult;
  if (phase === 'FAILED') return { phase: 'failed', [member]: payment } as BareResult;
  if (phase === 'REFUSED') return refusedResult(operation, why!);
  if (phase === 'STOPPED') return { phase: 'stopped' };
  if (phase !== 'UNKNOWN') return undefined;
  if (proof === 'bad') return unknownResult(operation, DISPROVED, candidatesOf(row));
  if (!quote || row.original !== undefined)
    return unknownResult(operation, earlierText(row), evidence?.candidates);
  const { amount, currency } = quote.totalAmount;
  const text = `the service was asked, and nobody knows whether it was done; look for one of ${amount} ${currency} in the account, then tell by resolve()`;
  return unknownResult(operation, text, evidence?.candidates, evidence?.neededScope);
}

/** Another life of the intent has asked for a quote, and what came of it cannot be read. */
function earlierText({ original, intent }: PayRow): string {
  const named = original ? `quote ${original}` : 'a quote';
  return `the service has ${named} for the intent ${JSON.stringify(intent)}, which this journal has not asked for: the journal was lost, or another one is used; look in the account whether it was done, then tell by resolve()`;
}

/** What the service named is COMPLETED, with the preimage of another payment. */
const DISPROVED =
  'the service names a payment whose preimage does not fit the payment hash; ask the receiver whether the invoice was paid, then tell by resolve()';

function candidatesOf({ evidence, paymentId }: PayRow): readonly string[] {
  return [...new Set([...(evidence?.candidates ?? []), ...(paymentId ? [paymentId] : [])])];
}

/** It may have been done. */
export function unknownResult(
  operation: string,
  text: string,
  candidates: readonly string[] = [],
  neededScope?: string,
): BareResult {
  const facts = { code: 'EXISTS_UNREAD', outcome: 'unknown', next: 'read-first' } as const;
  const error = new UnreachableError(`${operation}: ${text} (EXISTS_UNREAD)`, {
    ...facts,
    operation,
    neededScope,
  });
  return { phase: 'unknown', error, candidates, reason: text };
}

/** It is on its way, and this credential cannot see how it ends. */
export function unreadResult(operation: string, { neededScope, code }: PaystateError): BareResult {
  const text = `the money is on its way and cannot be followed (${code}); mend the credential, then resume()`;
  return unknownResult(operation, text, [], neededScope);
}

/** It was accepted, and for long the service has not shown it. */
export function lostResult(operation: string, { code }: PaystateError): BareResult {
  const text = `the money may be on its way: the service accepted it, and its state could not be read for long (${code}); look in the account, then resume()`;
  return unknownResult(operation, text);
}

/** An operator has looked, and it was not paid. */
export const PERSON: PayReason = {
  code: 'PAYMENT_QUOTE_EXPIRED',
  kind: 'refused',
  next: 'new-quote',
  text: 'a person says so',
};

/** Nothing was reserved, so nothing was sent. */
export const BUSY: PayReason = {
  code: 'TIMEOUT',
  kind: 'unreachable',
  next: 'retry',
  text: 'other processes write the reservations of this journal all the time',
};

/** The intent stands for something else. */
export function reuseResult(operation: string): BareResult {
  const text = 'intent: stands for another payment in this journal; take another name';
  return refusedResult(operation, { ...INPUT, next: 'fix-input', guard: 'intent-reused', text });
}

/** A transaction that was sent may be confirmed, whatever the service says of its payment. */
export function broadcastResult(operation: string, txnId: string): BareResult {
  const text = `the failed payment was sent in a transaction, which may still be confirmed; look at the chain, then retry({ acknowledge: '${txnId}' })`;
  return refusedResult(operation, { ...INPUT, next: 'ask-user', guard: 'acknowledge', text });
}

const INPUT = { code: 'INPUT_INVALID', kind: 'input' } as const;

/** Nothing was and will be done, for this reason. */
function refusedResult(operation: string, why: PayReason): BareResult {
  return { phase: 'refused', error: refusalBy(operation, why), guard: why.guard };
}

const NO_MORE = 'nothing more was sent';

/** What may have been done by others, or by what has failed. */
const ENDS: Partial<Record<PayGuard, string>> = {
  // somebody has paid that text: perhaps this account, by another journal
  'already-paid': 'it was paid before; look by whom',
  acknowledge: NO_MORE,
};

function refusalBy(
  operation: string,
  { code, kind, next, status, text, guard }: PayReason,
): PaystateError {
  const end = (guard && ENDS[guard]) ?? (next === 'read-first' ? NO_MORE : undefined);
  const outcome = end ? 'unknown' : 'not-done';
  const facts = { code, status, next, outcome, operation } as const;
  const message = `${operation}: ${text}; ${end ?? 'no money was moved'}`;
  return new (CLASSES[kind] ?? RefusedError)(message, facts);
}
