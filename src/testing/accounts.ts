import { addMoney } from '../money/index.ts';
import { AccountLimitsSchema, AccountProfileSchema } from '../resources/accounts.schemas.ts';
import type { AccountLimits, AccountProfile } from '../resources/accounts.ts';
import { ConversionRateSchema } from '../resources/amounts.schemas.ts';
import type { QuotedRate } from '../resources/amounts.ts';
import { BalanceSchema } from '../resources/balances.schemas.ts';
import type { Balance } from '../resources/balances.ts';
import { CurrencyExchangeQuoteSchema } from '../resources/currency-exchange-quotes.schemas.ts';
import type { CurrencyExchangeQuote } from '../resources/currency-exchange-quotes.ts';
import { shapeOf } from '../resources/wire.ts';
import {
  after,
  type Broken,
  brokenSum,
  convert,
  feeOf,
  make,
  type MakeOptions,
  type Members,
  moneyOf,
  notYet,
  type Origin,
  rateOf,
} from './make.ts';

/**
 * Makes what an account shows to others: the first account, with EUR and BTC.
 *
 * @param members what is to be chosen
 * @param options which one
 * @throws InputError naming the members that such a profile cannot have
 * @example
 * const closed = makeAccountProfile({ handle: 'friend', canReceive: false });
 */
export function makeAccountProfile(
  members: Members<AccountProfile> = {},
  options: MakeOptions = {},
): AccountProfile {
  return make(
    {
      name: 'makeAccountProfile',
      shape: shapeOf(AccountProfileSchema),
      usual: ({ canReceive = true }, { index, id }) => ({
        id: id('account'),
        handle: index === 0 ? 'shop' : `shop-${index}`,
        canReceive,
        currencies: ['EUR', 'BTC'].map((currency, at) => ({
          currency,
          isDefaultCurrency: at === 0,
          isAvailable: true,
          isInvoiceable: canReceive,
        })),
      }),
      broken: ({ currencies }) => [
        currencies.filter(({ isDefaultCurrency }) => isDefaultCurrency).length > 1 && [
          'currencies',
          'must have one default currency at most',
        ],
      ],
    },
    members,
    options,
  );
}

/**
 * Makes what an account may still do: deposits of 5,000.00 EUR and withdrawals of 10,000.00 EUR;
 * other limits are not published for it.
 *
 * @param members what is to be chosen
 * @throws InputError naming the members that such limits cannot have
 * @example
 * const used = makeAccountLimits({ withdrawal: { amount: { effective: { amount: '0.00' } } } });
 */
export function makeAccountLimits(members: Members<AccountLimits> = {}): AccountLimits {
  return make(
    {
      name: 'makeAccountLimits',
      shape: shapeOf(AccountLimitsSchema),
      usual: ({ send, achDeposit, instant }) => ({
        deposit: limitOf('5000.00'),
        withdrawal: limitOf('10000.00'),
        ...(send && { send: limitOf('1000000.00') }),
        ...(achDeposit && { achDeposit: limitOf('5000.00') }),
        ...(instant && { instant: limitOf('1000.00') }),
      }),
    },
    members,
    {},
  );
}

const limitOf = (amount: string): NonNullable<AccountLimits['deposit']> => ({
  count: { effective: 10 },
  amount: { effective: moneyOf(undefined, amount) },
});

/**
 * Makes what an account has in one currency: 100.00 EUR, all of it free. The service lists one for
 * each currency, without pages.
 *
 * @param members what is to be chosen; the sums fit what is free, held and not settled yet
 * @throws InputError naming the members that such a balance cannot have
 * @example
 * const balances = [makeBalance(), makeBalance({ currency: 'BTC', available: '0.5' })];
 */
export function makeBalance(members: Members<Balance> = {}): Balance {
  return make(
    {
      name: 'makeBalance',
      shape: shapeOf(BalanceSchema),
      usual: usualBalance,
      broken: brokenBalance,
    },
    members,
    {},
  );
}

function usualBalance(chosen: Members<Balance>): Balance {
  const { currency = 'EUR', pending = '0.00', reserved = '0.00', available = '100.00' } = chosen;
  const sum = (...parts: readonly string[]): string =>
    parts.some((part) => `${part}`.startsWith('-'))
      ? available
      : parts.map((amount) => ({ amount, currency })).reduce(addMoney).amount;
  return {
    currency,
    current: sum(available, pending, reserved),
    pending,
    reserved,
    available,
    outgoing: reserved,
    total: sum(available, reserved),
  };
}

function brokenBalance({
  currency,
  current,
  pending,
  reserved,
  available,
}: Balance): readonly (Broken | undefined)[] {
  if ([current, pending, reserved, available].some((text) => text?.startsWith('-'))) return [];
  const amountOf = (amount: string) => ({ amount, currency });
  return [
    brokenSum(
      ['current', amountOf(current)],
      ['available', available === undefined ? undefined : amountOf(available)],
      ['pending', amountOf(pending)],
      ['reserved', amountOf(reserved)],
    ),
  ];
}

/**
 * Makes an exchange rate: 60,000.00 EUR for one BTC. The service lists them without pages.
 *
 * @param members what is to be chosen
 * @throws InputError naming the members that such a rate cannot have
 * @example
 * const rates = [makeRate(), makeRate({ targetCurrency: 'USD', amount: '65000.00' })];
 */
export function makeRate(members: Members<QuotedRate> = {}): QuotedRate {
  return make(
    {
      name: 'makeRate',
      shape: shapeOf<QuotedRate>(ConversionRateSchema),
      usual: (chosen) => {
        const { sourceCurrency = 'BTC', targetCurrency = 'EUR' } = chosen;
        return rateOf(sourceCurrency, targetCurrency, chosen);
      },
      broken: ({ amount }) => [
        (amount.startsWith('-') || /^[0.]+$/.test(amount)) && ['amount', 'must be above zero'],
      ],
    },
    members,
    {},
  );
}

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
