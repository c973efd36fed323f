import { type Connection, internals } from '../../core/http/index.ts';
import { depositRail } from './deposit-rail.ts';
import { exchangeRail } from './exchange-rail.ts';
import { PayJournal, withJournal } from './journal.ts';
import type { PaymentOptions } from './model.ts';
import type { MoneyResult, MoneyStep } from './move-model.ts';
import { checkOptions } from './order.ts';
import { paymentRail } from './payment-rail.ts';
import { payoutRail } from './payout-rail.ts';
import type { Rail } from './rail.ts';
import { refundRail } from './refund-rail.ts';
import type { PayRow, RailName } from './row.ts';
import type { Run } from './run-model.ts';
import { takeUp } from './runs.ts';

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
 * and deposits. What was under way is looked at and ended, and nothing is done twice.
 *
 * @param options `journal`: the store that was given to `pay`, `exchange`, `payOut` and `deposit`
 * @throws InputError for a journal that forgets, UnreachableError for one that cannot be read
 * @example
 * const runs = await resume(client, { journal: memoryStore() });
 * for (const { intent, result } of runs) console.log(intent, (await result).phase);
 */
export async function resume(
  client: Connection,
  options: Pick<PaymentOptions, 'journal'>,
): Promise<readonly Run<MoneyStep, MoneyResult>[]> {
  const { journal } = checkOptions(client, options);
  const open = await withJournal(new PayJournal(journal, client[internals].clock).listOpen());
  return open.map(({ intent, row }) =>
    row
      ? takeUp(client, railOf(row), row, journal)
      : takeUp(client, paymentRail, { ...UNREADABLE, intent }, journal),
  );
}

/** Of a row that cannot be read: its run finds that out, and ends as `unknown`. */
const UNREADABLE = {
  fingerprint: '',
  order: { rail: 'bolt11', destination: '', sourceCurrency: '' },
  limits: { maxFee: 'any', maxRateSlip: 'any' },
} as const;

function railOf({ order }: PayRow): Rail {
  return 'refundOf' in order && order.refundOf ? refundRail : RAILS[order.rail];
}
