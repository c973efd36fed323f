import { sha256Hex } from '../../lightning/hashes.ts';
import type { Money } from '../../money/index.ts';
import type { Store } from '../../stores/store.ts';
import type { CommonPaymentOptions, PaymentOptions } from '../pay/intent.ts';
import type { PayOutOptions } from '../pay/rails/payout.ts';
import type { PayStep } from '../pay/result.ts';
import type { PayGuard, Percentage } from '../pay/order.ts';

/**
 * The options of a single row. Any option that's absent here can be set in the options for `plan`.
 */
type Shared<Options> = Omit<Options, 'journal' | 'signal' | 'sourceCurrency' | 'maxFee'> & {
  /**
   * The currency to spend for Lightning and on-chain payments. Required here or in the options for
   * `plan`.
   */
  readonly sourceCurrency?: CommonPaymentOptions['sourceCurrency'] | undefined;
  /** The highest fee. Required here or in the options for `plan`. */
  readonly maxFee?: CommonPaymentOptions['maxFee'] | undefined;
};

/**
 * One payment of a list. It has the options of `pay`, or those of `payOut` if `bankPaymentMethodId`
 * is set. Pass common options to `plan`. A row's own options override them. Each row needs an
 * `amount` or a `maxTotal`, which can be a common option.
 */
export type PlanRow = Shared<PaymentOptions> | Shared<PayOutOptions>;

/** The journal, and options shared by all rows. */
export interface PlanOptions
  extends Partial<Omit<CommonPaymentOptions, 'journal' | 'to' | 'intent'>> {
  /** The store that keeps your intents. Pass the same one to `applyPlan`. */
  readonly journal: Store;
  /** The most to spend per row, including the fee. Required for rows without an `amount`. */
  readonly maxTotal?: Money | 'any' | undefined;
  /** How much a row's total may increase between planning and payment. Defaults to 1 %. */
  readonly maxTotalSlip?: Percentage | undefined;
}

/** The planned amounts of one row. */
export interface PlannedTerms {
  /** The amount that arrives. */
  readonly amount: Money;
  /** The fee. Absent if it can't be computed. */
  readonly fee?: Money | undefined;
  /** The amount you spend. */
  readonly total: Money;
  /** Set if the fee isn't known yet, so the plan assumes the highest allowed fee. */
  readonly isEstimate?: true | undefined;
}

type Planned<Options> = Options extends unknown ? Omit<Options, 'journal' | 'signal'> : never;

/** A row of a plan. */
export interface PlannedRow {
  /** The payment's name in the journal. */
  readonly intent: string;
  /**
   * Options for `pay` or `payOut`. Options for `pay` include the highest total that the plan
   * allows.
   */
  readonly options: Planned<PaymentOptions> | Planned<PayOutOptions>;
  /** Quoted amounts. Absent if the row is already in the journal or has a problem. */
  readonly terms?: PlannedTerms | undefined;
  /**
   * The row's phase in the journal. Absent if it wasn't started. A row with a phase isn't started
   * again.
   */
  readonly phase?: PayStep['phase'] | undefined;
}

/** A problem that prevents a plan from being applied. */
export interface PlanProblem {
  /** The row's number, starting at 1. Absent if the problem concerns the whole plan. */
  readonly row?: number | undefined;
  /** The row's intent. */
  readonly intent?: string | undefined;
  /** An error code from the service or from this package. */
  readonly code: string;
  /** The guard that refused the row. */
  readonly guard?: PayGuard | undefined;
  /** A description of the problem. */
  readonly text: string;
}

/** The balance of one currency before and after the plan. */
export interface PlannedBalance {
  /** The currency code. */
  readonly currency: string;
  /** The balance before the plan. Absent if the service doesn't report it. */
  readonly available?: Money | undefined;
  /** The balance after the plan. Absent if the balance isn't sufficient. */
  readonly after?: Money | undefined;
}

/** What remains of the account's sending limit after the plan. */
export interface PlannedLimit {
  /** The number of payments that the account can still send. */
  readonly count?: number | undefined;
  /** The amount that the account can still send. Absent if the limit is in another currency. */
  readonly amount?: Money | undefined;
}

/**
 * A plan of payments that haven't been made yet. It's plain data, so you can store it as JSON, show
 * it and sign it.
 */
export interface Plan {
  /** The rows, in the given order. */
  readonly rows: readonly PlannedRow[];
  /**
   * Total spending including fees, by currency. Rows that are already in the journal aren't
   * included.
   */
  readonly totals: readonly Money[];
  /** The fees included in the totals, by currency. */
  readonly fees: readonly Money[];
  /** Balances by currency. Absent if the credential can't read them. */
  readonly balances?: readonly PlannedBalance[] | undefined;
  /**
   * What remains of the sending limit. Absent if the credential can't read limits, or the account
   * has no sending limit.
   */
  readonly limit?: PlannedLimit | undefined;
  /** Everything that prevents the plan from being applied. Empty if the plan can be applied. */
  readonly problems: readonly PlanProblem[];
  /** A hash of all other fields. `applyPlan` uses it to detect changes. */
  readonly hash: string;
}

/**
 * Hashes a plan's contents. Neither the order of fields nor absent fields affect the hash, so a
 * plan that was stored as JSON still has the same hash.
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
