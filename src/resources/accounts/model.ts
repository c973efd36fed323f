import type { Id, Open } from '../../core/errors/index.ts';
import type { CurrencyCode, WireMoney } from '../amounts/model.ts';

export type AccountId = Id<'account'>;

/** What an account shows to others. */
export interface AccountProfile {
  readonly id: string;
  /** Its public name. */
  readonly handle: string;
  readonly avatarUrl?: string | undefined;
  readonly description?: string | undefined;
  readonly canReceive: boolean;
  readonly currencies: readonly AccountCurrency[];
}

export interface AccountCurrency {
  readonly currency: Open<CurrencyCode>;
  readonly isDefaultCurrency: boolean;
  readonly isAvailable: boolean;
  /** An invoice can be created in it. */
  readonly isInvoiceable: boolean;
}

/** What the account may still do; a limit that is absent is not published for it. */
export interface AccountLimits {
  readonly deposit?: AccountLimit | undefined;
  readonly achDeposit?: AccountLimit | undefined;
  /** All that leaves, but for bank transfers. */
  readonly send?: AccountLimit | undefined;
  /** Bank transfers. */
  readonly withdrawal?: AccountLimit | undefined;
  /** Spending of what is not settled yet. */
  readonly instant?: AccountLimit | undefined;
}

export interface AccountLimit {
  readonly count?: CountLimit | undefined;
  readonly amount?: AmountLimit | undefined;
}

export interface CountLimit {
  /** How many are left now. */
  readonly effective: number;
  readonly lifetime?: UsedCount | undefined;
  readonly calendarYear?: UsedCount | undefined;
  readonly cycles?: readonly CountCycle[] | undefined;
}

export interface UsedCount {
  readonly limit: number;
  readonly used: number;
}

export interface CountCycle extends UsedCount {
  readonly days: number;
}

export interface AmountLimit {
  /** How much is left now. */
  readonly effective: WireMoney;
  /** The most at once. */
  readonly single?: WireMoney | undefined;
  readonly lifetime?: UsedAmount | undefined;
  readonly calendarYear?: UsedAmount | undefined;
  readonly cycles?: readonly AmountCycle[] | undefined;
}

export interface UsedAmount {
  readonly limit?: WireMoney | undefined;
  readonly used?: WireMoney | undefined;
}

export interface AmountCycle extends UsedAmount {
  readonly days: number;
}
