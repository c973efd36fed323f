import { sha256Hex } from '../../lightning/base58.ts';
import type { PayRow, QuoteNumber } from './row.ts';

/** What a key moves; the same intent has other keys for another kind. */
export type KeyKind = 'pay' | 'exchange' | 'deposit';

/**
 * The idempotency key of a number, the same in every life of the intent: a hash of parts with their
 * lengths, in the form of a version 4 UUID.
 */
export function keyOf(
  kind: KeyKind,
  pin: string,
  intent: string,
  { round, n }: QuoteNumber,
): string {
  const parts = [kind, pin, intent, `${round}`, `${n}`];
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  const hex = sha256Hex(new TextEncoder().encode(text));
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/**
 * The number that is asked under next: the first one that was given back, else a new one. Low
 * numbers are used up first, so that a journal that was lost is noticed by its first request.
 */
export function nextNumber({ asked, round }: Pick<PayRow, 'asked' | 'round'>): QuoteNumber {
  const free = asked.find(({ isFree }) => isFree);
  const n = 1 + asked.filter((one) => one.round === round).length;
  return free ? { round: free.round, n: free.n } : { round, n };
}

/** The row's numbers after a claim of the next one; the same where the claim has one already. */
export function claimNumber(row: Pick<PayRow, 'asked' | 'round'>, claim: string): PayRow['asked'] {
  const { asked } = row;
  if (asked.some((one) => one.claim === claim)) return asked;
  const { round, n } = nextNumber(row);
  const isIt = (one: QuoteNumber) => one.round === round && one.n === n;
  const isLost = asked.find(isIt)?.isLost;
  return [...asked.filter((one) => !isIt(one)), { round, n, claim, isLost }];
}
