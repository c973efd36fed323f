import * as v from 'valibot';
import {
  ConversionRateSchema,
  CurrencySchema,
  MoneyDraftSchema,
  MoneySchema,
  SpendAmountDraftSchema,
} from './amounts.schemas.ts';
import type {
  Beneficiary,
  BeneficiaryFields,
  LightningQuoteDraft,
  LnurlDetails,
  LnurlQuoteDraft,
  OnchainQuoteDraft,
  OnchainTier,
  OnchainTiersDraft,
  PaymentQuote,
} from './payment-quotes.ts';
import {
  atLeast,
  atMost,
  type BrokenRule,
  type EntriesOf,
  type ListSchema,
  type Maybe,
  maybe,
  type ObjectSchema,
  openText,
  type DraftRules,
  draftRules,
  type DraftSchema,
  TimeSchema,
} from './wire.ts';

/** Validates `PaymentQuote` in responses. */
export const PaymentQuoteSchema: ObjectSchema<PaymentQuote> = v.looseObject<
  EntriesOf<PaymentQuote>
>({
  paymentQuoteId: v.string(),
  description: maybe(v.string()),
  validUntil: maybe(TimeSchema),
  conversionRate: maybe(ConversionRateSchema),
  amount: MoneySchema,
  totalFee: maybe(MoneySchema),
  totalAmount: MoneySchema,
  reward: maybe(MoneySchema),
  lightningNetworkFee: maybe(MoneySchema),
  estimatedDeliveryDurationInMin: maybe(v.number()),
});

/** Validates `Beneficiary` in requests, including the service's limits. */
export const BeneficiarySchema: DraftSchema<BeneficiaryFields> = v.strictObject<
  EntriesOf<BeneficiaryFields>
>({
  isOwnDestination: maybe(v.boolean()),
  type: maybe(openText()),
  destinationType: maybe(openText()),
  vaspId: maybe(v.pipe(v.string(), atMost(100))),
  vaspName: maybe(v.string()),
  businessName: maybe(v.string()),
  individualFirstName: maybe(v.string()),
  individualLastName: maybe(v.string()),
  nationalIdentifier: maybe(v.string()),
});

/**
 * The schema of an optional beneficiary. It doesn't enforce the variants of `Beneficiary`, which
 * the rules below check.
 */
const someBeneficiary = maybe(BeneficiarySchema) as Maybe<Beneficiary>;

function brokenIn(beneficiary: BeneficiaryFields | undefined): readonly (BrokenRule | false)[] {
  const { type, destinationType, vaspId, vaspName, ...names } = beneficiary ?? {};
  return [
    type === 'BUSINESS' && !names.businessName && ['beneficiary.businessName'],
    type === 'INDIVIDUAL' && !names.individualFirstName && ['beneficiary.individualFirstName'],
    type === 'INDIVIDUAL' && !names.individualLastName && ['beneficiary.individualLastName'],
    destinationType === 'EXCHANGE_OR_PLATFORM' && !(vaspId || vaspName) && ['beneficiary.vaspId'],
    !!vaspId && !!vaspName && ['beneficiary.vaspName', 'must be omitted if vaspId is set'],
  ];
}

/** Matches a BOLT11 invoice. The amount, if there is one, comes before the last `1`. */
const namesAmount = /^\s*(lightning:)?ln(bcrt|tbs|bc|tb)(\d+[munp]?)?1[^1]*$/i;

/** Validates `LightningQuoteDraft` in requests, including the service's limits. */
export const LightningQuoteDraftSchema: DraftSchema<LightningQuoteDraft> = v.strictObject<
  EntriesOf<LightningQuoteDraft>
>({
  lnInvoice: v.pipe(v.string(), atLeast(1)),
  sourceCurrency: maybe(CurrencySchema),
  amount: maybe(SpendAmountDraftSchema),
  beneficiary: someBeneficiary,
});

/** Cross-field rules for `LightningQuoteDraft`. */
export const lightningQuoteDraftRules: DraftRules<LightningQuoteDraft> = draftRules(
  ({ lnInvoice, amount, beneficiary }) => {
    const read = namesAmount.exec(lnInvoice);
    return [
      !!read?.[3] && !!amount && ['amount', 'must be omitted: the invoice has its own amount'],
      !!read && !read[3] && !amount && ['amount'],
      ...brokenIn(beneficiary),
    ];
  },
);

/** Validates `LnurlQuoteDraft` in requests, including the service's limits. */
export const LnurlQuoteDraftSchema: DraftSchema<LnurlQuoteDraft> = v.strictObject<
  EntriesOf<LnurlQuoteDraft>
>({
  lnAddressOrUrl: v.string(),
  sourceCurrency: CurrencySchema,
  amount: MoneyDraftSchema,
  description: maybe(v.string()),
});

/** Validates `OnchainQuoteDraft` in requests, including the service's limits. */
export const OnchainQuoteDraftSchema: DraftSchema<OnchainQuoteDraft> = v.strictObject<
  EntriesOf<OnchainQuoteDraft>
>({
  btcAddress: v.string(),
  sourceCurrency: CurrencySchema,
  amount: SpendAmountDraftSchema,
  description: maybe(v.string()),
  onchainTierId: v.string(),
  beneficiary: someBeneficiary,
});

/** Cross-field rules for `OnchainQuoteDraft`. */
export const onchainQuoteDraftRules: DraftRules<OnchainQuoteDraft> = draftRules(({ beneficiary }) =>
  brokenIn(beneficiary),
);

/** Validates `OnchainTiersDraft` in requests, including the service's limits. */
export const OnchainTiersDraftSchema: DraftSchema<OnchainTiersDraft> = v.strictObject<
  EntriesOf<OnchainTiersDraft>
>({
  btcAddress: v.string(),
  amount: MoneyDraftSchema,
});

/** Validates `OnchainTier` in responses. */
export const OnchainTierSchema: ObjectSchema<OnchainTier> = v.looseObject<EntriesOf<OnchainTier>>({
  id: v.string(),
  estimatedDeliveryDurationInMin: v.number(),
  estimatedFee: MoneySchema,
  minimumAmount: maybe(MoneySchema),
});

/** Validates the list of on-chain tiers in responses. */
export const OnchainTiersSchema: ListSchema<OnchainTier> = v.array(OnchainTierSchema);

/** Validates `LnurlDetails` in responses. */
export const LnurlDetailsSchema: ObjectSchema<LnurlDetails> = v.looseObject<
  EntriesOf<LnurlDetails>
>({
  minSendable: v.number(),
  maxSendable: v.number(),
  metadata: v.string(),
  commentAllowed: maybe(v.number()),
  tag: v.string(),
});
