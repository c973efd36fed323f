// Tests that keep an alternative's assumption as usual: because their expectations name it.
import { readFileSync } from 'node:fs';
import type { AssumptionId } from 'paystate/sandbox';

/** Full titles, joined by ` › `, of the tests that name each alternative. */
export type Pins = Readonly<Record<string, readonly string[]>>;

/** The derived pins: `npm run prove -- assumptions derive --write` makes this file, and without `--write` it checks it. */
export const PINS_FILE = new URL('pins.json', import.meta.url);

export const pins = (): Pins => JSON.parse(readFileSync(PINS_FILE, 'utf8')) as Pins;

/** Names of each assumption in the expectations of pinned tests. */
export const NAMED: Readonly<Partial<Record<AssumptionId, string>>> = {
  'bank-methods.outcome': 'a method that its test moves itself, or that is READY after seconds',
  'banks.removed-twice': 'what the second removal says',
  'deliveries.order': 'a delivery that has arrived with its event, or all that have',
  'deposits.begin': 'the state in which a deposit is created',
  'deposits.failed': 'the money that comes back',
  'deposits.fee': 'the fee of a deposit, as a number or a limit',
  'deposits.outcome': 'a deposit that is there after seconds',
  'deposits.rounding': 'the fee of a deposit to the cent',
  'events.lag': 'events that are read as soon as they happen, and times with them',
  'events.repeats': 'events that are counted',
  'events.unsubscribed': 'events that are compared whole',
  'exchanges.failed': 'the money that comes back',
  'exchanges.fee': 'the fee of an exchange, as a number or a share',
  'exchanges.inside': 'the side that an inclusive fee is part of',
  'exchanges.life': 'the seconds at which a quote is tried, has ended, and is read',
  'exchanges.on-top': 'the side that a fee on top is part of',
  'exchanges.outcome': 'an exchange that is COMPLETED after a second',
  'invoice-quotes.plain': 'a quote of an invoice that lives an hour',
  'invoice-quotes.rounding': 'the satoshi of a quote',
  'invoices.events': 'events of an invoice that becomes PENDING',
  'keys.checks': 'the first word of the service about a key that was used',
  'keys.kept': 'what is under a key that was used',
  'limits.refused': 'refused requests that spend the limit',
  'lists.bounds': 'what the service says of $top above 100, and requests of pages of 100',
  'lists.count': 'a count by the service, which shows what exists, or requests that it spares',
  'lists.page': 'a page of 50, or requests of such pages',
  'onchain.terms': 'the fees of the tiers',
  'originators.outcome': 'an originator that is APPROVED after seconds',
  'others.not-found': "the code for what is another account's",
  'payment-quotes.balance': 'a quote that is refused for want of money',
  'payment-quotes.keys': 'a key that has a quote of another kind',
  'payment-quotes.life': 'the seconds at which a quote is tried, has ended, and is searched for',
  'payment-quotes.rounding': 'amounts to the cent',
  'payments.both-events': 'events that are counted',
  'payments.checks': 'the first word of the service about a quote that has ended and was used',
  'payments.fees': 'the fee of a payment, as a number or a limit',
  'payments.inside': 'the fee of a payment to another account',
  'payments.used': 'a quote that is executed once, also where its payment has failed',
  'payouts.checks': 'the moment at which a payout is refused',
  'payouts.failed': 'the money that comes back',
  'payouts.fees': 'the fee of a payout, as a number or a limit',
  'payouts.outcome': 'a payout that is INITIATED, and COMPLETED after seconds',
  'payouts.returned': 'the money that comes back',
  'rates.step': 'the time for which rates stand still',
  'reads.lag': 'a read that shows at once what was made, paid or moved',
  'responses.form':
    'a description, name, reference or account number as it was sent, a whole response, or drift',
  'receive-requests.life': 'a text that lives an hour',
  'receives.outcome': 'a receive that is confirmed after ten minutes',
  'receives.terms': 'the credit to the cent',
};

/** Tells whether a test keeps an assumption as usual, where it would be this alternative. */
export function keeps(titles: readonly string[], id: string, value: string, all: Pins): boolean {
  return (all[`${id}=${value}`] ?? []).includes(titles.join(' › '));
}
