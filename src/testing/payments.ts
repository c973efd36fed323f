import type { Payment } from '../resources/payments.ts';
import { PaymentSchema } from '../resources/payments.schemas.ts';
import { make, notYet } from './make.ts';
import type { MakeOptions, Members } from './members.ts';
import { after, type Origin, secretOf } from './origin.ts';
import { brokenTotal, termsOf } from './payment-terms.ts';
import { shapeOf } from '../resources/wire.ts';

const RESULTS: Readonly<Record<string, string>> = {
  PENDING: 'PENDING',
  COMPLETED: 'SUCCESS',
  FAILED: 'FAILURE',
};

/**
 * Makes a payment: PENDING, of 12.50 EUR, over Lightning; on the chain where `onchain` is chosen.
 * The time of its end and the proof of payment are there once it is COMPLETED.
 *
 * @param members what is to be chosen; fee and total fit the amount
 * @param options which one, and when
 * @throws InputError naming the members that such a payment cannot have
 * @example
 * const failed = makePayment({ state: 'FAILED' });
 * const onchain = makePayment({ state: 'COMPLETED', onchain: {} });
 */
export function makePayment(members: Members<Payment> = {}, options: MakeOptions = {}): Payment {
  return make(
    {
      name: 'makePayment',
      shape: shapeOf(PaymentSchema),
      usual: usualPayment,
      broken: (value) => [
        ...notYet(value, { PENDING: ['completed', 'delivered'] }),
        brokenTotal(value),
        (value.state === 'PENDING' || value.state === 'FAILED') &&
          value.lightning?.preImage !== undefined && [
            'lightning.preImage',
            `must be absent: it does not belong to the state ${value.state}`,
          ],
      ],
    },
    members,
    options,
  );
}

function usualPayment(chosen: Members<Payment>, { id, created }: Origin): Payment {
  const { state = 'PENDING', lightning } = chosen;
  const paymentId = chosen.paymentId ?? id('payment');
  const terms = termsOf(chosen);
  const isCompleted = state === 'COMPLETED';
  const completed = chosen.completed ?? after(created, 2_000);
  const networkFee = { ...terms.totalFee, ...lightning?.networkFee };
  const { preimage } = secretOf(paymentId);
  return {
    paymentId,
    state,
    result: Object.hasOwn(RESULTS, state) ? RESULTS[state] : undefined,
    ...(isCompleted && { completed, delivered: completed }),
    ...terms,
    ...(chosen.onchain
      ? { onchain: { txnId: preimage } }
      : {
          lightningNetworkFee: networkFee,
          lightning: { networkFee, ...(isCompleted && { preImage: preimage }) },
        }),
  };
}
