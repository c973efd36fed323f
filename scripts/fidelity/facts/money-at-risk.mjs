// What could cost somebody money: proofs, long lives of keys, too small balances, bounds of receivers.
import {
  bolt11Has,
  execute,
  intersects,
  keyLives,
  notBelowZero,
  notExchanged,
  notPaidOut,
  outsideOf,
  ownRequest,
  proofFits,
  receiveProofFits,
} from '../checks-money-at-risk.mjs';
import { badQuery } from '../checks-lists.mjs';
import { section } from '../section.mjs';

const HASH = 'ab'.repeat(32);
const REQUEST = 'bolt11.invoice';

// biome-ignore format: one line a fact
export const moneyAtRisk = section('money at risk', [
  ['BOLT 11', 'The payment hash of a request is that of its Lightning invoice.', bolt11Has('receiveRequest', REQUEST, 'paymentHash', ({ bolt11 }) => bolt11.paymentHash)],
  ['BOLT 11', 'The description of a request stands in its Lightning invoice.', bolt11Has('receiveRequest', REQUEST, 'description', 'Support our choir')],
  ['BOLT 11', 'The seconds of a request stand in its Lightning invoice.', bolt11Has('receiveRequest', REQUEST, 'expiry', 600)],
  ['BOLT 11', 'The hash of a description of a request stands in its Lightning invoice.', bolt11Has('hashedRequest', REQUEST, 'descriptionHash', HASH)],
  ['BOLT 11', 'The description of an invoice stands in the Lightning invoice of its quote.', bolt11Has('invoiceQuote', 'lnInvoice', 'description', 'Tea')],
  ['BOLT 11', 'The seconds of a quote stand in its Lightning invoice.', bolt11Has('invoiceQuote', 'lnInvoice', 'expiry', ({ expirationInSec }) => expirationInSec)],
  ['Changelog 2023-04-27', 'The hash of a description stands in the Lightning invoice of the quote.', bolt11Has('hashedQuote', 'lnInvoice', 'descriptionHash', HASH)],
  ['Changelog 2023-04-27', 'With a hash no description stands in the Lightning invoice.', bolt11Has('hashedQuote', 'lnInvoice', 'description', undefined)],
  ['wire 2.3', 'The proof of a payment fits the Lightning invoice that was paid.', proofFits()],
  ['wire 2.13', 'The preimage of a receive fits its payment hash.', receiveProofFits()],
  ['wire 1.5', 'The key of a payment quote is used after a month.', keyLives('onchain', 'DUPLICATE_PAYMENT_QUOTE')],
  ['wire 1.5', 'The key of an exchange quote is used after a month.', keyLives('exchange', 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE')],
  ['wire 1.5', 'The key of a deposit is used after a month.', keyLives('deposit', 'DUPLICATE_DEPOSIT')],
  ['wire 1.5', 'The key of a payment quote that was executed is used.', keyLives('onchain', 'DUPLICATE_PAYMENT_QUOTE', execute)],
  ['wire 2.2', 'Quotes that are too much together are not both paid.', notBelowZero()],
  ['wire 2.7', 'More than there is is not paid out.', notPaidOut()],
  ['wire 2.4', 'More than there is is not exchanged.', notExchanged()],
  ['wire 2.2', 'Nothing at all is not sent to a Lightning address.', outsideOf('0.00000000', 'INVALID_AMOUNT')],
  ['wire 2.2', 'More than a Lightning address takes is refused.', outsideOf('15.00000000', 'AMOUNT_TOO_HIGH')],
  ['Errors', 'An account does not pay its own receive request.', ownRequest()],
  ['wire 6.8', 'Receives of a request, filtered by another request, are none.', intersects()],
  ['examination S3', 'Requests are not filtered by the id of a receive.', badQuery('receive requests', { $receiveId: crypto.randomUUID() })],
], { pause: 8 * 86_400_000 });
