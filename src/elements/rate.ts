import { decimalText, parseDecimal } from '../money/decimal.ts';
import type { Money } from '../money/index.ts';

/**
 * What one bitcoin costs at the rate of a code, from what is sent and what is credited; cut off
 * after two digits, for reading only. `undefined` where nothing is converted.
 */
export function rateOf(sent: Money, credited: Money): Money | undefined {
  if (sent.currency !== 'BTC' || credited.currency === 'BTC') return undefined;
  const [from, to] = [parseDecimal(sent.amount), parseDecimal(credited.amount)];
  if (!from.digits) return undefined;
  const up = 10n ** BigInt(from.scale + 2);
  const digits = (to.digits * up) / (from.digits * 10n ** BigInt(to.scale));
  return { amount: decimalText({ digits, scale: 2 }), currency: credited.currency };
}
