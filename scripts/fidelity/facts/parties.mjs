// What several accounts have to do with each other, and what only a key or the world outside decides.
import {
  hasBalancesOf,
  hidden,
  noInvoiceFor,
  sameNameForOthers,
  spendsOwnDefault,
  insideInvoice,
  insideReceive,
  leavesNothing,
  listedApart,
  movedIsPaid,
  nothingLost,
  receiverHears,
  receiverMay,
  revoked,
  rewards,
  travelRule,
} from '../checks-parties.mjs';
import { section } from '../section.mjs';
import { same } from '../verdict.mjs';

const INVOICE = '/v1/invoices/{invoiceId}';
const FOR = 'wire 2.1';
const TEN = { amount: { amount: '10.00', currency: 'EUR' } };
const KIND = 'beneficiary.destinationType';

// biome-ignore format: one line a fact
export const parties = section('parties', [
  ['wire 2.13', 'A receive from another account is P2P, whatever was asked for.', insideReceive(({ type }) => same('P2P', type))],
  ['wire 2.13', 'A P2P receive names the account that paid.', insideReceive(({ p2p }, { friend }) => same(friend.id, p2p?.payerAccountId))],
  ['wire 8.29', 'A P2P receive has no Lightning part.', insideReceive(({ lightning }) => same(true, (lightning ?? null) === null))],
  ['wire 2.13', 'A P2P receive is COMPLETED.', insideReceive(({ state }) => same('COMPLETED', state))],
  ['wire 2.13', 'A P2P receive credits the target currency.', insideReceive(({ amountCredited }) => same('USD', amountCredited?.currency))],
  ['wire 2.1', 'An invoice that another account paid is PAID.', insideInvoice('state', 'PAID')],
  ['wire 2.9', 'Between accounts nothing is lost.', nothingLost()],
  ['Changelog 2022-03-23', 'The receiver of an invoice may cancel it.', receiverMay(`PATCH ${INVOICE}/cancel`, 200, 'state', 'CANCELLED')],
  ['wire 2.1', 'The receiver of an invoice reads it.', receiverMay(`GET ${INVOICE}`, 200, 'state', 'UNPAID')],
  ['Events', 'Issuer and receiver both have the events of an invoice.', receiverHears()],
  [FOR, 'A handle that nobody has gets no invoice: not found.', noInvoiceFor('nobody-here', TEN, 404, 'NOT_FOUND')],
  [FOR, 'A private handle gets no invoice: not found.', noInvoiceFor('hidden', TEN, 404, 'NOT_FOUND')],
  [FOR, 'A handle gets no invoice in a currency that it does not have.', noInvoiceFor('dollars', TEN, 422, 'USER_CURRENCY_UNAVAILABLE')],
  [FOR, 'A used correlation value is used for other handles too.', sameNameForOthers()],
  ['wire 2.9', 'An account has balances of its currencies and of no others.', hasBalancesOf('dollars', 'USD')],
  ['POST /v1/payment-quotes/lightning', 'The default that is spent is that of the account.', spendsOwnDefault()],
  ['Authentication', 'An invoice of an account is not there for another.', hidden('invoice', `GET ${INVOICE}`)],
  ['PATCH cancel', 'Somebody else may not cancel an invoice.', hidden('invoice', `PATCH ${INVOICE}/cancel`)],
  ['Authentication', 'A payment of an account is not there for another.', hidden('executed', 'GET /v1/payments/{paymentId}')],
  ['Authentication', 'A payment quote of an account is not executed by another.', hidden('lightningQuote', 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute')],
  ['Authentication', 'An exchange of an account is not there for another.', hidden('exchange', 'GET /v1/currency-exchange-quotes/{id}')],
  ['Authentication', 'A bank method of an account is not there for another.', hidden('sepa', 'GET /v1/payment-methods/bank/{id}')],
  ['Authentication', 'A bank method of an account is not removed by another.', hidden('sepa', 'DELETE /v1/payment-methods/bank/{id}')],
  ['Authentication', 'An originator of an account is not there for another.', hidden('originator', 'GET /v1/payout-originators/{id}')],
  ['Authentication', 'A payout of an account is not there for another.', hidden('payout', 'GET /v1/payouts/{id}')],
  ['Authentication', 'A payout of an account is not initiated by another.', hidden('payout', 'PATCH /v1/payouts/{id}/initiate')],
  ['Authentication', 'A deposit of an account is not there for another.', hidden('achDeposit', 'GET /v1/deposits/{id}')],
  ['Authentication', 'A receive request of an account is not there for another.', hidden('receiveRequest', 'GET /v1/receive-requests/{receiveRequestId}')],
  ['Authentication', 'A subscription of an account is not there for another.', hidden('subscription', 'GET /v1/subscriptions/{id}')],
  ['Authentication', 'Invoices of an account are in no list of another.', listedApart('/v1/invoices', 'invoiceId', 'invoice')],
  ['GET /v1/events', 'Events of an account are in no list of another.', listedApart('/v1/events', 'id', 'event')],
  ['Authentication', 'Payouts of an account are in no list of another.', listedApart('/v1/payouts', 'id', 'payout')],
  ['Authentication', 'Receive requests of an account are in no list of another.', listedApart('/v1/receive-requests', 'receiveRequestId', 'receiveRequest')],
  ['examination S7', 'A quote for an address of the service leaves nothing with its receiver.', leavesNothing()],
  ['examination S8', 'An invoice that the world outside made PAID has its transaction and its money.', movedIsPaid()],
  ['Authentication', 'A key that was revoked is unauthorized.', revoked()],
  ['POST /v1/payment-quotes/lightning', 'Under the travel rule the kind of destination is required.', travelRule({}, 400)],
  ['POST /v1/payment-quotes/lightning', 'Under the travel rule a kind of destination is enough.', travelRule({ [KIND]: 'SELF_CUSTODY_WALLET' }, 200)],
  ['POST /v1/payment-quotes/lightning', 'Under the travel rule an exchange still needs its name.', travelRule({ [KIND]: 'EXCHANGE_OR_PLATFORM' }, 400)],
  ['Payment quote', 'A reward is money in the currency of the sender.', rewards()],
], { pause: 86_400_000 });
