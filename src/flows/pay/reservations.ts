import { addMoney, compareMoney, type Money } from '../../money/index.ts';
import { JournalFailure, type PayJournal } from './journal.ts';
import type { PayRow } from './row.ts';
import { isVoid } from './schedule.ts';

/** What one round of an intent holds of a limited amount. */
interface Hold {
  readonly intent: string;
  readonly round: number;
  /** Decimal text. */
  readonly amount: string;
}

/** What is reserved of one limited amount; decimal texts of one currency. */
interface Reserved {
  /** What intents that were paid have taken of it. */
  readonly spent: string;
  /** A list and no object: a foreign name such as `__proto__` is no member of it. */
  readonly held: readonly Hold[];
}

/** What is reserved, for whom, of how much. */
interface Reservation {
  /** Name of the limited amount in the journal. */
  readonly name: string;
  readonly row: Pick<PayRow, 'intent' | 'round'>;
  readonly amount: Money;
  /** All that there is. */
  readonly most: Money;
  readonly now: number;
}

const NOTHING: Reserved = { spent: '0', held: [] };
/** After this many reservations those of intents that have ended are summed up. */
const TIDY_EVERY = 64;

/** Name of a day's reservations; a day is one of UTC. */
export function dayOf(now: number, currency: string): string {
  return `pay-day/${new Date(now).toISOString().slice(0, 10)}/${currency}`;
}

/** All that is reserved together. */
export function sumOf({ spent, held }: Reserved, currency: string): Money {
  return held.reduce<Money>((sum, { amount }) => addMoney(sum, { amount, currency }), {
    amount: spent,
    currency,
  });
}

/** What is reserved under a name. */
export async function readReserved(journal: PayJournal, name: string): Promise<Reserved> {
  return checkReserved(await journal.valueOf(name));
}

/** What an intent holds. */
export function heldBy({ held }: Reserved, intent: string): string | undefined {
  return held.find((one) => one.intent === intent)?.amount;
}

/** What others hold. */
export function withoutIntent({ spent, held }: Reserved, intent: string): Reserved {
  return { spent, held: held.filter((one) => one.intent !== intent) };
}

function checkReserved(value: unknown = NOTHING): Reserved {
  if (Array.isArray((value as Partial<Reserved> | null)?.held)) return value as Reserved;
  throw new JournalFailure('what the journal has reserved is of another version');
}

/**
 * Reserves an amount before it is paid; false where there is no room for it. An intent holds one
 * amount, the highest of its rounds: a crash can only leave too much reserved, never too little. It
 * writes in any case, so that a `release` or a `tidy` at the same moment begins again with what
 * this intent has become.
 */
export function reserve(
  journal: PayJournal,
  { name, row: { intent, round }, amount, most, now }: Reservation,
): Promise<boolean> {
  const { currency } = amount;
  return journal.change<Reserved>(name, async (value) => {
    const reserved = checkReserved(value);
    const own = reserved.held.find((one) => one.intent === intent);
    const before: Money = { amount: own?.amount ?? '0', currency };
    const needed = compareMoney(before, amount) > 0 ? before : amount;
    const hold = { intent, round: Math.max(round, own?.round ?? 0), amount: needed.amount };
    const isFull = ({ spent, held }: Reserved) =>
      compareMoney(sumOf({ spent, held: [...held, hold] }, currency), most) > 0;
    let others = withoutIntent(reserved, intent);
    if (isFull(others) || others.held.length % TIDY_EVERY === TIDY_EVERY - 1)
      others = await tidy(journal, others, now, currency);
    return isFull(others) ? undefined : { ...others, held: [...others.held, hold] };
  });
}

/**
 * What is reserved, without the intents that can pay nothing any more, and with those that were paid
 * in one sum.
 */
export async function tidy(
  journal: PayJournal,
  { spent, held }: Reserved,
  now: number,
  currency: string,
): Promise<Reserved> {
  const rows = await Promise.all(held.map(({ intent }) => journal.read(intent)));
  const isPaid = (index: number) => rows[index]?.phase === 'PAID';
  const paid = held.filter((_, index) => isPaid(index));
  return {
    spent: sumOf({ spent, held: paid }, currency).amount,
    // an intent whose row is gone keeps its part: nobody knows that it was not paid
    held: held.filter((_, index) => !isPaid(index) && !(rows[index] && isVoid(rows[index], now))),
  };
}

/**
 * Gives back what a round of an intent holds, if nothing was paid by it and nothing can be any more.
 * Another process may have begun the next round meanwhile: what that one holds stays.
 */
export async function release(
  journal: PayJournal,
  { intent, round, quote, past }: PayRow,
  name: string | undefined,
  now: number,
): Promise<void> {
  const names = [name, quote?.day, ...past.map((one) => one.quote?.day)];
  for (const each of new Set(names))
    if (each)
      await journal.change<Reserved>(each, async (value) => {
        const { spent, held } = checkReserved(value);
        const isOf = (one: Hold) => one.intent === intent && one.round <= round;
        if (!held.some(isOf)) return undefined;
        const row = await journal.read(intent);
        if (row?.round !== round || !isVoid(row, now)) return undefined;
        return { spent, held: held.filter((one) => !isOf(one)) };
      });
}
