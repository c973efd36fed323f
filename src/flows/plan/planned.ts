import { sha256Hex } from '../../lightning/hashes.ts';
import type { Money } from '../../money/index.ts';
import type { Store } from '../../stores/store.ts';
import type { CommonPaymentOptions, PaymentOptions } from '../pay/intent.ts';
import type { PayOutOptions } from '../pay/rails/payout.ts';
import type { PayStep } from '../pay/result.ts';
import type { PayGuard, Percentage } from '../pay/order.ts';

/** Options of one row. Missing ones may be set in the options of `plan`. */
type Shared<Options> = Omit<Options, 'journal' | 'signal' | 'sourceCurrency' | 'maxFee'> & {
  /** Currency to spend over Lightning or on-chain. Required here or in the options of `plan`. */
  readonly sourceCurrency?: CommonPaymentOptions['sourceCurrency'] | undefined;
  /** Highest fee. Required here or in the options of `plan`. */
  readonly maxFee?: CommonPaymentOptions['maxFee'] | undefined;
};

/**
 * One payment of a list. Has the options of `pay`, or with `bankPaymentMethodId` those of `payOut`.
 * Pass common options to `plan`. A row's own options override them. A row needs an `amount`, or its
 * own or a common `maxTotal`.
 */
export type PlanRow = Shared<PaymentOptions> | Shared<PayOutOptions>;

/** Options shared by all rows, and the journal. */
export interface PlanOptions
  extends Partial<Omit<CommonPaymentOptions, 'journal' | 'to' | 'intent'>> {
  /** The store of intents. Pass the same one to `applyPlan`. */
  readonly journal: Store;
  /** The most to spend per row, including its fee. Required for rows without an `amount`. */
  readonly maxTotal?: Money | 'any' | undefined;
  /** How much a row's total may increase between plan and payment. Defaults to 1 %. */
  readonly maxTotalSlip?: Percentage | undefined;
}

/** The amounts of one row. */
export interface PlannedTerms {
  /** Amount that arrives. */
  readonly amount: Money;
  /** Fee. Absent if it can't be computed. */
  readonly fee?: Money | undefined;
  /** Amount that is spent. */
  readonly total: Money;
  /** The fee isn't known yet, so the plan assumes the highest allowed fee. */
  readonly isEstimate?: true | undefined;
}

type Planned<Options> = Options extends unknown ? Omit<Options, 'journal' | 'signal'> : never;

/** A row of a plan. */
export interface PlannedRow {
  /** Name of the payment in the journal. */
  readonly intent: string;
  /** Options for `pay` or `payOut`. Those for `pay` include the highest total the plan allows. */
  readonly options: Planned<PaymentOptions> | Planned<PayOutOptions>;
  /** Quoted amounts. Absent if the row is already in the journal or has a problem. */
  readonly terms?: PlannedTerms | undefined;
  /**
   * Phase of the row in the journal. Absent if nothing was started. A row with a phase isn't
   * started again.
   */
  readonly phase?: PayStep['phase'] | undefined;
}

/** A problem that prevents a plan from being applied. */
export interface PlanProblem {
  /** Number of the row, starting at 1. Absent if the problem concerns the whole plan. */
  readonly row?: number | undefined;
  /** Name of the row. */
  readonly intent?: string | undefined;
  /** A code of the service or of this package. */
  readonly code: string;
  /** The guard that refused the row. */
  readonly guard?: PayGuard | undefined;
  /** Description of the problem. */
  readonly text: string;
}

/** The balance of one currency before and after the plan. */
export interface PlannedBalance {
  /** Currency code. */
  readonly currency: string;
  /** Available now. Absent if the service doesn't report it. */
  readonly available?: Money | undefined;
  /** Available after the plan. Absent if the balance is too low. */
  readonly after?: Money | undefined;
}

/** What a plan leaves of the account's sending limit. */
export interface PlannedLimit {
  /** Number of payments left. */
  readonly count?: number | undefined;
  /** Amount left. Absent if it's in another currency. */
  readonly amount?: Money | undefined;
}

/**
 * Payments before they're made. A plan is plain data, so you can store it as JSON, show it and sign
 * it.
 */
export interface Plan {
  /** The rows, in the given order. */
  readonly rows: readonly PlannedRow[];
  /** Total spending including fees, by currency. Rows already in the journal don't count. */
  readonly totals: readonly Money[];
  /** The fees included in the totals. */
  readonly fees: readonly Money[];
  /** Balances by currency. Absent if the credential can't read them. */
  readonly balances?: readonly PlannedBalance[] | undefined;
  /**
   * What's left of the sending limit. Absent if the credential can't read limits, or the account
   * has none on sending.
   */
  readonly limit?: PlannedLimit | undefined;
  /** A plan with problems can't be applied. */
  readonly problems: readonly PlanProblem[];
  /** Hash of all other fields. */
  readonly hash: string;
}

/**
 * Hashes the content of a plan. Ignores the order of fields and absent fields, so the hash survives
 * JSON.
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
