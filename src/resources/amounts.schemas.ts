import * as v from 'valibot';
import type { Money } from '../money/index.ts';
import {
  CURRENCIES,
  type CurrencyCode,
  type FeePolicy,
  type QuotedRate,
  type SpendAmount,
} from './amounts.ts';
import {
  type EntriesOf,
  maybe,
  type ObjectSchema,
  type OpenText,
  openText,
  type SchemaOf,
} from './wire.ts';

/** Schema of `CurrencyCode`: texts that are new pass. */
export const CurrencySchema: OpenText<CurrencyCode> = openText();

const DECIMAL = 'must be a decimal text such as "12.50"';

/** A decimal text as the service sends it; no number, no exponent. */
export const DecimalSchema: SchemaOf<string> = v.pipe(
  v.string(),
  v.regex(/^-?\d{1,30}(\.\d{1,30})?$/, DECIMAL),
);

/** A decimal text as we send it: no sign, at most 20 digits before the point and 18 behind. */
export const DecimalDraftSchema: SchemaOf<string> = v.pipe(
  v.string(),
  v.regex(/^\d{1,20}(\.\d{1,18})?$/, DECIMAL),
);

/** Schema of `Money`, as the service sends it: members that are new pass. */
export const MoneySchema: ObjectSchema<Money> = v.looseObject<EntriesOf<Money>>({
  amount: DecimalSchema,
  currency: CurrencySchema,
});

/** Admits what is known in capitals, and what is not known. JSON Schema has no flags. */
function capitals(known: string): RegExp {
  const anyCase = known.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);
  return new RegExp(`^(${known})$|^(?!(${anyCase})$)`);
}

/** A currency as we send it; small letters of a known one are a slip. */
const SentCurrencySchema: typeof CurrencySchema = v.pipe(
  v.string(),
  v.regex(capitals(CURRENCIES.join('|')), ({ input }) => `must be "${input.toUpperCase()}"`),
) as never;

/** Schema of `Money`, which is sent: what the service bounds is checked. */
export const MoneyDraftSchema: ObjectSchema<Money> = v.looseObject<EntriesOf<Money>>({
  amount: DecimalDraftSchema,
  currency: SentCurrencySchema,
});

/** Schema of `FeePolicy`: texts that are new pass. */
export const FeePolicySchema: OpenText<FeePolicy> = openText();

/** Schema of `SpendAmount`, which is sent: what the service bounds is checked. */
export const SpendAmountDraftSchema: ObjectSchema<SpendAmount> = v.looseObject<
  EntriesOf<SpendAmount>
>({
  amount: DecimalDraftSchema,
  currency: SentCurrencySchema,
  feePolicy: maybe(FeePolicySchema),
});

/** Schema of `QuotedRate`, as the service sends it: members that are new pass. */
export const ConversionRateSchema: ObjectSchema<QuotedRate> = v.looseObject<EntriesOf<QuotedRate>>({
  amount: DecimalSchema,
  sourceCurrency: CurrencySchema,
  targetCurrency: CurrencySchema,
});
