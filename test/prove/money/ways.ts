// Names the ways that are searched: a rail, what may go wrong, how often, and how the service behaves.
import type { RailName } from '../../../src/flows/pay/order.ts';

/** How often each kind of trouble may come. */
export interface Budget {
  /** A request or an answer is lost, late or refused. */
  readonly fault: number;
  readonly crash: number;
  /** The store forgets its last one or two commits. */
  readonly loss: number;
  /** The row is lost, and nobody who knows it lives. */
  readonly rowLoss: number;
  /** Time passes while a process has something to do at once. */
  readonly slow: number;
  /** An answer names the movement of another. */
  readonly foreign: number;
  /** A movement fails. */
  readonly fail: number;
  readonly stop: number;
  /** Another process takes up the row while the first may live. */
  readonly second: number;
  /** The caller tries again after an end. */
  readonly retry: number;
}

export interface Way extends Budget {
  readonly name: string;
  readonly rail: RailName;
  /** It derives its keys from a receipt, so that a journal meets its own refunds as originals. */
  readonly isRefund: boolean;
  /** Checks of an executed quote: `learned` is the first order, which this account has seen. */
  readonly checks: 'processed-first' | 'expired-first' | 'learned';
  /** How processes take up the row after the first. */
  readonly restart: 'resume' | 'pay' | 'look';
  /** New processes are told since when the journal may lack something. */
  readonly isDeclared: boolean;
  /** The service forgets its keys once a quote has ended, or never knew any. */
  readonly keys: 'kept' | 'forgotten' | 'ignored';
  /** Instants of the search; then the run goes on alone, without trouble. */
  readonly ticks: number;
}

const NOTHING: Way = {
  name: '',
  rail: 'lnurl',
  isRefund: false,
  checks: 'expired-first',
  restart: 'resume',
  isDeclared: false,
  keys: 'kept',
  ticks: 3,
  fault: 0,
  crash: 0,
  loss: 0,
  rowLoss: 0,
  slow: 0,
  foreign: 0,
  fail: 0,
  stop: 0,
  second: 0,
  retry: 0,
};

export const wayOf = (name: string, change: Partial<Way>): Way => ({ ...NOTHING, ...change, name });

/** When things happen, in milliseconds: before and after an end, a request's life, and a list's lag. */
export const INSTANTS = [0, 12_000, 75_000, 190_000, 510_000, 640_000, 1_260_000];

const RAILS: readonly RailName[] = ['bolt11', 'lnurl', 'exchange', 'deposit', 'payout'];

const KINDS: Readonly<Record<string, Partial<Way>>> = {
  calm: { fail: 1, ticks: 6 },
  one: { fault: 1, crash: 1, loss: 1 },
};

export const WAYS: readonly Way[] = Object.entries(KINDS).flatMap(([kind, change]) =>
  RAILS.map((rail) => wayOf(`${rail}-${kind}`, { rail, ...change })),
);
