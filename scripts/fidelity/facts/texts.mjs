// Texts that name receivers, queries that are written otherwise, and webhooks of each type.
import { has, refuses, refusesBody, takes } from '../checks.mjs';
import { delivered } from '../checks-deliveries.mjs';
import { badQuery, goodQuery } from '../checks-lists.mjs';
import { capitalInvoice, lnurlOf } from '../checks-stories.mjs';
import { section } from '../section.mjs';
import { absentOrNull } from '../shapes.mjs';

const to = (btcAddress) => takes('tiers', { btcAddress }, '0.estimatedFee.currency', 'BTC');
const not = (btcAddress) => refuses('tiers', { btcAddress }, 422, 'INVALID_BITCOIN_ADDRESS');
const WITNESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

// biome-ignore format: one line a fact
export const addresses = section('addresses', [
  ['BIP 173', 'An address of a witness key hash is taken.', to(WITNESS)],
  ['BIP 173', 'An address in capital letters is the same address.', to(WITNESS.toUpperCase())],
  ['BIP 173', 'An address in mixed letters is none.', not(`${WITNESS.slice(0, -1)}X`)],
  ['BIP 173', 'An address of a witness script hash is taken.', to('tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7')],
  ['BIP 350', 'An address of Taproot is taken.', to('tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c')],
  ['Base58', 'An old address of a key hash is taken.', to('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn')],
  ['Base58', 'An old address of a script hash is taken.', to('2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc')],
  ['BIP 173', 'An address with another last letter is none.', not(`${WITNESS.slice(0, -1)}q`)],
  ['Base58', 'An old address with another last letter is none.', not('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfm')],
  ['Base58', 'An old address of the main network is none here.', not('1BoatSLRHtKNngkdXEeobR76b53LETtpyT')],
  ['BIP 21', 'A URI is no address.', not(`bitcoin:${WITNESS}`)],
  ['BOLT 11', 'A Lightning invoice in capital letters is the same.', capitalInvoice()],
  ['POST lightning/lnurl', 'An LNURL is taken as an address is.', lnurlOf('ada')],
  ['wire 2.2', 'Only on-chain quotes say how long the money is on its way.', has('lightningQuote', 'estimatedDeliveryDurationInMin', absentOrNull)],
  ['POST /v1/invoices', 'A body that is a text is refused.', refusesBody('invoice', '"tea"')],
  ['POST /v1/invoices', 'A body that is null is refused.', refusesBody('invoice', 'null')],
  ['POST /v1/invoices', 'A body that is a number is refused.', refusesBody('invoice', '17')],
  ['POST /v1/invoices', 'A body with something behind it is refused.', refusesBody('invoice', '{} {}')],
]);

const at = 'invoices';

// biome-ignore format: one line a fact
export const queries = section('queries', [
  ['wire 1.6', 'ne is no operator here.', badQuery(at, { $filter: "state ne 'PAID'" })],
  ['wire 1.6', 'not is no operator here.', badQuery(at, { $filter: "not state eq 'PAID'" })],
  ['wire 1.6', 'An operator in capital letters is none.', badQuery(at, { $filter: "state EQ 'PAID'" })],
  ['wire 1.6', 'A field in capital letters is none.', badQuery(at, { $filter: "State eq 'PAID'" })],
  ['wire 1.6', 'A text without quotes is none.', badQuery(at, { $filter: 'state eq PAID' })],
  ['wire 1.6', 'A text in double quotes is none.', badQuery(at, { $filter: 'state eq "PAID"' })],
  ['wire 1.6', 'A comparison without a value is refused.', badQuery(at, { $filter: 'state eq' })],
  ['wire 1.6', 'A value without a comparison is refused.', badQuery(at, { $filter: "'PAID'" })],
  ['wire 1.6', 'Two comparisons without a word between them are refused.', badQuery(at, { $filter: "state eq 'PAID' state eq 'UNPAID'" })],
  ['wire 1.6', 'An empty list is refused.', badQuery(at, { $filter: 'invoiceId in ()' })],
  ['wire 1.6', 'A parenthesis too many is refused.', badQuery(at, { $filter: "(state eq 'PAID'))" })],
  ['wire 1.6', 'Many parentheses are not too many.', goodQuery(at, { $filter: "(((state eq 'PAID')))" })],
  ['wire 1.6', 'Blanks around a filter do not matter.', goodQuery(at, { $filter: " state eq 'PAID' " })],
  ['wire 1.6', 'A plus stands for a blank.', goodQuery(at, "?$filter=state+eq+'PAID'")],
  ['wire 1.6', 'A time without seconds is a time.', goodQuery(at, { $filter: 'created gt 2026-01-05T09:00Z' })],
  ['wire 1.6', 'A time without an offset is none.', badQuery(at, { $filter: 'created gt 2026-01-05T09:00:00' })],
  ['wire 1.6', 'A date is no time.', badQuery(at, { $filter: 'created gt 2026-01-05' })],
  ['wire 1.6', 'A time of the 25th hour is none.', badQuery(at, { $filter: 'created gt 2026-01-05T25:00:00Z' })],
  ['wire 1.6', 'A $top with a part is refused.', badQuery(at, { $top: '1.5' })],
  ['wire 1.6', 'A $top with an exponent is refused.', badQuery(at, { $top: '1e1' })],
  ['wire 1.6', 'A $top below zero is refused.', badQuery(at, { $top: '-1' })],
  ['wire 1.6', 'An empty $top is refused.', badQuery(at, { $top: '' })],
  ['wire 1.6', 'A $skip that is a word is refused.', badQuery(at, { $skip: 'two' })],
  ['wire 1.6', 'A $skip of zero leaves nothing out.', goodQuery(at, { $skip: 0 })],
  ['examination S3', 'Members cannot be chosen.', badQuery(at, { $select: 'invoiceId' })],
  ['examination S3', 'The count is not asked for.', badQuery(at, { $count: 'true' })],
  ['wire 1.6', 'An order with a comma and nothing behind it is refused.', badQuery(at, { $orderby: 'created,' })],
  ['wire 1.6', 'An order in capital letters is refused.', badQuery(at, { $orderby: 'created DESC' })],
]);

// biome-ignore format: one line an event type
const TYPES = [
  ['invoice.created', 'invoice', 'invoiceId'],
  ['invoice.updated', 'cancelledInvoice', 'invoiceId'],
  ['payment-method.bank.created', 'pendingBank', 'id'],
  ['payment-method.bank.updated', 'readyAch', 'id'],
  ['payout.created', 'payout', 'id'],
  ['payout.updated', 'initiatedPayout', 'id'],
  ['payout-originator.created', 'pendingOriginator', 'id'],
  ['payout-originator.updated', 'approvedOriginator', 'id'],
  ['currency-exchange-quote.updated', 'doneExchange', 'id'],
  ['payment.created', 'executed', 'paymentId'],
  ['payment.updated', 'failedPayment', 'paymentId'],
  ['deposit.updated', 'doneDeposit', 'id'],
  ['receive-request.receive-pending', 'seenReceive', 'receiveRequestId'],
  ['receive-request.receive-completed', 'lightningReceive', 'receiveRequestId'],
];

export const deliveredTypes = section(
  'delivered types',
  TYPES.map(([type, thing, id]) => [
    'Events',
    `A webhook of ${type} comes, about what it should.`,
    delivered(type, thing, id),
  ]),
  { pause: 8 * 86_400_000 },
);
