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

/** Validates `CurrencyCode`. */
export const CurrencySchema: OpenText<CurrencyCode> = openText();

const ADVICE = 'must be a decimal string such as "12.50"';

/** Validates a decimal string in responses. Rejects numbers and exponents. */
export const DecimalSchema: SchemaOf<string> = v.pipe(v.string(), v.regex(DECIMAL, ADVICE));

/**
 * Validates a decimal string in a request. It must be unsigned and have at most 20 digits before
 * the decimal point and 18 after it.
 */
export const DecimalDraftSchema: SchemaOf<string> = v.pipe(
  v.string(),
  v.regex(UNSIGNED_DECIMAL, ADVICE),
);

/** Validates `Money` in responses. */
export const MoneySchema: ObjectSchema<Money> = v.looseObject<EntriesOf<Money>>({
  amount: DecimalSchema,
  currency: CurrencySchema,
});

/** Returns a pattern that matches known values only in uppercase, and any unknown value. */
function capitals(known: string): RegExp {
  return new RegExp(`^(${known})$|^(?!(${inAnyCase(known)})$)`);
}

/** Validates a currency in a request. A known currency in lowercase is rejected as a typo. */
const SentCurrencySchema: typeof CurrencySchema = v.pipe(
  v.string(),
  v.regex(capitals(CURRENCIES.join('|')), ({ input }) => `must be "${input.toUpperCase()}"`),
) as never;

/** Validates `Money` in requests, including the service's limits. */
export const MoneyDraftSchema: ObjectSchema<Money> = v.looseObject<EntriesOf<Money>>({
  amount: DecimalDraftSchema,
  currency: SentCurrencySchema,
});

/** Validates `FeePolicy`. */
export const FeePolicySchema: OpenText<FeePolicy> = openText();

/** Validates `SpendAmount` in requests, including the service's limits. */
export const SpendAmountDraftSchema: DraftSchema<SpendAmount> = v.strictObject<
  EntriesOf<SpendAmount>
>({
  amount: DecimalDraftSchema,
  currency: SentCurrencySchema,
  feePolicy: maybe(FeePolicySchema),
});

/** Validates `QuotedRate` in responses. */
export const ConversionRateSchema: ObjectSchema<QuotedRate> = v.looseObject<EntriesOf<QuotedRate>>({
  amount: DecimalSchema,
  sourceCurrency: CurrencySchema,
  targetCurrency: CurrencySchema,
});
