import type { WireMoney } from '../../resources/amounts/model.ts';
import type { Transfer, LedgerAccount } from './ledger.ts';

/** One move, or none where there is nothing to move. */
export function transfersOf(
  from: LedgerAccount,
  to: LedgerAccount,
  money: WireMoney,
  mayOwe?: true,
): readonly Transfer[] {
  return /[1-9]/.test(money.amount) ? [{ from, to, money, mayOwe }] : [];
}
