// Exchanges between two currencies of the account.
import {
  type Call,
  type CallOptions,
  type Connection,
  type KeyedOptions,
  send,
} from '../../core/http/index.ts';
import { createWithKey } from '../create-with-key.ts';
import * as endpoints from './endpoints.ts';
import type {
  CurrencyExchangeQuote,
  CurrencyExchangeQuoteDraft,
  CurrencyExchangeQuoteId,
} from './model.ts';

/**
 * Quotes an exchange. Moves no money. Resolves to the quote; after a lost response the one that was
 * made is read. `POST /v1/currency-exchange-quotes` (documented).
 *
 * @throws InputError for a bad field · RefusedError `CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED`,
 * `CURRENCY_EXCHANGE_AMOUNT_TOO_LOW`, `BALANCE_TOO_LOW`, `DUPLICATE_CURRENCY_EXCHANGE_QUOTE` for a
 * key that was used before
 * @example
 * const quote = await client.currencyExchangeQuotes.create({
 *   sell: 'USD',
 *   buy: 'BTC',
 *   amount: { amount: '100.00', currency: 'USD' },
 * });
 */
export function create(
  connection: Connection,
  draft: CurrencyExchangeQuoteDraft,
  options: KeyedOptions = {},
): Call<CurrencyExchangeQuote> {
  return createWithKey(connection, endpoints.create, draft, options, {
    get: (id, rest) => get(connection, id, rest),
  });
}

/**
 * Reads one exchange quote. Resolves to the quote. `GET /v1/currency-exchange-quotes/{quoteId}`
 * (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 * @example
 * const { state } = await client.currencyExchangeQuotes.get(quote.id);
 */
export function get(
  connection: Connection,
  quoteId: CurrencyExchangeQuoteId,
  options: CallOptions = {},
): Call<CurrencyExchangeQuote> {
  return send(connection, endpoints.get, { where: { quoteId } }, options);
}

/**
 * Executes an exchange quote: moves money. Resolves to nothing when the service has accepted it,
 * also when a lost try had done so; how it ends is seen by `get` or `watchCurrencyExchangeQuote`.
 * `PATCH /v1/currency-exchange-quotes/{quoteId}/execute` (documented).
 *
 * @throws RefusedError `CURRENCY_EXCHANGE_QUOTE_EXPIRED`, `CURRENCY_EXCHANGE_QUOTE_PROCESSED`,
 * `BALANCE_TOO_LOW` · any error with `outcome: 'unknown'`: read the quote before anything else
 * @example
 * await client.currencyExchangeQuotes.execute(quote.id);
 */
export function execute(
  connection: Connection,
  quoteId: CurrencyExchangeQuoteId,
  options: CallOptions = {},
): Call<void> {
  return send(
    connection,
    endpoints.execute,
    { where: { quoteId }, resolve: async () => {} },
    options,
  );
}
