// Writes down what a watch says, when it said it, and how it ended. The judge reads this and nothing else of the SDK.
import type { Clock } from 'paystate';

/** Forms in which an invoice is watched. */
export type ListenerKind = 'watch' | 'rx' | 'iterate' | 'checkout';

interface Stated {
  readonly state: string;
}

/** The members of a snapshot, or of the view of a checkout, that are read. */
export interface Shown {
  readonly freshness?: string | undefined;
  /** The invoice of a snapshot. */
  readonly value?: Stated | undefined;
  /** The invoice of a checkout. */
  readonly invoice?: Stated | undefined;
  readonly phase?: string | undefined;
  /** When it was read, by the watch. */
  readonly asOf?: number | undefined;
  readonly unconfirmed?: string | undefined;
  readonly quote?: { readonly lnInvoice: string } | undefined;
  readonly error?: unknown;
}

/** The part of an observer that watches call. */
export interface Hearer {
  next(shown: Shown): void;
  error(error: unknown): void;
  complete(): void;
}

/** Subscribes; returns what unsubscribes. */
export type Subscribe = (to: Hearer) => () => void;

/** States of the invoice that phases of a checkout mean; other phases say nothing of it. */
const STATES: Readonly<Record<string, string>> = {
  awaiting: 'UNPAID',
  renewing: 'UNPAID',
  paused: 'UNPAID',
  unsafe: 'UNPAID',
  pending: 'PENDING',
  paid: 'PAID',
  cancelled: 'CANCELLED',
  reversed: 'REVERSED',
};

/** Something that was said. */
export interface Said {
  readonly at: number;
  readonly isLive: boolean;
  /** Nobody listened from now on. */
  readonly isOff?: true;
  readonly state?: string | undefined;
  readonly asOf?: number | undefined;
  readonly unconfirmed?: string | undefined;
  /** The code on show. */
  readonly code?: string | undefined;
}

interface Ends {
  readonly at: number;
  readonly how: 'complete' | 'error';
  readonly error?: unknown;
}

/** All that one listener has heard. */
export interface WatchRecord {
  readonly name: string;
  /** Id of the invoice. */
  readonly id: string;
  readonly kind: ListenerKind;
  readonly clock: Clock;
  readonly said: Said[];
  ends: Ends | undefined;
  /** Calls after the end, or after leaving. */
  late: number;
  readonly faults: string[];
}

export function createRecord(
  name: string,
  id: string,
  kind: ListenerKind,
  clock: Clock,
): WatchRecord {
  return { name, id, kind, clock, said: [], ends: undefined, late: 0, faults: [] };
}

export const isLive = ({ freshness }: Shown): boolean => freshness === 'live';

/** Returns the statement of a snapshot. */
function ofSnapshot(shown: Shown): Omit<Said, 'at'> {
  const { value, asOf, unconfirmed } = shown;
  return { asOf, state: value?.state, isLive: isLive(shown), unconfirmed };
}

/**
 * Returns the statement of a view; a phase that is no word on the invoice counts by the invoice in
 * the view.
 */
function ofView(shown: Shown): Omit<Said, 'at'> {
  const { phase = '', invoice, unconfirmed, quote } = shown;
  const code = phase === 'awaiting' ? quote?.lnInvoice : undefined;
  return { state: STATES[phase] ?? invoice?.state, isLive: isLive(shown), unconfirmed, code };
}

/** Subscribes once more; returns what unsubscribes. */
export function listen(record: WatchRecord, subscribe: Subscribe): () => void {
  const { clock, said, kind } = record;
  const read = kind === 'checkout' ? ofView : ofSnapshot;
  let isOpen = true;
  record.ends = undefined;
  const end = (how: Ends['how'], error?: unknown): void => {
    if (!isOpen) return void record.late++;
    isOpen = false;
    record.ends = { at: clock.now(), how, error };
  };
  const stop = subscribe({
    next: (shown) =>
      isOpen ? void said.push({ at: clock.now(), ...read(shown) }) : void record.late++,
    error: (error) => end('error', error),
    complete: () => end('complete'),
  });
  return () => {
    if (!isOpen) return;
    isOpen = false;
    stop();
    said.push({ at: clock.now(), isOff: true, isLive: false });
  };
}

/** Words for how a watch ended by an error. */
export const codeOf = (error: unknown): string =>
  String((error as { readonly code?: string } | undefined)?.code ?? error);
