import { type StateMachine, stateMachine } from '../state-machine.ts';

/** The states that are known; the service may add others. */
export type PayoutState = 'NEW' | 'INITIATED' | 'COMPLETED' | 'FAILED' | 'REVERSED';

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
