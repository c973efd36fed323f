import { invoiceStates } from './invoices/states.ts';
import { paymentStates } from './payments/states.ts';

/**
 * Nothing more is expected in this state, of whatever resource: settled states mean the same in all
 * of them.
 */
export function isSettled(state: string): boolean {
  return [invoiceStates, paymentStates].some((states) => states.isSettled(state));
}
