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
  /** A copy of an answered request acts later. */
  readonly copy: number;
  /** A person says what became of an unknown movement. */
  readonly verdict: number;
  /** Another intent of the same journal begins. */
  readonly other: number;
  /** A list or a movement cannot be read for want of a scope. */
  readonly scope: number;
  /** A completed movement is taken back. */
  readonly reverse: number;
  /** A transaction that has failed is confirmed all the same. */
  readonly confirm: number;
}

export interface Way extends Budget {
  readonly name: string;
  readonly rail: RailName;
  /** It derives its keys from a receipt, so that a journal meets its own refunds as originals. */
  readonly isRefund: boolean;
  /** So many movements of one unit may be live together: what came in, or the limit of a day. */
  readonly most?: number | undefined;
  /** Both intents name one BOLT11 text. */
  readonly isOneText?: boolean | undefined;
  /** Checks of an executed quote: `learned` is the first order, which this account has seen. */
  readonly checks: 'processed-first' | 'expired-first' | 'learned';
  /** How processes take up the row after the first. */
  readonly restart: 'resume' | 'pay' | 'look';
  /** New processes are told since when the journal may lack something. */
  readonly isDeclared: boolean;
  /** The service forgets its keys once a quote has ended, or never knew any. */
  readonly keys: 'kept' | 'forgotten' | 'ignored';
  /** The clocks of the processes, in order, against the service's; absent where all know its time. */
  readonly skews?: readonly number[] | undefined;
  readonly instants: readonly number[];
  /** How many instants are searched; then the run goes on alone, without trouble. */
  readonly ticks: number;
}

/** When things happen, in milliseconds: around an end, a request's life, and a list's lag. */
const INSTANTS = [0, 12_000, 75_000, 190_000, 510_000, 640_000, 1_260_000];
/** Within the time of a hand-over, the middle and the very end of a quote's life, and its margin. */
const CLOSE = [0, 4_000, 40_000, 62_000, 110_000, 185_000, 430_000, 900_000];
/** Reads one after the other, behind the life of a request. */
const READS = [0, 118_000, 150_000, 185_000, 220_000, 310_000, 415_000, 620_000];

const NOTHING: Way = {
  name: '',
  rail: 'lnurl',
  isRefund: false,
  checks: 'expired-first',
  restart: 'resume',
  isDeclared: false,
  keys: 'kept',
  ticks: 3,
  instants: INSTANTS,
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
  copy: 0,
  verdict: 0,
  other: 0,
  scope: 0,
  reverse: 0,
  confirm: 0,
};

export const wayOf = (name: string, change: Partial<Way>): Way => ({ ...NOTHING, ...change, name });

/** Rails, and the orders of checks that make a difference for them. */
const RAILS: Readonly<Record<string, Partial<Way>>> = {
  bolt11: { rail: 'bolt11' },
  'bolt11-learned': { rail: 'bolt11', checks: 'learned' },
  lnurl: { rail: 'lnurl' },
  'lnurl-learned': { rail: 'lnurl', checks: 'learned' },
  'lnurl-unlearned': { rail: 'lnurl', checks: 'processed-first' },
  exchange: { rail: 'exchange' },
  deposit: { rail: 'deposit' },
  payout: { rail: 'payout' },
};

