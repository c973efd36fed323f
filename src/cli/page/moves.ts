import { bankMethodLife } from '../../resources/bank-payment-methods/states.ts';
import { depositLife } from '../../resources/deposits/states.ts';
import { exchangeQuoteLife } from '../../resources/currency-exchange-quotes/states.ts';
import { invoiceLife } from '../../resources/invoices/states.ts';
import type { Life } from '../../resources/state-machine.ts';
import { originatorLife } from '../../resources/payout-originators/states.ts';
import { paymentLife } from '../../resources/payments/states.ts';
import { payoutLife } from '../../resources/payouts/states.ts';
import { receiveLife } from '../../resources/receive-requests/states.ts';

const LIVES: Readonly<Record<string, Life<string>>> = {
  invoice: invoiceLife,
  payment: paymentLife,
  currencyExchangeQuote: exchangeQuoteLife,
  payout: payoutLife,
  deposit: depositLife,
  bankPaymentMethod: bankMethodLife,
  payoutOriginator: originatorLife,
  receive: receiveLife,
};

/** What the world outside does, by the state that comes of it; to the others things come by themselves or through the API. */
const DEEDS: Readonly<Record<string, string>> = {
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
  const moves = LIVES[subject]?.moves[state] ?? [];
  return moves.flatMap((to) => {
    const label = DEEDS[to];
    return label === undefined ? [] : [{ to, label }];
  });
}
