import { type StateMachine, stateMachine } from '../state-machine.ts';

/** The states that are known; the service may add others. */
export type BankPaymentMethodState = 'PENDING' | 'READY' | 'SUSPENDED' | 'INVALID' | 'INACTIVE';

/**
 * The states of a bank payment method: its states come back, so that nothing is settled. Most moves
 * are not published.
 */
export const bankPaymentMethodStates: StateMachine<BankPaymentMethodState> = stateMachine(
  {
    PENDING: ['READY', 'INVALID', 'INACTIVE'],
    READY: ['SUSPENDED', 'INVALID', 'INACTIVE'],
    SUSPENDED: ['READY', 'INVALID', 'INACTIVE'],
    INVALID: ['INACTIVE'],
    INACTIVE: [],
  },
  [],
);
