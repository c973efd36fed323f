import { addMoney, compareMoney, type Money } from '../../money/index.ts';
import type { PayJournal } from './journal.ts';
import type { PayRow } from './row.ts';

/** What intents have reserved of one thing, by their names: decimal texts of one currency. */
export type Reserved = Readonly<Record<string, string>>;

/** What is reserved, for whom, of how much. */
interface Reservation {
  /** Name of the thing in the journal. */
  readonly name: string;
  readonly intent: string;
  readonly amount: Money;
  /** All that there is. */
  readonly most: Money;
}

/** Name of a day's reservations; a day is one of UTC. */
export function dayOf(now: number, currency: string): string {
  return `pay-day/${new Date(now).toISOString().slice(0, 10)}/${currency}`;
}

/** All that is reserved together. */
export function sumOf(reserved: Reserved, currency: string): Money {
  return Object.values(reserved).reduce<Money>(
    (sum, amount) => addMoney(sum, { amount, currency }),
    { amount: '0', currency },
  );
}

/**
 * Reserves an amount before it is paid; false where there is no room for it. Twice for one intent
 * counts once: a crash can only leave too much reserved, never too little. `keep` leaves out what
 * others have reserved for nothing.
 */
export function reserve(
  journal: PayJournal,
  { name, intent, amount, most }: Reservation,
  keep: (others: Reserved) => Promise<Reserved> = async (others) => others,
): Promise<boolean> {
  const { currency } = amount;
  return journal.change<Reserved>(name, async (reserved = {}) => {
    const { [intent]: _, ...all } = reserved;
    const others = await keep(all);
    const before = { amount: reservedBy(reserved, intent) ?? amount.amount, currency };
    const needed = compareMoney(before, amount) > 0 ? before : amount;
    const sum = addMoney(sumOf(others, currency), needed);
    return compareMoney(sum, most) > 0 ? undefined : { ...others, [intent]: needed.amount };
  });
}

/** What an intent has reserved; it may be named as what every object has. */
export function reservedBy(reserved: Reserved, intent: string): string | undefined {
  return Object.hasOwn(reserved, intent) ? reserved[intent] : undefined;
}

/** Gives back what the intent of a row had reserved, as nothing was paid. */
export async function release(
  journal: PayJournal,
  { intent, quote, past }: PayRow,
  name: string | undefined,
): Promise<void> {
  const names = [name, quote?.day, ...past.map((one) => one.quote?.day)];
  for (const each of new Set(names))
    if (each)
      await journal.change<Reserved>(each, async (reserved = {}) => {
        if (!Object.hasOwn(reserved, intent)) return undefined;
        const { [intent]: _, ...others } = reserved;
        return others;
      });
}
