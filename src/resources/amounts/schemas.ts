import * as v from 'valibot';
import { open, type OpenText, draft, answer, type SchemaOf } from '../shape.ts';
import type { ConversionRate, CurrencyCode, MoneyDraft, WireMoney } from './model.ts';

export const CurrencySchema: OpenText<CurrencyCode> = open();

/** A decimal text as the service sends it; no number, no exponent. */
const decimal: SchemaOf<string> = v.pipe(
  v.string(),
  v.regex(/^-?\d{1,30}(\.\d{1,30})?$/, 'must be a decimal text such as "12.50"'),
);

/** A decimal text as we send it: no sign, at most 20 digits before the point and 18 behind. */
const sentDecimal: SchemaOf<string> = v.pipe(
  v.string(),
  v.regex(/^\d{1,20}(\.\d{1,18})?$/, 'must be a decimal text such as "12.50"'),
);

export const MoneySchema: SchemaOf<WireMoney> = answer<WireMoney>({ amount: decimal, currency: CurrencySchema });

export const MoneyDraftSchema: SchemaOf<MoneyDraft> = draft<MoneyDraft>({ amount: sentDecimal, currency: CurrencySchema });

export const ConversionRateSchema: SchemaOf<ConversionRate> = answer<ConversionRate>({
  amount: decimal,
  sourceCurrency: CurrencySchema,
  targetCurrency: CurrencySchema,
});
