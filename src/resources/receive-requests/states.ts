import { type StateMachine, stateMachine } from '../state-machine.ts';

export const RECEIVE_STATES = ['PENDING', 'COMPLETED'] as const;

/** The states that are known; the service may add others. */
export type ReceiveState = (typeof RECEIVE_STATES)[number];

/** The states of a receive: detected, then credited. */
export const receiveStates: StateMachine<ReceiveState> = stateMachine<ReceiveState>(
  { PENDING: ['COMPLETED'], COMPLETED: [] },
  ['COMPLETED'],
);
