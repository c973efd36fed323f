import type { Id, Open } from '../../core/errors/index.ts';
import type { Address, Party } from '../parties/model.ts';
import type { PayoutOriginatorState } from './states.ts';

export type PayoutOriginatorId = Id<'payout-originator'>;

/** Somebody in whose name payouts are sent, once the review has APPROVED it. */
export interface PayoutOriginator {
  readonly id: string;
  readonly state: Open<PayoutOriginatorState>;
  /** ISO 8601 date-time with offset. */
  readonly created: string;
  readonly details: Party;
}

/** What is needed to name an originator: flat, while the answer keeps it in `details`. */
export interface PayoutOriginatorDraft extends Party {
  readonly address: Address;
}
