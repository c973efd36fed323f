// The table of a payment's life as the chapter draws it: one line for each event, from the table that the run follows.
import { type MoveEventName, transitions } from '../../src/flows/pay/transitions.ts';
import { code, table } from './markdown.ts';

/** Each event in words. */
const MEANINGS: Readonly<Record<MoveEventName, string>> = {
  number: 'a number is claimed, under which terms are requested',
  original: 'the service has an exchange under a number that was not sent: the journal was lost',
  adopted: 'that exchange has the same order, and was not executed',
  duplicate: 'the service has a quote under a number that was not sent, which cannot be read',
  aged: 'the key is too old, or its age is not known',
  'quote-lost': 'no quote was received, or one whose terms cannot be read',
  'quote-refused': 'the service refuses a quote',
  'guard-failed': 'a quote is beyond the limits, or cannot be compared with them',
  agreed: 'a quote is within the limits',
  stop: '`stop()`',
  again: 'the same quote is due again',
  unsent: 'nothing was handed to the network, and all other tries were refused',
  'unsent-inconclusive': 'nothing was handed to the network; another try may have had an effect',
  completed: 'the response says COMPLETED',
  accepted: 'the response names a payment',
  failed: 'the response says FAILED',
  processed: 'the service says that the quote was executed, and names the payment',
  blind: 'a success that cannot be read, or has other terms',
  'processed-blind': 'the service says that the quote was executed, and names no payment',
  busy: 'the service says that it is under way',
  refused: 'the service refuses, and all other tries were refused',
  'refused-inconclusive': 'the service refuses; another try may have had an effect',
  lost: 'no response of the service came',
  overdue: 'a try of another process has not ended in time',
  found: 'a search finds the payment',
  'no-trace': 'a search finds nothing, the quote has ended, and the text pays only once',
  'not-executed':
    'what can be read says three times that it was not executed, and nothing can execute it any more',
  unclear: 'a search proves nothing',
  'quote-unused': 'a search before another round finds no other payment of the old quote',
  'quote-unclear':
    'a search before another round finds a payment with the terms of the old quote, or cannot read everything',
  'read-pending': 'the payment is read: on its way',
  'read-unmoved': 'an exchange or a payout is read half a minute later: NEW, nothing was executed',
  'read-completed': 'the payment is read: COMPLETED',
  'read-failed': 'the payment is read: FAILED',
  'read-disproved': 'the payment is read: COMPLETED, with the preimage of another payment',
  'person-paid': "`resolve('paid', id)`",
  'person-not-paid': "`resolve('not-paid')`",
  renew: 'the quote has ended unused',
  retry: '`retry()`',
  ack: '`ack()`',
};

/** Returns the next action of the run, as the chapter says it; a test holds the run to it. */
export function actionAfter(to: string, writes: readonly string[]): string {
  if (writes.includes('open')) return 'execute';
  const actions: Record<string, string> = { NEW: 'quote', UNCONFIRMED: 'repeat', PENDING: 'read' };
  return actions[to] ?? 'end';
}

/** Lines that move it; what only notes how a try has ended is left out. */
export function paymentTable(): string {
  const moves = transitions.filter(({ to }) => to !== 'same');
  return table(
    ['what happens', 'from', 'to', 'written', 'next'],
    moves.map(({ from, on, to, writes }) => [
      on.map((event) => MEANINGS[event]).join('; or '),
      from.map(code).join(', '),
      code(to),
      writes.join(', ') || '–',
      actionAfter(to, writes),
    ]),
  );
}
