import { addMoney } from '../money/index.ts';
import type { QuotedRate } from '../resources/amounts.ts';
import { ConversionRateSchema } from '../resources/amounts.schemas.ts';
import type { Balance } from '../resources/balances.ts';
import { BalanceSchema } from '../resources/balances.schemas.ts';
import { rateOf } from './amounts.ts';
import { type Broken, brokenSum, make } from './make.ts';
import type { Members } from './members.ts';
import { shapeOf } from '../resources/wire.ts';

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
