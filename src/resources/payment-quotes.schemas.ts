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
  LightningQuoteDraft,
  LnurlDetails,
  LnurlQuoteDraft,
  OnchainQuoteDraft,
  OnchainTier,
  OnchainTiersDraft,
  PaymentQuote,
} from './payment-quotes.ts';
import {
  array,
  draft,
  maybe,
  openText,
  response,
  type SchemaOf,
  text,
  withLength,
  withRules,
} from './shape.ts';

const some: SchemaOf<string> = withLength(1);

/** Schema of `PaymentQuote`, as the service sends it: members that are new pass. */
export const PaymentQuoteSchema: SchemaOf<PaymentQuote> = response<PaymentQuote>({
  paymentQuoteId: text,
  description: maybe(text),
  validUntil: maybe(text),
  conversionRate: maybe(ConversionRateSchema),
  amount: MoneySchema,
  totalFee: maybe(MoneySchema),
  totalAmount: MoneySchema,
  reward: maybe(MoneySchema),
  lightningNetworkFee: maybe(MoneySchema),
  estimatedDeliveryDurationInMin: maybe(v.number()),
});

/** Schema of `Beneficiary`, as the service sends it: members that are new pass. */
export const BeneficiarySchema: SchemaOf<Beneficiary> = withRules(
  draft<Beneficiary>({
    isOwnDestination: maybe(v.boolean()),
    type: maybe(openText()),
    destinationType: maybe(openText()),
    vaspId: maybe(withLength(0, 100)),
    vaspName: maybe(text),
    businessName: maybe(text),
    individualFirstName: maybe(text),
    individualLastName: maybe(text),
    nationalIdentifier: maybe(text),
  }),
  ({
    type,
    destinationType,
    vaspId,
    vaspName,
    businessName,
    individualFirstName,
    individualLastName,
  }) => [
    type === 'BUSINESS' && !businessName && ['businessName', undefined],
    type === 'INDIVIDUAL' && !individualFirstName && ['individualFirstName', undefined],
    type === 'INDIVIDUAL' && !individualLastName && ['individualLastName', undefined],
    destinationType === 'EXCHANGE_OR_PLATFORM' && !(vaspId || vaspName) && ['vaspId', undefined],
    !!vaspId && !!vaspName && ['vaspName', 'must be absent beside vaspId'],
  ],
);

/** A BOLT11 text names its amount before the last `1`, which no later character can be. */
const namesAmount = /^\s*(lightning:)?ln(bcrt|tbs|bc|tb)(\d+[munp]?)?1[^1]*$/i;

/** Schema of `LightningQuoteDraft`, which is sent: what the service bounds is checked. */
export const LightningQuoteDraftSchema: SchemaOf<LightningQuoteDraft> = withRules(
  draft<LightningQuoteDraft>({
    lnInvoice: some,
    sourceCurrency: maybe(CurrencySchema),
    amount: maybe(SpendAmountDraftSchema),
    beneficiary: maybe(BeneficiarySchema),
  }),
  ({ lnInvoice, amount }) => {
    const read = namesAmount.exec(lnInvoice);
    return [
      !!read?.[3] && !!amount && ['amount', 'must be absent: the invoice names its own'],
      !!read && !read[3] && !amount && ['amount', undefined],
    ];
  },
);

/** Schema of `LnurlQuoteDraft`, which is sent: what the service bounds is checked. */
export const LnurlQuoteDraftSchema: SchemaOf<LnurlQuoteDraft> = draft<LnurlQuoteDraft>({
  lnAddressOrUrl: some,
  sourceCurrency: CurrencySchema,
  amount: MoneyDraftSchema,
  description: maybe(some),
});

/** Schema of `OnchainQuoteDraft`, which is sent: what the service bounds is checked. */
export const OnchainQuoteDraftSchema: SchemaOf<OnchainQuoteDraft> = draft<OnchainQuoteDraft>({
  btcAddress: some,
  sourceCurrency: CurrencySchema,
  amount: SpendAmountDraftSchema,
  description: maybe(withLength(0, 250)),
  onchainTierId: some,
  beneficiary: maybe(BeneficiarySchema),
});

/** Schema of `OnchainTiersDraft`, which is sent: what the service bounds is checked. */
export const OnchainTiersDraftSchema: SchemaOf<OnchainTiersDraft> = draft<OnchainTiersDraft>({
  btcAddress: some,
  amount: MoneyDraftSchema,
});

/** Schema of `OnchainTier`, as the service sends it: members that are new pass. */
export const OnchainTierSchema: SchemaOf<OnchainTier> = response<OnchainTier>({
  id: text,
  estimatedDeliveryDurationInMin: v.number(),
  estimatedFee: MoneySchema,
  minimumAmount: maybe(MoneySchema),
});

/** The service lists tiers without pages. */
export const OnchainTiersSchema: SchemaOf<readonly OnchainTier[]> = array(OnchainTierSchema);

/** Schema of `LnurlDetails`, as the service sends it: members that are new pass. */
export const LnurlDetailsSchema: SchemaOf<LnurlDetails> = response<LnurlDetails>({
  minSendable: v.number(),
  maxSendable: v.number(),
  metadata: text,
  commentAllowed: maybe(v.number()),
  tag: text,
});
