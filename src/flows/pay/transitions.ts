import type { PayPhase } from './row.ts';

// The one table of a payment's life: from which phases, on what event, to which phase, what is
// written, and what is done next. It is read by `apply-event.ts`, drawn in the chapter, and played
// cell by cell in a test. What has no line changes nothing.

/** What happens to an intent. */
export type PayEventName =
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
  | 'read-completed'
  | 'read-failed'
  | 'person-paid'
  | 'person-not-paid'
  | 'renew'
  | 'retry';

/** A part of the row that an event writes. */
export type PayWrite =
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
  | 'round';

/** What is done after an event. */
type PayAction = 'quote' | 'execute' | 'repeat' | 'read' | 'end';

/** One line of the table; blanks stand between several. */
type Transition = readonly [
  from: string,
  events: string,
  to: PayPhase | 'same',
  writes: string,
  then: PayAction | 'same',
];

const SENDING = 'EXECUTING DOUBT';
/** Where word of a payment is news, whoever brings it. */
const UNPAID = 'NEW EXECUTING DOUBT REFUSED UNKNOWN STOPPED';
const SETTLED = 'PENDING PAID FAILED';
const TOLD = 'PENDING PAID FAILED REFUSED UNKNOWN';

/** The table, a line for each group of phases and events. */
export const transitions: readonly Transition[] = [
  ['NEW', 'quote-lost', 'NEW', 'loss', 'quote'],
  ['NEW', 'quote-refused guard-failed', 'REFUSED', 'why', 'end'],
  ['NEW', 'agreed', 'EXECUTING', 'quote open', 'execute'],
  ['NEW', 'stop', 'STOPPED', '', 'end'],
  ['DOUBT', 'again', 'DOUBT', 'open', 'execute'],
  ['REFUSED', 'again', 'EXECUTING', 'open', 'execute'],
  [SENDING, 'unsent refused', 'REFUSED', 'try why', 'end'],
  [SENDING, 'unsent-beside refused-beside', 'DOUBT', 'try', 'repeat'],
  [SENDING, 'blind busy lost overdue', 'DOUBT', 'try', 'repeat'],
  [SENDING, 'processed-blind', 'DOUBT', 'try executed', 'repeat'],
  [UNPAID, 'completed', 'PAID', 'try executed payment', 'end'],
  [UNPAID, 'accepted processed', 'PENDING', 'try executed payment', 'read'],
  ['EXECUTING DOUBT REFUSED UNKNOWN', 'failed', 'FAILED', 'try executed payment', 'end'],
  // a late answer settles its own try and nothing else
  [SETTLED, 'completed accepted failed processed', 'same', 'try', 'same'],
  [TOLD, 'unsent unsent-beside refused refused-beside', 'same', 'try', 'same'],
  [TOLD, 'blind busy lost overdue', 'same', 'try', 'same'],
  [TOLD, 'processed-blind', 'same', 'try executed', 'same'],
  ['DOUBT UNKNOWN', 'found', 'PENDING', 'executed payment evidence', 'read'],
  ['DOUBT', 'no-trace', 'REFUSED', 'why evidence', 'end'],
  ['DOUBT UNKNOWN', 'not-executed', 'REFUSED', 'why closed evidence', 'end'],
  ['DOUBT UNKNOWN', 'unclear', 'UNKNOWN', 'evidence', 'end'],
  ['PENDING', 'read-pending', 'PENDING', 'payment', 'read'],
  ['PENDING PAID', 'read-completed', 'PAID', 'payment', 'end'],
  ['PENDING', 'read-failed', 'FAILED', 'payment', 'end'],
  ['PAID', 'read-failed', 'PAID', 'contradiction', 'end'],
  ['FAILED', 'read-completed', 'PAID', 'payment contradiction', 'end'],
  ['UNKNOWN', 'person-paid', 'PENDING', 'executed payment verdict', 'read'],
  ['UNKNOWN', 'person-not-paid', 'REFUSED', 'why verdict', 'end'],
  ['REFUSED', 'renew', 'NEW', 'past renewal', 'quote'],
  ['REFUSED FAILED STOPPED', 'retry', 'NEW', 'past round', 'quote'],
];

/** One cell of the table. */
interface Cell {
  readonly to: PayPhase;
  readonly writes: readonly PayWrite[];
  /** `same`: what was due stays due. */
  readonly then: PayAction | 'same';
}

/** The cell of the table; `undefined`: nothing changes. */
export function cellOf(phase: PayPhase, event: PayEventName): Cell | undefined {
  const has = (list: string, one: string) => list.split(' ').includes(one);
  const line = transitions.find(([from, events]) => has(from, phase) && has(events, event));
  if (!line) return undefined;
  const [, , to, writes, then] = line;
  return {
    to: to === 'same' ? phase : to,
    writes: writes.split(' ').filter(Boolean) as PayWrite[],
    then,
  };
}
