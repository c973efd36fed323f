import { type StateMachine, stateMachine } from '../state-machine.ts';

/** The states that are known; the service may add others. */
export type InvoiceState = 'UNPAID' | 'PENDING' | 'CANCELLED' | 'PAID' | 'REVERSED';

/**
 * The states of an invoice. It does not expire; its quotes do. PAID after CANCELLED is a race that
 * the payer won.
 */
export const invoiceStates: StateMachine<InvoiceState> = stateMachine(
  {
    UNPAID: ['PENDING', 'CANCELLED'],
    PENDING: ['UNPAID', 'CANCELLED', 'PAID'],
    CANCELLED: ['PAID'],
    PAID: ['REVERSED'],
    REVERSED: [],
  },
  ['CANCELLED', 'PAID', 'REVERSED'],
);
