import { type StateMachine, stateMachine } from '../state-machine.ts';

/** The states that are known; the service may add others. */
export type PayoutOriginatorState = 'PENDING_REVIEW' | 'APPROVED' | 'REJECTED' | 'INACTIVE';

/**
 * The states of a payout originator; whether a review can be reopened is not published, so nothing
 * is settled.
 */
export const payoutOriginatorStates: StateMachine<PayoutOriginatorState> = stateMachine(
  {
    PENDING_REVIEW: ['APPROVED', 'REJECTED', 'INACTIVE'],
    APPROVED: ['REJECTED', 'INACTIVE'],
    REJECTED: ['INACTIVE'],
    INACTIVE: [],
  },
  [],
);
