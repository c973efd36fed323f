import { type Connection, type Slot, slotState } from '../../../core/http/index.ts';
import { execute } from '../../../resources/payment-quotes.ts';
import type { AgreedQuote } from '../facts.ts';
import type { MoveJournal } from '../journal.ts';
import { answerOfError } from '../rail.ts';
import type { RailRules } from '../rules.ts';

// "The quote has expired" only proves that a quote wasn't executed if the service checks for
// execution before it checks the expiry. The API description doesn't specify the order. We find out
// once per account, by sending an executed quote again after it has expired.

const EXECUTED: Slot<{ quote?: AgreedQuote | undefined }> = {
  name: 'flows.executed',
  make: () => ({}),
};

export function noteExecuted(client: Connection, quote: AgreedQuote | undefined): void {
  if (quote) slotState(client, EXECUTED).quote = quote;
}

/**
 * Sends an executed quote again after it has expired, which can't move any money. Resolves to
 * whether the response revealed the order of the service's checks.
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

/** Once this margin has passed, the quote has expired even if the clocks differ. */
const MARGIN_MS = 70_000;
