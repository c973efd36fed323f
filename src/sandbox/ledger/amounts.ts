import { compareMoney, isSameMoney, type Money, roundMoney } from '../../money/index.ts';
import type { Violation } from '../../core/errors/index.ts';
import { CURRENCIES } from '../../resources/amounts.ts';
import { invalidData, requireOneOf, ServiceRefusal } from '../world/refusals.ts';
import type { Account } from '../world/world.ts';

/** Largest amounts; the service's own are not known. */
const HIGHEST: Readonly<Record<string, string>> = { BTC: '20.00000000', USDT: '1000000.000000' };
const HIGHEST_FIAT = '1000000.00';

const TOO_FINE: Omit<Violation, 'field'> = {
  code: 'INVALID_DATA_VALUE',
  advice: 'has more fraction digits than its currency',
};

const FEE_POLICIES = ['INCLUSIVE', 'EXCLUSIVE'];

/** Refuses a fee policy that the service does not name. */
export function requireFeePolicy(field: string, feePolicy: string | undefined): void {
  requireOneOf(field, feePolicy, FEE_POLICIES);
}

/** Refuses a currency that the service does not name. */
export function requireNamed(field: string, currency: string): void {
  if (!(CURRENCIES as readonly string[]).includes(currency))
    throw invalidData(
      [{ field, code: 'INVALID_DATA_CURRENCY', advice: 'is not supported', values: { currency } }],
      { behaviour: 'amounts.currencies' },
    );
}

/** Refuses a currency that the service does not name, or the account does not have. */
export function requireCurrency(account: Account, field: string, currency: string): void {
  requireNamed(field, currency);
  if (!account.currencies.includes(currency))
    throw new ServiceRefusal('USER_CURRENCY_UNAVAILABLE', { currency });
}

/** An amount with the digits of its currency: above zero, not over the limit. */
export function fittedAmount({ amount, currency }: Money, field = 'amount.amount'): Money {
  const fitted = roundMoney({ amount, currency }, { rounding: 'down' });
  if (!isSameMoney(fitted, { amount, currency }))
    throw invalidData([{ field, ...TOO_FINE }], { behaviour: 'amounts.digits' });
  if (isSameMoney(fitted, { amount: '0', currency })) throw new ServiceRefusal('INVALID_AMOUNT');
  requireWithinLimit(fitted);
  return fitted;
}

/** The largest amount of a currency. */
export function highestOf(currency: string): Money {
  const amount = Object.hasOwn(HIGHEST, currency) ? HIGHEST[currency] : undefined;
  return { amount: amount ?? HIGHEST_FIAT, currency };
}

/** Refuses what is above the largest amount of its currency. */
export function requireWithinLimit(given: Money): void {
  const limit = highestOf(given.currency);
  if (compareMoney(given, limit) > 0) throw new ServiceRefusal('AMOUNT_TOO_HIGH', { limit });
}

/**
 * Checks an amount for an account that wants to be paid; returns it with the digits of its
 * currency.
 */
export function checkAmount(account: Account, given: Money, field = 'amount'): Money {
  const { amount, currency } = given;
  requireCurrency(account, `${field}.currency`, currency);
  return fittedAmount({ amount, currency }, `${field}.amount`);
}
