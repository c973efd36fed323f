import { isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import type { RowDecision } from './rail.ts';
import type { PayRow } from './row.ts';
import { refusalOf } from './try-outcome.ts';

/** Terms of one round whose answers may be lost. */
const MOST_LOSSES = 3;

/** Asks for terms: an answer that is lost is asked for again, a refusal is the end. Nothing moves by it. */
export async function askForTerms(
  { quoteLosses }: PayRow,
  ask: () => Promise<RowDecision>,
): Promise<RowDecision> {
  try {
    return await ask();
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    const isLost = mayBeAskedAgain(thrown) && quoteLosses + 1 < MOST_LOSSES;
    return isLost ? { is: 'quote-lost' } : { is: 'quote-refused', why: refusalOf(thrown) };
  }
}

/** Nothing was decided: the answer was lost, or names a quote whose terms cannot be read. */
export function mayBeAskedAgain({ kind, code }: PaystateError): boolean {
  return kind === 'unreachable' || kind === 'response' || code === 'DUPLICATE_PAYMENT_QUOTE';
}
