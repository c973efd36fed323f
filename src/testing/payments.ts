import type { Money } from '../money/index.ts';
import {
  LnurlDetailsSchema,
  OnchainTierSchema,
  PaymentQuoteSchema,
} from '../resources/payment-quotes.schemas.ts';
import type { LnurlDetails, OnchainTier, PaymentQuote } from '../resources/payment-quotes.ts';
import { PaymentSchema } from '../resources/payments.schemas.ts';
import type { Payment } from '../resources/payments.ts';
import {
  absentProblems,
  addFee,
  after,
  chosenMoney,
  chosenRate,
  maker,
  secretFor,
  sumProblem,
} from './make.ts';
import type { Maker, Members } from './members.ts';

type Terms = Pick<Payment, 'amount' | 'totalFee' | 'totalAmount' | 'conversionRate'>;

function costs(chosen: Members<Terms>): Terms & { readonly totalFee: Money } {
  const amount = chosenMoney(chosen.amount, '12.50');
  const { fee, total } = addFee(amount, chosen.totalFee);
  const { currency } = amount;
  return {
    amount,
    totalFee: fee,
    totalAmount: total,
    ...(currency !== 'BTC' && {
      conversionRate: chosenRate(chosen.conversionRate, 'BTC', currency),
    }),
  };
}

/**
 * Creates a payment quote. By default, it's for 12.50 EUR over Lightning and valid for a minute.
 * With `estimatedDeliveryDurationInMin`, it's on-chain. The fee and the total match the amount.
 *
 * @example
 * const dear = makePaymentQuote({ totalFee: { amount: '9.00' } });
 * console.log(dear.totalAmount.amount); // '21.50'
 */
export const makePaymentQuote: Maker<PaymentQuote> = maker('makePaymentQuote', PaymentQuoteSchema, {
  usual(chosen, { index, id, created }) {
    const terms = costs(chosen);
    const isOnchain = chosen.estimatedDeliveryDurationInMin !== undefined;
    return {
      paymentQuoteId: id('paymentQuote'),
      description: `Order ${index}`,
      validUntil: after(created, 60_000),
      ...terms,
      ...(!isOnchain && { lightningNetworkFee: terms.totalFee }),
    };
  },
  problems: (value) => sumProblem(value, 'totalAmount', 'amount', 'totalFee'),
});

/**
 * Creates a tier for on-chain payments. By default, it delivers within an hour for 0.00001 BTC.
 *
 * @example
 * const tiers = [makeOnchainTier(), makeOnchainTier({ id: 'tier_fast' }, { index: 1 })];
 */
export const makeOnchainTier: Maker<OnchainTier> = maker('makeOnchainTier', OnchainTierSchema, {
  usual: (_chosen, { index }) => ({
    id: `tier_${index}`,
    estimatedDeliveryDurationInMin: 60,
    estimatedFee: { amount: '0.00001000', currency: 'BTC' },
  }),
});

/**
 * Creates a Lightning address's details. By default, the address accepts from one satoshi to a
 * million, without a comment.
 *
 * @example
 * const details = makeLnurlDetails({ commentAllowed: 140 });
 */
export const makeLnurlDetails: Maker<LnurlDetails> = maker('makeLnurlDetails', LnurlDetailsSchema, {
  usual: () => ({
    minSendable: 1_000,
    maxSendable: 1_000_000_000,
    metadata: '[["text/plain","Pay the shop"]]',
    tag: 'payRequest',
  }),
  problems: ({ minSendable, maxSendable }) => ({
    maxSendable: minSendable > maxSendable && 'must be at least minSendable',
  }),
});

const RESULTS: ReadonlyMap<string, string> = new Map([
  ['PENDING', 'PENDING'],
  ['COMPLETED', 'SUCCESS'],
  ['FAILED', 'FAILURE'],
]);

/**
 * Creates a payment in state PENDING. By default, it's for 12.50 EUR over Lightning. With
 * `onchain`, it's on-chain. A COMPLETED payment has its end time and the preimage.
 *
 * @example
 * const failed = makePayment({ state: 'FAILED' });
 * const onchain = makePayment({ state: 'COMPLETED', onchain: {} });
 */
export const makePayment: Maker<Payment> = maker('makePayment', PaymentSchema, {
  usual(chosen, { id, created }) {
    const { state = 'PENDING', lightning, onchain, paymentId = id('payment') } = chosen;
    const terms = costs(chosen);
    const isCompleted = state === 'COMPLETED';
    const completed = chosen.completed ?? after(created, 2_000);
    const networkFee = { ...terms.totalFee, ...lightning?.networkFee };
    const { preimage } = secretFor(paymentId);
    return {
      paymentId,
      state,
      result: RESULTS.get(state),
      ...(isCompleted && { completed, delivered: completed }),
      ...terms,
      ...(onchain
        ? { onchain: { txnId: preimage } }
        : {
            lightningNetworkFee: networkFee,
            lightning: { networkFee, ...(isCompleted && { preImage: preimage }) },
          }),
    };
  },
  problems: (value) => ({
    ...absentProblems(value, {
      completed: ['PENDING'],
      delivered: ['PENDING'],
      'lightning.preImage': ['PENDING', 'FAILED'],
    }),
    ...sumProblem(value, 'totalAmount', 'amount', 'totalFee'),
  }),
});
