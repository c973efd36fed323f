import type { RoomPosition } from '../core/protocol.ts';
import type { Invoice } from '../resources/invoices.ts';
import { type InvoiceMessage, readPageMessage } from './calls.ts';
import type { KeptQuote } from './relay-store.ts';
import type { Claims, PageTokens } from './tokens.ts';

// The sockets of pages, as a room in its object and the pages of a process have them in common.

/** Most sockets of one invoice's pages; more of them read it without a socket. */
export const MOST_SOCKETS = 1_000;
/** A longer message comes from no page of ours, and closes its socket (RFC 6455 7.4.1). */
const LONGEST_MESSAGE = 65_536;
const TOO_BIG = 1009;
/** Pages show their invoices for this long after it was said that they do, milliseconds. */
export const FOLLOWED_FOR = 150_000;
/** It is said again after this. */
export const FOLLOW_EVERY = 60_000;

/** An invoice as pages are told of it. */
export interface ShownRow {
  /** When it was read. */
  readonly asOf: number;
  /** When a read last showed it as it is kept. */
  readonly seen: number;
  readonly value: Invoice;
  /** A state that was read since and is not believed yet. */
  readonly unconfirmed?: string | undefined;
  readonly quote?: Pick<KeptQuote, 'quote' | 'endsAt'> | undefined;
}

/** A message that is sent now: a code that has expired is not in it. */
export function messageOf(
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

/** A page's message, or the code with which its socket has to be closed. */
export function readMessage(text: unknown): ReturnType<typeof readPageMessage> | number {
  const size = typeof text === 'string' ? text.length : (text as ArrayBuffer).byteLength;
  return size > LONGEST_MESSAGE ? TOO_BIG : readPageMessage(text);
}

/** The claims of a new token for a socket; nothing where it is for another invoice. */
export async function renewedClaims(
  tokens: PageTokens,
  { sub }: Claims,
  token: string,
): Promise<Claims | undefined> {
  const claims = await tokens.verify(token);
  return claims?.sub === sub && claims.verbs.includes('live') ? claims : undefined;
}
