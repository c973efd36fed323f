// What all endpoints have in common, and what nobody outside of the service knows.
import {
  enveloped,
  located,
  longLine,
  open,
  refusal,
  withHeader,
  withoutValues,
  works,
} from '../checks-wire.mjs';
import {
  crossRates,
  eventWithout,
  pageSize,
  refusedFirst,
  sharedKey,
  smallBearer,
  unreadyPayout,
} from '../checks-open.mjs';
import { section } from '../section.mjs';

const QUOTE = 'POST /v1/invoices/{invoiceId}/quote';
const EMPTY = { 'content-length': '0' };
const TEXT = { 'content-type': 'text/plain' };
const NOWHERE = 'GET /v1/payments/00000000-0000-4000-8000-000000000000';
const findings = ({ error }) => Object.values(error.validationErrors).flat();

// biome-ignore format: one line a fact
export const wire = section('wire', [
  ['Errors', 'A refusal is JSON and says so.', refusal(({ headers }) => /^application\/json/.test(headers.get('content-type') ?? ''), 'JSON')],
  ['Errors', 'A refusal has an object data.', refusal(({ json }) => typeof json.data === 'object', 'data')],
  ['Errors', 'A refusal has nothing beside data, traceId and debug.', refusal(({ json }) => Object.keys(json).every((name) => ['data', 'traceId', 'debug'].includes(name)), 'no other members')],
  ['Errors', 'A refusal has no debug information.', refusal(({ json }) => json.debug === undefined, 'no debug')],
  ['Errors', 'Findings are lists under the names of fields.', refusal(({ error }) => Object.values(error.validationErrors).every(Array.isArray), 'lists')],
  ['Errors', 'A finding has a code.', refusal((answer) => findings(answer).every(({ code }) => /^INVALID_DATA/.test(code)), 'codes')],
  ['Errors', 'A finding has a message.', refusal((answer) => findings(answer).every(({ message }) => typeof message === 'string' && message !== ''), 'messages')],
  ['Validation codes', 'A finding names its field.', refusal((answer) => findings(answer).every(({ values }) => typeof values?.field === 'string'), 'fields')],
  ['Errors', 'What is refused for its query has no findings.', enveloped('GET /v1/invoices', { query: '?$filter=tea' }, 400)],
  ['examination S6', 'What is not found has no values.', withoutValues(NOWHERE)],
  ['examination S4', 'A path that does not exist is refused with the envelope.', enveloped('GET /v1/nothing', {}, 404)],
  ['examination S4', 'The top of the service is refused with the envelope.', enveloped('GET /v1', {})],
  ['examination S4', 'A method that a path does not have is refused with the envelope.', enveloped('PUT /v1/invoices', { body: {} })],
  ['examination S4', 'A body of another type is refused with the envelope.', enveloped('POST /v1/invoices', { body: 'amount=5', headers: TEXT })],
  ['examination S4', 'A request line that is too long is refused with the envelope.', longLine(10_000)],
  ['Versioning', 'There is no version 2 yet.', enveloped('GET /v2/balances', {}, 404)],
  ['Versioning', 'A path without a version does not exist.', enveloped('GET /balances', {}, 404)],
  ['wire 1.1', 'A success is JSON and says so.', withHeader('invoice', 'content-type', /^application\/json/)],
  ['wire 1.1', 'An answer says what time it is.', withHeader('invoice', 'date', /GMT$/)],
  ['wire 1.1', 'A path may end with a slash.', works('GET /v1/balances/', {})],
  ['wire 1.1', 'A POST without a body may say that it has none.', works(QUOTE, { of: 'invoice', headers: EMPTY }, 201)],
  ['wire 2.1', 'A quote takes an empty object.', works(QUOTE, { of: 'invoice', body: {} }, 201)],
  ['Endpoints', 'A caller may say that it takes JSON.', works('GET /v1/balances', { headers: { accept: 'application/json' } })],
  ['Endpoints', 'A caller may say that it takes anything.', works('GET /v1/balances', { headers: { accept: '*/*' } })],
  ['wire 1.1', 'The type of a body may name its letters.', works('POST /v1/invoices', { body: '{"amount":{"amount":"1.00","currency":"EUR"}}', headers: { 'content-type': 'application/json; charset=utf-8' } }, 201)],
  ['examination S6', 'A new invoice says where it is.', located('invoice', 'invoiceId')],
  ['examination S6', 'A new bank method says where it is.', located('sepa', 'id')],
  ['examination S6', 'A new originator says where it is.', located('originator', 'id')],
  ['examination S6', 'A new payout says where it is.', located('payout', 'id')],
  ['examination S6', 'A new receive request says where it is.', located('receiveRequest', 'receiveRequestId')],
  ['examination S6', 'A new subscription says where it is.', located('subscription', 'id')],
]);

