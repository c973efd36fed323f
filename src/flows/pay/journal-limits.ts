import { badInput, UnreachableError } from '../../core/errors/index.ts';
import { systemClock } from '../../core/time/index.ts';
import { sameContent } from '../../core/watch/index.ts';
import { compareMoney, type Money, parseMoney } from '../../money/index.ts';
import type { Store } from '../../stores/store.ts';
import { objection, textOf } from './guards.ts';
import type { Asking } from './rail.ts';
import { dayOf, reserve } from './reservations.ts';
import type { PayReason, PayRow } from './row.ts';

/** What a limit is: an amount, one for each of several currencies, or none. */
type GivenLimit = Money | readonly Money[] | 'any';

/** Limits of a journal, and the journal. */
export interface GuardsOptions {
  /** The store that is given to `pay`, `refund` and `payOut`. */
  readonly journal: Store;
  /**
   * The most that all payments, refunds and payouts of this journal may spend in one day (UTC), fees
   * included. A list has one amount for each currency; what is spent in any other currency is then
   * refused. `any` removes the limit; absent leaves it as it is.
   */
  readonly maxPerDay?: GivenLimit | undefined;
  /** The most that one payment, refund or payout may spend, fees included; as `maxPerDay`. */
  readonly maxPerRun?: GivenLimit | undefined;
}

/** The limits that a journal has; an empty list is no limit. */
export interface Guards {
  /** For one day (UTC), by currency. */
  readonly maxPerDay: readonly Money[];
  /** For one payment, refund or payout, by currency. */
  readonly maxPerRun: readonly Money[];
}

const NAME = 'pay-limits';
const NO_GUARDS: Guards = { maxPerDay: [], maxPerRun: [] };
const MAX_WRITES = 100;
const LONGEST_BACKOFF_MS = 200;

/**
 * Sets limits on what a journal may spend. They are kept in the journal, so they hold for every
 * process and every call that uses it, also for calls that do not know of them, and until they are
 * set again: the last call wins. Call it at the start, before the first payment: a day counts from
 * its first payment after `maxPerDay` was set.
 *
 * @param options `journal`, and `maxPerDay` or `maxPerRun` as money or a list of money; see
 * `GuardsOptions`
 * @returns the limits that hold now
 * @throws InputError for a limit that cannot be read, UnreachableError where others write all the
 * time, and what the store throws
 * @example
 * const journal = memoryStore();
 * const { maxPerDay } = await createGuards({ journal, maxPerDay: { amount: '500.00', currency: 'EUR' } });
 * console.log(maxPerDay); // [ { amount: '500.00', currency: 'EUR' } ]
 */
export async function createGuards(options: GuardsOptions): Promise<Guards> {
  const { journal } = Object(options) as Partial<GuardsOptions>;
  if (typeof journal?.compareAndSet !== 'function')
    throw badInput('journal', 'is required: a Store, such as durableObjectStore(storage)');
  const maxPerDay = readGivenLimit('maxPerDay', options.maxPerDay);
  const maxPerRun = readGivenLimit('maxPerRun', options.maxPerRun);
  for (let count = 0; count < MAX_WRITES; count++) {
    const stored = await journal.get(NAME);
    const before = checkGuards(stored?.value);
    const guards: Guards = {
      maxPerDay: maxPerDay ?? before.maxPerDay,
      maxPerRun: maxPerRun ?? before.maxPerRun,
    };
    const isSame = sameContent(guards, before);
    if (isSame || (await journal.compareAndSet(NAME, stored?.version ?? 0, guards))) return guards;
    await systemClock.wait(Math.min(LONGEST_BACKOFF_MS, count));
  }
  const facts = { code: 'TIMEOUT', outcome: 'unknown', next: 'retry' } as const;
  throw new UnreachableError('createGuards: others write the same limits all the time', facts);
}

function readGivenLimit(
  field: string,
  given: GivenLimit | undefined,
): readonly Money[] | undefined {
  if (given === undefined) return undefined;
  if (given === 'any') return [];
  const list: readonly Money[] = Array.isArray(given) ? given : [given as Money];
  const read = list.map((one) => parseMoney(one));
  if (read.length > 0 && new Set(read.map(({ currency }) => currency)).size === read.length)
    return read;
  throw badInput(field, "must be money, a list with one amount for each currency, or 'any'");
}

/** Limits that cannot be read are not taken for none. */
function checkGuards(value: unknown = NO_GUARDS): Guards {
  const { maxPerDay, maxPerRun } = Object(value) as Partial<Guards>;
  if (Array.isArray(maxPerDay) && Array.isArray(maxPerRun)) return value as Guards;
  throw badInput('journal', 'has limits of another version, which cannot be read');
}

/** What limits of the journal say of money that is about to be spent. */
interface Allowed {
  readonly why?: PayReason | undefined;
  /** Where the amount is reserved for the day. */
  readonly day?: string | undefined;
}

/**
 * Compares what a run is about to spend with the limits of its journal, and reserves it for the
 * day. Nothing has been sent by then.
 */
export async function allow(
  row: Pick<PayRow, 'intent' | 'round'>,
  amount: Money,
  { journal, now }: Asking,
): Promise<Allowed> {
  const { maxPerDay, maxPerRun } = checkGuards(await journal.valueOf(NAME));
  const mostPerRun = limitFor(amount, maxPerRun);
  if (maxPerRun.length > 0 && !mostPerRun) return { why: noLimitIn('per-run', amount) };
  if (mostPerRun && compareMoney(amount, mostPerRun) > 0)
    return {
      why: objection('per-run', `the total is ${textOf(amount)}, above maxPerRun of the journal`),
    };
  if (maxPerDay.length === 0) return {};
  const most = limitFor(amount, maxPerDay);
  if (!most) return { why: noLimitIn('per-day', amount) };
  const day = dayOf(now(), amount.currency);
  if (await reserve(journal, { name: day, row, amount, most, now: now() })) return { day };
  const text = `the day has no room for ${textOf(amount)} within maxPerDay of the journal`;
  return { why: objection('per-day', text) };
}

function limitFor({ currency }: Money, limits: readonly Money[]): Money | undefined {
  return limits.find((one) => one.currency === currency);
}

function noLimitIn(guard: 'per-day' | 'per-run', { currency }: Money): PayReason {
  const text = `the limits of the journal name no amount in ${currency}; see createGuards`;
  return objection(guard, text);
}
