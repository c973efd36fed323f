import { answer, draft, formed, maybe, open, type OpenText, type SchemaOf } from '../shape.ts';
import type {
  ConversionRate,
  CurrencyCode,
  FeePolicy,
  MoneyDraft,
  SpendAmount,
  WireMoney,
} from './model.ts';

export const CurrencySchema: OpenText<CurrencyCode> = open();

const DECIMAL = 'must be a decimal text such as "12.50"';

/** A decimal text as the service sends it; no number, no exponent. */
export const decimal: SchemaOf<string> = formed(/^-?\d{1,30}(\.\d{1,30})?$/, DECIMAL);

/** A decimal text as we send it: no sign, at most 20 digits before the point and 18 behind. */
export const sentDecimal: SchemaOf<string> = formed(/^\d{1,20}(\.\d{1,18})?$/, DECIMAL);

export const MoneySchema: SchemaOf<WireMoney> = answer<WireMoney>({
  amount: decimal,
  currency: CurrencySchema,
});

export const MoneyDraftSchema: SchemaOf<MoneyDraft> = draft<MoneyDraft>({
  amount: sentDecimal,
  currency: CurrencySchema,
});

export const FeePolicySchema: OpenText<FeePolicy> = open();

export const SpendDraftSchema: SchemaOf<SpendAmount> = draft<SpendAmount>({
  amount: sentDecimal,
  currency: CurrencySchema,
  feePolicy: maybe(FeePolicySchema),
});

export const ConversionRateSchema: SchemaOf<ConversionRate> = answer<ConversionRate>({
  amount: decimal,
  sourceCurrency: CurrencySchema,
  targetCurrency: CurrencySchema,
});
