import type { Money } from '../../money/index.ts';
import type { Transfer, LedgerAccount } from './ledger.ts';

/** One transfer, or none where there is no money to move. */
export function transfersOf(
  from: LedgerAccount,
  to: LedgerAccount,
  money: Money | undefined,
  mayOwe?: true,
): readonly Transfer[] {
  return money && /[1-9]/.test(money.amount) ? [{ from, to, money, mayOwe }] : [];
}
