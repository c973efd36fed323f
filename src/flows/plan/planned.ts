import { sha256Hex } from '../../lightning/hashes.ts';
import type { Money } from '../../money/index.ts';
import type { Store } from '../../stores/store.ts';
import type { CommonPaymentOptions, PaymentOptions } from '../pay/intent.ts';
import type { PayOutOptions } from '../pay/rails/payout.ts';
import type { PayStep } from '../pay/result.ts';
import type { PayGuard, Percentage } from '../pay/row.ts';

/** A row's own options: what is missing here may be in the options of `plan`. */
type Shared<Options> = Omit<Options, 'journal' | 'signal' | 'sourceCurrency' | 'maxFee'> & {
  /** What to spend over Lightning or the chain; required here or in the options of `plan`. */
  readonly sourceCurrency?: CommonPaymentOptions['sourceCurrency'] | undefined;
  /** The highest fee; required here or in the options of `plan`. */
  readonly maxFee?: CommonPaymentOptions['maxFee'] | undefined;
};

/**
 * One payment of a list: the options of `pay`, or with `bankPaymentMethodId` those of `payOut`. What
 * is the same for all rows stands in the options of `plan`; a row's own member wins. A row states its
 * `amount`, or has a `maxTotal`, its own or the common one.
 */
export type PlanRow = Shared<PaymentOptions> | Shared<PayOutOptions>;

/** What all rows have in common, and where they are written down. */
export interface PlanOptions
  extends Partial<Omit<CommonPaymentOptions, 'journal' | 'to' | 'intent'>> {
  /** Where intents are kept; the same for `applyPlan`. */
  readonly journal: Store;
  /** The most to spend for each row, with its fee; required for rows without an `amount`. */
  readonly maxTotal?: Money | 'any' | undefined;
  /** How far the total of a row may be above the planned one when it is paid; 1 %. */
  readonly maxTotalSlip?: Percentage | undefined;
}

/** What a row takes. */
export interface PlannedTerms {
  /** What the receiver gets. */
  readonly amount: Money;
  /** The fee; absent where it cannot be computed. */
  readonly fee?: Money | undefined;
  /** What is spent. */
  readonly total: Money;
  /** The fee is not known yet: the highest one that is allowed is planned. */
  readonly isEstimate?: true | undefined;
}

/** Options as a plan keeps them, for each member of a union. */
type Planned<Options> = Options extends unknown ? Omit<Options, 'journal' | 'signal'> : never;

/** A row of a plan. */
export interface PlannedRow {
  /** Names the payment in the journal. */
  readonly intent: string;
  /**
   * What is going to be given to `pay` or `payOut`; for `pay` with the highest total that the plan
   * allows.
   */
  readonly options: Planned<PaymentOptions> | Planned<PayOutOptions>;
  /** What the service quoted; absent where the journal already has the row, or where there is a problem. */
  readonly terms?: PlannedTerms | undefined;
  /** Where it stands by the journal; absent where nothing was begun. Such a row is not done again. */
  readonly phase?: PayStep['phase'] | undefined;
}

/** What keeps a plan from being applied. */
export interface PlanProblem {
  /** Number of the row, from 1; absent where it is about all of them. */
  readonly row?: number | undefined;
  /** The row's name. */
  readonly intent?: string | undefined;
  /** The service's code, or one of this package. */
  readonly code: string;
  /** Which limit of yours holds it back. */
  readonly guard?: PayGuard | undefined;
  /** In words, for who pays. */
  readonly text: string;
}

/** What a plan leaves of a balance. */
export interface PlannedBalance {
  /** Code of the currency. */
  readonly currency: string;
  /** Free to spend now; absent where the service does not say. */
  readonly available?: Money | undefined;
  /** Free to spend afterwards; absent where it is not enough. */
  readonly after?: Money | undefined;
}

/** What a plan leaves of the account's limit on sending. */
export interface PlannedLimit {
  /** Payments that are left afterwards. */
  readonly count?: number | undefined;
  /** Amount that is left afterwards; absent where it is of another currency. */
  readonly amount?: Money | undefined;
}

/** Payments before they are made. Plain data: it can be kept as JSON, shown and signed. */
export interface Plan {
  /** In the order in which they were given. */
  readonly rows: readonly PlannedRow[];
  /** What applying spends, with fees, by currency; without rows that the journal already has. */
  readonly totals: readonly Money[];
  /** The fees in it. */
  readonly fees: readonly Money[];
  /** By currency; absent where the credential cannot read balances. */
  readonly balances?: readonly PlannedBalance[] | undefined;
  /** Absent where the credential cannot read limits, or the account has none on sending. */
  readonly limit?: PlannedLimit | undefined;
  /** A plan that has one is not applied. */
  readonly problems: readonly PlanProblem[];
  /** Of all of the above. */
  readonly hash: string;
}

/** Hash of a plan's content. The order of members and absent ones do not count, so JSON keeps it. */
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
