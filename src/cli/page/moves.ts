import { bankPaymentMethodStates } from '../../resources/bank-payment-methods/states.ts';
import { depositStates } from '../../resources/deposits/states.ts';
import { currencyExchangeQuoteStates } from '../../resources/currency-exchange-quotes/states.ts';
import { invoiceStates } from '../../resources/invoices/states.ts';
import type { StateMachine } from '../../resources/state-machine.ts';
import { payoutOriginatorStates } from '../../resources/payout-originators/states.ts';
import { paymentStates } from '../../resources/payments/states.ts';
import { payoutStates } from '../../resources/payouts/states.ts';
import { receiveStates } from '../../resources/receive-requests/states.ts';

const LIVES: Readonly<Record<string, StateMachine<string>>> = {
  invoice: invoiceStates,
  payment: paymentStates,
  currencyExchangeQuote: currencyExchangeQuoteStates,
  payout: payoutStates,
  deposit: depositStates,
  bankPaymentMethod: bankPaymentMethodStates,
  payoutOriginator: payoutOriginatorStates,
  receive: receiveStates,
};

/**
 * What the world outside does, by the state that comes of it; to the others things come by
 * themselves or through the API.
 */
const ACTIONS: Readonly<Record<string, string>> = {
  APPROVED: 'Approve',
  READY: 'Make ready',
  COMPLETED: 'Complete',
  FAILED: 'Fail',
  REVERSED: 'Reverse',
  CANCELLED: 'Cancel',
  REJECTED: 'Reject',
  SUSPENDED: 'Suspend',
  INVALID: 'Make invalid',
  INACTIVE: 'Deactivate',
};

/** What can be done to a thing in this state: the state to come, and the word for it. */
export function movesOf(
  subject: string,
  state: string,
): readonly { readonly to: string; readonly label: string }[] {
  const moves = LIVES[subject]?.transitions[state] ?? [];
  return moves.flatMap((to) => {
    const label = ACTIONS[to];
    return label === undefined ? [] : [{ to, label }];
  });
}
