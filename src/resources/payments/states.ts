import { type StateMachine, stateMachine } from '../state-machine.ts';

/** The states that are known; the service may add others. */
export type PaymentState = 'PENDING' | 'COMPLETED' | 'FAILED';

/**
 * The states of a payment: while PENDING the sender has been charged; FAILED gives everything back.
 */
export const paymentStates: StateMachine<PaymentState> = stateMachine<PaymentState>(
  { PENDING: ['COMPLETED', 'FAILED'], COMPLETED: [], FAILED: [] },
  ['COMPLETED', 'FAILED'],
);
