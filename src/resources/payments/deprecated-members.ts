import type { Money } from '../../money/model.ts';
import type { Payment } from './model.ts';

/**
 * What the Lightning network took, whichever member says it: `lightning.networkFee`, else the
 * deprecated one.
 *
 * @example
 * const fee = networkFeeOf(payment);
 */
export function networkFeeOf({
  lightning,
  lightningNetworkFee,
}: Pick<Payment, 'lightning' | 'lightningNetworkFee'>): Money | undefined {
  return lightning?.networkFee ?? lightningNetworkFee;
}

/**
 * When a payment ended, whichever member says it: `completed`, else the deprecated one.
 *
 * @example
 * const at = completedOf(payment);
 */
export function completedOf({
  completed,
  delivered,
}: Pick<Payment, 'completed' | 'delivered'>): string | undefined {
  return completed ?? delivered;
}
