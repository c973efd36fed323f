import { isPaystateError } from '../../core/errors/index.ts';
import { millisOf } from '../../core/time/index.ts';
import { addMoney, isSameMoney, parseMoney } from '../../money/index.ts';
import type { Payout, PayoutDraft } from '../../resources/payouts/model.ts';
import { create, list } from '../../resources/payouts/operations.ts';
import { type Asking, claimOf } from './rail.ts';
import type { BankOrder } from './row.ts';

const PAYOUT = { member: 'payout' } as const;
/** The clocks of the creation and of the list may differ, milliseconds. */
const EARLIER = 120_000;
/** From the newest on the list is read until it is so much older, milliseconds. */
const OLDER = 600_000;
const MOST_PAGES = 20;

/**
 * Prepares a payout. Where its answer is lost, the list is searched for it: what no other intent has
 * claimed is as good as a new one. One that nobody finds stays NEW, and moves nothing.
 */
export async function preparePayout(
  order: BankOrder,
  intent: string,
  asking: Asking,
): Promise<Payout> {
  const { client, journal, signal, now } = asking;
  const sentAt = now();
  try {
    const options = { signal, reason: 'prepare a payout' };
    const payout = await create(client, draftOf(order), options);
    if (await journal.claim(claimOf(PAYOUT, payout.id), intent)) return payout;
    return preparePayout(order, intent, asking); // another intent has found it in the list
  } catch (thrown) {
    if (!isPaystateError(thrown) || !thrown.maybeCreated) throw thrown;
    const found = await findPrepared(order, intent, sentAt, asking);
    if (found) return found;
    throw thrown;
  }
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

async function findPrepared(
  order: BankOrder,
  intent: string,
  sentAt: number,
  { client, journal, signal }: Asking,
): Promise<Payout | undefined> {
  let before = Infinity;
  let pages = 0;
  for await (const { items } of list(client, { signal, reason: 'look for a payout' }).pages()) {
    let isNewestFirst = true;
    for (const payout of items) {
      const created = millisOf(payout.created) ?? Infinity;
      isNewestFirst &&= created <= before;
      before = created;
      const isLike = isOfOrder(order, payout) && created >= sentAt - EARLIER;
      if (isLike && (await journal.claim(claimOf(PAYOUT, payout.id), intent))) return payout;
    }
    if (!isNewestFirst || before < sentAt - OLDER || ++pages >= MOST_PAGES) return undefined;
  }
  return undefined;
}

/** It was prepared for the same, and not initiated. */
function isOfOrder(order: BankOrder, payout: Payout): boolean {
  const { amount, fee, state, paymentMethodId, reference, originatorId } = payout;
  const isInside = order.feePolicy === 'INCLUSIVE';
  const named = isInside && fee?.currency === amount.currency ? addMoney(amount, fee) : amount;
  return (
    state === 'NEW' &&
    paymentMethodId === order.bankPaymentMethodId &&
    reference === order.reference &&
    originatorId === order.originatorId &&
    (fee?.feePolicy === 'INCLUSIVE') === isInside &&
    isSameMoney(named, parseMoney({ ...named, amount: order.amount }))
  );
}
