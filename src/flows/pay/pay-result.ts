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
import type { PayResult, PayStep } from './model.ts';
import type { PayPhase, PayReason, PayRow } from './row.ts';

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
export function stepOf({ phase, quote, payment }: PayRow): PayStep {
  return { phase: WAYS[phase] ?? 'new', quote: quote && termsOf(quote), payment };
}

type Terms = Pick<PaymentQuote, 'amount' | 'totalFee' | 'totalAmount'>;

function termsOf({ amount, totalFee, totalAmount }: Terms): Terms {
  return { amount, totalFee, totalAmount };
}

/** How a row ended; `undefined` where it has not. */
export function resultOf(row: PayRow): PayResult | undefined {
  const { phase, payment, proof = 'none', why, evidence } = row;
  if (phase === 'PAID') return { phase: 'paid', payment: payment!, proof };
  if (phase === 'FAILED') return { phase: 'failed', payment: payment! };
  if (phase === 'REFUSED') return refusedResult(why!);
  if (phase === 'STOPPED') return { phase: 'stopped' };
  if (phase !== 'UNKNOWN') return undefined;
  const text = `the service was asked, and nobody knows whether it was paid; look for a payment of ${row.quote!.totalAmount.amount} ${row.quote!.totalAmount.currency} in the account, then tell by resolve()`;
  return unknownResult(text, evidence?.candidates, evidence?.neededScope);
}

/** It may have been paid. */
export function unknownResult(
  text: string,
  candidates: readonly string[] = [],
  neededScope?: string,
): PayResult {
  const facts = { code: 'EXISTS_UNREAD', outcome: 'unknown', next: 'read-first' } as const;
  const error = new UnreachableError(`pay: ${text} (EXISTS_UNREAD)`, {
    ...facts,
    operation: 'pay',
    neededScope,
  });
  return { phase: 'unknown', error, candidates };
}

/** It is on its way, and this credential cannot see how it ends. */
export function unreadResult({ neededScope, code }: PaystateError): PayResult {
  const text = `the payment is on its way and cannot be read (${code}); mend the credential, then resume()`;
  return unknownResult(text, [], neededScope);
}

/** Nothing was and will be paid, for this reason. */
export function refusedResult(why: PayReason): PayResult {
  return { phase: 'refused', error: refusalBy(why), guard: why.guard };
}

function refusalBy({ code, kind, next, status, text, guard }: PayReason): PaystateError {
  // somebody has paid that text: perhaps this account, by another journal
  const isPaid = guard === 'already-paid';
  const outcome = isPaid ? 'unknown' : 'not-done';
  const end = isPaid ? 'it was paid before; look by whom' : 'nothing was paid';
  const facts = { code, status, next, outcome, operation: 'pay' } as const;
  return new (CLASSES[kind] ?? RefusedError)(`pay: ${text}; ${end}`, facts);
}