const ask = (call, options) => (stage) => stage.ask(call, options);
const change = (name, set) => (stage) => stage.request(name, { set });
const EUR = 'EUR';

// biome-ignore format: one line a question
export const openQuestions = section('open questions', [
  ['wire 7.2', 'A page has a size where none is asked for.', open('the size of a page is not published', pageSize())],
  ['wire 7.3', 'A new receive request is 200 or 201.', open('which of the two is not published', change('receiveRequest'))],
  ['wire 7.3', 'A Lightning address that leads nowhere is 404 or 422.', open('which of the two is not published', ask('GET /v1/payment-quotes/lightning/lnurl/nobody%40wallet.example'))],
  ['wire 7.4', 'A key of one endpoint is free for another.', open('the scope of keys is not published', sharedKey('lightning', 'lnurl'))],
  ['wire 7.4', 'A key of one endpoint is free for an endpoint of another resource.', open('the scope of keys is not published', sharedKey('lightning', 'exchange'))],
  ['wire 7.4', 'A key of a refused request is free again.', open('whether refusals use keys up is not published', refusedFirst())],
  ['wire 7.4', 'A key that is no UUID is taken.', open('the form of keys is not enforced in public', (stage) => stage.request('lightning', { headers: { 'idempotency-key': 'tea' } }))],
  ['wire 7.14', 'An amount that is a JSON number.', open('whether numbers are taken is not known', change('invoice', { 'amount.amount': 5 }))],
  ['wire 7.14', 'An amount with an exponent.', open('which forms are taken is not known', change('invoice', { 'amount.amount': '1e2' }))],
  ['wire 7.14', 'An amount with a plus.', open('which forms are taken is not known', change('invoice', { 'amount.amount': '+5.00' }))],
  ['wire 7.14', 'An amount below zero.', open('which forms are taken is not known', change('invoice', { 'amount.amount': '-5.00' }))],
  ['wire 7.14', 'An amount with a zero before it.', open('which forms are taken is not known', change('invoice', { 'amount.amount': '05.00' }))],
  ['wire 7.14', 'An amount in euro with three digits.', open('rounding or refusal is not known', change('invoice', { amount: { amount: '5.001', currency: EUR } }))],
  ['wire 7.14', 'An amount in bitcoin with nine digits.', open('rounding or refusal is not known', change('invoice', { amount: { amount: '0.000000001', currency: 'BTC' } }))],
  ['wire 7.18', 'A page of more than a hundred.', open('refusal or a shorter page is not known', ask('GET /v1/invoices?$top=101'))],
  ['wire 7.18', 'A page of nothing.', open('the least size is not known', ask('GET /v1/invoices?$top=0'))],
  ['wire 7.16', 'An event type that does not exist.', open('whether it is refused is not known', change('subscription', { eventTypes: ['tea.served'] }))],
  ['wire 7.16', 'A version of webhooks that does not exist.', open('whether it is refused is not known', change('subscription', { webhookVersion: 'v9' }))],
  ['wire 7.20', 'A Lightning invoice that ends after a year.', open('the most seconds are not known', change('receiveRequest', { 'bolt11.expiryInSeconds': 31_536_000 }))],
  ['wire 7.20', 'A Lightning invoice that ends at once.', open('the fewest seconds are not known', change('receiveRequest', { 'bolt11.expiryInSeconds': 0 }))],
  ['wire 7.7', 'A payout by a method that is not READY.', open('whether creation or initiation refuses is not known', unreadyPayout())],
  ['Invoice', 'Whether a correlation value may be empty.', open('no least length is published', change('invoice', { correlationId: '' }))],
  ['Invoice', 'Whether a description may be empty.', open('no least length is published', change('invoice', { description: '' }))],
  ['Versioning', 'A member that is not known.', open('whether drafts may have more members is not published', change('invoice', { colour: 'red' }))],
  ['Authentication', 'The word bearer in small letters.', open('whether it is taken is not published', smallBearer())],
  ['wire 2.12', 'Rates between two currencies that are not bitcoin.', open('which pairs are there is not published', crossRates())],
  ['wire 6.3', 'An event without a subscription was not delivered.', open('true, false or nothing is not published', eventWithout())],
], { pause: 86_400_000 });
