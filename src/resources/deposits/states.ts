import { type StateMachine, stateMachine } from '../state-machine.ts';

/** The states that are known; the service may add others. */
export type DepositState = 'NEW' | 'PENDING' | 'COMPLETED' | 'FAILED' | 'REVERSED';

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
