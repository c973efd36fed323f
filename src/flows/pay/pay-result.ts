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
import type { MoneyResult, MoneyStep } from './move-model.ts';
import type { Rail } from './rail.ts';
import type { PayGuard, PayPhase, PayReason, PayRow } from './row.ts';

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

/** What a row shows while it has no result. */
export function stepOf({ phase, quote, payment }: PayRow, { member }: Rail): MoneyStep {
  const step = { phase: WAYS[phase] ?? 'new', quote: quote && termsOf(quote), [member]: payment };
  return step as MoneyStep;
}

type Terms = Pick<PaymentQuote, 'amount' | 'totalFee' | 'totalAmount'>;

function termsOf({ amount, totalFee, totalAmount }: Terms): Terms {
  return { amount, totalFee, totalAmount };
}

/** How a row ended; `undefined` where it has not. */
export function resultOf(row: PayRow, { member, operation }: Rail): MoneyResult | undefined {
  const { phase, payment, proof = 'none', why, evidence, quote } = row;
  if (phase === 'PAID')
    return (
      member === 'payment'
        ? { phase: 'paid', payment, proof }
        : { phase: 'completed', [member]: payment }
    ) as MoneyResult;
  if (phase === 'FAILED') return { phase: 'failed', [member]: payment } as MoneyResult;
  if (phase === 'REFUSED') return refusedResult(operation, why!);
  if (phase === 'STOPPED') return { phase: 'stopped' };
  if (phase !== 'UNKNOWN') return undefined;
  const { amount, currency } = quote!.totalAmount;
  const text = `the service was asked, and nobody knows whether it was done; look for one of ${amount} ${currency} in the account, then tell by resolve()`;
  return unknownResult(operation, text, evidence?.candidates, evidence?.neededScope);
}

/** It may have been done. */
export function unknownResult(
  operation: string,
  text: string,
  candidates: readonly string[] = [],
  neededScope?: string,
): MoneyResult {
  const facts = { code: 'EXISTS_UNREAD', outcome: 'unknown', next: 'read-first' } as const;
  const error = new UnreachableError(`${operation}: ${text} (EXISTS_UNREAD)`, {
    ...facts,
    operation,
    neededScope,
  });
  return { phase: 'unknown', error, candidates };
}

/** It is on its way, and this credential cannot see how it ends. */
export function unreadResult(operation: string, { neededScope, code }: PaystateError): MoneyResult {
  const text = `the money is on its way and cannot be followed (${code}); mend the credential, then resume()`;
  return unknownResult(operation, text, [], neededScope);
}

/** An operator has looked, and it was not paid. */
export const PERSON: PayReason = {
  code: 'PAYMENT_QUOTE_EXPIRED',
  kind: 'refused',
  next: 'new-quote',
  text: 'a person says so',
};

/** The intent stands for something else. */
export function reuseResult(operation: string): MoneyResult {
  const text = 'intent: stands for another payment in this journal; take another name';
  return refusedResult(operation, { ...INPUT, next: 'fix-input', text });
}

/** A transaction that was sent may be confirmed, whatever the service says of its payment. */
export function broadcastResult(operation: string, txnId: string): MoneyResult {
  const text = `the failed payment was sent in a transaction, which may still be confirmed; look at the chain, then retry({ acknowledge: '${txnId}' })`;
  return refusedResult(operation, { ...INPUT, next: 'ask-user', guard: 'acknowledge', text });
}

const INPUT = { code: 'INPUT_INVALID', kind: 'input' } as const;

/** Nothing was and will be done, for this reason. */
function refusedResult(operation: string, why: PayReason): MoneyResult {
  return { phase: 'refused', error: refusalBy(operation, why), guard: why.guard };
}

/** What may have been done by others, or by what has failed. */
const ENDS: Partial<Record<PayGuard, string>> = {
  // somebody has paid that text: perhaps this account, by another journal
  'already-paid': 'it was paid before; look by whom',
  acknowledge: 'nothing more was sent',
};

function refusalBy(
  operation: string,
  { code, kind, next, status, text, guard }: PayReason,
): PaystateError {
  const end = guard && ENDS[guard];
  const outcome = end ? 'unknown' : 'not-done';
  const facts = { code, status, next, outcome, operation } as const;
  const message = `${operation}: ${text}; ${end ?? 'no money was moved'}`;
  return new (CLASSES[kind] ?? RefusedError)(message, facts);
}
