import { sha256Hex } from '../../lightning/hashes.ts';
import type { Money } from '../../money/index.ts';
import type { Store } from '../../stores/store.ts';
import type { CommonPaymentOptions, PaymentOptions } from '../pay/intent.ts';
import type { PayOutOptions } from '../pay/rails/payout.ts';
import type { PayStep } from '../pay/result.ts';
import type { PayGuard, Percentage } from '../pay/order.ts';

/** Options of one row; those that are missing may be in the options of `plan`. */
type Shared<Options> = Omit<Options, 'journal' | 'signal' | 'sourceCurrency' | 'maxFee'> & {
  /**
   * The currency to spend over Lightning or on-chain; required here or in the options of `plan`.
   */
  readonly sourceCurrency?: CommonPaymentOptions['sourceCurrency'] | undefined;
  /** The highest fee; required here or in the options of `plan`. */
  readonly maxFee?: CommonPaymentOptions['maxFee'] | undefined;
};

/**
 * One payment of a list: the options of `pay`, or with `bankPaymentMethodId` those of `payOut`.
 * Options that all rows share are given to `plan`; a row's own member wins. A row states its
 * `amount`, or has a `maxTotal`, its own or the common one.
 */
export type PlanRow = Shared<PaymentOptions> | Shared<PayOutOptions>;

/** Options that all rows share, and the journal. */
export interface PlanOptions
  extends Partial<Omit<CommonPaymentOptions, 'journal' | 'to' | 'intent'>> {
  /** The store of intents; the same for `applyPlan`. */
  readonly journal: Store;
  /** The most to spend for each row, with its fee; required for rows without an `amount`. */
  readonly maxTotal?: Money | 'any' | undefined;
  /** Greatest rise of a row's total above the planned one when it is paid; 1 %. */
  readonly maxTotalSlip?: Percentage | undefined;
}

/** The amounts of one row. */
export interface PlannedTerms {
  /** The amount that the receiver gets. */
  readonly amount: Money;
  /** The fee; absent where it cannot be computed. */
  readonly fee?: Money | undefined;
  /** The amount that is spent. */
  readonly total: Money;
  /** The fee is not known yet, so the highest fee that is allowed is planned. */
  readonly isEstimate?: true | undefined;
}

/** Options as a plan keeps them, for each member of a union. */
type Planned<Options> = Options extends unknown ? Omit<Options, 'journal' | 'signal'> : never;

/** A row of a plan. */
export interface PlannedRow {
  /** Name of the payment in the journal. */
  readonly intent: string;
  /** The options for `pay` or `payOut`; for `pay` with the highest total that the plan allows. */
  readonly options: Planned<PaymentOptions> | Planned<PayOutOptions>;
  /**
   * The amounts that the service quoted; absent where the journal already has the row, or where
   * there is a problem.
   */
  readonly terms?: PlannedTerms | undefined;
  /**
   * The phase of the row in the journal; absent where nothing was begun. A row that has a phase is
   * not begun again.
   */
  readonly phase?: PayStep['phase'] | undefined;
}

/** A problem that keeps a plan from being applied. */
export interface PlanProblem {
  /** Number of the row, from 1; absent where the problem concerns the whole plan. */
  readonly row?: number | undefined;
  /** Name of the row. */
  readonly intent?: string | undefined;
  /** The service's code, or one of this package. */
  readonly code: string;
  /** The guard that refused the row. */
  readonly guard?: PayGuard | undefined;
  /** The problem in words. */
  readonly text: string;
}

/** The balance of one currency, and what the plan leaves of it. */
export interface PlannedBalance {
  /** Code of the currency. */
  readonly currency: string;
  /** Free to spend now; absent where the service does not say. */
  readonly available?: Money | undefined;
  /** Free to spend afterwards; absent where it is not enough. */
  readonly after?: Money | undefined;
}

/** The rest of the account's limit on sending after a plan. */
export interface PlannedLimit {
  /** Payments that are left afterwards. */
  readonly count?: number | undefined;
  /** Amount that is left afterwards; absent where it has another currency. */
  readonly amount?: Money | undefined;
}

/** Payments before they are made. Plain data: it can be kept as JSON, shown and signed. */
export interface Plan {
  /** In the order in which they were given. */
  readonly rows: readonly PlannedRow[];
  /**
   * The sums that applying spends, with fees, by currency; without rows that the journal already
   * has.
   */
  readonly totals: readonly Money[];
  /** The fees in it. */
  readonly fees: readonly Money[];
  /** By currency; absent where the credential cannot read balances. */
  readonly balances?: readonly PlannedBalance[] | undefined;
  /** Absent where the credential cannot read limits, or the account has none on sending. */
  readonly limit?: PlannedLimit | undefined;
  /** A plan that has one is not applied. */
  readonly problems: readonly PlanProblem[];
  /** Hash of all other members. */
  readonly hash: string;
}

/**
 * Hashes the content of a plan. The order of members and absent members do not count, so the hash
 * survives JSON.
 */
export function planHash(made: Omit<Plan, 'hash'>): string {
  const content = sortMembers({ ...made, hash: undefined });
  return sha256Hex(new TextEncoder().encode(JSON.stringify(content)));
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sortMembers(member)]));
}
