import { isPaystateError } from '../../core/errors/index.ts';
import type { CallOptions, Connection } from '../../core/http/index.ts';
import { compareMoney, type Money, parseMoney, subtractMoney } from '../../money/index.ts';
import type { AccountLimit, AmountLimit } from '../../resources/accounts/model.ts';
import { getLimits } from '../../resources/accounts/operations.ts';
import type { Balance } from '../../resources/balances/model.ts';
import { list as listBalances } from '../../resources/balances/operations.ts';
import type { Plan, PlannedBalance, PlannedLimit, PlannedRow, PlanProblem } from './model.ts';

const TOO_HIGH = 'AMOUNT_TOO_HIGH';

/** What a plan takes. */
type Taken = Pick<Plan, 'rows' | 'totals'>;

type Leaves = Pick<Plan, 'balances' | 'limit' | 'problems'>;

/** Reads what the account has, and says what the plan leaves of it. Moves nothing. */
export async function readLeaves(
  client: Connection,
  taken: Taken,
  signal: AbortSignal | undefined,
): Promise<Leaves> {
  const options: CallOptions = { signal, reason: 'what a plan leaves' };
  const found = await unlessForbidden(listBalances(client, options));
  const limits = await unlessForbidden(getLimits(client, options));
  const problems: PlanProblem[] = [];
  const balances = found && taken.totals.map((total) => balanceAfter(total, found, problems));
  const limit = limits?.send && limitAfter(taken, limits.send, problems);
  return { balances, limit, problems };
}

/** What is read, or nothing where the credential must not read it. */
async function unlessForbidden<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if (isPaystateError(thrown) && thrown.code === 'FORBIDDEN') return undefined;
    throw thrown;
  }
}

function balanceAfter(
  total: Money,
  balances: readonly Balance[],
  problems: PlanProblem[],
): PlannedBalance {
  const { currency, amount } = total;
  const balance = balances.find((one) => one.currency === currency);
  if (balance && balance.available === undefined) return { currency };
  const { available: text = '0' } = balance ?? {};
  // below zero, an amount has a minus
  const available = text.startsWith('-') ? undefined : parseMoney({ amount: text, currency });
  if (available && compareMoney(available, total) >= 0)
    return { currency, available, after: subtractMoney(available, total) };
  const short = `${amount} ${currency} are needed, and ${text} are there`;
  problems.push({ code: 'BALANCE_TOO_LOW', text: short });
  return { currency, available };
}

function limitAfter(
  { totals, rows }: Taken,
  { count: most, amount: sum }: AccountLimit,
  problems: PlanProblem[],
): PlannedLimit {
  const count = rows.filter(({ terms }) => terms).length;
  if (most && most.effective < count)
    problems.push({
      code: 'TOO_MANY_TRANSACTIONS',
      text: `${count} payments are planned, and the account may send ${most.effective}`,
    });
  if (sum) problems.push(...tooHighAlone(rows, sum.effective));
  const left = sum && leastLeft(sum);
  const total = totals.find(({ currency }) => currency === left?.currency);
  const isEnough = left && total && compareMoney(left, total) >= 0;
  if (left && total && !isEnough)
    problems.push({
      code: TOO_HIGH,
      text: `${textOf(total)} are planned, and the account may send ${textOf(left)}`,
    });
  return {
    count: most && Math.max(0, most.effective - count),
    amount: isEnough ? subtractMoney(left, total) : undefined,
  };
}

/** What is allowed now is so for one payment; the limits over time are for all of them. */
function tooHighAlone(rows: readonly PlannedRow[], most: Money): readonly PlanProblem[] {
  return rows.flatMap(({ intent, terms }, index) =>
    terms?.total.currency === most.currency && compareMoney(terms.total, most) > 0
      ? { row: index + 1, intent, code: TOO_HIGH, text: `the account may send ${textOf(most)}` }
      : [],
  );
}

/** The least that is left of the limits over time; they have one currency. */
function leastLeft({ lifetime, calendarYear, cycles = [] }: AmountLimit): Money | undefined {
  const left = [lifetime, calendarYear, ...cycles].flatMap((one) => {
    if (!one?.limit) return [];
    const { limit, used } = one;
    if (!used) return limit;
    if (used.currency !== limit.currency) return [];
    const isUp = compareMoney(used, limit) >= 0;
    return isUp ? { ...limit, amount: '0' } : subtractMoney(limit, used);
  });
  const [first] = left;
  return left.filter(({ currency }) => currency === first!.currency).sort(compareMoney)[0];
}

function textOf({ amount, currency }: Money): string {
  return `${amount} ${currency}`;
}
