import type { LnurlDetails, OnchainTier, PaymentQuote } from '../resources/payment-quotes.ts';
import {
  LnurlDetailsSchema,
  OnchainTierSchema,
  PaymentQuoteSchema,
} from '../resources/payment-quotes.schemas.ts';
import { make } from './make.ts';
import type { MakeOptions, Members } from './members.ts';
import { after, type Origin } from './origin.ts';
import { brokenTotal, termsOf } from './payment-terms.ts';
import { shapeOf } from '../resources/wire.ts';

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
