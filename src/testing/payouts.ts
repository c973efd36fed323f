import { type Payout, payoutStates } from '../resources/payouts.ts';
import { PayoutSchema } from '../resources/payouts.schemas.ts';
import { moneyOf } from './amounts.ts';
import { make, notYet } from './make.ts';
import type { MakeOptions, Members } from './members.ts';
import { after, idOf, type Origin } from './origin.ts';
import { shapeOf } from '../resources/wire.ts';

/**
 * Makes a payout: NEW, of 25.00 EUR to the first bank payment method. Its times come with its
 * states.
 *
 * @param members what is to be chosen
 * @param options which one, and when
 * @throws InputError naming the members that such a payout cannot have
 * @example
 * const sent = makePayout({ state: 'COMPLETED' });
 * console.log(sent.initiated, sent.completed); // 2026-01-05T09:00:01+00:00 2026-01-05T09:00:03+00:00
 */
export function makePayout(members: Members<Payout> = {}, options: MakeOptions = {}): Payout {
  return make(
    {
      name: 'makePayout',
      shape: shapeOf(PayoutSchema),
      usual: usualPayout,
      broken: (value) =>
        notYet(value, {
          NEW: ['initiated', 'completed', 'transactionId'],
          INITIATED: ['completed'],
        }),
    },
    members,
    options,
  );
}

function usualPayout(
  { state = 'NEW', amount, created, initiated, fee }: Members<Payout>,
  { index, created: now, id }: Origin,
): Payout {
  const asked = moneyOf(amount, '25.00');
  const begun = initiated ?? after(created ?? now, 1_000);
  const isBegun = (payoutStates.rank(state) ?? 0) > 0;
  const isDone = state === 'COMPLETED' || state === 'REVERSED';
  return {
    id: id('payout'),
    state,
    created: now,
    paymentMethodId: idOf('bankPaymentMethod'),
    amount: asked,
    fee: { ...moneyOf(fee, '0.35', asked.currency), feePolicy: 'EXCLUSIVE' },
    reference: `PO-${index}`,
    ...(isBegun && { initiated: begun, transactionId: id('payoutTransaction') }),
    ...(isDone && { completed: after(begun, 2_000) }),
  };
}
