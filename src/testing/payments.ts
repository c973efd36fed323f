import { addMoney } from '../money/index.ts';
import {
  LnurlDetailsSchema,
  OnchainTierSchema,
  PaymentQuoteSchema,
} from '../resources/payment-quotes.schemas.ts';
import type { LnurlDetails, OnchainTier, PaymentQuote } from '../resources/payment-quotes.ts';
import { PaymentSchema } from '../resources/payments.schemas.ts';
import type { Payment } from '../resources/payments.ts';
import { shapeOf } from '../resources/wire.ts';
import {
  after,
  type Broken,
  brokenSum,
  feeOf,
  make,
  type MakeOptions,
  type Members,
  moneyOf,
  notYet,
  type Origin,
  rateOf,
  secretOf,
} from './make.ts';

/** The costs of a payment and its quote: the fee is a thousandth, the total both together. */
function termsOf(
  chosen: Members<Pick<Payment, 'amount' | 'totalFee' | 'totalAmount' | 'conversionRate'>>,
): Pick<PaymentQuote, 'amount' | 'totalAmount' | 'conversionRate'> & {
  readonly totalFee: NonNullable<PaymentQuote['totalFee']>;
} {
  const amount = moneyOf(chosen.amount, '12.50');
  const usualFee = feeOf(amount, '0.001');
  const totalFee = moneyOf(chosen.totalFee, usualFee.amount, usualFee.currency);
  const isSame = totalFee.currency === amount.currency;
  const { currency } = amount;
  return {
    amount,
    totalFee,
    totalAmount: isSame ? addMoney(amount, totalFee) : amount,
    ...(currency !== 'BTC' && { conversionRate: rateOf('BTC', currency, chosen.conversionRate) }),
  };
}

/** A total that is not amount and fee together. */
function brokenTotal({
  amount,
  totalFee,
  totalAmount,
}: Payment | PaymentQuote): Broken | undefined {
  return brokenSum(['totalAmount', totalAmount], ['amount', amount], ['totalFee', totalFee]);
}

/**
 * Makes a quote of a payment: of 12.50 EUR over Lightning, valid for a minute; on the chain where
 * `estimatedDeliveryDurationInMin` is chosen.
 *
 * @param members what is to be chosen; fee and total fit the amount
 * @param options which one, and when
 * @throws InputError naming the members that such a quote cannot have
 * @example
 * const dear = makePaymentQuote({ totalFee: { amount: '9.00' } });
 * console.log(dear.totalAmount.amount); // '21.50'
 */
export function makePaymentQuote(
  members: Members<PaymentQuote> = {},
  options: MakeOptions = {},
): PaymentQuote {
  return make(
    {
      name: 'makePaymentQuote',
      shape: shapeOf(PaymentQuoteSchema),
      usual: usualQuote,
      broken: (value) => [brokenTotal(value)],
    },
    members,
    options,
  );
}

function usualQuote(chosen: Members<PaymentQuote>, { index, id, created }: Origin): PaymentQuote {
  const terms = termsOf(chosen);
  const isOnchain = chosen.estimatedDeliveryDurationInMin !== undefined;
  return {
    paymentQuoteId: id('paymentQuote'),
    description: `Order ${index}`,
    validUntil: after(created, 60_000),
    ...terms,
    ...(!isOnchain && { lightningNetworkFee: terms.totalFee }),
  };
}

/**
 * Makes a tier of an on-chain payment.
 *
 * @param members what is to be chosen
 * @param options which one
 * @throws InputError naming the members that such a tier cannot have
 * @example
 * const tiers = [makeOnchainTier(), makeOnchainTier({ id: 'tier_fast' }, { index: 1 })];
 */
export function makeOnchainTier(
  members: Members<OnchainTier> = {},
  options: MakeOptions = {},
): OnchainTier {
  return make(
    {
      name: 'makeOnchainTier',
      shape: shapeOf(OnchainTierSchema),
      usual: (_chosen, { index }) => ({
        id: `tier_${index}`,
        estimatedDeliveryDurationInMin: 60,
        estimatedFee: { amount: '0.00001000', currency: 'BTC' },
      }),
    },
    members,
    options,
  );
}

/**
 * Makes what a Lightning address takes: from one satoshi to a million, no comment.
 *
 * @param members what is to be chosen
 * @throws InputError naming the members that such details cannot have
 * @example
 * const details = makeLnurlDetails({ commentAllowed: 140 });
 */
export function makeLnurlDetails(members: Members<LnurlDetails> = {}): LnurlDetails {
  return make(
    {
      name: 'makeLnurlDetails',
      shape: shapeOf(LnurlDetailsSchema),
      usual: () => ({
        minSendable: 1_000,
        maxSendable: 1_000_000_000,
        metadata: '[["text/plain","Pay the shop"]]',
        tag: 'payRequest',
      }),
      broken: ({ minSendable, maxSendable }) => [
        minSendable > maxSendable && ['maxSendable', 'must be at least minSendable'],
      ],
    },
    members,
    {},
  );
}

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
