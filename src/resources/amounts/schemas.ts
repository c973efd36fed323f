import type { Money } from '../../money/model.ts';
import {
  response,
  draft,
  withPattern,
  maybe,
  openText,
  type OpenText,
  type SchemaOf,
} from '../shape.ts';
import type { QuotedRate, CurrencyCode, FeePolicy, SpendAmount } from './model.ts';

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

export const MoneyDraftSchema: SchemaOf<Money> = draft<Money>({
  amount: sentDecimal,
  currency: CurrencySchema,
});

export const FeePolicySchema: OpenText<FeePolicy> = openText();

export const SpendDraftSchema: SchemaOf<SpendAmount> = draft<SpendAmount>({
  amount: sentDecimal,
  currency: CurrencySchema,
  feePolicy: maybe(FeePolicySchema),
});

export const ConversionRateSchema: SchemaOf<QuotedRate> = response<QuotedRate>({
  amount: decimal,
  sourceCurrency: CurrencySchema,
  targetCurrency: CurrencySchema,
});
