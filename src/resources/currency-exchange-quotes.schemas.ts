import * as v from 'valibot';
import {
  ConversionRateSchema,
  CurrencySchema,
  MoneySchema,
  SpendAmountDraftSchema,
} from './amounts.schemas.ts';
import type {
  CurrencyExchangeQuote,
  CurrencyExchangeQuoteDraft,
  CurrencyExchangeQuoteState,
} from './currency-exchange-quotes.ts';
import {
  type EntriesOf,
  maybe,
  type ObjectSchema,
  type OpenText,
  openText,
  type DraftRules,
  draftRules,
  type DraftSchema,
  TimeSchema,
} from './wire.ts';

/** Validates `CurrencyExchangeQuoteState`. */
export const CurrencyExchangeQuoteStateSchema: OpenText<CurrencyExchangeQuoteState> = openText();

/** Validates `CurrencyExchangeQuote` in responses. */
export const CurrencyExchangeQuoteSchema: ObjectSchema<CurrencyExchangeQuote> = v.looseObject<
  EntriesOf<CurrencyExchangeQuote>
>({
  id: v.string(),
  created: TimeSchema,
  validUntil: TimeSchema,
  source: MoneySchema,
  target: MoneySchema,
  fee: maybe(MoneySchema),
  conversionRate: ConversionRateSchema,
  state: CurrencyExchangeQuoteStateSchema,
  completed: maybe(TimeSchema),
});

/** Validates `CurrencyExchangeQuoteDraft` in requests, including the service's limits. */
export const CurrencyExchangeQuoteDraftSchema: DraftSchema<CurrencyExchangeQuoteDraft> =
  v.strictObject<EntriesOf<CurrencyExchangeQuoteDraft>>({
    sell: CurrencySchema,
    buy: CurrencySchema,
    amount: SpendAmountDraftSchema,
  });

/** Cross-field rules for `CurrencyExchangeQuoteDraft`. */
export const currencyExchangeQuoteDraftRules: DraftRules<CurrencyExchangeQuoteDraft> = draftRules(
  ({ sell, buy, amount: { currency } }) => [
    currency !== sell &&
      currency !== buy && ['amount.currency', 'must be the currency you sell or buy'],
  ],
);
