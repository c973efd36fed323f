// All lists: envelope, pages, order; filters of invoices and events.
import {
  badQuery,
  countBeyondPage,
  eachTimeFinds,
  finds,
  findsAll,
  findsNothing,
  goodQuery,
  idCase,
  listHas,
  ordered,
  pagesCover,
  pagesEnd,
  pagesSkip,
  pagesTop,
  repeated,
} from '../checks-lists.mjs';
import { section } from '../section.mjs';
import { array, boolean, integer } from '../shapes.mjs';

// biome-ignore format: one line a fact
const about = (name) => [
  ['wire 1.6', `The list of ${name} has its rows in items.`, listHas(name, 'items', array)],
  ['wire 1.6', `The list of ${name} has a whole number of rows in count.`, listHas(name, 'count', integer)],
  ['wire 1.6', `The list of ${name} says whether the count is unknown.`, listHas(name, 'isCountUnknown', boolean)],
  ['wire 1.6', `A page of ${name} has as many rows as $top says, the count is that of all.`, pagesTop(name)],
  ['wire 1.6', `A page of ${name} leaves out as many rows as $skip says.`, pagesSkip(name)],
  ['wire 1.6', `Beyond their end ${name} are an empty page.`, pagesEnd(name)],
  ['wire 1.6', `Single pages of ${name} make the whole list.`, pagesCover(name)],
  ['Endpoints', `A $top of ${name} that is no number is refused.`, badQuery(name, { $top: 'ten' })],
  ['Endpoints', `A $skip of ${name} below zero is refused.`, badQuery(name, { $skip: -1 })],
  ['wire 1.6', `A hundred ${name} fit on a page.`, goodQuery(name, { $top: 100 })],
  ['examination S3', `A parameter with a dollar that ${name} do not know is refused.`, badQuery(name, { $colour: 'red' })],
];

const NAMES = [
  'invoices',
  'events',
  'bank methods',
  'originators',
  'payouts',
  'deposits',
  'receive requests',
  'receives',
];
const DAY = 86_400_000;

export const pages = section('pages', NAMES.flatMap(about), { pause: DAY });

const I = 'GET /v1/invoices';
const at = 'invoices';
const OFFSET = 2 * 3_600_000;
/** The same instant with an offset of two hours. */
const shifted = ({ created }) =>
  `${new Date(Date.parse(created) + OFFSET).toISOString().slice(0, 19)}${/\.\d+/.exec(created) ?? ''}+02:00`;

