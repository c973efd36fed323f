import type { Money } from '../../money/index.ts';
import type { LedgerAccount } from '../ledger/ledger.ts';
import type { Account } from '../world/world.ts';

/** What reaches a receiver, and where. */
export interface Credit {
  readonly to: LedgerAccount;
  readonly money: Money;
}

/** The receiver of a payment: an outside wallet, or another account of the sandbox. */
export interface Receiver {
  readonly rail: 'lightning' | 'onchain';
  /** Absent where the receiver is outside: then the network takes a fee. */
  readonly account: Account | undefined;
  /** What is asked for, in its own currency; absent where the payer chooses. */
  readonly asked?: Money | undefined;
  /** The same in whole satoshi, rounded up. */
  readonly sats?: Money | undefined;
  readonly description?: string | undefined;
  /** What the sender learns when it has arrived, hex. */
  readonly preimage?: string | undefined;
  /** Refuses where it cannot be paid now; `executing`: the money is about to leave. */
  check(payer: Account, executing: boolean): void;
  /** What arrives when so much leaves the sender, and as bitcoin. */
  credit(amount: Money, sats: Money): Credit;
  /**
   * The money is on its way; returns what to do at its end, with what was credited, or without when
   * it comes back.
   */
  begin(payer: Account, amount: Money): (arrived?: PaymentArrival) => void;
}

/** How a payment that has ended reaches its receiver; the ledger has booked it already. */
export interface PaymentArrival {
  readonly credit: Credit;
  /** The sender's free money, where a reversal gives back to. */
  readonly sender: LedgerAccount;
  readonly spent: Money;
}
