// The cells of the watching table: their names, and the bounds that are checked.
import { WAY_MS, type WorldOptions } from './world.ts';

/** One row of the table. */
export interface Cell extends WorldOptions {
  readonly count: number;
  /** Watched by id, so that the client does not know when each was made. */
  readonly isById: boolean;
  readonly hasFeed: boolean;
  /** This many of those that are watched change in a minute. */
  readonly payments: number;
  /** Reads of the caller's own, a minute. */
  readonly ownReads: number;
  /** Part of the limit that watching fills: by an explicit `rateLimitShare`, or by default. */
  readonly share: 0.8 | 0.5;
  /** Events of others, a second. */
  readonly foreign: number;
}

/** A cell where nothing else is said. */
const USUAL: Cell = {
  kind: 'invoice',
  count: 1,
  isById: false,
  hasFeed: true,
  payments: 15,
  ownReads: 0,
  share: 0.8,
  rateLimits: 'production',
  foreign: 0,
  strangers: 0,
  pageSize: undefined,
  isInSeconds: false,
};

/** The name of a row: words by which it can be chosen. */
export function nameOf(cell: Cell): string {
  const words = [
    `${cell.count}`,
    cell.isById ? 'ids' : 'objects',
    cell.hasFeed ? 'feed' : 'no-feed',
    `${cell.payments}/min`,
    `own-${cell.ownReads}`,
    `S=${cell.share}`,
    cell.kind !== 'invoice' && `${cell.kind.replace(' ', '-')}s`.replace('mixeds', 'mixed'),
    cell.rateLimits === 'test' && 'test-limits',
    cell.foreign > 0 && `foreign-${cell.foreign}/s`,
    cell.strangers > 0 && `strangers-${cell.strangers}`,
    cell.pageSize && `pages-of-${cell.pageSize}`,
    cell.isInSeconds && 'whole-seconds',
  ];
  return words.filter(Boolean).join(' ');
}

const COUNTS = [1, 200, 1_000, 10_000];
const RATES = [1, 5, 15, 60];
const OWN_READS = [0, 40, 80];

const cellsOf = (...axes: readonly (readonly Partial<Cell>[])[]): readonly Cell[] =>
  axes.reduce<readonly Cell[]>(
    (cells, axis) => cells.flatMap((cell) => axis.map((more) => ({ ...cell, ...more }))),
    [USUAL],
  );

const axis = <K extends keyof Cell>(name: K, values: readonly Cell[K][]) =>
  values.map((value) => ({ [name]: value }) as Partial<Cell>);

const FEED = axis('hasFeed', [true, false]);

/** The table of the issue, in the order of its axes. */
const TABLE = [
  ...cellsOf(
    axis('count', COUNTS),
    axis('isById', [false, true]),
    FEED,
    axis('payments', RATES),
    axis('ownReads', OWN_READS),
  ),
  ...cellsOf([{ share: 0.5 }], axis('count', COUNTS), FEED, axis('ownReads', OWN_READS)),
];

/** Other events, pages, limits and kinds of resources. */
const OTHERS = [
  ...cellsOf(axis('count', [200, 1_000]), axis('foreign', [0.1, 1, 5])),
  ...cellsOf([{ count: 1_000, isInSeconds: true }], axis('foreign', [0, 5])),
  ...cellsOf([{ pageSize: 15 }], axis('count', [200, 1_000, 10_000])),
  ...cellsOf([{ count: 1_000 }], FEED, axis('strangers', [1, 4])),
  ...cellsOf([{ rateLimits: 'test' }], axis('count', [1, 200, 1_000]), FEED),
  ...cellsOf([{ kind: 'mixed' }], axis('count', [50, 1_000])),
  ...cellsOf([{ kind: 'mixed', count: 50, hasFeed: false }]),
  ...cellsOf([{ kind: 'receive request', payments: 5 }], axis('count', [50, 500])),
  ...cellsOf([{ kind: 'payout', payments: 5 }], axis('count', [50, 300])),
];

