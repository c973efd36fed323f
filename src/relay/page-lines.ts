import type { RoomPosition } from '../core/protocol.ts';
import type { Invoice } from '../resources/invoices.ts';
import { type InvoiceMessage, readPageMessage } from './calls.ts';
import type { KeptQuote } from './relay-store.ts';
import type { Claims, PageTokens } from './tokens.ts';

// Code shared by the invoice rooms in Durable Objects and the page sockets in a process.

/** The maximum number of sockets per invoice. Any other pages read the invoice without a socket. */
export const MOST_SOCKETS = 1_000;
/**
 * The maximum length of a page's message in characters. Our own pages never send longer ones, so
 * the socket is closed with code 1009 (RFC 6455 7.4.1).
 */
const LONGEST_MESSAGE = 65_536;
const TOO_BIG = 1009;
/** How long an invoice is kept up to date after a page's request, in milliseconds. */
export const FOLLOWED_FOR = 150_000;
/** The interval at which the `FOLLOWED_FOR` period is extended, in milliseconds. */
export const FOLLOW_EVERY = 60_000;

export interface ShownRow {
  readonly asOf: number;
  /** When a read last confirmed the value, in milliseconds since 1970. */
  readonly seen: number;
  readonly value: Invoice;
  /** A state that was read later but hasn't been accepted yet. */
  readonly unconfirmed?: string | undefined;
  readonly quote?: Pick<KeptQuote, 'quote' | 'endsAt'> | undefined;
}

/** Creates a message to send now. Leaves out an expired quote. */
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

/**
 * Parses a page's message. If the message is too long, returns the code to close the socket with.
 */
export function readMessage(text: unknown): ReturnType<typeof readPageMessage> | number {
  const size = typeof text === 'string' ? text.length : (text as ArrayBuffer).byteLength;
  return size > LONGEST_MESSAGE ? TOO_BIG : readPageMessage(text);
}

/**
 * Returns the claims of a new token if it's valid for the same invoice. Otherwise returns
 * `undefined`.
 */
export async function renewedClaims(
  tokens: PageTokens,
  { sub }: Claims,
  token: string,
): Promise<Claims | undefined> {
  const claims = await tokens.verify(token);
  return claims?.sub === sub && claims.verbs.includes('live') ? claims : undefined;
}
