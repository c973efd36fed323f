import { known, type WatchedResource } from '../resource.ts';
import type { CurrencyExchangeQuote } from './model.ts';
import { get } from './operations.ts';
import { ExchangeQuoteStateSchema } from './schemas.ts';
import { currencyExchangeQuoteStates } from './states.ts';

export const currencyExchangeQuote: WatchedResource<
  'currencyExchangeQuote',
  CurrencyExchangeQuote
> = {
  name: 'currencyExchangeQuote',
  events: 'currency-exchange-quote',
  states: currencyExchangeQuoteStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events' },
  known: () => [known(ExchangeQuoteStateSchema, currencyExchangeQuoteStates.transitions)],
};
