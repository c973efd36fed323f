// Texts that name receivers, and webhooks of each type.
import { capitalInvoice, has, lnurlOf, refuses, refusesBody, takes } from './checks.ts';
import { delivered, type DeliveredId } from './deliveries.ts';
import { type Fact, section } from './fact.ts';
import { absentOrNull } from './shapes.ts';
import { type ThingName } from './things.ts';

const to = (btcAddress: string): Fact =>
  takes('tiers', { btcAddress }, '0.estimatedFee.currency', 'BTC');
const not = (btcAddress: string): Fact =>
  refuses('tiers', { btcAddress }, 422, 'INVALID_BITCOIN_ADDRESS');
const WITNESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

export const addresses = section('addresses', [
  to(WITNESS),
  to(WITNESS.toUpperCase()),
  not(`${WITNESS.slice(0, -1)}X`),
  to('tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7'),
  to('tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c'),
  to('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'),
  to('2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc'),
  not(`${WITNESS.slice(0, -1)}q`),
  not('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfm'),
  not('1BoatSLRHtKNngkdXEeobR76b53LETtpyT'),
  not(`bitcoin:${WITNESS}`),
  capitalInvoice(),
  lnurlOf('ada'),
  has('lightningQuote', 'estimatedDeliveryDurationInMin', absentOrNull),
  refusesBody('invoice', '"tea"'),
  refusesBody('invoice', 'null'),
  refusesBody('invoice', '17'),
  refusesBody('invoice', '{} {}'),
]);

const TYPES: readonly (readonly [type: string, thing: ThingName, id: DeliveredId])[] = [
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
  TYPES.map(([type, thing, id]): Fact => delivered(type, thing, id)),
  { pause: 8 * 86_400_000 },
);
