import type { Invoice, InvoiceQuote } from '../resources/invoices/model.ts';

/** The word that opens a socket's protocol; the token follows it and is not echoed. */
export const PROTOCOL = 'paystate.v1';
/** Code of closing a socket whose token is over or not for here. */
export const TOKEN_OVER = 4401;

/** What a room says: everything that it holds to be true, numbered, so that none is missed and none taken twice. */
export interface RoomMessage {
  /** Changes when the room was made anew; numbers of another epoch mean nothing. */
  readonly epoch: string;
  readonly seq: number;
  /** When the value was read from the service, milliseconds since 1970. */
  readonly asOf?: number | undefined;
  /** Absent while nothing was read yet. */
  readonly value?: Invoice | undefined;
  readonly quote?: InvoiceQuote | undefined;
  /** Left of the quote at sending; count from there. */
  readonly secondsLeft?: number | undefined;
  /** Stands for all before it: what was missed is too long ago, or of another epoch. */
  readonly snapshot?: true | undefined;
}

/** What a page says: what it has seen last, or a new token. */
export interface PageMessage {
  readonly resume?: { readonly epoch: string; readonly seq: number } | null | undefined;
  readonly token?: string | undefined;
}

/** Longest text that a page may send. */
const LONGEST = 4_096;

/** Reads what a page sent; nothing is trusted, what cannot be read is empty. */
export function readPageMessage(text: unknown): PageMessage {
  if (typeof text !== 'string' || text.length > LONGEST) return {};
  try {
    const { resume, token } = (JSON.parse(text) ?? {}) as {
      resume?: { epoch?: unknown; seq?: unknown } | null;
      token?: unknown;
    };
    const { epoch, seq } = resume ?? {};
    const isSeen = typeof epoch === 'string' && Number.isSafeInteger(seq);
    return {
      ...(resume !== undefined && { resume: isSeen ? { epoch, seq: seq as number } : null }),
      ...(typeof token === 'string' && { token }),
    };
  } catch {
    return {};
  }
}
