import type { Endpoint } from '../../core/http/index.ts';
import type {
  CurrencyExchangeQuote,
  CurrencyExchangeQuoteDraft,
  CurrencyExchangeQuoteId,
} from './model.ts';
import { CurrencyExchangeQuoteDraftSchema, CurrencyExchangeQuoteSchema } from './schemas.ts';

/** POST /v1/currency-exchange-quotes @source documented */
export const create: Endpoint<{}, CurrencyExchangeQuoteDraft, CurrencyExchangeQuote> = {
  operation: 'currencyExchangeQuotes.create',
  method: 'POST',
  path: '/v1/currency-exchange-quotes',
  scope: 'partner.currency-exchange-quote.create',
  bucket: 'others',
  idempotency: 'key-then-read',
  statuses: [200, 201],
  input: CurrencyExchangeQuoteDraftSchema,
  output: CurrencyExchangeQuoteSchema,
  agrees: { exact: { 'source.currency': 'sell', 'target.currency': 'buy' } },
  assumes: { EXCLUSIVE: ['source', 'target'], INCLUSIVE: ['source', 'target'] },
  original: {
    code: 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
    id: 'currencyExchangeQuoteId',
    by: 'get',
  },
};

/** GET /v1/currency-exchange-quotes/{quoteId} @source documented */
export const get: Endpoint<{ quoteId: CurrencyExchangeQuoteId }, void, CurrencyExchangeQuote> = {
  operation: 'currencyExchangeQuotes.get',
  method: 'GET',
  path: '/v1/currency-exchange-quotes/{quoteId}',
  scope: 'partner.currency-exchange-quote.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: CurrencyExchangeQuoteSchema,
  echo: { quoteId: 'id' },
};

/** PATCH /v1/currency-exchange-quotes/{quoteId}/execute @source documented */
export const execute: Endpoint<{ quoteId: CurrencyExchangeQuoteId }, void, void> = {
  operation: 'currencyExchangeQuotes.execute',
  method: 'PATCH',
  path: '/v1/currency-exchange-quotes/{quoteId}/execute',
  scope: 'partner.currency-exchange-quote.execute',
  bucket: 'others',
  priority: 'critical',
  idempotency: 'same-request',
  statuses: [202],
  original: { code: 'CURRENCY_EXCHANGE_QUOTE_PROCESSED', id: 'quoteId', by: 'get' },
  attemptTimeout: 45_000,
};
