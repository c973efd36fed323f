import { isPaystateError } from '../../core/errors/index.ts';
import type { Connection } from '../../core/http/index.ts';
import { addMoney, parseMoney } from '../../money/index.ts';
import { get as getMethod } from '../../resources/bank-payment-methods/operations.ts';
import { objection, shareOf } from '../pay/guards.ts';
import type { PayOutOptions } from '../pay/move-model.ts';
import { readPayOut } from '../pay/move-order.ts';
import type { PayCommand } from '../pay/order.ts';
import { payoutRail } from '../pay/payout-rail.ts';
import type { BankOrder } from '../pay/row.ts';
import { refusalOf } from '../pay/try-outcome.ts';
import { makeRail } from './make-rail.ts';
import type { PlannedTerms } from './model.ts';
import type { AskedTerms, PlanRail } from './rail.ts';

/** By the way that the money travels. */
const CURRENCIES: Readonly<Record<string, string>> = {
  ACH: 'USD',
  US_DOMESTIC_WIRE: 'USD',
  SEPA: 'EUR',
  FPS: 'GBP',
  BSB: 'AUD',
};

/** Rows that `payOut` pays. */
export const payOutRail: PlanRail = /* @__PURE__ */ makeRail<PayOutOptions, BankOrder>({
  rail: payoutRail,
  costOf: () => [{ bucket: 'others', requests: 8 }], // prepare, initiate, and reads
  readCommand: (client, options) => readPayOut(client, options) as PayCommand<BankOrder>,
  askTerms,
});

/**
 * A payout's fee is known when it is prepared, and a plan prepares none: the highest fee that is
 * allowed is planned.
 */
async function askTerms(
  client: Connection,
  { order, limits: { maxFee } }: PayCommand<BankOrder>,
  signal: AbortSignal,
): Promise<AskedTerms> {
  try {
    const options = { signal, reason: 'plan a payout' };
    const { transferType } = await getMethod(client, order.bankPaymentMethodId, options);
    const isKnown = Object.hasOwn(CURRENCIES, transferType);
    const currency = isKnown ? CURRENCIES[transferType] : undefined;
    if (!currency) return { why: objection('currency', 'the bank method has no known currency') };
    const amount = parseMoney({ amount: order.amount, currency });
    const fee =
      maxFee === 'any' ? undefined : 'percent' in maxFee ? shareOf(amount, maxFee) : maxFee;
    if (fee && fee.currency !== currency)
      return { why: objection('fee', `maxFee must be in ${currency}, which is spent`) };
    const total = fee && order.feePolicy !== 'INCLUSIVE' ? addMoney(amount, fee) : amount;
    return { terms: { amount, fee, total, isEstimate: true } satisfies PlannedTerms };
  } catch (thrown) {
    if (!isPaystateError(thrown) || signal.aborted) throw thrown;
    return { why: refusalOf(thrown) };
  }
}
