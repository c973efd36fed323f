import type { PayPhase } from './row.ts';

// The one table of a payment's life: from which phases, on what event, to which phase, and what is
// written. It is read by `apply-event.ts`, drawn in the chapter, and played cell by cell in a test.
// What has no line changes nothing; what is done next follows from the row (`schedule.ts`).

/** What happens to an intent. */
export type PayEventName =
  | 'number'
  | 'duplicate'
  | 'original'
  | 'adopted'
  | 'aged'
  | 'quote-lost'
  | 'quote-refused'
  | 'guard-failed'
  | 'agreed'
  | 'stop'
  | 'again'
  | 'unsent'
  | 'unsent-beside'
  | 'completed'
  | 'accepted'
  | 'failed'
  | 'processed'
  | 'blind'
  | 'processed-blind'
  | 'busy'
  | 'refused'
  | 'refused-beside'
  | 'lost'
  | 'overdue'
  | 'found'
  | 'no-trace'
  | 'not-executed'
  | 'unclear'
  | 'read-pending'
  | 'read-unmoved'
  | 'read-completed'
  | 'read-failed'
  | 'read-disproved'
  | 'person-paid'
  | 'person-not-paid'
  | 'renew'
  | 'retry'
  | 'ack';

/** A part of the row that an event writes. */
export type PayWrite =
  | 'claimed'
  | 'given-back'
  | 'original'
  | 'earlier'
  | 'read-only'
  | 'loss'
  | 'why'
  | 'quote'
  | 'open'
  | 'try'
  | 'executed'
  | 'payment'
  | 'evidence'
  | 'verdict'
  | 'contradiction'
  | 'closed'
  | 'past'
  | 'renewal'
  | 'round'
  | 'acked';

/** One line of the table; blanks stand between several. */
type Transition = readonly [from: string, events: string, to: PayPhase | 'same', writes: string];

const SENDING = 'EXECUTING DOUBT';
/** Where word of a payment is news, whoever brings it. */
const UNPAID = 'NEW EXECUTING DOUBT REFUSED UNKNOWN STOPPED';
const SETTLED = 'PENDING PAID FAILED';
const TOLD = 'PENDING PAID FAILED REFUSED UNKNOWN';

/** The table, a line for each group of phases and events. */
export const transitions: readonly Transition[] = [
  ['NEW', 'quote-lost', 'NEW', 'loss'],
  ['NEW', 'number', 'NEW', 'claimed'],
  ['NEW', 'quote-refused guard-failed', 'REFUSED', 'why given-back'],
  ['NEW', 'agreed', 'EXECUTING', 'quote open'],
  // an earlier life of the intent, whose journal was lost
  ['NEW', 'original', 'NEW', 'original'],
  ['NEW', 'adopted', 'DOUBT', 'quote earlier'],
  ['NEW', 'duplicate', 'UNKNOWN', 'original'],
  ['NEW', 'stop', 'STOPPED', ''],
  ['DOUBT', 'again', 'DOUBT', 'open'],
  ['REFUSED', 'again', 'EXECUTING', 'open'],
  [SENDING, 'unsent refused', 'REFUSED', 'try why'],
  [SENDING, 'unsent-beside refused-beside', 'DOUBT', 'try'],
  [SENDING, 'blind busy lost overdue', 'DOUBT', 'try'],
  [SENDING, 'processed-blind', 'DOUBT', 'try executed'],
  [SENDING, 'aged', 'DOUBT', 'try read-only'],
  [UNPAID, 'completed', 'PAID', 'try executed payment'],
  [UNPAID, 'accepted processed', 'PENDING', 'try executed payment'],
  ['EXECUTING DOUBT REFUSED UNKNOWN', 'failed', 'FAILED', 'try executed payment'],
  // a late answer settles its own try and nothing else
  [SETTLED, 'completed accepted failed processed', 'same', 'try'],
  [TOLD, 'unsent unsent-beside refused refused-beside', 'same', 'try'],
  [TOLD, 'blind busy lost overdue aged', 'same', 'try'],
  [TOLD, 'processed-blind', 'same', 'try executed'],
  ['DOUBT UNKNOWN', 'found', 'PENDING', 'executed payment evidence'],
  ['DOUBT', 'no-trace', 'REFUSED', 'why evidence'],
  ['DOUBT UNKNOWN', 'not-executed', 'REFUSED', 'why closed evidence'],
  ['DOUBT UNKNOWN', 'unclear', 'UNKNOWN', 'evidence'],
  ['PENDING', 'read-pending', 'PENDING', 'payment'],
  ['PENDING', 'read-unmoved', 'DOUBT', 'payment'],
  ['PENDING PAID', 'read-completed', 'PAID', 'payment'],
  ['PENDING', 'read-failed', 'FAILED', 'payment'],
  // its preimage belongs to another payment: nobody knows whether this one was made
  ['PENDING FAILED', 'read-disproved', 'UNKNOWN', 'payment'],
  ['PAID', 'read-failed', 'PAID', 'contradiction'],
  ['FAILED', 'read-completed', 'PAID', 'payment contradiction'],
  ['UNKNOWN', 'person-paid', 'PENDING', 'executed payment verdict'],
  ['UNKNOWN', 'person-not-paid', 'REFUSED', 'why verdict'],
  ['REFUSED', 'renew', 'NEW', 'past renewal'],
  ['REFUSED FAILED STOPPED', 'retry', 'NEW', 'past round'],
  ['PAID REFUSED FAILED STOPPED', 'ack', 'same', 'acked'],
];

/** One cell of the table. */
interface Cell {
  readonly to: PayPhase;
  readonly writes: readonly PayWrite[];
}

/** The cell of the table; `undefined`: nothing changes. */
export function cellOf(phase: PayPhase, event: PayEventName): Cell | undefined {
  const has = (list: string, one: string) => list.split(' ').includes(one);
  const line = transitions.find(([from, events]) => has(from, phase) && has(events, event));
  if (!line) return undefined;
  const [, , to, writes] = line;
  return {
    to: to === 'same' ? phase : to,
    writes: writes.split(' ').filter(Boolean) as PayWrite[],
  };
}
