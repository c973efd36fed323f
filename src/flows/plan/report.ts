import { checkArgument, type PaystateError } from '../../core/errors/index.ts';
import { printable } from '../../core/text.ts';
import { addMoney, isSameMoney, type Money } from '../../money/index.ts';
import type { PayStep } from '../pay/result.ts';
import { formatMoney } from '../pay/guards.ts';
import type { PayGuard } from '../pay/order.ts';
import type { Run } from '../pay/runs.ts';

/** The state of one row in a plan. */
export interface PlanReportRow {
  /** The payment's name in the journal. */
  readonly intent: string;
  /**
   * The phase as in `PayStep`. `paid` includes payouts that have left the account, and `not-begun`
   * means that the plan was stopped before this row started.
   */
  readonly phase: PayStep['phase'] | 'not-begun';
  /** The planned total. */
  readonly planned?: Money | undefined;
  /** The total of the payment, or of its quote if there's no payment yet. */
  readonly total?: Money | undefined;
  /** The fee included in `total`. */
  readonly fee?: Money | undefined;
  /** The id of the payment, if there is one. */
  readonly paymentId?: string | undefined;
  /** The id of the payout, if there is one. */
  readonly payoutId?: string | undefined;
  /** Why the row wasn't paid, or how to find out whether it was. */
  readonly error?: PaystateError | undefined;
  /** The guard that refused the row. */
  readonly guard?: PayGuard | undefined;
}

/**
 * The outcome of a plan in one currency. The other amounts add up to `planned`, except for changes
 * in rates and fees.
 */
export interface PlanSum {
  /** The currency code. */
  readonly currency: string;
  /** The planned total. It includes the actual total of rows that were started before the plan. */
  readonly planned: Money;
  /** The amount that was paid, including fees. */
  readonly paid: Money;
  /** The fees included in `paid`. */
  readonly fees: Money;
  /** The total of payments that are still in progress. */
  readonly underWay: Money;
  /** The amount that may have been paid. */
  readonly unknown: Money;
  /** The amount that wasn't paid. */
  readonly notPaid: Money;
}

/** The results of a plan. */
export interface PlanReport {
  /** The plan's hash. */
  readonly hash: string;
  /** The rows, in the plan's order. */
  readonly rows: readonly PlanReportRow[];
  /** The sums by currency. */
  readonly sums: readonly PlanSum[];
  /** Whether every row has ended and none of them is `unknown`. */
  readonly isComplete: boolean;
  /** Why no more rows were started. Absent if all were started, or if you stopped the plan. */
  readonly error?: PaystateError | undefined;
}

/** The progress of a plan. */
export interface PlanStep {
  /** The number of finished rows. */
  readonly done: number;
  /** The total number of rows. */
  readonly total: number;
  /** The row that finished last. */
  readonly row?: PlanReportRow | undefined;
}

/** A plan that is being applied. */
export type PlanApplication = Run<PlanStep, PlanReport>;

type Part = 'paid' | 'underWay' | 'unknown' | 'notPaid';

const PARTS: Readonly<Record<PlanReportRow['phase'], Part>> = {
  paid: 'paid',
  new: 'notPaid',
  executing: 'unknown',
  unconfirmed: 'unknown',
  pending: 'underWay',
  unknown: 'unknown',
  failed: 'notPaid',
  refused: 'notPaid',
  stopped: 'notPaid',
  'not-begun': 'notPaid',
};

export function makeReport(
  hash: string,
  rows: readonly PlanReportRow[],
  error: PaystateError | undefined,
): PlanReport {
  const currencies = sumByCurrency(rows.map(findPlanned)).map(({ currency }) => currency);
  return {
    hash,
    rows: [...rows],
    sums: currencies.map((currency) => sumFor(currency, rows)),
    isComplete: rows.every(({ phase }) => phase === 'paid' || isUnpaid(phase)),
    error,
  };
}

/**
 * Returns the planned total. If a row was started before the plan, only its actual total is
 * available.
 */
function findPlanned({ planned, total }: PlanReportRow): Money | undefined {
  return planned ?? total;
}

