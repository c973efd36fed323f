import { type Connection, type Slot, slotState } from '../../../core/http/index.ts';
import { execute } from '../../../resources/payment-quotes.ts';
import type { AgreedQuote } from '../facts.ts';
import type { MoveJournal } from '../journal.ts';
import { answerOfError } from '../rail.ts';
import type { RailRules } from '../rules.ts';

// "The quote has ended" shows that a quote was not executed only where the service looks whether it
// was executed before it looks at its end. The description does not say so, so it is learned once
// for each account, from a quote that was executed and has ended.

/** A quote that this client has executed. */
const EXECUTED: Slot<{ quote?: AgreedQuote | undefined }> = {
  name: 'flows.executed',
  make: () => ({}),
};

/** Remembers a quote that was executed. */
export function noteExecuted(client: Connection, quote: AgreedQuote | undefined): void {
  if (quote) slotState(client, EXECUTED).quote = quote;
}

/**
 * Sends an executed quote once more after its end, which can move nothing. Resolves to whether that
 * has shown the order of the service's checks.
 */
export async function learnOrder(
  client: Connection,
  journal: MoveJournal,
  { isClosedBySending }: RailRules,
  now: number,
): Promise<boolean> {
  const { quote } = slotState(client, EXECUTED);
  const { seesProcessedFirst } = await journal.pin();
  const isOver = quote?.endsAt !== undefined && now > quote.endsAt + MARGIN_MS;
  if (!isClosedBySending || seesProcessedFirst !== undefined || !isOver) return false;
  const answer = await execute(client, quote.id, {
    maxAttempts: 1,
    reason: 'order of checks',
  }).then(
    () => undefined,
    (thrown: unknown) => answerOfError(thrown, { code: 'PAYMENT_PROCESSED', value: 'paymentId' }),
  );
  if (answer?.how !== 'ok' && answer?.how !== 'ended') return false;
  await journal.learn({ seesProcessedFirst: answer.how === 'ok' });
  return true;
}

/** The end of the quote is past by any clock. */
const MARGIN_MS = 70_000;
