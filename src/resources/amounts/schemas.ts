import type { Money } from '../../money/model.ts';
import {
  response,
  draft,
  withPattern,
  withRules,
  maybe,
  openText,
  type OpenText,
  type SchemaOf,
} from '../shape.ts';
import {
  CURRENCIES,
  type QuotedRate,
  type CurrencyCode,
  type FeePolicy,
  type SpendAmount,
} from './model.ts';

export const CurrencySchema: OpenText<CurrencyCode> = openText();

const DECIMAL = 'must be a decimal text such as "12.50"';

/** A decimal text as the service sends it; no number, no exponent. */
export const decimal: SchemaOf<string> = withPattern(/^-?\d{1,30}(\.\d{1,30})?$/, DECIMAL);

/** A decimal text as we send it: no sign, at most 20 digits before the point and 18 behind. */
export const sentDecimal: SchemaOf<string> = withPattern(/^\d{1,20}(\.\d{1,18})?$/, DECIMAL);

export const MoneySchema: SchemaOf<Money> = response<Money>({
  amount: decimal,
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

export const MoneyDraftSchema: SchemaOf<Money> = draft<Money>({
  amount: sentDecimal,
  currency: SentCurrencySchema,
});

export const FeePolicySchema: OpenText<FeePolicy> = openText();

export const SpendDraftSchema: SchemaOf<SpendAmount> = draft<SpendAmount>({
  amount: sentDecimal,
  currency: SentCurrencySchema,
  feePolicy: maybe(FeePolicySchema),
});

export const ConversionRateSchema: SchemaOf<QuotedRate> = response<QuotedRate>({
  amount: decimal,
  sourceCurrency: CurrencySchema,
  targetCurrency: CurrencySchema,
});
