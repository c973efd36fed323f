import { badInput, isPaystateError } from '../../core/errors/index.ts';
import type { CallOptions, Connection } from '../../core/http/index.ts';
import {
  addMoney,
  compareMoney,
  type Money,
  parseMoney,
  subtractMoney,
} from '../../money/index.ts';
import { type AccountLimit, type AmountLimit, getLimits } from '../../resources/accounts.ts';
import { type Balance, list as listBalances } from '../../resources/balances.ts';
import type { Store } from '../../stores/store.ts';
import { shareOf } from '../pay/guards.ts';
import { checkOptions, readPlain, readShare } from '../pay/intent.ts';
import { withJournal } from '../pay/journal.ts';
import type { PayGuard, Percentage } from '../pay/row.ts';
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
import { Pace, railOf } from './rails.ts';
import { sumByCurrency } from './report.ts';

/** Rows that are asked for at once. */
const MAX_CONCURRENT_ROWS = 8;
const OTHER_ORDER = 'the intent stands for another payment in this journal';

/**
 * Plans payments and moves nothing: asks for a quote of each row, compares it with your limits, and
 * adds up what all of them take and leave. Rows that the journal already has are not asked for again.
 *
 * @param rows of `parseRows`, or your own; each with an `intent`, unless it pays a BOLT11 text
 * @param options `journal`, and what the rows have in common; see `PlanOptions`
 * @returns plain data; what keeps it from being applied is in `problems`
 * @throws InputError for no rows or a journal that forgets, and the errors of reads that fail
 * @example
 * const amount = { amount: '5.00', currency: 'EUR' };
 * const rows = [{ intent: 'may-ada', to: 'ada@wallet.example', amount }];
 * const common = { journal: memoryStore(), sourceCurrency: 'EUR', maxFee: 'any' } as const;
 * const { totals, problems } = await sandbox.run(plan(client, rows, common));
 * console.log(totals, problems); // [ { amount: '5.05', currency: 'EUR' } ] []
 */
export async function plan(
  client: Connection,
  rows: readonly PlanRow[],
  options: PlanOptions,
): Promise<Plan> {
  const { journal, signal, maxTotalSlip, ...common } = checkOptions(client, options);
  if (!Array.isArray(rows) || rows.length === 0) throw badInput('rows', 'must be a list of rows');
  const slip = readShare('maxTotalSlip', maxTotalSlip ?? { percent: '1' });
  if (slip === 'any') throw badInput('maxTotalSlip', 'must be a share such as { percent: "1" }');
  const problems: PlanProblem[] = [];
  const shared = readPlain('options', common);
  const read = readPlain('rows', rows).map((row, index) =>
    readPlanRow(client, withCommon(row, shared), index, { journal, problems }),
  );
  problems.push(...doublesIn(read));
  if (problems.length > 0) return planOf(read, problems);
  const pace = new Pace(client);
  const asked = await mapAtMost(MAX_CONCURRENT_ROWS, read, (row, index) =>
    askForRow(client, row, index, { journal, signal, slip, problems, pace }),
  );
  problems.sort((a, b) => a.row! - b.row!);
  if (problems.length > 0) return planOf(asked, problems);
  const taken = { rows: asked, totals: totalsOf(asked) };
  if (taken.totals.length === 0) return planOf(asked, problems);
  const { problems: short, ...leaves } = await readLeaves(client, taken, signal);
  return planOf(asked, short, leaves);
}

interface Planning {
  readonly journal: Store;
  /** Filled with what is found. */
  readonly problems: PlanProblem[];
}

/** A row with what all have in common; for a bank only what `payOut` knows. */
function withCommon(row: PlanRow, common: Partial<PlanOptions>): PlannedRow['options'] {
  const { maxFee, feePolicy } = common;
  const shared = 'bankPaymentMethodId' in Object(row) ? { maxFee, feePolicy } : common;
  return { ...shared, ...row } as PlannedRow['options'];
}

/** Checks one row without asking. */
function readPlanRow(
  client: Connection,
  row: PlannedRow['options'],
  index: number,
  { journal, problems }: Planning,
): PlannedRow {
  try {
    const intent = railOf(row).read(client, { ...row, journal });
    return { intent, options: { ...row, intent } };
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    const { intent = '' } = row;
    problems.push({ row: index + 1, intent, code: thrown.code, text: thrown.message });
    return { intent, options: row };
  }
}

/** Two rows of one name would be one payment: that may be what is meant, and may not. */
function doublesIn(rows: readonly PlannedRow[]): readonly PlanProblem[] {
  const known = new Map<string, number>();
  return rows.flatMap(({ intent }, index) => {
    const first = known.get(intent);
    if (intent && first === undefined) known.set(intent, index);
    const text = `has the intent of row ${(first ?? 0) + 1}; each payment needs its own`;
    return first === undefined ? [] : { row: index + 1, intent, code: 'INPUT_INVALID', text };
  });
}

interface Asking extends Planning {
  readonly signal: AbortSignal | undefined;
  readonly slip: Percentage;
  readonly pace: Pace;
}

/** Looks a row up in the journal, and asks for its terms where nothing was begun. */
async function askForRow(
  client: Connection,
  row: PlannedRow,
  index: number,
  { journal, signal, slip, problems, pace }: Asking,
): Promise<PlannedRow> {
  const { intent, options } = row;
  const rail = railOf(options);
  const found = (why: {
    readonly code: string;
    readonly text: string;
    readonly guard?: PayGuard | undefined;
  }) => {
    const { code, text, guard } = why;
    problems.push({ row: index + 1, intent, code, guard, text });
    return row;
  };
  const known = await withJournal(rail.look(client, { ...options, journal }));
  if (known && !known.isOurs) return found({ code: 'INPUT_INVALID', text: OTHER_ORDER });
  if (known && known.state.phase !== 'new') return { ...row, phase: known.state.phase };
  await pace.takeTurn(rail.costOf(client, { ...options, journal }), signal);
  const { terms, why } = await rail.askTerms(client, { ...options, journal }, signal);
  if (why) return found(why);
  const phase = known?.state.phase;
  if (!('to' in options)) return { ...row, terms, phase };
  const most = mostOf(terms.total, slip, options.maxTotal);
  return { ...row, options: { ...options, maxTotal: most }, terms, phase };
}

/** The highest total of a row: yours, or the planned one with its slip. */
function mostOf(total: Money, slip: Percentage, own: Money | 'any' | undefined): Money {
  const most = addMoney(total, shareOf(total, slip));
  return own && own !== 'any' && compareMoney(own, most) < 0 ? own : most;
}

function totalsOf(rows: readonly PlannedRow[]): readonly Money[] {
  return sumByCurrency(rows.map(({ terms }) => terms?.total));
}

function planOf(
  rows: readonly PlannedRow[],
  problems: readonly PlanProblem[],
  leaves: Pick<Plan, 'balances' | 'limit'> = {},
): Plan {
  const fees = sumByCurrency(rows.map(({ terms }) => terms?.fee));
  const content = { rows, totals: totalsOf(rows), fees, ...leaves, problems };
  return { ...content, hash: planHash(content) };
}

/** Works through a list, so many at a time; ends with the first failure. */
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

/** What a plan takes. */
type Taken = Pick<Plan, 'rows' | 'totals'>;

type Leaves = Pick<Plan, 'balances' | 'limit' | 'problems'>;

/** Reads what the account has, and says what the plan leaves of it. Moves nothing. */
async function readLeaves(
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
