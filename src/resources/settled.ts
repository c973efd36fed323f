import { invoiceLife } from './invoices/states.ts';
import { paymentLife } from './payments/states.ts';

/** Nothing more is expected in this state, whatever the noun: settled states mean the same in all of them. */
export function isSettled(state: string): boolean {
  return [invoiceLife, paymentLife].some((life) => life.settles(state));
}
