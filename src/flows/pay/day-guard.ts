import { addMoney, compareMoney, type Money } from '../../money/index.ts';
import type { PayJournal } from './journal.ts';

/** What intents have reserved for one day, by their names: decimal texts of one currency. */
type Reserved = Readonly<Record<string, string>>;

/** Name of a day's reservations; a day is one of UTC. */
export function dayOf(now: number, currency: string): string {
  return `pay-day/${new Date(now).toISOString().slice(0, 10)}/${currency}`;
}

/**
 * Reserves an amount before it is paid; false where the day has no room for it. Twice for one intent
 * counts once: a crash can only leave too much reserved, never too little.
 */
export function reserveForDay(
  journal: PayJournal,
  day: string,
  intent: string,
  total: Money,
  most: Money,
): Promise<boolean> {
  return journal.change<Reserved>(day, (reserved = {}) => {
    const { [intent]: own = total.amount, ...others } = reserved;
    const before = { amount: own, currency: total.currency };
    const needed = compareMoney(before, total) > 0 ? before : total;
    const sum = Object.values(others).reduce<Money>(
      (all, amount) => addMoney(all, { amount, currency: total.currency }),
      needed,
    );
    return compareMoney(sum, most) > 0 ? undefined : { ...others, [intent]: needed.amount };
  });
}

/** Gives back what an intent had reserved, as nothing was paid. */
export async function releaseForDay(
  journal: PayJournal,
  day: string,
  intent: string,
): Promise<void> {
  await journal.change<Reserved>(day, (reserved = {}) => {
    if (!Object.hasOwn(reserved, intent)) return undefined;
    const { [intent]: _, ...others } = reserved;
    return others;
  });
}
