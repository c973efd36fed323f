import { type Connection, internals } from '../../core/http/index.ts';
import { PayJournal, withJournal } from './journal.ts';
import type { PaymentOptions } from './model.ts';
import type { MoneyResult, MoneyStep } from './move-model.ts';
import { checkJournal } from './order.ts';
import type { RailName } from './row.ts';
import type { Run } from './run-model.ts';
import { type RailLoader, takeUp } from './runs.ts';

const loadPayment = async () => (await import('./payment-rail.ts')).paymentRail;
const RAILS: Readonly<Record<RailName, RailLoader>> = {
  bolt11: loadPayment,
  lnurl: loadPayment,
  onchain: loadPayment,
  exchange: async () => (await import('./exchange-rail.ts')).exchangeRail,
  payout: async () => (await import('./payout-rail.ts')).payoutRail,
  deposit: async () => (await import('./deposit-rail.ts')).depositRail,
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
  { journal }: Pick<PaymentOptions, 'journal'>,
): Promise<readonly Run<MoneyStep, MoneyResult>[]> {
  checkJournal(client, journal);
  const open = await withJournal(new PayJournal(journal, client[internals].clock).listOpen());
  return open.map((row) => takeUp(client, RAILS[row.order.rail], row, journal));
}
