import { badInput, checkOptions, UnreachableError } from '../../core/errors/index.ts';
import { systemClock } from '../../core/time.ts';
import { sameContent } from '../../core/watch.ts';
import { addMoney, compareMoney, type Money } from '../../money/index.ts';
import { parseUnsignedMoney } from '../../money/money.ts';
import type { Store } from '../../stores/store.ts';
import { objection, formatMoney } from './guards.ts';
import { JournalFailure, type MoveJournal } from './journal.ts';
import { findBroadcast, type MoveRow, readView } from './facts.ts';
import { isVoid } from './next.ts';
import type { MoveReason } from './order.ts';
import type { Desk } from './rail.ts';
import { chooseRules } from './rules.ts';

/**
 * A limit as passed by the caller: a single amount, one amount per currency, or `any` for
 * no limit.
 */
type GivenLimit = Money | readonly Money[] | 'any';

/** Options for `createGuards`. */
export interface GuardsOptions {
  /** The store you pass to `pay`, `refund` and `payOut`. */
  readonly journal: Store;
  /**
   * The most that all payments, refunds and payouts in this journal may spend per day (UTC),
   * including fees. An array has one amount per currency, and spending in any other currency is
   * refused. `any` removes the limit. If absent, the limit doesn't change.
   */
  readonly maxPerDay?: GivenLimit | undefined;
  /**
   * The most that one payment, refund or payout may spend, including fees. Takes the same values as
   * `maxPerDay`.
   */
  readonly maxPerRun?: GivenLimit | undefined;
}

/** The limits of a journal. An empty array means no limit. */
export interface Guards {
  /** The limits per day (UTC), by currency. */
  readonly maxPerDay: readonly Money[];
  /** The limits per payment, refund or payout, by currency. */
  readonly maxPerRun: readonly Money[];
}

const LIMITS_ROW = 'pay-limits';
const NO_GUARDS: Guards = { maxPerDay: [], maxPerRun: [] };
const MAX_WRITES = 100;
const MAX_BACKOFF_MS = 200;

/**
 * Sets spending limits in a journal. They apply to every process and every call that uses the
 * journal, even if its code doesn't set limits. They stay in place until the next call replaces
 * them. Call it at startup, before the first payment. A day's total starts with the first payment
 * after `maxPerDay` is set.
 *
 * @param options `journal`, and `maxPerDay` or `maxPerRun` as an amount or an array of amounts. See
 * `GuardsOptions`
 * @returns the current limits
 * @throws InputError if a limit is invalid, UnreachableError if other processes keep writing the
 * limits, and the store's own errors
 *
 * @example
 * const journal = memoryStore();
 * const { maxPerDay } = await createGuards({ journal, maxPerDay: { amount: '500.00', currency: 'EUR' } });
 * console.log(maxPerDay); // [ { amount: '500.00', currency: 'EUR' } ]
 */
export async function createGuards(options: GuardsOptions): Promise<Guards> {
  checkOptions<GuardsOptions>(options ?? null, {
    journal: 'any!',
    maxPerDay: 'any',
    maxPerRun: 'any',
  });
  const { journal } = options;
  if (typeof journal?.compareAndSet !== 'function')
    throw badInput('journal', 'is required: a Store, such as sqlStore(driver)');
  const maxPerDay = readGivenLimit('maxPerDay', options.maxPerDay);
  const maxPerRun = readGivenLimit('maxPerRun', options.maxPerRun);
  for (let count = 0; count < MAX_WRITES; count++) {
    const stored = await journal.get(LIMITS_ROW);
    const before = checkGuards(stored?.value);
    const guards: Guards = {
      maxPerDay: maxPerDay ?? before.maxPerDay,
      maxPerRun: maxPerRun ?? before.maxPerRun,
    };
    const isSame = sameContent(guards, before);
    if (isSame || (await journal.compareAndSet(LIMITS_ROW, stored?.version ?? 0, guards)))
      return guards;
    await systemClock.wait(Math.min(MAX_BACKOFF_MS, count));
  }
  const facts = { code: 'TIMEOUT', outcome: 'unknown', next: 'retry' } as const;
  throw new UnreachableError('createGuards: other processes keep changing the same limits', facts);
}

