import { addMoney, type Money, multiplyMoney } from '../money/index.ts';
import { AccountLimitsSchema, AccountProfileSchema } from '../resources/accounts.schemas.ts';
import type { AccountLimits, AccountProfile } from '../resources/accounts.ts';
import { ConversionRateSchema } from '../resources/amounts.schemas.ts';
import type { QuotedRate } from '../resources/amounts.ts';
import { BalanceSchema } from '../resources/balances.schemas.ts';
import type { Balance } from '../resources/balances.ts';
import { CurrencyExchangeQuoteSchema } from '../resources/currency-exchange-quotes.schemas.ts';
import type { CurrencyExchangeQuote } from '../resources/currency-exchange-quotes.ts';
import {
  absentProblems,
  after,
  chosenMoney,
  chosenRate,
  convert,
  maker,
  sumProblem,
} from './make.ts';
import type { Maker } from './members.ts';

/**
 * Creates an account's public profile. Defaults to the first account, which has EUR and BTC.
 *
 * @example
 * const closed = makeAccountProfile({ handle: 'friend', canReceive: false });
 */
export const makeAccountProfile: Maker<AccountProfile> = maker(
  'makeAccountProfile',
  AccountProfileSchema,
  {
    usual: ({ canReceive = true }, { index, id }) => ({
      id: id('account'),
      handle: index === 0 ? 'shop' : `shop-${index}`,
      canReceive,
      currencies: ['EUR', 'BTC'].map((currency) => ({
        currency,
        isDefaultCurrency: currency === 'EUR',
        isAvailable: true,
        isInvoiceable: canReceive,
      })),
    }),
    problems: ({ currencies }) => ({
      currencies:
        currencies.filter(({ isDefaultCurrency }) => isDefaultCurrency).length > 1 &&
        'may have only one default currency',
    }),
  },
);

/**
 * Creates an account's remaining limits. By default, it may deposit 5,000.00 EUR and withdraw
 * 10,000.00 EUR. Other limits are only present if you set them.
 *
 * @example
 * const used = makeAccountLimits({ withdrawal: { amount: { effective: { amount: '0.00' } } } });
 */
export const makeAccountLimits: Maker<AccountLimits> = maker(
  'makeAccountLimits',
  AccountLimitsSchema,
  {
    usual({ send, achDeposit, instant }) {
      const limit = (amount: string): NonNullable<AccountLimits['deposit']> => ({
        count: { effective: 10 },
        amount: { effective: { amount, currency: 'EUR' } },
      });
      return {
        deposit: limit('5000.00'),
        withdrawal: limit('10000.00'),
        ...(send && { send: limit('1000000.00') }),
        ...(achDeposit && { achDeposit: limit('5000.00') }),
        ...(instant && { instant: limit('1000.00') }),
      };
    },
  },
);

/**
 * Creates a balance in one currency. Defaults to 100.00 EUR, all of it available. The service
 * returns an array of balances, not a page.
 *
 * @example
 * const balances = [makeBalance(), makeBalance({ currency: 'BTC', available: '0.5' })];
 */
export const makeBalance: Maker<Balance> = maker('makeBalance', BalanceSchema, {
  usual({ currency = 'EUR', pending = '0.00', reserved = '0.00', available = '100.00' }) {
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
  },
  problems({ currency, ...amounts }) {
    const money = (amount: string): Money => ({ amount, currency });
    const value = {
      current: money(amounts.current),
      available: amounts.available === undefined ? undefined : money(amounts.available),
      pending: money(amounts.pending),
      reserved: money(amounts.reserved),
    };
    return sumProblem(value, 'current', 'available', 'pending', 'reserved');
  },
});

/**
 * Creates an exchange rate. Defaults to 60,000.00 EUR for one BTC. The service returns an array of
 * rates, not a page.
 *
 * @example
 * const rates = [makeRate(), makeRate({ targetCurrency: 'USD', amount: '65000.00' })];
 */
export const makeRate: Maker<QuotedRate> = maker<QuotedRate>('makeRate', ConversionRateSchema, {
  usual: (chosen) =>
    chosenRate(chosen, chosen.sourceCurrency ?? 'BTC', chosen.targetCurrency ?? 'EUR'),
  problems: ({ amount }) => ({
    amount: (amount.startsWith('-') || /^[0.]+$/.test(amount)) && 'must be above zero',
  }),
});

/**
 * Creates an exchange quote in state NEW. By default, it sells 0.001 BTC for EUR and is valid for
 * 30 seconds. The rate, target and fee match the source.
 *
 * @example
 * const done = makeCurrencyExchangeQuote({ state: 'COMPLETED', target: { currency: 'USD' } });
 */
export const makeCurrencyExchangeQuote: Maker<CurrencyExchangeQuote> = maker(
  'makeCurrencyExchangeQuote',
  CurrencyExchangeQuoteSchema,
  {
    usual(chosen, { id, created: now }) {
      const { state = 'NEW', created = now } = chosen;
      const sold = chosen.source?.currency ?? (chosen.target?.currency === 'BTC' ? 'EUR' : 'BTC');
      const source = chosenMoney(chosen.source, sold === 'BTC' ? '0.00100000' : '10.00', sold);
      const bought = chosen.target?.currency ?? (sold === 'EUR' ? 'BTC' : 'EUR');
      const conversionRate = chosenRate(chosen.conversionRate, sold, bought);
      return {
        id: id('currencyExchangeQuote'),
        created,
        validUntil: after(created, 30_000),
        source,
        target: sold === bought ? source : convert(source, conversionRate),
        fee: multiplyMoney(source, '0.005', { rounding: 'up' }),
        conversionRate,
        state,
        ...(state === 'COMPLETED' && { completed: after(created, 2_000) }),
      };
    },
    problems: (value) => ({
      ...absentProblems(value, { completed: ['NEW', 'PENDING'] }),
      'target.currency':
        value.source.currency === value.target.currency && 'must differ from the source currency',
    }),
  },
);
