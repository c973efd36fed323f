import { knownTexts } from '../known-texts.ts';
import type { KnownTexts, WatchedResource } from '../resource.ts';
import type { CurrencyExchangeQuote } from './model.ts';
import { get } from './operations.ts';
import { CurrencyExchangeQuoteStateSchema, CurrencyExchangeQuoteSchema } from './schemas.ts';
import { currencyExchangeQuoteStates } from './states.ts';

export const resource: WatchedResource<'currencyExchangeQuote', CurrencyExchangeQuote> = {
  name: 'currencyExchangeQuote',
  events: 'currency-exchange-quote',
  states: currencyExchangeQuoteStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events', schema: CurrencyExchangeQuoteSchema },
};

export function known(): readonly KnownTexts[] {
  return [knownTexts(CurrencyExchangeQuoteStateSchema, currencyExchangeQuoteStates.transitions)];
}
