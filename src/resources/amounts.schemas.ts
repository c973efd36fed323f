import * as v from 'valibot';
import { DECIMAL, UNSIGNED_DECIMAL } from '../money/decimal.ts';
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
  inAnyCase,
  maybe,
  type ObjectSchema,
  type OpenText,
  openText,
  type SchemaOf,
  type DraftSchema,
} from './wire.ts';

/** Reads `CurrencyCode`; new texts pass. */
export const CurrencySchema: OpenText<CurrencyCode> = openText();

const ADVICE = 'must be a decimal text such as "12.50"';

/** Reads a decimal text as the service sends it; a number or an exponent is refused. */
export const DecimalSchema: SchemaOf<string> = v.pipe(v.string(), v.regex(DECIMAL, ADVICE));

/** Checks a decimal text before it is sent: no sign, 20 digits before the point, 18 behind. */
export const DecimalDraftSchema: SchemaOf<string> = v.pipe(
  v.string(),
  v.regex(UNSIGNED_DECIMAL, ADVICE),
);

/** Reads `Money` as the service sends it; new members pass. */
export const MoneySchema: ObjectSchema<Money> = v.looseObject<EntriesOf<Money>>({
  amount: DecimalSchema,
  currency: CurrencySchema,
});

/** Matches the known words in capitals, and every unknown word. */
function capitals(known: string): RegExp {
  return new RegExp(`^(${known})$|^(?!(${inAnyCase(known)})$)`);
}

/** Checks a currency before it is sent; a known one in small letters is a slip. */
const SentCurrencySchema: typeof CurrencySchema = v.pipe(
  v.string(),
  v.regex(capitals(CURRENCIES.join('|')), ({ input }) => `must be "${input.toUpperCase()}"`),
) as never;

/** Checks `Money` before it is sent, as far as the service limits it. */
export const MoneyDraftSchema: ObjectSchema<Money> = v.looseObject<EntriesOf<Money>>({
  amount: DecimalDraftSchema,
  currency: SentCurrencySchema,
});

/** Reads `FeePolicy`; new texts pass. */
export const FeePolicySchema: OpenText<FeePolicy> = openText();

/** Checks `SpendAmount` before it is sent, as far as the service limits it. */
export const SpendAmountDraftSchema: DraftSchema<SpendAmount> = v.strictObject<
  EntriesOf<SpendAmount>
>({
  amount: DecimalDraftSchema,
  currency: SentCurrencySchema,
  feePolicy: maybe(FeePolicySchema),
});

/** Reads `QuotedRate` as the service sends it; new members pass. */
export const ConversionRateSchema: ObjectSchema<QuotedRate> = v.looseObject<EntriesOf<QuotedRate>>({
  amount: DecimalSchema,
  sourceCurrency: CurrencySchema,
  targetCurrency: CurrencySchema,
});