function isUnpaid(phase: PlanReportRow['phase']): boolean {
  return phase === 'failed' || phase === 'refused' || phase === 'stopped';
}

function sumFor(currency: string, rows: readonly PlanReportRow[]): PlanSum {
  const sum = (part: Part, amountOf: (row: PlanReportRow) => Money | undefined) =>
    addAmounts(currency, rows.filter(({ phase }) => PARTS[phase] === part).map(amountOf));
  const findTaken = ({ total, planned }: PlanReportRow) => total ?? planned;
  return {
    currency,
    planned: addAmounts(currency, rows.map(findPlanned)),
    paid: sum('paid', findTaken),
    fees: sum('paid', ({ fee }) => fee),
    underWay: sum('underWay', findTaken),
    unknown: sum('unknown', findTaken),
    notPaid: sum('notPaid', findPlanned),
  };
}

/** Adds up amounts by currency, in the order in which the currencies first appear. */
export function sumByCurrency(amounts: Iterable<Money | undefined>): readonly Money[] {
  const sums = new Map<string, Money>();
  for (const one of amounts) {
    if (!one) continue;
    const sum = sums.get(one.currency);
    sums.set(one.currency, sum ? addMoney(sum, one) : one);
  }
  return [...sums.values()];
}

function addAmounts(currency: string, amounts: Iterable<Money | undefined>): Money {
  const all = sumByCurrency(amounts);
  return all.find((sum) => sum.currency === currency) ?? { amount: '0', currency };
}

/**
 * Formats a report as plain text for a terminal or an email. Lists the sums for each currency, and
 * each row that wasn't paid as planned. Amounts are decimal strings, as returned by the service.
 *
 * @example
 * const report = { hash: '5f0c', rows: [], sums: [], isComplete: true };
 * console.log(formatReport(report)); // plan 5f0c: 0 of 0 rows paid
 */
export function formatReport(report: PlanReport): string {
  checkArgument('report', report, 'object!');
  checkArgument('report.hash', report.hash, 'string!');
  checkArgument('report.rows', report.rows, 'array!');
  checkArgument('report.sums', report.sums, 'array!');
  const { hash, rows, sums, error } = report;
  const paid = rows.filter(({ phase }) => phase === 'paid').length;
  const lines = [
    `plan ${hash.slice(0, 12)}: ${[`${paid} of ${rows.length} rows paid`, ...listOthers(rows)].join(', ')}`,
    ...(error ? [`the remaining rows were not started: ${error.message}`] : []),
    ...sums.map(lineOfSum),
    ...rows.filter(isNotable).map(lineOfRow),
  ];
  return lines.map(printable).join('\n');
}

function listOthers(rows: readonly PlanReportRow[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { phase } of rows)
    if (phase !== 'paid') counts.set(phase, (counts.get(phase) ?? 0) + 1);
  return [...counts].map(([phase, count]) => `${count} ${phase}`);
}

function lineOfSum({ currency, planned, paid, fees, ...others }: PlanSum): string {
  const { underWay, unknown, notPaid } = others;
  const parts = [
    `planned ${planned.amount}`,
    `paid ${paid.amount} with fees of ${fees.amount}`,
    `under way ${underWay.amount}`,
    `unknown ${unknown.amount}`,
    `not paid ${notPaid.amount}`,
  ];
  return `${currency}: ${parts.join(', ')}`;
}

function isNotable({ phase, planned, total }: PlanReportRow): boolean {
  return phase !== 'paid' || Boolean(planned && total && !isSameMoney(planned, total));
}

function lineOfRow({
  intent,
  phase,
  planned,
  total,
  paymentId,
  payoutId,
  error,
}: PlanReportRow): string {
  const parts = [
    phase,
    planned && `planned ${formatMoney(planned)}`,
    total && `takes ${formatMoney(total)}`,
    paymentId && `payment ${paymentId}`,
    payoutId && `payout ${payoutId}`,
    error?.message,
  ];
  return `  ${intent}: ${parts.filter(Boolean).join('; ')}`;
}
