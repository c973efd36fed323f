import {
  ConversionRateSchema,
  CurrencySchema,
  MoneySchema,
  SpendDraftSchema,
} from '../amounts/schemas.ts';
import { answer, draft, maybe, open, type OpenText, ruled, type SchemaOf, text } from '../shape.ts';
import type { CurrencyExchangeQuote, CurrencyExchangeQuoteDraft } from './model.ts';
import type { CurrencyExchangeQuoteState } from './states.ts';

export const ExchangeQuoteStateSchema: OpenText<CurrencyExchangeQuoteState> = open();

export const ExchangeQuoteSchema: SchemaOf<CurrencyExchangeQuote> = answer<CurrencyExchangeQuote>({
  id: text,
  created: text,
  validUntil: text,
  source: MoneySchema,
  target: MoneySchema,
  fee: maybe(MoneySchema),
  conversionRate: ConversionRateSchema,
  state: ExchangeQuoteStateSchema,
  completed: maybe(text),
});

export const ExchangeQuoteDraftSchema: SchemaOf<CurrencyExchangeQuoteDraft> = ruled(
  draft<CurrencyExchangeQuoteDraft>({
    sell: CurrencySchema,
    buy: CurrencySchema,
    amount: SpendDraftSchema,
  }),
  ({ sell, buy, amount: { currency } }) => [
    currency !== sell && currency !== buy && ['amount.currency', 'must be what is sold or bought'],
  ],
);
