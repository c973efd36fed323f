import type { Money } from '../../money/model.ts';
import type { Id, Open } from '../../core/errors/index.ts';
import type { QuotedRate } from '../amounts/model.ts';
import type { InvoiceState } from './states.ts';

/** Id of an invoice. */
export type InvoiceId = Id<'invoice'>;

/** A request for money: paid through one of its quotes, once. */
export interface Invoice {
  /** Id of the invoice. */
  readonly invoiceId: string;
  /** What the receiver is to get. */
  readonly amount: Money;
  /** Where it stands. */
  readonly state: Open<InvoiceState>;
  /** ISO 8601 date-time with offset, up to seven fraction digits. */
  readonly created: string;
  /** The caller's own name for it, at most 40 characters, unique in the account. */
  readonly correlationId?: string | undefined;
  /** What the payer is shown. */
  readonly description?: string | undefined;
  /** Account that made it. */
  readonly issuerId: string;
  /** Account that is credited. */
  readonly receiverId: string;
  /** Only where it was made for one payer. */
  readonly payerId?: string | undefined;
  /** Only when asked for with `includeTransactions`. */
  readonly transactions?: readonly InvoiceTransaction[] | undefined;
}

/** One payment towards an invoice. */
export interface InvoiceTransaction {
  /** Id of the transaction. */
  readonly transactionId: string;
  /** Where it stands. */
  readonly state: Open<'PENDING' | 'COMPLETED'>;
  /** What came in by it. */
  readonly amountReceived: Money;
  /** ISO 8601 date-time of its detection. */
  readonly created?: string | undefined;
  /** ISO 8601 date-time of its end. */
  readonly completed?: string | undefined;
}

/** What is needed to make an invoice. */
export interface InvoiceDraft {
  /** What the receiver is to get. */
  readonly amount: Money;
  /**
   * At most 40 characters; made when absent, so that a lost response never makes a second invoice.
   */
  readonly correlationId?: string | undefined;
  /** At most 200 characters, shown to the payer. */
  readonly description?: string | undefined;
}

/** A way to pay an invoice now: a BOLT11 text at a rate, for a short time. */
export interface InvoiceQuote {
  /** Id of the quote. */
  readonly quoteId: string;
  /** What the payer is shown. */
  readonly description?: string | undefined;
  /** BOLT11 text. */
  readonly lnInvoice: string;
  /** Never ends and has no rate: not for showing to a payer. */
  readonly onchainAddress?: string | undefined;
  /** ISO 8601 date-time. */
  readonly expiration: string;
  /** Seconds of validity, counted from the response. */
  readonly expirationInSec: number;
  /** What the receiver is credited. */
  readonly targetAmount: Money;
  /** What the payer sends. */
  readonly sourceAmount: Money;
  /** Rate between what is sent and what is credited. */
  readonly conversionRate: QuotedRate;
}

/** What a quote for an invoice may be asked with. */
export interface InvoiceQuoteDraft {
  /** 64 hex digits; replaces the description in the BOLT11 text. */
  readonly descriptionHash?: string | undefined;
}

/** Which invoices to list; all that is given must hold. */
export interface InvoiceFilter {
  /** Those in this state. */
  readonly state?: Open<InvoiceState> | undefined;
  /** The one with this name of the caller's own. */
  readonly correlationId?: string | undefined;
  /** ISO 8601 date-time, exclusive. */
  readonly createdAfter?: string | Date | undefined;
  /** ISO 8601 date-time, exclusive. */
  readonly createdBefore?: string | Date | undefined;
}
