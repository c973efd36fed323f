import { badInput, isPaystateError, type Expected } from '../../core/errors/index.ts';
import {
  type CallOptions,
  checkClient,
  type Connection,
  internals,
} from '../../core/http/index.ts';
import { countWait } from '../../core/time.ts';
import {
  addMoney,
  compareMoney,
  type Money,
  parseMoney,
  subtractMoney,
} from '../../money/index.ts';
import type { Rows } from '../../core/lists/index.ts';
import { type AccountLimit, type AmountLimit, getLimits } from '../../resources/accounts.ts';
import { type Balance, list as listBalances } from '../../resources/balances.ts';
import type { Store } from '../../stores/store.ts';
import { computeShare, formatMoney } from '../pay/guards.ts';
import { checkMove, checkShared, readPlain, readShare, SHARED_OPTIONS } from '../pay/intent.ts';
import { withJournal } from '../pay/journal.ts';
import type { Percentage } from '../pay/order.ts';
import {
  type Plan,
  planHash,
  type PlannedBalance,
  type PlannedLimit,
  type PlannedRow,
  type PlanOptions,
  type PlanProblem,
  type PlanRow,
} from './planned.ts';
import { Pace, chooseRail } from './rails.ts';
import { sumByCurrency } from './report.ts';

const MAX_CONCURRENT_ROWS = 8;
const OTHER_ORDER = 'the intent belongs to another payment in this journal';

const PLAN_OPTIONS: Expected<PlanOptions> = /* @__PURE__ */ Object.assign(
  { feePolicy: 'string', maxTotalSlip: 'any' } as const,
  SHARED_OPTIONS,
);

/**
 * Plans payments without moving money. Requests a quote for each row, compares it with your limits,
 * and calculates the total spending and the remaining balances. Rows that are already in the
 * journal aren't quoted again.
 *
 * @param rows the result of `parseRows`, or your own rows. Each needs an `intent`, unless it pays a
 * BOLT11 invoice.
 * @param options `journal`, and options shared by the rows. See `PlanOptions`
 * @returns plain data. `problems` lists everything that prevents the plan from being applied.
 * @throws InputError if there are no rows or the journal isn't durable, and the errors of failed
 * reads
 *
 * @example
 * const amount = { amount: '5.00', currency: 'EUR' };
 * const rows = [{ intent: 'may-ada', to: 'ada@wallet.example', amount }];
 * const common = { journal: memoryStore(), sourceCurrency: 'EUR', maxFee: 'any' } as const;
 * const { totals, problems } = await plan(client, rows, common);
 * console.log(totals, problems); // [ { amount: '5.05', currency: 'EUR' } ] []
 */
export async function plan(
  client: Connection,
  rows: readonly PlanRow[],
  options: PlanOptions,
): Promise<Plan> {
  checkClient(client);
  return countWait(client[internals].clock, makePlan(client, rows, options), 'plan()');
}

async function makePlan(
  client: Connection,
  rows: readonly PlanRow[],
  options: PlanOptions,
): Promise<Plan> {
  const {
    journal,
    signal,
    maxTotalSlip = { percent: '1' },
    ...common
  } = checkMove(client, options, PLAN_OPTIONS);
  if (!Array.isArray(rows) || rows.length === 0) throw badInput('rows', 'must be a list of rows');
  checkShared(common);
  const slip = readShare('maxTotalSlip', maxTotalSlip);
  if (slip === 'any')
    throw badInput('maxTotalSlip', 'must be a percentage such as { percent: "1" }');
  const shared = readPlain('options', common);
  const checked = readPlain('rows', rows).map((row, index) =>
    checkRow(client, withCommon(row, shared), index, journal),
  );
  const read = checked.map(({ row }) => row);
  const wrong = [...listProblems(checked), ...doublesIn(read)];
  if (wrong.length > 0) return assemblePlan(read, wrong);
  const pace = new Pace(client);
  const quoted = await mapAtMost(MAX_CONCURRENT_ROWS, read, (row, index) =>
    quoteRow(client, row, index, { journal, signal, slip, pace }),
  );
  const asked = quoted.map(({ row }) => row);
  const problems = listProblems(quoted);
  if (problems.length > 0) return assemblePlan(asked, problems);
  const taken = { rows: asked, totals: addTotals(asked) };
  if (taken.totals.length === 0) return assemblePlan(asked, problems);
  const { problems: short, ...leaves } = await readLeaves(client, taken, signal);
  return assemblePlan(asked, short, leaves);
}

