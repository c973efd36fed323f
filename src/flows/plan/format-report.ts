import { isSameMoney, type Money } from '../../money/index.ts';
import type { PlanReport, PlanReportRow, PlanSum } from './model.ts';

/**
 * A report as plain text for a terminal or a mail: the sums of each currency, and each row that was
 * not paid as it was planned. Amounts are decimal texts as the service writes them.
 *
 * @example
 * const report = { hash: '5f0c', rows: [], sums: [], isComplete: true };
 * console.log(formatReport(report)); // plan 5f0c: 0 of 0 rows paid
 */
export function formatReport(report: PlanReport): string {
  const { hash, rows, sums, error } = report;
  const paid = rows.filter(({ phase }) => phase === 'paid').length;
  const lines = [
    `plan ${hash.slice(0, 12)}: ${[`${paid} of ${rows.length} rows paid`, ...othersOf(rows)].join(', ')}`,
    ...(error ? [`no further row was begun: ${error.message}`] : []),
    ...sums.map(lineOfSum),
    ...rows.filter(isNotable).map(lineOfRow),
  ];
  return lines.map(withoutControls).join('\n');
}

/** How many rows ended otherwise, by phase. */
function othersOf(rows: readonly PlanReportRow[]): readonly string[] {
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
    planned && `planned ${textOf(planned)}`,
    total && `takes ${textOf(total)}`,
    paymentId && `payment ${paymentId}`,
    payoutId && `payout ${payoutId}`,
    error?.message,
  ];
  return `  ${intent}: ${parts.filter(Boolean).join('; ')}`;
}

function textOf({ amount, currency }: Money): string {
  return `${amount} ${currency}`;
}

/** Names of rows come from files: in a terminal they must move nothing. */
function withoutControls(line: string): string {
  return line.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\uFFFD');
}
