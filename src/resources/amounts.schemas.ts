import type { Money } from '../money/index.ts';
import {
  CURRENCIES,
  type CurrencyCode,
  type FeePolicy,
  type QuotedRate,
  type SpendAmount,
} from './amounts.ts';
import {
  draft,
  maybe,
  openText,
  type OpenText,
  response,
  type SchemaOf,
  withPattern,
  withRules,
} from './shape.ts';

/** Schema of `CurrencyCode`: texts that are new pass. */
export const CurrencySchema: OpenText<CurrencyCode> = openText();

const DECIMAL = 'must be a decimal text such as "12.50"';

/** A decimal text as the service sends it; no number, no exponent. */
export const DecimalSchema: SchemaOf<string> = withPattern(/^-?\d{1,30}(\.\d{1,30})?$/, DECIMAL);

/** A decimal text as we send it: no sign, at most 20 digits before the point and 18 behind. */
export const DecimalDraftSchema: SchemaOf<string> = withPattern(/^\d{1,20}(\.\d{1,18})?$/, DECIMAL);

/** Schema of `Money`, as the service sends it: members that are new pass. */
export const MoneySchema: SchemaOf<Money> = response<Money>({
  amount: DecimalSchema,
  currency: CurrencySchema,
});

/** A currency as we send it; small letters of a known one are a slip. */
const SentCurrencySchema: typeof CurrencySchema = withRules(CurrencySchema, (currency) => {
  const right = currency.toUpperCase();
  return [
    currency !== right &&
      (CURRENCIES as readonly string[]).includes(right) && ['', `must be "${right}"`],
  ];
}) as never;

/** Schema of `Money`, which is sent: what the service bounds is checked. */
export const MoneyDraftSchema: SchemaOf<Money> = draft<Money>({
  amount: DecimalDraftSchema,
  currency: SentCurrencySchema,
});

/** Schema of `FeePolicy`: texts that are new pass. */
export const FeePolicySchema: OpenText<FeePolicy> = openText();

/** Schema of `SpendAmount`, which is sent: what the service bounds is checked. */
export const SpendAmountDraftSchema: SchemaOf<SpendAmount> = draft<SpendAmount>({
  amount: DecimalDraftSchema,
  currency: SentCurrencySchema,
  feePolicy: maybe(FeePolicySchema),
});

/** Schema of `QuotedRate`, as the service sends it: members that are new pass. */
export const ConversionRateSchema: SchemaOf<QuotedRate> = response<QuotedRate>({
  amount: DecimalSchema,
  sourceCurrency: CurrencySchema,
  targetCurrency: CurrencySchema,
});
