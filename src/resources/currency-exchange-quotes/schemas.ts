import {
  ConversionRateSchema,
  CurrencySchema,
  MoneySchema,
  SpendAmountDraftSchema,
} from '../amounts/schemas.ts';
import {
  response,
  draft,
  maybe,
  openText,
  type OpenText,
  withRules,
  type SchemaOf,
  text,
} from '../shape.ts';
import type { CurrencyExchangeQuote, CurrencyExchangeQuoteDraft } from './model.ts';
import type { CurrencyExchangeQuoteState } from './states.ts';

export const CurrencyExchangeQuoteStateSchema: OpenText<CurrencyExchangeQuoteState> = openText();

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
