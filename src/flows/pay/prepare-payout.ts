import { serviceTime } from '../../core/http/index.ts';
import { millisOf } from '../../core/time/index.ts';
import type { Payout, PayoutDraft } from '../../resources/payouts/model.ts';
import { create } from '../../resources/payouts/operations.ts';
import { type Asking, claimOf } from './rail.ts';
import type { BankOrder } from './row.ts';

const PAYOUT = { member: 'payout' } as const;
/** What is older than its answer by more was made by another request, milliseconds. */
const OLDEST_ANSWER_MS = 120_000;

/**
 * Prepares a payout, or says `undefined` where the service answered with one that another request
 * made. Where the answer is lost, another one is prepared: the first stays NEW, and moves nothing.
 * It is not searched for, because nothing tells it from what another program has prepared.
 */
export async function preparePayout(
  order: BankOrder,
  intent: string,
  { client, journal, signal }: Asking,
): Promise<Payout | undefined> {
  const options = { signal, reason: 'prepare a payout' };
  const { value: payout, headers } = await create(client, draftOf(order), options).withResponse();
  const age = serviceTime(headers, NaN) - (millisOf(payout.created) ?? NaN);
  if (payout.state !== 'NEW' || age > OLDEST_ANSWER_MS) return undefined;
  return (await journal.claim(claimOf(PAYOUT, payout.id), intent)) ? payout : undefined;
}

function draftOf(order: BankOrder): PayoutDraft {
  const {
    bankPaymentMethodId: paymentMethodId,
    amount,
    originatorId,
    reference,
    feePolicy,
  } = order;
  return { paymentMethodId, amount, originatorId, reference, feePolicy };
}
