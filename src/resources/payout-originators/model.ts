import type { Id, Open } from '../../core/errors/index.ts';
import type { Address, Party } from '../parties/model.ts';
import type { PayoutOriginatorState } from './states.ts';

/** Id of a payout originator. */
export type PayoutOriginatorId = Id<'payout-originator'>;

/** The person or company in whose name payouts are sent, once the review has APPROVED it. */
export interface PayoutOriginator {
  /** Id of the originator. */
  readonly id: string;
  /** Where its review stands. */
  readonly state: Open<PayoutOriginatorState>;
  /** ISO 8601 date-time with offset. */
  readonly created: string;
  /** Who it is. */
  readonly details: Party;
}

/** What is needed to name an originator: flat, while the response has it in `details`. */
export interface PayoutOriginatorDraft extends Party {
  /** Where the originator lives or has its seat. */
  readonly address: Address;
}
