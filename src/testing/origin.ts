import { badInput } from '../core/errors/index.ts';
import { bytesOfHex } from '../core/platform.ts';
import { ticksOf } from '../core/time.ts';
import { sha256Hex } from '../lightning/hashes.ts';
import { textOfTicks, ticksOfMillis, TICKS_PER_MS } from '../sandbox/time/instants.ts';
import type { MakeOptions } from './members.ts';

/** What has an id; new ones at the end, so that ids stay as they are. */
const KINDS = [
  'account',
  'invoice',
  'invoiceQuote',
  'transaction',
  'payment',
  'paymentQuote',
  'currencyExchangeQuote',
  'bankPaymentMethod',
  'payoutOriginator',
  'payout',
  'payoutTransaction',
  'deposit',
  'receiveRequest',
  'receive',
  'subscription',
  'event',
] as const;

type Kind = (typeof KINDS)[number];

/** 2026-01-05T09:00:00Z. */
const START = 1_767_603_600_000;
const LAST_INDEX = 999_999_999;

/** Where ids, secrets and times of one value come from: its index alone. */
export interface Origin {
  readonly index: number;
  /** When the first of its kind was created, milliseconds since 1970. */
  readonly startAt: number;
  /** When it was created. */
  readonly created: string;
  /** Its id, or that of another one of that kind. */
  id(kind: Kind, index?: number): string;
}

/** Checks what a caller gave. */
export function originOf({ index = 0, startAt = START }: MakeOptions): Origin {
  if (!Number.isInteger(index) || index < 0 || index > LAST_INDEX)
    throw badInput('index', `must be a whole number from 0 to ${LAST_INDEX}`);
  if (!(startAt >= 0 && startAt < 8e15))
    throw badInput('startAt', 'must be a time in milliseconds');
  return {
    index,
    startAt,
    created: textOfTicks(ticksOfMillis(startAt + index * 1_000)),
    id: (kind, at = index) => idOf(kind, at),
  };
}

/** The id of the first one of a kind, or of another: a UUID that shows both. */
export function idOf(kind: Kind, index = 0): string {
  const number = (value: number, digits: number): string => `${value}`.padStart(digits, '0');
  return `${number(KINDS.indexOf(kind) + 1, 8)}-0000-4000-8000-${number(index, 12)}`;
}

/** A time so many milliseconds after another; where that is none, the text as it is. */
export function after(time: string, ms: number): string {
  const ticks = ticksOf(time);
  return ticks === undefined ? time : textOfTicks(ticks + BigInt(Math.trunc(ms)) * TICKS_PER_MS);
}

/** 32 bytes in hex that depend on the id alone, with their hash. */
export function secretOf(id: string): { readonly preimage: string; readonly paymentHash: string } {
  const preimage = sha256Hex(new TextEncoder().encode(id));
  return { preimage, paymentHash: sha256Hex(bytesOfHex(preimage)!) };
}
