import type { Open } from '../../core/errors/index.ts';
import type { CurrencyCode } from '../amounts/model.ts';

/**
 * What an account has in one currency. All figures are decimal texts in that currency, below zero
 * with a minus.
 */
export interface Balance {
  /** Code of the currency. */
  readonly currency: Open<CurrencyCode>;
  /** Usable for exchanges, with deposits that are not settled yet: not what can be spent. */
  readonly current: string;
  /** Deposits that are not settled yet. */
  readonly pending: string;
  /** Set aside for what is on its way out. */
  readonly reserved: string;
  /** Free to spend or send; the service may leave it out. */
  readonly available?: string | undefined;
  /** @deprecated See `reserved`. */
  readonly outgoing?: string | undefined;
  /** @deprecated See `current`. */
  readonly total?: string | undefined;
}