function readGivenLimit(
  field: string,
  given: GivenLimit | undefined,
): readonly Money[] | undefined {
  if (given === undefined) return undefined;
  if (given === 'any') return [];
  const list: readonly Money[] = Array.isArray(given) ? given : [given as Money];
  const read = list.map((one) => parseUnsignedMoney(one));
  if (read.length > 0 && new Set(read.map(({ currency }) => currency)).size === read.length)
    return read;
  throw badInput(field, "must be money, a list with one amount for each currency, or 'any'");
}

/** Throws for limits in another format, instead of treating them as no limits. */
function checkGuards(value: unknown = NO_GUARDS): Guards {
  const { maxPerDay, maxPerRun } = Object(value) as Partial<Guards>;
  if (Array.isArray(maxPerDay) && Array.isArray(maxPerRun)) return value as Guards;
  throw badInput(
    'journal',
    'the limits in this journal were saved by another version of this package',
  );
}

interface Allowed {
  readonly why?: MoveReason | undefined;
  readonly day?: string | undefined;
}

/**
 * Checks an amount against the journal's limits. If there's a daily limit, reserves the amount
 * before anything is sent.
 */
export async function allow(
  intent: string,
  round: number,
  amount: Money,
  { journal, now }: Pick<Desk, 'journal' | 'now'>,
): Promise<Allowed> {
  const { maxPerDay, maxPerRun } = checkGuards(await journal.valueOf(LIMITS_ROW));
  const mostPerRun = limitFor(amount, maxPerRun);
  if (maxPerRun.length > 0 && !mostPerRun) return { why: noLimitIn('per-run', amount) };
  if (mostPerRun && compareMoney(amount, mostPerRun) > 0)
    return {
      why: objection(
        'per-run',
        `the total is ${formatMoney(amount)}, which exceeds maxPerRun of the journal`,
      ),
    };
  if (maxPerDay.length === 0) return {};
  const most = limitFor(amount, maxPerDay);
  if (!most) return { why: noLimitIn('per-day', amount) };
  const day = nameDay(now(), amount.currency);
  const reservation = { name: day, intent, round, amount, most, now: now() };
  if (await reserve(journal, reservation)) return { day };
  const text = `${formatMoney(amount)} would exceed maxPerDay of the journal`;
  return { why: objection('per-day', text) };
}

function limitFor({ currency }: Money, limits: readonly Money[]): Money | undefined {
  return limits.find((one) => one.currency === currency);
}

function noLimitIn(guard: 'per-day' | 'per-run', { currency }: Money): MoveReason {
  const text = `the journal has limits, but none in ${currency}; set one with createGuards`;
  return objection(guard, text);
}

/** The amount reserved by one round of an intent. */
interface Hold {
  readonly intent: string;
  readonly round: number;
  readonly amount: string;
}

/** All reservations for one day and one currency, as decimal strings. */
interface Reserved {
  /** The total of all paid intents. */
  readonly spent: string;
  /** This is an array rather than an object, because an intent may be called `__proto__`. */
  readonly held: readonly Hold[];
}

interface Reservation {
  readonly name: string;
  readonly intent: string;
  readonly round: number;
  readonly amount: Money;
  readonly most: Money;
  readonly now: number;
}

const NOTHING: Reserved = { spent: '0', held: [] };
/**
 * When there are more reservations than this, those of finished intents are merged into a total.
 */
const TIDY_EVERY = 64;

/** Returns the name of the reservations for one day (UTC) and currency. */
function nameDay(now: number, currency: string): string {
  return `pay-day/${new Date(now).toISOString().slice(0, 10)}/${currency}`;
}

export function addReserved({ spent, held }: Reserved, currency: string): Money {
  return held.reduce<Money>((sum, { amount }) => addMoney(sum, { amount, currency }), {
    amount: spent,
    currency,
  });
}

export async function readReserved(journal: MoveJournal, name: string): Promise<Reserved> {
  return checkReserved(await journal.valueOf(name));
}

export function heldBy({ held }: Reserved, intent: string): string | undefined {
  return held.find((one) => one.intent === intent)?.amount;
}

function withoutIntent({ spent, held }: Reserved, intent: string): Reserved {
  return { spent, held: held.filter((one) => one.intent !== intent) };
}

function checkReserved(value: unknown = NOTHING): Reserved {
  if (Array.isArray((value as Partial<Reserved> | null)?.held)) return value as Reserved;
  throw new JournalFailure(
    'the reservations in this journal were saved by another version of this package',
  );
}