// biome-ignore format: one line a fact
export const invoiceFilters = section('invoice filters', [
  [I, 'Invoices are found by their id.', finds(at, (it) => `invoiceId eq '${it.invoiceId}'`, (row, it) => row.invoiceId === it.invoiceId)],
  ['wire 1.6', 'Invoices are found by their correlation value.', finds(at, (it) => `correlationId eq '${it.correlationId}'`, (row, it) => row.correlationId === it.correlationId)],
  ['wire 1.6', 'Invoices are found by their state.', finds(at, "state eq 'CANCELLED'", (row) => row.state === 'CANCELLED')],
  ['wire 1.6', 'Invoices are found by their currency.', finds(at, "currency eq 'USD'", (row) => row.amount.currency === 'USD')],
  ['wire 1.6', 'An issuer who issued nothing has no invoices.', findsNothing(at, `issuerId eq '${crypto.randomUUID()}'`)],
  ['wire 1.6', 'A receiver who receives nothing has no invoices.', findsNothing(at, `receiverId eq '${crypto.randomUUID()}'`)],
  ['wire 1.6', 'Nobody has invoices for a payer that is not named.', findsNothing(at, `payerId eq '${crypto.randomUUID()}'`)],
  ['Changelog 2023-02-14', 'gt leaves invoices after a time.', finds(at, (it) => `created gt ${it.created}`, (row, it) => row.created > it.created)],
  ['Changelog 2023-02-14', 'ge leaves invoices from a time on.', finds(at, (it) => `created ge ${it.created}`, (row, it) => row.created >= it.created)],
  ['Changelog 2023-02-14', 'lt leaves invoices before a time.', finds(at, (it) => `created lt ${it.created}`, (row, it) => row.created < it.created)],
  ['Changelog 2023-02-14', 'le leaves invoices up to a time.', finds(at, (it) => `created le ${it.created}`, (row, it) => row.created <= it.created)],
  ['examination S2', 'Times of invoices as printed are the times that eq finds.', eachTimeFinds(at)],
  ['wire 1.6', 'A time with Z is the same as one with an offset of zero.', finds(at, (it) => `created gt ${it.created.replace('+00:00', 'Z')}`, (row, it) => row.created > it.created)],
  ['wire 1.6', 'A time with another offset is compared as an instant.', finds(at, (it) => `created ge ${shifted(it)}`, (row, it) => row.created >= it.created)],
  ['wire 1.6', 'and leaves what both leave.', finds(at, "state eq 'UNPAID' and currency eq 'USD'", (row) => row.state === 'UNPAID' && row.amount.currency === 'USD')],
  ['wire 1.6', 'or leaves what one of both leaves.', finds(at, "state eq 'CANCELLED' or currency eq 'USD'", (row) => row.state === 'CANCELLED' || row.amount.currency === 'USD')],
  ['wire 1.6', 'and binds tighter than or.', finds(at, "currency eq 'USD' or state eq 'CANCELLED' and currency eq 'GBP'", (row) => row.amount.currency === 'USD')],
  ['wire 1.6', 'Parentheses change that.', finds(at, "(currency eq 'USD' or state eq 'CANCELLED') and currency eq 'EUR'", (row) => row.state === 'CANCELLED' && row.amount.currency === 'EUR')],
  ['wire 1.6', 'in leaves what a list of ids names.', finds(at, (it) => `invoiceId in ('${it.invoiceId}','${crypto.randomUUID()}')`, (row, it) => row.invoiceId === it.invoiceId)],
  ['wire 1.6', 'A quote inside of a text is written twice.', finds(at, "correlationId eq 'it''s mine'", (row) => row.correlationId === "it's mine")],
  ['wire 1.6', 'A state that no invoice has finds nothing.', findsNothing(at, "state eq 'EXPIRED'")],
  ['wire 1.6', 'Invoices can be ordered by creation, the oldest first.', ordered(at, 'created asc', 1)],
  ['wire 1.6', 'Invoices can be ordered by creation, the newest first.', ordered(at, 'created desc', -1)],
  ['wire 1.6', 'An order without a direction is ascending.', ordered(at, 'created', 1)],
  ['wire 1.6', 'Order and filter go together.', ordered(at, 'created desc', -1, { $filter: "state eq 'UNPAID'" })],
  ['GET /v1/events', 'A filter that is no filter is refused.', badQuery(at, { $filter: 'tea' })],
  ['wire 1.6', 'A filter of a field that cannot be filtered is refused.', badQuery(at, { $filter: "description eq 'Tea'" })],
  ['wire 1.6', 'A filter with another operator is refused.', badQuery(at, { $filter: "state like 'PAID'" })],
  ['wire 1.6', 'A filter without an end is refused.', badQuery(at, { $filter: "state eq 'PAID' and" })],
  ['wire 1.6', 'A filter with an open parenthesis is refused.', badQuery(at, { $filter: "(state eq 'PAID'" })],
  ['wire 1.6', 'A filter with an open quote is refused.', badQuery(at, { $filter: "state eq 'PAID" })],
  ['wire 1.6', 'Functions are not taken.', badQuery(at, { $filter: "contains(correlationId,'order')" })],
  ['wire 1.6', 'Arithmetic is not taken.', badQuery(at, { $filter: 'created add 1 gt 2026-01-01T00:00:00Z' })],
  ['wire 1.6', 'A time that is in no calendar is refused.', badQuery(at, { $filter: 'created gt 2026-02-30T00:00:00Z' })],
  ['wire 1.6', 'A text where a time belongs is refused.', badQuery(at, { $filter: "created gt 'yesterday'" })],
  ['wire 1.6', 'An order by another field is refused.', badQuery(at, { $orderby: 'amount' })],
  ['wire 1.6', 'An order in another direction is refused.', badQuery(at, { $orderby: 'created sideways' })],
  ['examination S9', 'Words of an order may be parted by a tab.', goodQuery(at, { $orderby: 'created\tasc' })],
  ['examination S3', 'A bare filter is not taken for one with a dollar.', badQuery(at, { filter: "state eq 'PAID'" })],
  ['examination S3', '$Top is not $top.', badQuery(at, { $Top: 1 })],
  ['examination S3', 'A bare top is not taken for one with a dollar.', badQuery(at, { top: 1 })],
  ['wire 1.6', 'The dollar may be percent-encoded.', goodQuery(at, '?%24top=1')],
  ['examination S9', 'An id in capital letters is found in a path and in a filter, or in neither.', idCase()],
], { things: ['usdInvoice', 'quotedInvoice', 'cancelledInvoice', 'invoice', 'bareInvoice'] });

