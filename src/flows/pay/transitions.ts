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
  | 'past'
  | 'renewal'
  | 'round';

/** What is done after an event. */
type PayAction = 'quote' | 'execute' | 'repeat' | 'read' | 'end';

/** One line of the table. */
interface Transition {
  /** Blanks between them. */
  readonly from: string;
  readonly event: PayEventName;
  readonly to: PayPhase | 'same';
  /** Blanks between them. */
  readonly writes: string;
  readonly then: PayAction | 'same';
}

type Line = readonly [
  from: string,
  event: PayEventName,
  to: Transition['to'],
  writes: string,
  then: Transition['then'],
];

const SENDING = 'EXECUTING DOUBT';
/** Where word of a payment is news, whoever brings it. */
const UNPAID = 'NEW EXECUTING DOUBT REFUSED UNKNOWN STOPPED';
const SETTLED = 'PENDING PAID FAILED';
const TOLD = 'PENDING PAID FAILED REFUSED UNKNOWN NEW STOPPED';

const LINES: readonly Line[] = [
  ['NEW', 'quote-lost', 'NEW', 'loss', 'quote'],
  ['NEW', 'quote-refused', 'REFUSED', 'why', 'end'],
  ['NEW', 'guard-failed', 'REFUSED', 'why', 'end'],
  ['NEW', 'agreed', 'EXECUTING', 'quote open', 'execute'],
  ['NEW', 'stop', 'STOPPED', '', 'end'],
  ['DOUBT', 'again', 'DOUBT', 'open', 'execute'],
  ['REFUSED', 'again', 'EXECUTING', 'open', 'execute'],
  [SENDING, 'unsent', 'REFUSED', 'try why', 'end'],
  [SENDING, 'unsent-beside', 'DOUBT', 'try', 'repeat'],
  [UNPAID, 'completed', 'PAID', 'try executed payment', 'end'],
  [UNPAID, 'accepted', 'PENDING', 'try executed payment', 'read'],
  [UNPAID, 'failed', 'FAILED', 'try executed payment', 'end'],
  [UNPAID, 'processed', 'PENDING', 'try executed payment', 'read'],
  [SENDING, 'blind', 'DOUBT', 'try', 'repeat'],
  [SENDING, 'processed-blind', 'DOUBT', 'try executed', 'repeat'],
  [SENDING, 'busy', 'DOUBT', 'try', 'repeat'],
  [SENDING, 'refused', 'REFUSED', 'try why', 'end'],
  [SENDING, 'refused-beside', 'DOUBT', 'try', 'repeat'],
  [SENDING, 'lost', 'DOUBT', 'try', 'repeat'],
  [SENDING, 'overdue', 'DOUBT', 'try', 'repeat'],
  // a late answer settles its own try and nothing else
  [SETTLED, 'completed', 'same', 'try', 'same'],
  [SETTLED, 'accepted', 'same', 'try', 'same'],
  [SETTLED, 'failed', 'same', 'try', 'same'],
  [SETTLED, 'processed', 'same', 'try', 'same'],
  [TOLD, 'unsent', 'same', 'try', 'same'],
  [TOLD, 'unsent-beside', 'same', 'try', 'same'],
  [TOLD, 'refused', 'same', 'try', 'same'],
  [TOLD, 'refused-beside', 'same', 'try', 'same'],
  [TOLD, 'blind', 'same', 'try', 'same'],
  [TOLD, 'processed-blind', 'same', 'try executed', 'same'],
  [TOLD, 'busy', 'same', 'try', 'same'],
  [TOLD, 'lost', 'same', 'try', 'same'],
  [TOLD, 'overdue', 'same', 'try', 'same'],
  ['DOUBT UNKNOWN', 'found', 'PENDING', 'executed payment evidence', 'read'],
  ['DOUBT', 'no-trace', 'REFUSED', 'why evidence', 'end'],
  ['DOUBT', 'unclear', 'UNKNOWN', 'evidence', 'end'],
  ['UNKNOWN', 'unclear', 'UNKNOWN', 'evidence', 'end'],
  ['PENDING', 'read-pending', 'PENDING', 'payment', 'read'],
  ['PENDING', 'read-completed', 'PAID', 'payment', 'end'],
  ['PENDING', 'read-failed', 'FAILED', 'payment', 'end'],
  ['PAID', 'read-completed', 'PAID', 'payment', 'end'],
  ['PAID', 'read-failed', 'PAID', 'contradiction', 'end'],
  ['FAILED', 'read-completed', 'PAID', 'payment contradiction', 'end'],
  ['UNKNOWN', 'person-paid', 'PENDING', 'executed payment verdict', 'read'],
  ['UNKNOWN', 'person-not-paid', 'REFUSED', 'why verdict', 'end'],
  ['REFUSED', 'renew', 'NEW', 'past renewal', 'quote'],
  ['REFUSED FAILED STOPPED', 'retry', 'NEW', 'past round', 'quote'],
];

/** The table, a line for each group of phases. */
export const transitions: readonly Transition[] = /* @__PURE__ */ LINES.map(
  ([from, event, to, writes, then]) => ({ from, event, to, writes, then }),
);

/** The cell of the table; `undefined`: nothing changes. */
export function transitionOf(phase: PayPhase, event: PayEventName): Transition | undefined {
  return transitions.find((one) => one.event === event && one.from.split(' ').includes(phase));
}
