import type { PageMessage, RoomMessage } from '../core/protocol.ts';
import type { Invoice, InvoiceQuote } from '../resources/invoices.ts';

/** What a room says of its invoice. */
export type InvoiceMessage = RoomMessage<Invoice, InvoiceQuote>;

/** Longest text that a page may send. */
const LONGEST = 4_096;

/** Reads a page's message; nothing is trusted, and what cannot be read is empty. */
export function readPageMessage(text: unknown): PageMessage {
  if (typeof text !== 'string' || text.length > LONGEST) return {};
  try {
    const { resume, token } = (JSON.parse(text) ?? {}) as {
      resume?: { epoch?: unknown; seq?: unknown } | null;
      token?: unknown;
    };
    const { epoch, seq } = resume ?? {};
    const isPosition = typeof epoch === 'string' && Number.isSafeInteger(seq);
    return {
      ...(resume !== undefined && { resume: isPosition ? { epoch, seq: seq as number } : null }),
      ...(typeof token === 'string' && { token }),
    };
  } catch {
    return {};
  }
}