interface CheckedRow {
  readonly row: PlannedRow;
  readonly problem?: PlanProblem | undefined;
}

function listProblems(checked: readonly CheckedRow[]): readonly PlanProblem[] {
  return checked.flatMap(({ problem }) => problem ?? []);
}

/** Adds the common options to a row. A bank row only gets the options of `payOut`. */
function withCommon(row: PlanRow, common: Partial<PlanOptions>): PlannedRow['options'] {
  const { maxFee, feePolicy } = common;
  const shared = 'bankPaymentMethodId' in Object(row) ? { maxFee, feePolicy } : common;
  return { ...shared, ...row } as PlannedRow['options'];
}

function checkRow(
  client: Connection,
  options: PlannedRow['options'],
  index: number,
  journal: Store,
): CheckedRow {
  try {
    const intent = chooseRail(options).read(client, { ...options, journal });
    return { row: { intent, options: { ...options, intent } } };
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    const { intent = '' } = options;
    const problem = { row: index + 1, intent, code: thrown.code, text: thrown.message };
    return { row: { intent, options }, problem };
  }
}

/** Finds rows that repeat the intent of an earlier row, because only one of them would be paid. */
function doublesIn(rows: readonly PlannedRow[]): readonly PlanProblem[] {
  const known = new Map<string, number>();
  return rows.flatMap(({ intent }, index) => {
    const first = known.get(intent);
    if (intent && first === undefined) known.set(intent, index);
    const text = `repeats the intent of row ${(first ?? 0) + 1}; each payment needs its own intent`;
    return first === undefined ? [] : { row: index + 1, intent, code: 'INPUT_INVALID', text };
  });
}

interface Quoting {
  readonly journal: Store;
  readonly signal: AbortSignal | undefined;
  readonly slip: Percentage;
  readonly pace: Pace;
}

/** Requests a quote for a row, unless the intent is already in the journal. */
async function quoteRow(
  client: Connection,
  row: PlannedRow,
  index: number,
  { journal, signal, slip, pace }: Quoting,
): Promise<CheckedRow> {
  const { intent, options } = row;
  const rail = chooseRail(options);
  const withProblem = ({ code, text, guard }: PlanProblem): CheckedRow => ({
    row,
    problem: { row: index + 1, intent, code, guard, text },
  });
  const known = await withJournal(rail.readKnown(client, { ...options, journal }));
  if (known && !known.isOurs) return withProblem({ code: 'INPUT_INVALID', text: OTHER_ORDER });
  if (known && known.state.phase !== 'new') return { row: { ...row, phase: known.state.phase } };
  await pace.takeTurn(rail.costOf(client, { ...options, journal }), signal);
  const { terms, why } = await rail.askTerms(client, { ...options, journal }, signal);
  if (why) return withProblem(why);
  const phase = known?.state.phase;
  if (!('to' in options)) return { row: { ...row, terms, phase } };
  const most = boundTotal(terms.total, slip, options.maxTotal);
  return { row: { ...row, options: { ...options, maxTotal: most }, terms, phase } };
}

/**
 * Returns the highest total allowed for a row: the planned total plus the allowed
 * increase, or the caller's `maxTotal` if that's lower.
 */
function boundTotal(total: Money, slip: Percentage, own: Money | 'any' | undefined): Money {
  const most = addMoney(total, computeShare(total, slip));
  return own && own !== 'any' && compareMoney(own, most) < 0 ? own : most;
}

function addTotals(rows: readonly PlannedRow[]): readonly Money[] {
  return sumByCurrency(rows.map(({ terms }) => terms?.total));
}

function assemblePlan(
  rows: readonly PlannedRow[],
  problems: readonly PlanProblem[],
  leaves: Pick<Plan, 'balances' | 'limit'> = {},
): Plan {
  const fees = sumByCurrency(rows.map(({ terms }) => terms?.fee));
  const content = { rows, totals: addTotals(rows), fees, ...leaves, problems };
  return { ...content, hash: planHash(content) };
}

