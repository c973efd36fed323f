import type { Connection } from '../../core/http/index.ts';
import { depositRail } from './deposit-rail.ts';
import type { DepositFlowOptions, DepositResult, DepositStep } from './move-model.ts';
import { readDeposit } from './move-order.ts';
import type { Run } from './run-model.ts';
import { begin } from './runs.ts';

/**
 * Draws money from a bank account: asks what it costs, checks that, writes it down, makes the deposit
 * under one key, and watches how it ends. Starts at the call; one `intent` is drawn at most once, as
 * with `pay`.
 *
 * @param options `intent`, `bankPaymentMethodId`, `amount` (decimal text), `maxFee`, `journal`; see
 * `DepositFlowOptions`
 * @returns a run: its `result` never rejects, and says `unknown` where nobody knows
 * @throws InputError for an amount or a limit that is none, or a journal that forgets
 * @example
 * const run = deposit(client, {
 *   intent: 'top-up-17',
 *   bankPaymentMethodId: method.id,
 *   amount: '500.00',
 *   maxFee: { percent: '1' },
 *   journal: memoryStore(),
 * });
 * console.log((await sandbox.run(run.result)).phase); // completed
 */
export function deposit(
  client: Connection,
  options: DepositFlowOptions,
): Run<DepositStep, DepositResult> {
  return begin(client, depositRail, readDeposit(client, options), options);
}
