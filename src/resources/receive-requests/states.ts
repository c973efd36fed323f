import { type Life, lifeOf } from '../state-machine.ts';

export const RECEIVE_STATES = ['PENDING', 'COMPLETED'] as const;

export type ReceiveState = (typeof RECEIVE_STATES)[number];

/** A receive's life: detected, then credited. */
export const receiveLife: Life<ReceiveState> = lifeOf<ReceiveState>(
  { PENDING: ['COMPLETED'], COMPLETED: [] },
  ['COMPLETED'],
);