/** Processes at most `most` items at a time. Rejects with the first failure. */
async function mapAtMost<T, R>(
  most: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const workers = Array.from({ length: Math.min(most, items.length) }, async () => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index]!, index);
  });
  await Promise.all(workers);
  return results;
}

const TOO_HIGH = 'AMOUNT_TOO_HIGH';

type Taken = Pick<Plan, 'rows' | 'totals'>;

type Leaves = Pick<Plan, 'balances' | 'limit' | 'problems'>;

async function readLeaves(
  client: Connection,
  taken: Taken,
  signal: AbortSignal | undefined,
): Promise<Leaves> {
  const options: CallOptions = { signal, reason: 'balance after the plan' };
  const found = await unlessForbidden(listBalances(client, options));
  const limits = await unlessForbidden(getLimits(client, options));
  const balances = found && taken.totals.map((total) => balanceAfter(total, found));
  const limit = limits?.send && limitAfter(taken, limits.send);
  const short = balances?.flatMap(({ problem }) => problem ?? []) ?? [];
  return {
    balances: balances?.map(({ balance }) => balance),
    limit: limit?.limit,
    problems: [...short, ...(limit?.problems ?? [])],
  };
}

/**
 * Resolves to the result of a read, or to `undefined` if the credential isn't allowed to read it.
 */
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
  balances: Rows<Balance>,
): { readonly balance: PlannedBalance; readonly problem?: PlanProblem } {
  const { currency, amount } = total;
  const found = balances.find((one) => one.currency === currency);
  const isUnknown = found ? found.available === undefined : balances.unreadable;
  if (isUnknown) return { balance: { currency } };
  const { available: text = '0' } = found ?? {};
  const available = parseMoney({ amount: text, currency });
  if (compareMoney(available, total) >= 0)
    return { balance: { currency, available, after: subtractMoney(available, total) } };
  const short = `the plan needs ${amount} ${currency}, but only ${text} is available`;
  return {
    balance: { currency, available },
    problem: { code: 'BALANCE_TOO_LOW', text: short },
  };
}

function limitAfter(
  { totals, rows }: Taken,
  { count: most, amount: sum }: AccountLimit,
): { readonly limit: PlannedLimit; readonly problems: readonly PlanProblem[] } {
  const count = rows.filter(({ terms }) => terms).length;
  const left = sum && leastLeft(sum);
  const total = totals.find(({ currency }) => currency === left?.currency);
  const isEnough = left && total && compareMoney(left, total) >= 0;
  const tooMany = {
    code: 'TOO_MANY_TRANSACTIONS',
    text: `${count} payments are planned, but the account may only send ${most?.effective}`,
  };
  const problems = [
    ...(most && most.effective < count ? [tooMany] : []),
    ...(sum ? tooHighAlone(rows, sum.effective) : []),
    ...(left && total && !isEnough ? [tooHighTogether(total, left)] : []),
  ];
  const limit = {
    count: most && Math.max(0, most.effective - count),
    amount: isEnough ? subtractMoney(left, total) : undefined,
  };
  return { limit, problems };
}

function tooHighTogether(total: Money, left: Money): PlanProblem {
  const text = `${formatMoney(total)} is planned, but the account may only send ${formatMoney(left)}`;
  return { code: TOO_HIGH, text };
}

/**
 * Finds rows that exceed the limit for a single payment. Limits over time apply to all rows
 * together, so they aren't checked here.
 */
function tooHighAlone(rows: readonly PlannedRow[], most: Money): readonly PlanProblem[] {
  return rows.flatMap(({ intent, terms }, index) =>
    terms?.total.currency === most.currency && compareMoney(terms.total, most) > 0
      ? {
          row: index + 1,
          intent,
          code: TOO_HIGH,
          text: `the account may only send ${formatMoney(most)}`,
        }
      : [],
  );
}

/**
 * Returns the remaining amount under the strictest limit for a period. All of these limits are in
 * the same currency.
 */
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
