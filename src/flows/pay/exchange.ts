import type { Connection } from '../../core/http/index.ts';
import { exchangeRail } from './exchange-rail.ts';
import type { ExchangeOptions, ExchangeResult, ExchangeStep } from './move-model.ts';
import { readExchange } from './move-order.ts';
import type { Run } from './run-model.ts';
import { begin } from './runs.ts';

/**
 * Exchanges one currency of the account for another: asks for a quote, checks what it brings, writes it
 * down, executes it, and watches how it ends. Starts at the call; one `intent` is exchanged at most
 * once, as with `pay`.
 *
 * @param options `intent`, `sell`, `buy`, `amount`, `journal`; see `ExchangeOptions`
 * @returns a run: its `result` never rejects, and says `unknown` where nobody knows
 * @throws InputError for what cannot be exchanged, or a journal that forgets
 * @example
 * const run = exchange(client, {
 *   intent: 'savings-2026-08',
 *   sell: 'USD',
 *   buy: 'BTC',
 *   amount: { amount: '100.00', currency: 'USD' },
 *   journal: memoryStore(),
 * });
 * console.log((await sandbox.run(run.result)).phase); // completed
 */
export function exchange(
  client: Connection,
  options: ExchangeOptions,
): Run<ExchangeStep, ExchangeResult> {
  return begin(client, exchangeRail, readExchange(client, options), options);
}
