// Payments: execution of quotes, members, states, what they cost.
import { answers, becomes, gives, has, reads, unknown } from '../checks.mjs';
import { costs, sums } from '../checks-money.mjs';
import {
  executesOnce,
  lateExecution,
  readsNothing,
  sameAs,
  timelyExecution,
} from '../checks-stories.mjs';
import { section } from '../section.mjs';
import { absentOrNull, hash, moneyIn, nullish, object, rate, time, uuid } from '../shapes.mjs';

const EXECUTE = 'PATCH execute';
const EXECUTE_CALL = 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute';
const READ = 'GET /v1/payments/{paymentId}';
const EURO = 'totalAmount.amount';

// biome-ignore format: one line a fact
export const payments = section('payments', [
  [EXECUTE, 'Executing a quote answers 200 where the payment has ended.', answers('execute', 200)],
  [EXECUTE, 'The answer names the payment by a UUID.', has('executed', 'paymentId', uuid)],
  [EXECUTE, 'The answer has the Lightning part of the payment.', has('executed', 'lightning', object)],
  [EXECUTE, 'The Lightning part has the fee of the network.', has('executed', 'lightning.networkFee', moneyIn('EUR', 'BTC'))],
  [EXECUTE, 'The answer of an on-chain quote has its on-chain part.', has('onchainPayment', 'onchain', object)],
  [EXECUTE, 'A Lightning payment has no on-chain part.', has('payment', 'onchain', absentOrNull)],
  [EXECUTE, 'An on-chain payment has no Lightning part.', has('onchainPayment', 'lightning', absentOrNull)],
  ['wire 2.3', 'An on-chain payment answers 202: it is PENDING.', gives('onchainQuote', 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute', 202, 'state', 'PENDING')],
  [EXECUTE, 'A quote that nothing has is not found.', unknown('PATCH /v1/payment-quotes/{id}/execute')],
  ['Errors', 'The refusal of a second execution names the payment of the first.', executesOnce()],
  ['Payment quote', 'A quote is executed up to its end.', timelyExecution('lightningQuote', EXECUTE_CALL, 'validUntil', 200)],
  ['Payment quote', 'Right after its end a quote is refused.', lateExecution('lightningQuote', EXECUTE_CALL, 'validUntil', 'PAYMENT_QUOTE_EXPIRED')],
  ['GET payment', 'A payment that is read is that of the execution.', reads('executed', READ, 'paymentId', 'state', 'amount', 'totalAmount')],
  ['GET payment', 'An id that nothing has is not found.', unknown('GET /v1/payments/{id}')],
  ['wire 2.3', 'There is no list of payments.', readsNothing('executed', 'GET /v1/payments')],
  ['Payment', 'A Lightning payment that arrived is COMPLETED.', has('payment', 'state', 'COMPLETED')],
  ['Payment', 'A completed payment says when.', has('payment', 'completed', time)],
  ['wire 2.3', 'What the receiver got is in the currency of the sender.', has('payment', 'amount', moneyIn('EUR'))],
  ['wire 2.3', 'What was spent is in the currency of the sender.', has('payment', 'totalAmount', moneyIn('EUR'))],
  ['wire 2.3', 'The fees are in the currency of the sender.', has('payment', 'totalFee', moneyIn('EUR'))],
  ['wire 2.3', 'What was spent is what was received and the fees.', sums('payment', EURO, 'amount.amount', 'totalFee.amount')],
  ['wire 2.3', 'The rate of a converted payment is told.', has('payment', 'conversionRate', rate())],
  ['wire 2.3', 'A payment in bitcoin has no rate.', has('bitcoinPayment', 'conversionRate', absentOrNull)],
  ['wire 2.3', 'A reward, if any, is money.', has('payment', 'reward', nullish(moneyIn('EUR', 'BTC', 'USD')))],
  ['wire 2.3', 'The proof of a Lightning payment is 32 bytes as hex.', has('payment', 'lightning.preImage', nullish(hash))],
  ['Payment', 'The deprecated result of a completed payment is SUCCESS.', has('payment', 'result', 'SUCCESS')],
  ['Payment', 'The deprecated time of delivery is that of completion.', sameAs('payment', 'delivered', 'completed')],
  ['Payment', 'The deprecated network fee is that of the Lightning part.', sameAs('payment', 'lightningNetworkFee', 'lightning.networkFee')],
  ['wire 2.3', 'A payment that takes time is PENDING.', becomes('pendingPayment', 'state', 'PENDING')],
  ['Payment', 'The deprecated result of a pending payment is PENDING.', has('pendingPayment', 'result', 'PENDING')],
  ['Payment', 'A pending payment was not completed yet.', has('pendingPayment', 'completed', absentOrNull)],
  ['Payment', 'A pending payment was not delivered yet.', has('pendingPayment', 'delivered', absentOrNull)],
  ['wire 2.3', 'A payment that did not arrive is FAILED.', becomes('failedPayment', 'state', 'FAILED')],
  ['Payment', 'The deprecated result of a failed payment is FAILURE.', has('failedPayment', 'result', 'FAILURE')],
  ['examination S6', 'A failed payment was never completed.', has('failedPayment', 'completed', absentOrNull)],
  ['examination S6', 'A failed payment was never delivered.', has('failedPayment', 'delivered', absentOrNull)],
  ['Payment', 'An on-chain payment names its transaction, once there is one.', has('doneOnchainPayment', 'onchain.txnId', hash)],
  ['wire 2.3', 'An on-chain payment is COMPLETED after its time.', has('doneOnchainPayment', 'state', 'COMPLETED')],
  ['wire 2.3', 'An on-chain payment has no deprecated network fee.', has('doneOnchainPayment', 'lightningNetworkFee', absentOrNull)],
  ['wire 2.3', 'A completed payment took the sum from the balance.', costs('executed', 'EUR', EURO, -1)],
  ['wire 2.3', 'A pending payment took the sum from what is free.', costs('pendingPayment', 'EUR', EURO, -1)],
  ['wire 2.3', 'A failed payment took nothing.', costs('failedPayment', 'EUR', undefined, 0)],
  ['wire 2.2', 'A quote alone takes nothing.', costs('lightningQuote', 'EUR', undefined, 0)],
  ['wire 2.3', 'An on-chain payment took the sum from what is free.', costs('onchainPayment', 'USD', EURO, -1)],
]);
