import { type Connection, send } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import * as rows from '../resources/currency-exchange-quotes/endpoints.ts';
import type {
  CurrencyExchangeQuote,
  CurrencyExchangeQuoteId,
} from '../resources/currency-exchange-quotes/model.ts';
import { currencyExchangeQuoteStates } from '../resources/currency-exchange-quotes/states.ts';
import type { WatchOptions } from './hub.ts';
import type { Kind } from './kind.ts';
import type { Snapshot } from './seen.ts';
import { watchEntity } from './watch-entity.ts';

/** How exchange quotes are looked at: one by one, for the service has no list of them. */
export const exchangeQuoteKind: Kind<CurrencyExchangeQuote> = {
  name: 'currency-exchange-quote',
  life: currencyExchangeQuoteStates,
  idOf: (quote) => quote.id,
  stateOf: (quote) => quote.state,
  find: (connection, quoteId, options) =>
    send(connection, rows.get, { where: { quoteId } }, options),
};

/**
 * Watches an exchange quote: what is true of it now, and how fresh that is. Completes when it is COMPLETED or FAILED; one
 * that is never executed stays NEW. `GET /v1/currency-exchange-quotes/{quoteId}` (seed).
 *
 * @param quote the quote or its id
 * @throws through `error`: RefusedError when the service refuses to show it, AuthenticationError when the credential is over
 * @example
 * const watch = watchCurrencyExchangeQuote(client, quote);
 * const stop = watch.subscribe(({ value }) => console.log(value.state));
 * stop();
 */
export function watchCurrencyExchangeQuote(
  client: Connection,
  quote: CurrencyExchangeQuote | CurrencyExchangeQuoteId,
  options: WatchOptions = {},
): Watch<Snapshot<CurrencyExchangeQuote>> {
  return watchEntity(client, exchangeQuoteKind, quote, options);
}
