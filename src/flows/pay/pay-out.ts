import type { Connection } from '../../core/http/index.ts';
import type { PayOutOptions, PayOutResult, PayOutStep } from './move-model.ts';
import { readPayOut } from './move-order.ts';
import { payoutRail } from './payout-rail.ts';
import type { Run } from './run-model.ts';
import { begin } from './runs.ts';

/**
 * Sends money to a bank account: waits until the bank method and the originator may be used, prepares a
 * payout, checks its fee, writes it down, initiates it, and watches until it has left. Starts at the
 * call; of one `intent` one payout is ever initiated, as with `pay`.
 *
 * @param options `intent`, `bankPaymentMethodId`, `amount` (decimal text), `maxFee`, `journal`; see
 * `PayOutOptions`
 * @returns a run: its `result` never rejects, and says `unknown` where nobody knows
 * @throws InputError for an amount or a limit that is none, or a journal that forgets
 * @example
 * const run = payOut(client, {
 *   intent: 'salary-2026-08-edith',
 *   bankPaymentMethodId: method.id,
 *   amount: '250.00',
 *   reference: 'SALARY 08',
 *   maxFee: { percent: '1' },
 *   journal: memoryStore(),
 * });
 * console.log((await sandbox.run(run.result)).phase); // completed
 */
export function payOut(client: Connection, options: PayOutOptions): Run<PayOutStep, PayOutResult> {
  return begin(client, payoutRail, readPayOut(client, options), options);
}
