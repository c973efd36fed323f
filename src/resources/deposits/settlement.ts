import type { Money } from '../../money/model.ts';
import { millisOf } from '../../core/time/index.ts';
import type { DepositFee } from './model.ts';

const DAY = 86_400_000;

/**
 * When a deposit made `now` would settle, milliseconds since 1970: by `settledAt`, or by the
 * obsolete period in days where only that is sent; at once where neither is.
 *
 * @example
 * const days = (settlesAt(estimate, Date.now()) - Date.now()) / 86_400_000;
 */
export function settlesAt(
  { settledAt, settlementPeriodInDay = 0 }: DepositFee,
  now: number,
): number {
  return (
    (settledAt === undefined ? undefined : millisOf(settledAt)) ?? now + settlementPeriodInDay * DAY
  );
}

/**
 * The fixed part of a fee with its currency, where the service names one.
 *
 * @example
 * const fixed = fixedFeeOf(estimate)?.amount ?? '0';
 */
export function fixedFeeOf({ feeFixed, fee: { currency } }: DepositFee): Money | undefined {
  return feeFixed === undefined ? undefined : { amount: feeFixed, currency };
}
