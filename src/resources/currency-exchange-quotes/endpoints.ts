import type { Endpoint } from '../../core/http/index.ts';
import { commanding, reading } from '../rows.ts';
import type {
  CurrencyExchangeQuote,
  CurrencyExchangeQuoteDraft,
  CurrencyExchangeQuoteId,
} from './model.ts';
import { ExchangeQuoteDraftSchema, ExchangeQuoteSchema } from './schemas.ts';

const ALL = '/v1/currency-exchange-quotes';
const ONE = '/v1/currency-exchange-quotes/{quoteId}';

/** @source seed */
export const create: Endpoint<{}, CurrencyExchangeQuoteDraft, CurrencyExchangeQuote> = commanding(
  'POST',
  ALL,
  'partner.currency-exchange-quote.create',
  [200, 201],
  'key-then-read',
  ExchangeQuoteDraftSchema,
  ExchangeQuoteSchema,
  {
    original: {
      code: 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
      id: 'currencyExchangeQuoteId',
      by: 'get',
    },
  },
);

/** @source seed */
export const get: Endpoint<{ quoteId: CurrencyExchangeQuoteId }, void, CurrencyExchangeQuote> =
  reading(ONE, 'partner.currency-exchange-quote.read', ExchangeQuoteSchema, {
    echo: { quoteId: 'id' },
  });

/** @source seed */
export const execute: Endpoint<{ quoteId: CurrencyExchangeQuoteId }, void, void> = commanding(
  'PATCH',
  '/v1/currency-exchange-quotes/{quoteId}/execute',
  'partner.currency-exchange-quote.execute',
  [202],
  'same-request',
  undefined,
  undefined,
  {
    attemptTimeout: 45_000,
    original: { code: 'CURRENCY_EXCHANGE_QUOTE_PROCESSED', id: 'quoteId', by: 'get' },
  },
);
