import { decimalText, divide, multiply, parseDecimal } from '../../money/decimal.ts';
import {
  compareMoney,
  isSameMoney,
  type Money,
  type Rounding,
  roundMoney,
} from '../../money/index.ts';
import { findDigits } from '../../money/money.ts';
import { CURRENCIES, type QuotedRate } from '../../resources/amounts.ts';
import { assumedTime } from '../provenance/alternatives.ts';
import { invalidData, requireOneOf, ServiceRefusal, wrongValue } from '../world/responses.ts';
import type { Account, World } from '../world/world.ts';

/**
 * Maximum amounts per request. These are guesses, because the service doesn't publish its limits.
 */
const HIGHEST: Readonly<Record<string, string>> = { BTC: '20.00000000', USDT: '1000000.000000' };
const HIGHEST_FIAT = '1000000.00';

const FEE_POLICIES = ['INCLUSIVE', 'EXCLUSIVE'];

export function requireFeePolicy(field: string, feePolicy: string | undefined): void {
  requireOneOf(field, feePolicy, FEE_POLICIES);
}

export function requireNamed(field: string, currency: string): void {
  if (!(CURRENCIES as readonly string[]).includes(currency))
    throw invalidData(
      [{ field, code: 'INVALID_DATA_CURRENCY', advice: 'is not supported', values: { currency } }],
      { behaviour: 'amounts.currencies' },
    );
}

export function requireCurrency(account: Account, field: string, currency: string): void {
  requireNamed(field, currency);
  if (!account.currencies.includes(currency))
    throw new ServiceRefusal('USER_CURRENCY_UNAVAILABLE', { currency });
}

/** Rounds an amount if it has more decimal places than its currency allows. */
export function roundAmount(amount: string, currency: string): string {
  const [, fraction = ''] = amount.split('.');
  return fraction.length > (findDigits(currency) ?? Infinity)
    ? roundMoney({ amount, currency }, { rounding: 'half-up' }).amount
    : amount;
}

/**
 * Returns the amount with its currency's decimal places. Rejects amounts that are zero, too precise
 * or above the limit.
 */
export function fittedAmount({ amount, currency }: Money, field = 'amount.amount'): Money {
  const fitted = roundMoney({ amount, currency }, { rounding: 'down' });
  if (!isSameMoney(fitted, { amount, currency }))
    throw invalidData([wrongValue(field, 'has more decimal places than its currency')], {
      behaviour: 'amounts.digits',
    });
  if (isSameMoney(fitted, { amount: '0', currency })) throw new ServiceRefusal('INVALID_AMOUNT');
  requireWithinLimit(fitted);
  return fitted;
}

export function findHighest(currency: string): Money {
  const amount = Object.hasOwn(HIGHEST, currency) ? HIGHEST[currency] : undefined;
  return { amount: amount ?? HIGHEST_FIAT, currency };
}

export function requireWithinLimit(given: Money): void {
  const limit = findHighest(given.currency);
  if (compareMoney(given, limit) > 0) throw new ServiceRefusal('AMOUNT_TOO_HIGH', { limit });
}

/** Like `fittedAmount`, but also rejects currencies that the account doesn't support. */
export function checkAmount(account: Account, given: Money, field = 'amount'): Money {
  const { amount, currency } = given;
  requireCurrency(account, `${field}.currency`, currency);
  return fittedAmount({ amount, currency }, `${field}.amount`);
}

/** Base price of one bitcoin, in ten-thousandths of a currency unit. */
const BASE: Readonly<Record<string, bigint>> = {
  USD: 600_000_000n,
  EUR: 552_000_000n,
  USDT: 600_000_000n,
  GBP: 474_000_000n,
  AUD: 912_000_000n,
};

/**
 * Overlapping swings in the bitcoin price, each with its length in steps and its height in
 * hundred-thousandths of the base price.
 */
const SWINGS = [
  { steps: 1, height: 20 },
  { steps: 6, height: 60 },
  { steps: 36, height: 150 },
  { steps: 360, height: 400 },
  { steps: 8_640, height: 3_000 },
] as const;

/**
 * Returns the current price of one bitcoin as a decimal string. The price depends only on the seed
 * and the time, and is computed with integers.
 */
export function bitcoinPrice(world: World, currency: string): string | undefined {
  if (currency === 'BTC') return ONE;
  const base = Object.hasOwn(BASE, currency) ? BASE[currency] : undefined;
  if (base === undefined) return undefined;
  return decimalText({ digits: (base * BigInt(100_000 + swingNow(world))) / 100_000n, scale: 4 });
}

/**
 * Caches each sandbox's latest price swing, because one response often contains many rates for the
 * same moment.
 */
const swings = new WeakMap<
  World,
  { readonly length: number; readonly step: number; readonly swing: number }
>();

function swingNow(world: World): number {
  const length = assumedTime(world, 'rates.step');
  const step = Math.floor(world.clock.now() / length);
  const known = swings.get(world);
  if (known?.step === step && known.length === length) return known.swing;
  let swing = 0;
  for (const { steps, height } of SWINGS) swing += between(world, steps, height, step);
  swings.set(world, { length, step, swing });
  return swing;
}

/** Number of decimal places in an exchange rate. Rates into bitcoin have eight. */
const FIAT_DIGITS = 4;
const BITCOIN_DIGITS = 8;
const ONE = '1.00000000';

/** Returns the current exchange rate, or `undefined` if one of the currencies has no price. */
export function findRate(world: World, source: string, target: string): QuotedRate | undefined {
  const from = bitcoinPrice(world, source);
  const to = bitcoinPrice(world, target);
  if (from === undefined || to === undefined) return undefined;
  const digits = target === 'BTC' ? BITCOIN_DIGITS : FIAT_DIGITS;
  const amount = decimalText(divide(parseDecimal(to), parseDecimal(from), digits, 'half-even'));
  return { amount, sourceCurrency: source, targetCurrency: target };
}

/**
 * Converts an amount at the current bitcoin prices, which are more precise than the rate in the
 * response. Throws if a currency has no price.
 */
export function convertNow(
  world: World,
  money: Money,
  to: string,
  rounding: Rounding,
): { readonly money: Money; readonly rate: QuotedRate } {
  const rate = findRate(world, money.currency, to);
  if (!rate) throw new ServiceRefusal('EXCHANGE_RATE_NOT_AVAILABLE');
  const [from, into] = [money.currency, to].map((one) => parseDecimal(bitcoinPrice(world, one)!));
  const value = multiply(parseDecimal(money.amount), into!);
  const amount = decimalText(divide(value, from!, findDigits(to) ?? 2, rounding));
  return { money: { amount, currency: to }, rate };
}

function between(world: World, steps: number, height: number, step: number): number {
  const corner = Math.floor(step / steps);
  const along = step - corner * steps;
  const draw = (at: number): number =>
    world.random.below(2 * height + 1, `rate/${steps}`, at) - height;
  return Math.trunc(
    (draw(corner) * (steps - along) + (along === 0 ? 0 : draw(corner + 1) * along)) / steps,
  );
}
