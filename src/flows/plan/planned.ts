import { sha256Hex } from '../../lightning/hashes.ts';
import type { Money } from '../../money/index.ts';
import type { Store } from '../../stores/store.ts';
import type { CommonPaymentOptions, PaymentOptions } from '../pay/intent.ts';
import type { PayOutOptions } from '../pay/rails/payout.ts';
import type { PayStep } from '../pay/result.ts';
import type { PayGuard, Percentage } from '../pay/order.ts';

/** Options of one row. Missing ones may be in the options of `plan`. */
type Shared<Options> = Omit<Options, 'journal' | 'signal' | 'sourceCurrency' | 'maxFee'> & {
  /**
   * The currency to spend over Lightning or on-chain. Required here or in the options of `plan`.
   */
  readonly sourceCurrency?: CommonPaymentOptions['sourceCurrency'] | undefined;
  /** The highest fee. Required here or in the options of `plan`. */
  readonly maxFee?: CommonPaymentOptions['maxFee'] | undefined;
};

/**
 * One payment of a list: the options of `pay`, or with `bankPaymentMethodId` those of `payOut`.
 * Pass common options to `plan`. A row's own member overrides them. A row needs an `amount`, or its
 * own or a common `maxTotal`.
 */
export type PlanRow = Shared<PaymentOptions> | Shared<PayOutOptions>;

/** Options that all rows share, and the journal. */
export interface PlanOptions
  extends Partial<Omit<CommonPaymentOptions, 'journal' | 'to' | 'intent'>> {
  /** The store of intents. Pass the same one to `applyPlan`. */
  readonly journal: Store;
  /** The most to spend per row, with its fee. Required for rows without an `amount`. */
  readonly maxTotal?: Money | 'any' | undefined;
  /** Largest increase of a row's total between plan and payment. Default 1 %. */
  readonly maxTotalSlip?: Percentage | undefined;
}

/** The amounts of one row. */
export interface PlannedTerms {
  /** The amount that arrives. */
  readonly amount: Money;
  /** The fee. Absent if it can't be computed. */
  readonly fee?: Money | undefined;
  /** The amount that is spent. */
  readonly total: Money;
  /** The fee isn't known yet, so the plan assumes the highest allowed fee. */
  readonly isEstimate?: true | undefined;
}

type Planned<Options> = Options extends unknown ? Omit<Options, 'journal' | 'signal'> : never;

/** A row of a plan. */
export interface PlannedRow {
  /** Name of the payment in the journal. */
  readonly intent: string;
  /**
   * The options for `pay` or `payOut`. Those for `pay` include the highest total that the plan
   * allows.
   */
  readonly options: Planned<PaymentOptions> | Planned<PayOutOptions>;
  /** The quoted amounts. Absent if the journal already has the row, or if there is a problem. */
  readonly terms?: PlannedTerms | undefined;
  /**
   * The phase of the row in the journal. Absent if nothing was started. A row with a phase isn't
   * started again.
   */
  readonly phase?: PayStep['phase'] | undefined;
}

/** A problem that keeps a plan from being applied. */
export interface PlanProblem {
  /** Number of the row, from 1. Absent if the problem concerns the whole plan. */
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

/** The balance of one currency before and after the plan. */
export interface PlannedBalance {
  /** Code of the currency. */
  readonly currency: string;
  /** Available now. Absent if the service doesn't report it. */
  readonly available?: Money | undefined;
  /** Available after the plan. Absent if the balance is too low. */
  readonly after?: Money | undefined;
}

/** The rest of the account's sending limit after a plan. */
export interface PlannedLimit {
  /** Remaining number of payments. */
  readonly count?: number | undefined;
  /** Remaining amount. Absent if it has another currency. */
  readonly amount?: Money | undefined;
}

/**
 * Payments before they are made. A plan is plain data, so you can store it as JSON, show it and
 * sign it.
 */
export interface Plan {
  /** In the given order. */
  readonly rows: readonly PlannedRow[];
  /** The sums to spend, with fees, by currency. Rows that the journal already has don't count. */
  readonly totals: readonly Money[];
  /** The fees included in the totals. */
  readonly fees: readonly Money[];
  /** By currency. Absent if the credential can't read balances. */
  readonly balances?: readonly PlannedBalance[] | undefined;
  /** Absent if the credential can't read limits, or the account has none on sending. */
  readonly limit?: PlannedLimit | undefined;
  /** A plan with problems can't be applied. */
  readonly problems: readonly PlanProblem[];
  /** Hash of all other members. */
  readonly hash: string;
}

/**
 * Hashes the content of a plan. Ignores the order of members and absent members, so the hash
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
