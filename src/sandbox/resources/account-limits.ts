import { addMoney, compareMoney, type Money, subtractMoney } from '../../money/index.ts';
import type { Ticks } from '../../core/time.ts';
import type { AccountLimit } from '../../resources/accounts.ts';
import { ServiceRefusal } from '../world/responses.ts';
import { convertNow } from '../ledger/amounts.ts';
import { ticksOfMillis } from '../time/instants.ts';
import type { Account, World } from '../world/world.ts';

interface Allowance {
  readonly days: number;
  readonly count: number;
  readonly single: string;
  readonly amount: string;
}

export type AllowanceName = 'deposit' | 'achDeposit' | 'withdrawal';

const ALLOWANCES: Readonly<Record<AllowanceName, Allowance>> = {
  deposit: { days: 7, count: 10, single: '10000.00', amount: '50000.00' },
  achDeposit: { days: 7, count: 5, single: '5000.00', amount: '15000.00' },
  withdrawal: { days: 1, count: 50, single: '100000.00', amount: '500000.00' },
};

const DAY_MS = 86_400_000;

function limitCurrency({ defaultCurrency }: Account): string {
  return defaultCurrency === 'BTC' ? 'USD' : defaultCurrency;
}

/**
 * Returns whether a deposit or withdrawal made at this time counts toward the limit. Returns false
 * if `at` is absent.
 */
export function countsToward(world: World, name: AllowanceName, at: Ticks | undefined): boolean {
  return (
    at !== undefined && at >= ticksOfMillis(world.clock.now() - ALLOWANCES[name].days * DAY_MS)
  );
}

function inLimitCurrency(world: World, account: Account, money: Money): Money {
  const currency = limitCurrency(account);
  return money.currency === currency ? money : convertNow(world, money, currency, 'up').money;
}

function makeState(world: World, account: Account, name: AllowanceName, used: readonly Money[]) {
  const currency = limitCurrency(account);
  const { days, count, single, amount } = ALLOWANCES[name];
  const limit = { amount, currency };
  const spent = used.reduce<Money>(
    (sum, money) => addMoney(sum, inLimitCurrency(world, account, money)),
    { amount: '0.00', currency },
  );
  const left =
    compareMoney(spent, limit) > 0 ? { amount: '0.00', currency } : subtractMoney(limit, spent);
  const most = { amount: single, currency };
  return {
    days,
    count,
    used: used.length,
    limit,
    spent,
    single: most,
    effective: compareMoney(left, most) < 0 ? left : most,
  };
}

/**
 * Rejects a deposit or withdrawal that exceeds the account's limit on the count, the single amount
 * or the total.
 */
export function requireAllowance(
  world: World,
  account: Account,
  name: AllowanceName,
  amounts: readonly Money[],
  money: Money,
): void {
  const { count, used, effective } = makeState(world, account, name, amounts);
  if (used >= count)
    throw new ServiceRefusal(
      name === 'withdrawal' ? 'TOO_MANY_TRANSACTIONS' : 'DEPOSIT_LIMIT_EXCEEDED',
    );
  if (compareMoney(inLimitCurrency(world, account, money), effective) > 0)
    throw new ServiceRefusal('AMOUNT_TOO_HIGH', { limit: effective });
}

export function makeLimit(
  world: World,
  account: Account,
  name: AllowanceName,
  amounts: readonly Money[],
): AccountLimit {
  const state = makeState(world, account, name, amounts);
  const { days, count, used, limit, spent, single, effective } = state;
  return {
    count: { effective: Math.max(0, count - used), cycles: [{ days, limit: count, used }] },
    amount: { effective, single, cycles: [{ days, limit, used: spent }] },
  };
}