const KINDS: Readonly<Record<string, Partial<Way>>> = {
  calm: { fail: 1 },
  one: { fault: 1, crash: 1, loss: 1 },
  faults: { fault: 2, fail: 1 },
  'fault-crash-pay': { fault: 1, crash: 1, loss: 1, restart: 'pay' },
  slow: { fault: 1, crash: 1, slow: 1 },
  stop: { fault: 1, crash: 1, stop: 1 },
  look: { fault: 1, crash: 1, restart: 'look' },
  foreign: { fault: 1, crash: 1, foreign: 1 },
  retry: { fault: 1, crash: 1, retry: 1, fail: 1, ticks: 5 },
  forgotten: { fault: 1, crash: 1, keys: 'forgotten' },
  ignored: { fault: 1, crash: 1, keys: 'ignored' },
  'row-lost': { fault: 1, crash: 1, rowLoss: 1 },
  'row-declared': { fault: 1, crash: 1, rowLoss: 1, isDeclared: true },
  'two-crash': { second: 1, crash: 1, loss: 1, ticks: 4 },
  'two-fault': { second: 1, fault: 1, ticks: 5 },
  'two-pay': { second: 1, fault: 1, slow: 1, restart: 'pay', ticks: 4 },
  'two-stop': { second: 1, stop: 1, crash: 1, ticks: 4 },
  'two-loss': { second: 1, fault: 1, loss: 1, ticks: 4 },
  many: { fault: 2, crash: 1, loss: 1 },
  twice: { fault: 1, crash: 2, loss: 1 },
  'slow-loss': { fault: 1, crash: 1, loss: 1, slow: 2, ticks: 5 },
  'stop-loss': { fault: 1, crash: 1, loss: 1, stop: 1, ticks: 5 },
  'stop-slow': { fault: 1, crash: 1, slow: 1, stop: 1, ticks: 5 },
  'retry-two': { fault: 2, crash: 1, retry: 2, fail: 1, ticks: 4 },
  'two-slow': { second: 1, fault: 1, crash: 1, slow: 2, ticks: 4 },
  'two-all': { second: 1, fault: 1, crash: 1, loss: 1, ticks: 3 },
  three: { second: 2, fault: 1, ticks: 3 },
  'foreign-loss': { foreign: 1, fault: 1, crash: 1, loss: 1, ticks: 5 },
  'lost-twice': { fault: 2, crash: 2, rowLoss: 1, isDeclared: true, ticks: 5 },
  'lost-failed': { fault: 1, crash: 1, rowLoss: 1, isDeclared: true, fail: 1, retry: 1, ticks: 4 },
  refund: { isRefund: true, fault: 2, crash: 1, loss: 1 },
  'refund-two': { isRefund: true, fault: 1, second: 1, stop: 1, ticks: 4 },
  copy: { copy: 1, fault: 1, crash: 1 },
  'copy-retry': { copy: 1, fault: 1, retry: 1, ticks: 5 },
  verdict: { fault: 2, crash: 1, verdict: 1, retry: 1, ticks: 5 },
  skewed: { fault: 1, crash: 1, loss: 1, skews: [60_000, -60_000, 60_000, -60_000] },
  'skewed-back': { fault: 1, crash: 1, loss: 1, skews: [-60_000, 60_000, -60_000, 60_000] },
  'skewed-two': { second: 1, fault: 1, slow: 1, skews: [-60_000, 60_000], ticks: 4 },
  close: { fault: 1, crash: 1, loss: 1, instants: CLOSE, ticks: 7 },
  'close-slow': { fault: 1, slow: 2, crash: 1, instants: CLOSE, ticks: 6 },
  'close-two': { second: 1, fault: 1, slow: 1, instants: CLOSE, ticks: 5 },
  'close-stop': { fault: 1, crash: 1, stop: 1, instants: CLOSE, ticks: 6 },
  reads: { fault: 1, crash: 1, loss: 1, instants: READS, ticks: 7 },
  'reads-slow': { fault: 1, crash: 1, slow: 2, instants: READS, ticks: 6 },
  'reads-two': { second: 1, fault: 1, slow: 1, instants: READS, ticks: 5 },
  'jump-ahead': { fault: 1, crash: 1, skews: [0, 86_400_000, 0] },
  'jump-two': { second: 1, fault: 1, slow: 1, skews: [0, 86_400_000], ticks: 4 },
  scope: { fault: 1, crash: 1, scope: 1 },
  'scope-two': { second: 1, fault: 1, scope: 1, ticks: 4 },
  reverse: { fault: 1, crash: 1, reverse: 1 },
  'reverse-retry': { fault: 1, reverse: 1, retry: 1, ticks: 5 },
  confirm: { fault: 1, crash: 1, fail: 1, confirm: 1, retry: 1, ticks: 4 },
  'limit-two': { most: 1, other: 1, fault: 2, ticks: 4 },
  'limit-copy': { most: 1, other: 1, copy: 1, ticks: 4 },
  'limit-crash': { most: 1, other: 1, crash: 1, ticks: 3 },
  'limit-loss': { most: 1, other: 1, loss: 1, ticks: 2 },
  'limit-retry': { most: 1, other: 1, fail: 1, retry: 1, ticks: 3 },
  'limit-stop': { most: 1, other: 1, stop: 1, ticks: 3 },
  'limit-confirm': { most: 1, other: 1, fail: 1, confirm: 1, ticks: 4 },
  'names-two': { other: 1, foreign: 1, fault: 1, ticks: 3 },
  'text-two': { isOneText: true, other: 1, fault: 1, fail: 1, ticks: 3 },
  'receipt-two': { isRefund: true, most: 1, other: 1, fault: 1, ticks: 3 },
  'receipt-crash': { isRefund: true, most: 1, other: 1, crash: 1, ticks: 3 },
  'receipt-stop': { isRefund: true, most: 1, other: 1, stop: 1, ticks: 3 },
  'receipt-lost': { isRefund: true, most: 2, other: 1, fault: 2, crash: 1, ticks: 4 },
  'receipt-copy': { isRefund: true, most: 1, other: 1, copy: 1, ticks: 4 },
  'jump-back': { fault: 1, crash: 1, skews: [86_400_000, 0, 0] },
};

export const WAYS: readonly Way[] = Object.entries(KINDS)
  .flatMap(([kind, change]) =>
    Object.entries(RAILS).map(([name, rail]) =>
      wayOf(`${kind}/${name}`, { ticks: 6, ...rail, ...change }),
    ),
  )
  .filter(({ isRefund, rail }) => !isRefund || ['bolt11', 'lnurl'].includes(rail))
  .filter(({ most, rail }) => most === undefined || !/exchange|deposit/.test(rail))
  .filter(({ isOneText, rail }) => !isOneText || rail === 'bolt11')
  .filter(({ confirm, rail }) => confirm === 0 || rail === 'lnurl');

/** The ways of the short form. */
export const SHORT: readonly Way[] = WAYS.filter(
  ({ name }) =>
    /^(calm|faults|look|two-fault)\/(?!.*learned)/.test(name) ||
    /^(one|stop|foreign)\/(lnurl|exchange|payout)$/.test(name) ||
    /^(limit-crash|receipt-crash|text-two)\/(lnurl|bolt11)$/.test(name),
);
