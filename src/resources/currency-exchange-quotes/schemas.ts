import {
  ConversionRateSchema,
  CurrencySchema,
  MoneySchema,
  SpendDraftSchema,
} from '../amounts/schemas.ts';
import { answer, draft, maybe, open, type OpenText, ruled, type SchemaOf, text } from '../shape.ts';
import type { ExchangeQuote, ExchangeQuoteDraft } from './model.ts';
import type { ExchangeQuoteState } from './states.ts';

export const ExchangeQuoteStateSchema: OpenText<ExchangeQuoteState> = open();

export const ExchangeQuoteSchema: SchemaOf<ExchangeQuote> = answer<ExchangeQuote>({
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

export const ExchangeQuoteDraftSchema: SchemaOf<ExchangeQuoteDraft> = ruled(
  draft<ExchangeQuoteDraft>({
    sell: CurrencySchema,
    buy: CurrencySchema,
    amount: SpendDraftSchema,
  }),
  ({ sell, buy, amount: { currency } }) => [
    currency !== sell && currency !== buy && ['amount.currency', 'must be what is sold or bought'],
  ],
);
