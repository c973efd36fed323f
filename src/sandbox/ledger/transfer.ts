import type { WireMoney } from '../../resources/amounts/model.ts';
import type { Move, Place } from './ledger.ts';

/** One move, or none where there is nothing to move. */
export function moving(from: Place, to: Place, money: WireMoney, mayOwe?: true): readonly Move[] {
  return /[1-9]/.test(money.amount) ? [{ from, to, money, mayOwe }] : [];
}
