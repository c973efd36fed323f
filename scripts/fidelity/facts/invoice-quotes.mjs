// Quotes of invoices.
import { answers, has, refusesBody } from '../checks.mjs';
import {
  anotherQuote,
  asksFor,
  badHash,
  bringsAll,
  endsUnpaid,
  failedAgain,
  outlives,
  preimageFits,
  quotePaidTwice,
  rateFits,
  secondsFit,
} from '../checks-quotes.mjs';
import { section } from '../section.mjs';
import {
  absentOrNull,
  integer,
  like,
  moneyIn,
  nullish,
  rate,
  text,
  time,
  uuid,
} from '../shapes.mjs';

const QUOTE = 'POST quote';
const quoted = ({ lnInvoice }) => lnInvoice;
const asked = ({ bolt11 }) => bolt11.invoice;
const source = ({ sourceAmount }) => sourceAmount.amount;
const bitcoin = ({ bolt11 }) => bolt11.btcAmount;

// biome-ignore format: one line a fact
export const invoiceQuotes = section('invoice quotes', [
  ['wire 2.1', 'A quote of an invoice answers 201.', answers('invoiceQuote', 201)],
  ['wire 2.1', 'It has an id that is a UUID.', has('invoiceQuote', 'quoteId', uuid)],
  ['wire 2.1', 'It has the description of the invoice.', has('invoiceQuote', 'description', 'Tea')],
  ['wire 2.1', 'It has a Lightning invoice of the test network.', has('invoiceQuote', 'lnInvoice', like(/^lntb\d+[munp]1/))],
  ['wire 2.1', 'It may have an address.', has('invoiceQuote', 'onchainAddress', nullish(text))],
  ['wire 2.1', 'It says when it ends.', has('invoiceQuote', 'expiration', time)],
  ['wire 2.1', 'It says in how many seconds it ends.', has('invoiceQuote', 'expirationInSec', integer)],
  ['wire 2.1', 'It says what is credited: what the invoice asks for.', has('invoiceQuote', 'targetAmount', { amount: '12.50', currency: 'EUR' })],
  ['wire 2.1', 'It says what is paid, in bitcoin.', has('invoiceQuote', 'sourceAmount', moneyIn('BTC'))],
  ['wire 1.2', 'Its rate leads from bitcoin to the currency of the invoice.', has('invoiceQuote', 'conversionRate', rate('BTC', 'EUR'))],
  ['wire 2.1', 'A converted quote lives thirty seconds.', secondsFit('invoiceQuote', 30, 30)],
  ['wire 2.1', 'A quote in bitcoin says its seconds too.', secondsFit('bitcoinInvoiceQuote', 1, 3_600)],
  ['wire 6.13', 'A quote in bitcoin credits bitcoin.', has('bitcoinInvoiceQuote', 'targetAmount', { amount: '0.00010000', currency: 'BTC' })],
  ['wire 6.13', 'A quote in bitcoin asks for the same that it credits.', has('bitcoinInvoiceQuote', 'sourceAmount', { amount: '0.00010000', currency: 'BTC' })],
  ['wire 2.1', 'What is paid follows from the rate, to the satoshi.', rateFits()],
  ['wire 2.1', 'The Lightning invoice asks for what is paid.', asksFor('invoiceQuote', quoted, source)],
  ['wire 2.13', 'The Lightning invoice of a request asks for its amount in bitcoin.', asksFor('receiveRequest', asked, bitcoin)],
  ['Changelog 2023-04-27', 'A hash of the description can be set.', answers('hashedQuote', 201)],
  ['wire 2.1', 'With a hash the description is left out.', has('hashedQuote', 'description', absentOrNull)],
  ['wire 2.1', 'A hash that is not hex is refused.', badHash('tea')],
  ['wire 2.1', 'A hash that is a number is refused.', badHash(17)],
  ['wire 2.1', 'A body that is not JSON is refused.', refusesBody('hashedQuote', '{')],
  ['wire 2.1', 'A second quote is another one.', anotherQuote(0)],
  ['wire 2.1', 'After the end of a quote there is another one.', anotherQuote(60_000)],
  ['wire 2.1', 'A quote that has ended cannot be paid, and the invoice is UNPAID.', endsUnpaid()],
  ['wire 2.1', 'An invoice does not end with its quotes.', outlives()],
  [QUOTE, 'The proof of a payment is that of the payment hash.', preimageFits()],
  [QUOTE, 'A payment brings what the invoice asks for.', bringsAll()],
  [QUOTE, 'A quote is paid once.', quotePaidTwice()],
  ['wire 2.1', 'After a payment that failed an invoice can be quoted again.', failedAgain()],
]);
