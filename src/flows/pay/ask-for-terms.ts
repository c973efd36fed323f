import { isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { PastAsking, TakenNumber } from './numbered-asking.ts';
import type { RowDecision } from './rail.ts';
import type { PayReason, PayRow } from './row.ts';
import { refusalOf } from './try-outcome.ts';

/** Terms of one round whose answers may be lost. */
const MOST_LOSSES = 3;

/**
 * Asks for terms: an answer that is lost is asked for again, a refusal is the end. Nothing moves by
 * it. `decide` says what follows where the service has something under the number already;
 * `undefined`: the next number is taken.
 */
export async function askForTerms(
  { quoteLosses, round }: PayRow,
  ask: () => Promise<RowDecision>,
  decide: (taken: TakenNumber) => Promise<RowDecision | undefined> = async () => undefined,
): Promise<RowDecision> {
  try {
    return await ask();
  } catch (thrown) {
    if (thrown instanceof PastAsking) return { is: 'quote-lost', round };
    const decided = thrown instanceof TakenNumber ? await decide(thrown) : undefined;
    if (decided) return decided;
    const error = thrown instanceof TakenNumber ? thrown.cause : thrown;
    if (!isPaystateError(error)) throw error;
    const why = refusalOf(error);
    return mayBeAskedAgain(error)
      ? lose({ quoteLosses, round }, why)
      : { is: 'quote-refused', why };
  }
}

/** The terms are asked for again, until that has been in vain too often. */
export function lose(
  { quoteLosses, round }: Pick<PayRow, 'quoteLosses' | 'round'>,
  why: PayReason,
): RowDecision {
  return quoteLosses + 1 < MOST_LOSSES ? { is: 'quote-lost', round } : { is: 'quote-refused', why };
}

/** The service answered with terms that another request was given. */
export const FOREIGN: PayReason = {
  code: 'RESPONSE_MISMATCH',
  kind: 'response',
  next: 'retry',
  text: 'the service answered with what another request had made',
};

/** Nothing was decided: the answer was lost, or names a quote whose terms cannot be read. */
export function mayBeAskedAgain({ kind, code }: PaystateError): boolean {
  return kind === 'unreachable' || kind === 'response' || code === 'DUPLICATE_PAYMENT_QUOTE';
}
