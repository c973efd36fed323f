import type { Invoice, InvoiceDraft, InvoiceId, InvoiceQuote } from '../resources/invoices.ts';

// What the relay's objects ask of each other: by path, what is sent and what comes back, as JSON.
// `calls.ts` sends and answers them; webhooks and sockets are passed on as they are, by the two
// paths at the end.

/** What is asked of the account object, by gateway and rooms. */
export interface AccountContract {
  /** Pages look at this invoice for the next minutes. What is known of it comes back. */
  readonly follow: Exchange<InvoiceRef, FollowedInvoice>;
  /** The invoice as it was read within the last period. */
  readonly read: Exchange<InvoiceRef & WithTransactions & FromVisitor, Invoice>;
  /** A new code to pay by. */
  readonly quote: Exchange<InvoiceRef & FromVisitor, InvoiceQuote>;
  readonly 'create-order': Exchange<NewOrder, object>;
  /** The order's invoice, made when it is first asked for. */
  readonly 'open-order': Exchange<OrderProof & FromVisitor, InvoiceRef>;
}

/** What is asked of an invoice's room, by gateway and account object. */
export interface RoomContract {
  /** The account object has read something new; it repeats that until this is answered. */
  readonly update: Exchange<InvoiceRef & { readonly version: InvoiceVersion }, object>;
  /** The code to pay by that all pages are given. */
  readonly quote: Exchange<InvoiceRef & FromVisitor, InvoiceQuote>;
}

/** One request and its response. */
export interface Exchange<Request extends object, Response extends object> {
  readonly request: Request;
  readonly response: Response;
}

export interface InvoiceRef {
  readonly invoiceId: InvoiceId;
}

/** What is asked of the service for one address is counted. */
export interface FromVisitor {
  /** See `visitorOf`; absent where no address is known. */
  readonly visitor?: string | undefined;
}

export interface WithTransactions {
  /** What was read has to say which payments there were. */
  readonly includeTransactions?: true | undefined;
}

/** An invoice as the account object has read it; numbers rise with each change. */
export interface InvoiceVersion {
  readonly number: number;
  /** When it was read, milliseconds since 1970. */
  readonly asOf: number;
  readonly value: Invoice;
  /** A state that was read since, and is not believed yet. */
  readonly unconfirmed?: string | undefined;
}

/** What the account object knows of an invoice that pages look at. */
export interface FollowedInvoice {
  readonly version?: InvoiceVersion | undefined;
  /** The version was true this long ago, milliseconds: clocks of objects are not compared. */
  readonly confirmedFor?: number | undefined;
}

/** What a page shows to open an order. */
export interface OrderProof {
  readonly orderId: string;
  /** SHA-256 of the order's secret, hex. */
  readonly hash: string;
}

/** An order whose price the shop has decided. */
export interface NewOrder extends OrderProof {
  readonly draft: InvoiceDraft;
  /** Milliseconds since 1970; later its secret opens nothing. */
  readonly until: number;
}

/** Path of the account object for deliveries of webhooks, passed on unread. */
export const WEBHOOK_PATH = '/webhook';
/** Path of a room for sockets, with the claims of the page's token in this header. */
export const LIVE_PATH = '/live';
export const CLAIMS_HEADER = 'paystate-claims';