/** `npm run prove -- watching` plays these cells without arguments, in under two minutes. */
const QUICK = [
  ...cellsOf(axis('count', COUNTS), FEED),
  ...cellsOf([{ count: 1_000 }], FEED, axis('ownReads', [40, 80])),
  ...cellsOf([{ count: 1_000, isById: true }], FEED),
  ...cellsOf([{ count: 1_000, share: 0.5 }], FEED),
];

/** The suite plays these few small cells. */
export const SUITE: readonly Cell[] = [
  ...cellsOf([{ hasFeed: false }, { count: 200 }]),
  ...cellsOf([{ count: 200, ownReads: 80 }], [{ isById: true }, { hasFeed: false }]),
];

/** The cells of a command: `full`, or the quick ones; of these those with all words in their names. */
export function cellsFor(given: readonly string[]): readonly Cell[] {
  const isFull = given.includes('full');
  const words = given.filter((word) => word !== 'full');
  return (isFull ? [...TABLE, ...OTHERS] : QUICK).filter((cell) => {
    const name = nameOf(cell).split(' ');
    return words.every((word) => name.includes(word));
  });
}

export const LIMITS = { production: 1_000, test: 350 } as const;
/** A window of the limit, seconds. */
const WINDOW_S = 600;
/** Requests that watching always has in a window. */
const LEAST = 60;
/** Invoices of one list. */
const LIST = 100;
/** No resource is read faster than this, seconds. */
const BASE_S = 2;
/** The part of the limit that the base period of the test limits takes. */
const POLL_PART = 0.3;

/** Requests of a window that the formula gives to watching: max(60, S × limit − r). */
const budgetOf = ({ share, rateLimits, ownReads }: Cell): number =>
  Math.max(LEAST, share * LIMITS[rateLimits] - (ownReads * WINDOW_S) / 60);

const baseOf = ({ rateLimits }: Cell): number =>
  Math.max(BASE_S, WINDOW_S / (POLL_PART * LIMITS[rateLimits]));

/** Seconds of one round in which each list of 100 (each single resource, of other kinds) is read once. */
function roundOf(cell: Cell): number {
  const { kind, count, pageSize, strangers } = cell;
  const invoices = { invoice: 1, mixed: 0.8, payout: 0, 'receive request': 0 }[kind] * count;
  const lists = Math.ceil((invoices * (1 + strangers)) / Math.min(LIST, pageSize ?? LIST));
  return Math.max(baseOf(cell), ((lists + count - invoices) * WINDOW_S) / budgetOf(cell));
}

/** The p99 of lists in turn, seconds: one list of 100 after another, evenly, at the formula's rate. */
const listsInTurn = (cell: Cell): number => 0.99 * roundOf(cell) + (2 * WAY_MS) / 1_000;

/** By how much watches may be slower than lists in turn. */
const SLOWER = 1.2;
const FEED_BOUND_S = 2.5;

/** The p99 that a cell may have, seconds. */
export function boundOf(cell: Cell): number {
  const { count, hasFeed, ownReads, payments, share, kind, foreign, rateLimits } = cell;
  const { strangers, pageSize } = cell;
  const inTurn = SLOWER * listsInTurn(cell);
  const isOther = kind !== 'invoice' || foreign > 1 || strangers > 0 || pageSize !== undefined;
  if (ownReads === 0 && share < 0.8 && !hasFeed && count === 1_000) return 18;
  if (ownReads > 0 || share < 0.8 || isOther) return Math.max(FEED_BOUND_S, inTurn);
  if (rateLimits === 'test') return inTurn;
  if (hasFeed) return FEED_BOUND_S;
  if (payments <= 15 && count === 1_000) return 10;
  if (payments <= 15 && count === 10_000) return 85;
  return inTurn;
}
