import { type Connection, internals } from '../../core/http/index.ts';
import { checkMove, type CommonPaymentOptions } from './intent.ts';
import { MoveJournal, withJournal } from './journal.ts';
import type { Rail } from './rail.ts';
import { depositRail } from './rails/deposit.ts';
import { exchangeRail } from './rails/exchange.ts';
import { paymentRail } from './rails/payment.ts';
import { payoutRail } from './rails/payout.ts';
import { refundRail } from './rails/refund.ts';
import type { MoneyResult, MoneyStep } from './result.ts';
import type { MoveRow, RailName } from './row.ts';
import { type Run, takeUp } from './runs.ts';
import { isOver } from './schedule.ts';

const RAILS: Readonly<Record<RailName, Rail>> = {
  bolt11: paymentRail,
  lnurl: paymentRail,
  onchain: paymentRail,
  exchange: exchangeRail,
  payout: payoutRail,
  deposit: depositRail,
};

/**
 * Takes up everything in a journal that is not over, after a restart: payments, exchanges, payouts
 * and deposits. What was under way is read and ended, and nothing is done twice. After these come
 * the ends of the last 30 days that no caller has acknowledged, with `joined: true`: a process may
 * have died before it heard of them. So each end is told at least once; act by `intent`, then call
 * `ack`.
 *
 * @param options `journal`: the store that was given to `pay`, `exchange`, `payOut` and `deposit`
 * @throws InputError for a journal that is not durable, UnreachableError for one that cannot be
 * read
 * @example
 * const runs = await resume(client, { journal: memoryStore() });
 * for (const run of runs) {
 *   console.log(run.intent, (await run.result).phase);
 *   await run.ack();
 * }
 */
export async function resume(
  client: Connection,
  options: Pick<CommonPaymentOptions, 'journal'>,
): Promise<readonly Run<MoneyStep, MoneyResult>[]> {
  const { journal } = checkMove(client, options, { journal: 'any' });
  const rows = new MoveJournal(journal, client);
  const found = await withJournal(rows.listOpen());
  const open = found.filter(({ row }) => !row || !isOver(row));
  const now = client[internals].clock.now();
  const isKept = (row: MoveRow) => (row.endedAt ?? now) > now - LISTED_FOR_MS;
  const ended = found.flatMap(({ row }) => (row && isOver(row) ? row : []));
  const forgotten = ended.filter((row) => !isKept(row));
  await withJournal(Promise.all(forgotten.map((row) => rows.forget(row, now))));
  return [
    ...open.map(({ intent, row }) =>
      row
        ? takeUp(client, railOf(row), row, journal)
        : takeUp(client, paymentRail, { ...UNREADABLE, intent }, journal),
    ),
    ...ended.filter(isKept).map((row) => takeUp(client, railOf(row), row, journal, row)),
  ];
}

/** Time for which an end that no caller has acknowledged is listed. */
const LISTED_FOR_MS = 30 * 86_400_000;

/** Replaces a row that cannot be read; the run reads it again, and ends as `unknown`. */
const UNREADABLE = {
  fingerprint: '',
  order: { rail: 'bolt11', destination: '', sourceCurrency: '' },
  limits: { maxFee: 'any', maxRateSlip: 'any' },
} as const;

function railOf({ order }: MoveRow): Rail {
  return 'refundOf' in order && order.refundOf ? refundRail : RAILS[order.rail];
}
