import type { Money } from '../../money/model.ts';
import type { Id, Open } from '../../core/errors/index.ts';
import type { CurrencyCode } from '../amounts/model.ts';

/** Id of an account. */
export type AccountId = Id<'account'>;

/** What an account shows to others. */
export interface AccountProfile {
  /** Id of the account; the service may leave it out. */
  readonly id?: string | undefined;
  /** Its public name. */
  readonly handle: string;
  /** Its picture. */
  readonly avatarUrl?: string | undefined;
  /** What it says of itself. */
  readonly description?: string | undefined;
  /** It can be paid. */
  readonly canReceive: boolean;
  /** Its currencies. */
  readonly currencies: readonly AccountCurrency[];
}

/** A currency of an account. */
export interface AccountCurrency {
  /** Code of the currency. */
  readonly currency: Open<CurrencyCode>;
  /** Used where a request names none. */
  readonly isDefaultCurrency: boolean;
  /** The account can use it now. */
  readonly isAvailable: boolean;
  /** An invoice can be created in it. */
  readonly isInvoiceable: boolean;
}

/** What the account may still do; a limit that is absent is not published for it. */
export interface AccountLimits {
  /** Deposits. */
  readonly deposit?: AccountLimit | undefined;
  /** Deposits by ACH. */
  readonly achDeposit?: AccountLimit | undefined;
  /** All that leaves, but for bank transfers. */
  readonly send?: AccountLimit | undefined;
  /** Bank transfers. */
  readonly withdrawal?: AccountLimit | undefined;
  /** Spending of what is not settled yet. */
  readonly instant?: AccountLimit | undefined;
}

/** One limit, in number and in amount. */
export interface AccountLimit {
  /** How many. */
  readonly count?: CountLimit | undefined;
  /** How much. */
  readonly amount?: AmountLimit | undefined;
}

/** A limit in number, with what is used of it. */
export interface CountLimit {
  /** How many are left now. */
  readonly effective: number;
  /** Since the account exists. */
  readonly lifetime?: UsedCount | undefined;
  /** In the calendar year. */
  readonly calendarYear?: UsedCount | undefined;
  /** Over some days, for each number of days that has a limit. */
  readonly cycles?: readonly CountCycle[] | undefined;
}

/** A limit in number, and what is used of it. */
export interface UsedCount {
  /** The most. */
  readonly limit: number;
  /** Used until now. */
  readonly used: number;
}

/** A limit in number over some days. */
export interface CountCycle extends UsedCount {
  /** Number of days. */
  readonly days: number;
}

/** A limit in amount, with what is used of it. */
export interface AmountLimit {
  /** How much is left now. */
  readonly effective: Money;
  /** The most at once. */
  readonly single?: Money | undefined;
  /** Since the account exists. */
  readonly lifetime?: UsedAmount | undefined;
  /** In the calendar year. */
  readonly calendarYear?: UsedAmount | undefined;
  /** Over some days, for each number of days that has a limit. */
  readonly cycles?: readonly AmountCycle[] | undefined;
}

/** A limit in amount, and what is used of it. */
export interface UsedAmount {
  /** The most. */
  readonly limit?: Money | undefined;
  /** Used until now. */
  readonly used?: Money | undefined;
}

/** A limit in amount over some days. */
export interface AmountCycle extends UsedAmount {
  /** Number of days. */
  readonly days: number;
}
