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
} from './wire.ts';

/** Schema of `CurrencyExchangeQuoteState`: texts that are new pass. */
export const CurrencyExchangeQuoteStateSchema: OpenText<CurrencyExchangeQuoteState> = openText();

/** Schema of `CurrencyExchangeQuote`, as the service sends it: members that are new pass. */
export const CurrencyExchangeQuoteSchema: ObjectSchema<CurrencyExchangeQuote> = v.looseObject<
  EntriesOf<CurrencyExchangeQuote>
>({
  id: v.string(),
  created: v.string(),
  validUntil: v.string(),
  source: MoneySchema,
  target: MoneySchema,
  fee: maybe(MoneySchema),
  conversionRate: ConversionRateSchema,
  state: CurrencyExchangeQuoteStateSchema,
  completed: maybe(v.string()),
});

/** Schema of `CurrencyExchangeQuoteDraft`, which is sent: what the service bounds is checked. */
export const CurrencyExchangeQuoteDraftSchema: ObjectSchema<CurrencyExchangeQuoteDraft> =
  v.looseObject<EntriesOf<CurrencyExchangeQuoteDraft>>({
    sell: CurrencySchema,
    buy: CurrencySchema,
    amount: SpendAmountDraftSchema,
  });

/** Rules between the members of a `CurrencyExchangeQuoteDraft`. */
export const currencyExchangeQuoteDraftRules: DraftRules<CurrencyExchangeQuoteDraft> = draftRules(
  ({ sell, buy, amount: { currency } }) => [
    currency !== sell && currency !== buy && ['amount.currency', 'must be what is sold or bought'],
  ],
);
