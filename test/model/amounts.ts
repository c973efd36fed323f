// What amounts the service takes.
import { invalid, refused } from './answers.ts';
import { read, type Sum, sum, unitsOf, type Wire, wire } from './decimals.ts';
import { type Account, CURRENCIES, type Model } from './model.ts';

const highest = (currency: string): Sum => sum(currency === 'BTC' ? '20' : '1000000', currency);

/** Texts that no request may carry as an amount. */
const isDecimal = (text: string): boolean => /^\d{1,20}(\.\d{1,18})?$/.test(text);

export const requireText = (amount: unknown, field: string): void => {
  if (amount === undefined) throw invalid(field, 'INVALID_DATA_REQUIRED');
  if (typeof amount !== 'string' || !isDecimal(amount)) throw invalid(field);
};

export const requirePolicy = (policy: string | undefined, field: string): void => {
  if (policy !== undefined && policy !== 'INCLUSIVE' && policy !== 'EXCLUSIVE')
    throw invalid(field);
};

export const requireNamed = (currency: string, field: string): void => {
  if (!CURRENCIES.some((one) => one === currency)) throw invalid(field, 'INVALID_DATA_CURRENCY');
};

export const requireCurrency = ({ currencies }: Account, currency: string, field: string): void => {
  requireNamed(currency, field);
  if (!currencies.includes(currency)) throw refused('USER_CURRENCY_UNAVAILABLE', { currency });
};

export const requireWithin = (money: Sum): void => {
  const limit = highest(money.currency);
  if (money.units > limit.units) throw refused('AMOUNT_TOO_HIGH', { limit: wire(limit) });
};

/** An amount in the digits of its currency: above zero, not over the limit. */
export const fitted = ({ amount, currency }: Wire, field = 'amount.amount'): Sum => {
  const units = unitsOf(amount, currency);
  if (units === undefined) throw invalid(field);
  if (read(amount).whole === 0n) throw refused('INVALID_AMOUNT');
  requireWithin({ units, currency });
  return { units, currency };
};

/** What an account may ask for. */
export const askable = (account: Account, given: Wire, field = 'amount'): Sum => {
  requireCurrency(account, given.currency, `${field}.currency`);
  return fitted(given, `${field}.amount`);
};

export const requireFree = (model: Model, account: Account, { units, currency }: Sum): void => {
  if (model.free(account, currency) < units) throw refused('BALANCE_TOO_LOW');
};
