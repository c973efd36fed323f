import { type StateMachine, stateMachine } from '../state-machine.ts';

export const PAYOUT_STATES = ['NEW', 'INITIATED', 'COMPLETED', 'FAILED', 'REVERSED'] as const;

/** The states that are known; the service may add others. */
export type PayoutState = (typeof PAYOUT_STATES)[number];

/**
 * The states of a payout. COMPLETED says that the money has left, not that it arrived: it may still
 * come back.
 */
export const payoutStates: StateMachine<PayoutState> = stateMachine(
  {
    NEW: ['INITIATED'],
    INITIATED: ['COMPLETED', 'FAILED'],
    COMPLETED: ['FAILED', 'REVERSED'],
    FAILED: [],
    REVERSED: [],
  },
  ['COMPLETED', 'FAILED', 'REVERSED'],
);
