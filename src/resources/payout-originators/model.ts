import type { Id, Open } from '../../core/errors/index.ts';
import type { Address, Party } from '../parties/model.ts';
import type { OriginatorState } from './states.ts';

export type OriginatorId = Id<'payout-originator'>;

/** Somebody in whose name payouts are sent, once the review has APPROVED it. */
export interface Originator {
  readonly id: string;
  readonly state: Open<OriginatorState>;
  /** ISO 8601 date-time with offset. */
  readonly created: string;
  readonly details: Party;
}

/** What is needed to name an originator: flat, while the answer keeps it in `details`. */
export interface OriginatorDraft extends Party {
  readonly address: Address;
}