const E = 'GET /v1/events';
const on = 'events';
const DELIVERED = 'deliverySuccess eq false';

// biome-ignore format: one line a fact
export const eventFilters = section('event filters', [
  [E, 'Events are found by their type.', finds(on, "eventType eq 'invoice.updated'", (row) => row.eventType === 'invoice.updated')],
  [E, 'or leaves events of two types.', finds(on, "eventType eq 'invoice.updated' or eventType eq 'payment.created'", (row) => ['invoice.updated', 'payment.created'].includes(row.eventType))],
  [E, 'and leaves events of a type after a time.', finds(on, (it) => `eventType eq 'invoice.created' and created lt ${it.created}`, (row, it) => row.eventType === 'invoice.created' && row.created < it.created)],
  [E, 'gt leaves events after a time.', finds(on, (it) => `created gt ${it.created}`, (row, it) => row.created > it.created)],
  [E, 'lt leaves events before a time.', finds(on, (it) => `created lt ${it.created}`, (row, it) => row.created < it.created)],
  ['examination S2', 'Times of events as printed are the times that eq finds.', eachTimeFinds(on)],
  ['wire 1.6', 'ge leaves events from a time on.', finds(on, (it) => `created ge ${it.created}`, (row, it) => row.created >= it.created)],
  ['wire 1.6', 'le leaves events up to a time.', finds(on, (it) => `created le ${it.created}`, (row, it) => row.created <= it.created)],
  ['wire 1.6', 'Events are found by the success of their delivery.', findsAll(on, DELIVERED, (row) => row.deliverySuccess === false)],
  [E, 'A type that no event has finds nothing.', findsNothing(on, "eventType eq 'invoice.deleted'")],
  [E, 'The count is that of all that fit, not of the page.', countBeyondPage()],
  ['wire 1.6', 'Events can be ordered by creation, the oldest first.', ordered(on, 'created asc', 1)],
  ['wire 1.6', 'Events can be ordered by creation, the newest first.', ordered(on, 'created desc', -1)],
  [E, 'A filter of another field is refused.', badQuery(on, { $filter: "entityId eq 'x'" })],
  [E, 'A filter that is no filter is refused.', badQuery(on, { $filter: 'tea' })],
  [E, 'A filter of the inner data is refused.', badQuery(on, { $filter: "data/entityId eq 'x'" })],
  [E, 'An order by another field is refused.', badQuery(on, { $orderby: 'eventType' })],
], { things: ['cancelledInvoice', 'executed', 'invoice', 'paidInvoice'] });

// biome-ignore format: one line a fact
export const otherFilters = section('other filters', [
  ['Changelog 2024-02-05', 'Bank methods for deposits are found.', finds('bank methods', { $supportedAction: 'DEPOSIT' }, (row) => row.supportedActions.includes('DEPOSIT'))],
  ['Changelog 2024-02-05', 'Bank methods for payouts are those that can be used for them.', findsAll('bank methods', { $supportedAction: 'WITHDRAWAL' }, (row) => row.supportedActions.includes('WITHDRAWAL'))],
  ['examination S3', 'Bank methods for something that does not exist are refused.', badQuery('bank methods', { $supportedAction: 'GAMBLING' })],
  ['examination S3', 'A payment hash under a name in small letters is no filter.', badQuery('receives', { $paymenthash: 'ab'.repeat(32) })],
  ['examination S3', 'A payment hash under a name in small letters is no filter of requests.', badQuery('receive requests', { $paymenthash: 'ab'.repeat(32) })],
  ['wire 1.6', 'A payment hash that nothing has finds no receives.', findsNothing('receives', { $paymentHash: 'ab'.repeat(32) })],
  ['wire 1.6', 'A payment hash that nothing has finds no requests.', findsNothing('receive requests', { $paymentHash: 'ab'.repeat(32) })],
  ['wire 1.6', 'A filter that is there twice finds what either finds.', repeated('receive requests', '$paymentHash', 'bolt11.paymentHash')],
  ['examination S3', 'Bank methods take no OData filter.', badQuery('bank methods', { $filter: "state eq 'READY'" })],
  ['examination S3', 'Payouts take no OData filter.', badQuery('payouts', { $filter: "state eq 'NEW'" })],
  ['examination S3', 'Deposits take no OData filter.', badQuery('deposits', { $filter: "state eq 'NEW'" })],
  ['examination S3', 'Originators take no order.', badQuery('originators', { $orderby: 'created' })],
], { things: ['wire', 'sepa', 'ach'] });
