import { type StateMachine, stateMachine } from '../state-machine.ts';

export const DEPOSIT_STATES = ['NEW', 'PENDING', 'COMPLETED', 'FAILED', 'REVERSED'] as const;

/** The states that are known; the service may add others. */
export type DepositState = (typeof DEPOSIT_STATES)[number];

/** The states of a deposit. It may be born PENDING; banks take COMPLETED ones back. */
export const depositStates: StateMachine<DepositState> = stateMachine(
  {
    NEW: ['PENDING', 'FAILED'],
    PENDING: ['COMPLETED', 'FAILED'],
    COMPLETED: ['FAILED', 'REVERSED'],
    FAILED: [],
    REVERSED: [],
  },
  ['COMPLETED', 'FAILED', 'REVERSED'],
);