/**
 * Adds an intent's reservation, or returns `undefined` if it would exceed the limit. An intent
 * reserves a single amount, which is the highest amount of any of its rounds. A crash may therefore
 * leave too much reserved, but never too little.
 */
export function withHold(
  reserved: Reserved,
  { intent, round, amount, most }: Omit<Reservation, 'name' | 'now'>,
): Reserved | undefined {
  const { currency } = amount;
  const own = reserved.held.find((one) => one.intent === intent);
  const before: Money = { amount: own?.amount ?? '0', currency };
  const needed = compareMoney(before, amount) > 0 ? before : amount;
  const hold = { intent, round: Math.max(round, own?.round ?? 0), amount: needed.amount };
  const { spent, held } = withoutIntent(reserved, intent);
  const made = { spent, held: [...held, hold] };
  return compareMoney(addReserved(made, currency), most) > 0 ? undefined : made;
}

/**
 * Reserves an amount before it's paid. Resolves to false if that would exceed the limit. Always
 * writes the value, so that a concurrent `release` or `tidy` has to retry and then reads this
 * intent's new row.
 */
export function reserve(journal: MoveJournal, reservation: Reservation): Promise<boolean> {
  const { name, intent, amount, now } = reservation;
  return journal.change<Reserved>(name, async (value) => {
    const reserved = checkReserved(value);
    const isLong = reserved.held.length % TIDY_EVERY === TIDY_EVERY - 1;
    const made = isLong ? undefined : withHold(reserved, reservation);
    return (
      made ?? withHold(await tidy(journal, reserved, now, amount.currency, intent), reservation)
    );
  });
}

/** Removes the reservations of finished intents, except the reservation of the intent `own`. */
export async function tidy(
  journal: MoveJournal,
  reserved: Reserved,
  now: number,
  currency: string,
  own: string,
): Promise<Reserved> {
  const { held } = withoutIntent(reserved, own);
  const rows = await Promise.all(held.map(({ intent }) => journal.read(intent)));
  return compact(reserved, rows, now, currency);
}

/**
 * Removes the reservations of intents that can no longer pay, and merges those of paid intents into
 * a total. An intent without a journal row keeps its reservation, because it may have been paid.
 */
export function compact(
  { spent, held }: Reserved,
  rows: readonly (MoveRow | undefined)[],
  now: number,
  currency: string,
): Reserved {
  const fates = new Map(rows.map((row) => [row?.intent, row && fate(row, now)]));
  const paid = held.filter(({ intent }) => fates.get(intent) === 'paid');
  return {
    spent: addReserved({ spent, held: paid }, currency).amount,
    held: held.filter(({ intent }) => fates.get(intent) === undefined),
  };
}

/**
 * Returns whether an intent was paid or can no longer be paid. Returns `undefined` if it's still
 * open.
 */
function fate(row: MoveRow, now: number): 'paid' | 'void' | undefined {
  if (readView(row).over?.as === 'paid') return 'paid';
  return isVoidRow(row, now) ? 'void' : undefined;
}

function isVoidRow(row: MoveRow, now: number): boolean {
  return findBroadcast(row) === undefined && isVoid(readView(row), chooseRules(row.order), now);
}

/**
 * Removes an intent's reservation if it has paid nothing and can no longer pay. Returns `undefined`
 * if nothing changes. Keeps the reservation of a later round, because another process may have
 * started that round.
 */
export function giveBack(
  { spent, held }: Reserved,
  row: MoveRow,
  round: number,
  now: number,
): Reserved | undefined {
  const kept = held.filter((one) => one.intent !== row.intent || one.round > round);
  if (kept.length === held.length || readView(row).round !== round || !isVoidRow(row, now))
    return undefined;
  return { spent, held: kept };
}

/**
 * Applies `giveBack` to the reservation called `name` and to all daily reservations of the intent.
 */
export async function release(
  journal: MoveJournal,
  { intent, facts }: MoveRow,
  round: number,
  name: string | undefined,
  now: number,
): Promise<void> {
  const days = facts.flatMap((fact) => (fact.is === 'shown' ? [fact.quote.day] : []));
  for (const each of new Set([name, ...days]))
    if (each)
      await journal.change<Reserved>(each, async (value) => {
        const row = await journal.read(intent);
        return row && giveBack(checkReserved(value), row, round, now);
      });
}
