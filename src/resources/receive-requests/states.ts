import { type StateMachine, stateMachine } from '../state-machine.ts';

/** The states that are known; the service may add others. */
export type ReceiveState = 'PENDING' | 'COMPLETED';

/** The states of a receive: detected, then credited. */
export const receiveStates: StateMachine<ReceiveState> = stateMachine<ReceiveState>(
  { PENDING: ['COMPLETED'], COMPLETED: [] },
  ['COMPLETED'],
);
