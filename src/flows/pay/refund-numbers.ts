import { type MoveRow, readView } from './facts.ts';
import { objection } from './guards.ts';
import type { MoveJournal } from './journal.ts';
import type { MoveReason } from './order.ts';

// The keys of refunds derive from what is refunded, and not from their intents. A journal that was
// lost so meets under its first keys what it has given back before.

/** What a key derives from: the intent, or what is refunded, and a number. */
export interface KeyName {
  readonly of: string;
  readonly n: number;
}

/** Why a refund is not asked for, and whether that passes. */
interface Objection {
  readonly why: MoveReason;
  readonly isPassing: boolean;
}

/** Claims the number of a refund's key; for anything else the number is the intent's own. */
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
 * Returns why a refund has to wait, or is refused: what the service has under an earlier key of the
 * same receipt may be a refund that the journal does not know.
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

/** Returns why the number of another refund of the same receipt holds this one back. */
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
  text: 'another refund of the same receipt is still finding out what was given back before',
};

function escapeIntent(intent: string): string {
  return (
    `the refund ${JSON.stringify(intent)} of the same receipt has found one that this journal does ` +
    'not know; settle it with resolve() first'
  );
}

function nameNumber(refundOf: string, count: number): string {
  return `pay-refund-number/${refundOf}/${count}`;
}
