import type { RoomPosition } from '../core/protocol.ts';
import type { Invoice } from '../resources/invoices.ts';
import { type InvoiceMessage, readPageMessage } from './calls.ts';
import type { KeptQuote } from './relay-store.ts';
import type { Claims, PageTokens } from './tokens.ts';

// The parts that rooms in objects and pages of a process have in common.

/** Most sockets of one invoice. More pages read it without a socket. */
export const MOST_SOCKETS = 1_000;
/**
 * Longest message, characters. Our pages send none that is longer, so the socket is closed (RFC
 * 6455 7.4.1).
 */
const LONGEST_MESSAGE = 65_536;
const TOO_BIG = 1009;
/** An invoice is followed for this long after a page asked for it, milliseconds. */
export const FOLLOWED_FOR = 150_000;
/** Interval after which following is extended, milliseconds. */
export const FOLLOW_EVERY = 60_000;

export interface ShownRow {
  readonly asOf: number;
  /** Time of the last read that confirmed the value. */
  readonly seen: number;
  readonly value: Invoice;
  /** A state that was read later and isn't believed yet. */
  readonly unconfirmed?: string | undefined;
  readonly quote?: Pick<KeptQuote, 'quote' | 'endsAt'> | undefined;
}

/** Returns a message to send now. It leaves out an expired quote. */
export function makeMessage(
  row: ShownRow | undefined,
  position: RoomPosition,
  now: number,
): InvoiceMessage {
  if (!row) return { ...position, sentAt: now };
  const { asOf, seen, value, unconfirmed, quote } = row;
  const left = quote ? Math.floor((quote.endsAt - now) / 1_000) : 0;
  return {
    ...position,
    sentAt: now,
    asOf,
    confirmedAt: seen,
    value,
    ...(unconfirmed && { unconfirmed }),
    ...(quote &&
      left > 0 && { quote: { ...quote.quote, expirationInSec: left }, secondsLeft: left }),
  };
}

/** Returns the message, or the code with which to close its socket. */
export function readMessage(text: unknown): ReturnType<typeof readPageMessage> | number {
  const size = typeof text === 'string' ? text.length : (text as ArrayBuffer).byteLength;
  return size > LONGEST_MESSAGE ? TOO_BIG : readPageMessage(text);
}

/** Returns the claims of a new token for the same invoice, else `undefined`. */
export async function renewedClaims(
  tokens: PageTokens,
  { sub }: Claims,
  token: string,
): Promise<Claims | undefined> {
  const claims = await tokens.verify(token);
  return claims?.sub === sub && claims.verbs.includes('live') ? claims : undefined;
}
