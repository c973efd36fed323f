// What happens at the same time, what has to be ready, and the order of times.
import {
  bankIn,
  cancelledIsNotPaid,
  doneAtOnce,
  eventsInOrder,
  inverse,
  neverPaidOut,
  notDeposited,
  notReadyAnyMore,
  onceAtOnce,
  requestEnds,
  sameKey,
  sameName,
  senderIn,
} from '../checks-at-once.mjs';
import { notBefore, pays } from '../checks-money.mjs';
import { section } from '../section.mjs';

const EXECUTE = 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute';
const INITIATE = 'PATCH /v1/payouts/{id}/initiate';
const EXCHANGE = 'PATCH /v1/currency-exchange-quotes/{id}/execute';
const CANCEL = 'PATCH /v1/invoices/{invoiceId}/cancel';
const DAY = 86_400_000;

// biome-ignore format: one line a fact
export const atOnce = section('at once', [
  ['Errors', 'Of two invoices with one correlation value at once one is made.', onceAtOnce('invoice', sameName, 201, 409, 'DUPLICATE_INVOICE')],
  ['Errors', 'Of two payment quotes with one key at once one is made.', onceAtOnce('onchain', sameKey, 200, 422, 'DUPLICATE_PAYMENT_QUOTE')],
  ['Errors', 'Of two exchange quotes with one key at once one is made.', onceAtOnce('exchange', sameKey, 200, 422, 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE')],
  ['Errors', 'Of two deposits with one key at once one is made.', onceAtOnce('deposit', sameKey, 200, 422, 'DUPLICATE_DEPOSIT')],
  ['Errors', 'A quote that is executed twice at once is paid once.', doneAtOnce('lightningQuote', EXECUTE, 200, 422, 'PAYMENT_PROCESSED')],
  ['Errors', 'A payout that is initiated twice at once is sent once.', doneAtOnce('payout', INITIATE, 200, 422, 'PAYOUT_ALREADY_INITIATED')],
  ['Errors', 'An exchange that is executed twice at once is done once.', doneAtOnce('exchange', EXCHANGE, 202, 422, 'CURRENCY_EXCHANGE_QUOTE_PROCESSED')],
  ['Errors', 'An invoice that is cancelled twice at once is cancelled once.', doneAtOnce('invoice', CANCEL, 200, 422, 'INVALID_STATE_FOR_INVOICE_CANCELLED')],
], { pause: 8 * DAY });

const METHOD = ['PAYMENT_METHOD_NOT_READY', 'INVALID_PAYMENT_METHOD'];
const SENDER = ['PAYOUT_ORIGINATOR_NOT_APPROVED'];

// biome-ignore format: one line a fact
export const readiness = section('readiness', [
  ['States', 'A method that is PENDING pays nothing out.', neverPaidOut(bankIn('pendingBank'), METHOD)],
  ['States', 'A method that is SUSPENDED pays nothing out.', neverPaidOut(bankIn('suspendedBank'), METHOD)],
  ['States', 'A method that is INVALID pays nothing out.', neverPaidOut(bankIn('invalidBank'), METHOD)],
  ['States', 'A method that was removed pays nothing out.', neverPaidOut(bankIn('removedBank'), METHOD)],
  ['States', 'A method that was suspended after a payout was made pays nothing out.', notReadyAnyMore()],
  ['States', 'An originator that was rejected sends nothing.', neverPaidOut(senderIn('rejectedOriginator'), SENDER)],
  ['States', 'An originator that was removed sends nothing.', neverPaidOut(senderIn('removedOriginator'), SENDER)],
  ['Errors', 'A method that is SUSPENDED brings no deposits.', notDeposited('suspendedBank')],
  ['Errors', 'A method that is INVALID brings no deposits.', notDeposited('invalidBank')],
  ['States', 'A cancelled invoice is not paid by an older quote.', cancelledIsNotPaid()],
  ['wire 2.13', 'The Lightning invoice of a request is not paid after its end.', requestEnds()],
  ['wire 2.9', 'An initiated payout is set aside.', pays('payout', (stage, values) => stage.ask(INITIATE, { values }), 'EUR', ['amount.amount', 'fee.amount'], 1, 'reserved')],
  ['wire 2.9', 'An initiated payout is going out.', pays('payout', (stage, values) => stage.ask(INITIATE, { values }), 'EUR', ['amount.amount', 'fee.amount'], 1, 'outgoing')],
  ['wire 2.9', 'A payout that was made is not set aside yet.', pays('payout', () => {}, 'EUR', undefined, 0, 'reserved')],
  ['Payout', 'A payout is not initiated before it was made.', notBefore('initiatedPayout', 'initiated', 'created')],
  ['Payout', 'A payout is not completed before it was initiated.', notBefore('donePayout', 'completed', 'initiated')],
  ['wire 2.4', 'An exchange quote ends after it was made.', notBefore('exchange', 'validUntil', 'created')],
  ['wire 2.4', 'An exchange is not completed before it was made.', notBefore('doneExchange', 'completed', 'created')],
  ['wire 2.13', 'A receive is not credited before it was seen.', notBefore('onchainReceive', 'completed', 'created')],
  ['wire 2.13', 'A Lightning invoice of a request ends after it was made.', notBefore('receiveRequest', 'bolt11.expires', 'created')],
  ['wire 2.1', 'A transaction is not completed before it began.', notBefore('invoiceWithTransactions', 'transactions.0.completed', 'transactions.0.created')],
  ['Events', 'Events of an invoice are in the order of what happened.', eventsInOrder()],
  ['GET ticker', 'A rate from bitcoin to dollars is the inverse of that back.', inverse('BTC', 'USD')],
  ['GET ticker', 'A rate from bitcoin to pounds is the inverse of that back.', inverse('BTC', 'GBP')],
], { pause: DAY });
