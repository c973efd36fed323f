import { invoiceStates } from './invoices/states.ts';
import { paymentStates } from './payments/states.ts';

/** Nothing more is expected in this state, whatever the noun: settled states mean the same in all of them. */
export function isSettled(state: string): boolean {
  return [invoiceStates, paymentStates].some((life) => life.isSettled(state));
}
