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
  draft,
  maybe,
  openText,
  type OpenText,
  response,
  type SchemaOf,
  text,
  withRules,
} from './shape.ts';

/** Schema of `CurrencyExchangeQuoteState`: texts that are new pass. */
export const CurrencyExchangeQuoteStateSchema: OpenText<CurrencyExchangeQuoteState> = openText();

/** Schema of `CurrencyExchangeQuote`, as the service sends it: members that are new pass. */
export const CurrencyExchangeQuoteSchema: SchemaOf<CurrencyExchangeQuote> =
  response<CurrencyExchangeQuote>({
    id: text,
    created: text,
    validUntil: text,
    source: MoneySchema,
    target: MoneySchema,
    fee: maybe(MoneySchema),
    conversionRate: ConversionRateSchema,
    state: CurrencyExchangeQuoteStateSchema,
    completed: maybe(text),
  });

/** Schema of `CurrencyExchangeQuoteDraft`, which is sent: what the service bounds is checked. */
export const CurrencyExchangeQuoteDraftSchema: SchemaOf<CurrencyExchangeQuoteDraft> = withRules(
  draft<CurrencyExchangeQuoteDraft>({
    sell: CurrencySchema,
    buy: CurrencySchema,
    amount: SpendAmountDraftSchema,
  }),
  ({ sell, buy, amount: { currency } }) => [
    currency !== sell && currency !== buy && ['amount.currency', 'must be what is sold or bought'],
  ],
);
