import type { Connection } from '../../core/http/index.ts';
import type { PaymentOptions, PayResult, PayStep } from './model.ts';
import { readRequest } from './order.ts';
import { paymentRail } from './payment-rail.ts';
import type { Run } from './run-model.ts';
import { begin } from './runs.ts';

/**
 * Pays a BOLT11 text, a Lightning address, an LNURL or an on-chain address: reads it, asks for a
 * quote, checks its terms against your limits, writes it down, executes it, and watches how it ends.
 * Starts at the call. One `intent` is paid at most once: whatever is lost, doubled or killed in
 * between, the same intent joins what was begun, here or in another process with the same journal.
 *
 * @param options `to`, `amount` or `maxTotal`, `sourceCurrency`, `maxFee`, `journal`; see
 * `PaymentOptions`
 * @returns a run: its `result` never rejects, and says `unknown` where nobody knows
 * @throws InputError for what cannot be paid, an amount that is not the one of the BOLT11 text, a limit
 * that cannot be read or is missing, or a journal that forgets
 * @example
 * const run = pay(client, {
 *   to: sandbox.payer.createBolt11({ sat: '2100' }),
 *   sourceCurrency: 'EUR',
 *   maxTotal: { amount: '5.00', currency: 'EUR' },
 *   maxFee: { amount: '0.50', currency: 'EUR' },
 *   journal: memoryStore(),
 * });
 * console.log((await sandbox.run(run.result)).phase); // paid
 */
export function pay(client: Connection, options: PaymentOptions): Run<PayStep, PayResult> {
  return begin<PayStep, PayResult>(client, paymentRail, readRequest(client, options), options);
}
