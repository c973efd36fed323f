// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions, KeyedOptions } from '../../core/http/index.ts';
import type {
  CurrencyExchangeQuote,
  CurrencyExchangeQuoteDraft,
  CurrencyExchangeQuoteId,
} from './model.ts';

/** Exchanges between two currencies of the account. */
export interface CurrencyExchangeQuotes {
  /**
   * Quotes an exchange. Moves no money. Resolves to the quote; after a lost response the one that
   * was made is read. `POST /v1/currency-exchange-quotes` (documented).
   *
   * @throws InputError for a bad field · RefusedError `CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED`,
   * `CURRENCY_EXCHANGE_AMOUNT_TOO_LOW`, `BALANCE_TOO_LOW`, `DUPLICATE_CURRENCY_EXCHANGE_QUOTE` for
   * a key that was used before
   * @example
   * const quote = await client.currencyExchangeQuotes.create({
   *   sell: 'USD',
   *   buy: 'BTC',
   *   amount: { amount: '100.00', currency: 'USD' },
   * });
   */
  create(draft: CurrencyExchangeQuoteDraft, options?: KeyedOptions): Call<CurrencyExchangeQuote>;

  /**
   * Reads one exchange quote. Resolves to the quote. `GET /v1/currency-exchange-quotes/{quoteId}`
   * (documented).
   *
   * @throws RefusedError `NOT_FOUND`
   * @example
   * const { state } = await client.currencyExchangeQuotes.get(quote.id);
   */
  get(quoteId: CurrencyExchangeQuoteId, options?: CallOptions): Call<CurrencyExchangeQuote>;

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
  execute(quoteId: CurrencyExchangeQuoteId, options?: CallOptions): Call<void>;
}
