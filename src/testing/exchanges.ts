import type { CurrencyExchangeQuote } from '../resources/currency-exchange-quotes.ts';
import { CurrencyExchangeQuoteSchema } from '../resources/currency-exchange-quotes.schemas.ts';
import { convert, feeOf, moneyOf, rateOf } from './amounts.ts';
import { make, notYet } from './make.ts';
import type { MakeOptions, Members } from './members.ts';
import { after, type Origin } from './origin.ts';
import { shapeOf } from '../resources/wire.ts';

/**
 * Makes a quote of an exchange: NEW, of 0.001 BTC for EUR, valid for 30 seconds. The time of its
 * end is there once it is COMPLETED.
 *
 * @param members what is to be chosen; rate, target and fee fit the source
 * @param options which one, and when
 * @throws InputError naming the members that such a quote cannot have
 * @example
 * const done = makeCurrencyExchangeQuote({ state: 'COMPLETED', target: { currency: 'USD' } });
 */
export function makeCurrencyExchangeQuote(
  members: Members<CurrencyExchangeQuote> = {},
  options: MakeOptions = {},
): CurrencyExchangeQuote {
  return make(
    {
      name: 'makeCurrencyExchangeQuote',
      shape: shapeOf(CurrencyExchangeQuoteSchema),
      usual: usualExchange,
      broken: (value) => [
        ...notYet(value, { NEW: ['completed'], PENDING: ['completed'] }),
        value.source.currency === value.target.currency && [
          'target.currency',
          'must be another than that of source',
        ],
      ],
    },
    members,
    options,
  );
}

function usualExchange(
  chosen: Members<CurrencyExchangeQuote>,
  { id, created: now }: Origin,
): CurrencyExchangeQuote {
  const { state = 'NEW', created = now } = chosen;
  const sold = chosen.source?.currency ?? (chosen.target?.currency === 'BTC' ? 'EUR' : 'BTC');
  const source = moneyOf(chosen.source, sold === 'BTC' ? '0.00100000' : '10.00', sold);
  const bought = chosen.target?.currency ?? (sold === 'EUR' ? 'BTC' : 'EUR');
  const conversionRate = rateOf(sold, bought, chosen.conversionRate);
  return {
    id: id('currencyExchangeQuote'),
    created,
    validUntil: after(created, 30_000),
    source,
    target: sold === bought ? source : convert(source, conversionRate),
    fee: feeOf(source, '0.005'),
    conversionRate,
    state,
    ...(state === 'COMPLETED' && { completed: after(created, 2_000) }),
  };
}
