import { type Life, lifeOf } from '../state-machine.ts';

export const ORIGINATOR_STATES = ['PENDING_REVIEW', 'APPROVED', 'REJECTED', 'INACTIVE'] as const;

export type OriginatorState = (typeof ORIGINATOR_STATES)[number];

/** A payout originator's life; whether a review can be reopened is not published, so nothing is settled. */
export const originatorLife: Life<OriginatorState> = lifeOf(
  {
    PENDING_REVIEW: ['APPROVED', 'REJECTED', 'INACTIVE'],
    APPROVED: ['REJECTED', 'INACTIVE'],
    REJECTED: ['INACTIVE'],
    INACTIVE: [],
  },
  [],
);
