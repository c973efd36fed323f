import type { PaystateError } from '../../core/errors/index.ts';
import type { Money } from '../../money/index.ts';
import type { PlanReport, PlanReportRow, PlanSum } from './model.ts';
import { sumByCurrency, sumOf } from './sums.ts';

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

/** What became of a plan, by its rows. */
export function reportOf(
  hash: string,
  rows: readonly PlanReportRow[],
  error: PaystateError | undefined,
): PlanReport {
  const currencies = sumByCurrency(rows.map(plannedOf)).map(({ currency }) => currency);
  return {
    hash,
    rows: [...rows],
    sums: currencies.map((currency) => sumFor(currency, rows)),
    isComplete: rows.every(({ phase }) => phase === 'paid' || isUnpaid(phase)),
    error,
  };
}

/** What was meant to be spent for a row; of one that was begun before the plan what it takes. */
function plannedOf({ planned, total }: PlanReportRow): Money | undefined {
  return planned ?? total;
}

function isUnpaid(phase: PlanReportRow['phase']): boolean {
  return phase === 'failed' || phase === 'refused' || phase === 'stopped';
}

function sumFor(currency: string, rows: readonly PlanReportRow[]): PlanSum {
  const sum = (part: Part, amountOf: (row: PlanReportRow) => Money | undefined) =>
    sumOf(currency, rows.filter(({ phase }) => PARTS[phase] === part).map(amountOf));
  const takenOf = ({ total, planned }: PlanReportRow) => total ?? planned;
  return {
    currency,
    planned: sumOf(currency, rows.map(plannedOf)),
    paid: sum('paid', takenOf),
    fees: sum('paid', ({ fee }) => fee),
    underWay: sum('underWay', takenOf),
    unknown: sum('unknown', takenOf),
    notPaid: sum('notPaid', plannedOf),
  };
}
