import { type MoveRow, readView } from './facts.ts';
import { objection } from './guards.ts';
import type { MoveJournal } from './journal.ts';
import type { MoveReason } from './order.ts';

// The keys of a refund are derived from the refunded receipt, not from the intent. If a journal is
// lost, the earliest keys therefore reveal which refunds were already made.

export interface KeyName {
  readonly of: string;
  readonly n: number;
}

interface Objection {
  readonly why: MoveReason;
  readonly isPassing: boolean;
}

/**
 * Returns the name and number that an idempotency key is derived from. A refund claims the
 * receipt's next free number. All other transfers use the intent and its attempt number.
 */
export async function claimKey(
  journal: MoveJournal,
  { intent, order }: MoveRow,
  n: number,
): Promise<KeyName> {
  const refundOf = 'refundOf' in order ? order.refundOf : undefined;
  if (refundOf === undefined) return { of: intent, n };
  for (let count = 1; ; count++)
    if (await journal.claim(nameNumber(refundOf, count), `${n}/${intent}`))
      return { of: refundOf, n: count };
}

/**
 * Returns why a refund must wait or is refused. The service may have a refund under an earlier key
 * of the same receipt that isn't in the journal.
 */
export async function objectionToEarlier(
  journal: MoveJournal,
  { intent, order }: MoveRow,
  { of, n }: KeyName,
): Promise<Objection | undefined> {
  if (!('refundOf' in order) || order.refundOf === undefined) return undefined;
  for (let count = 1; count < n; count++) {
    const holder = (await journal.holderOf(nameNumber(of, count))) ?? '';
    const [, number, other = ''] = /^(\d+)\/(.*)$/s.exec(holder) ?? [];
    const row = other === intent ? undefined : await journal.read(other);
    const found = row && objectionOfOther(row, number);
    if (found) return found;
  }
  return undefined;
}

/** Returns why another refund of the same receipt blocks this one. */
export function objectionOfOther(row: MoveRow, number = ''): Objection | undefined {
  const { numbers, over } = readView(row);
  const one = numbers.find(({ n }) => String(n) === number);
  if (one?.shown || one?.freed || one?.isClosed || (over && over.as !== 'unknown'))
    return undefined;
  if (over) return { why: objection('refund', escapeIntent(row.intent)), isPassing: false };
  return { why: WAITING, isPassing: true };
}

const WAITING: MoveReason = {
  code: 'TIMEOUT',
  kind: 'limited',
  next: 'retry',
  text: 'another refund of the same payment is still checking how much was already refunded',
};

function escapeIntent(intent: string): string {
  return `the refund ${JSON.stringify(intent)} of the same payment found another refund that is not in this journal; settle it with resolve() first`;
}

function nameNumber(refundOf: string, count: number): string {
  return `pay-refund-number/${refundOf}/${count}`;
}
