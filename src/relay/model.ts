import type { Clock } from '../core/time/index.ts';
import type { InvoiceDraft, InvoiceId } from '../resources/invoices/model.ts';
import type { ObjectNamespace, ObjectStub } from './platform.ts';
import type { TokenSettings } from './tokens.ts';

/** What a relay needs. */
export interface RelayOptions extends TokenSettings {
  /** The account's feed, the one object with a key. */
  readonly accountName: ObjectStub;
  /** The rooms, one for each invoice. */
  readonly rooms: ObjectNamespace;
  /** Where the relay answers; `/pay`. */
  readonly path?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** An order as it is given to the page, once: the secret is kept nowhere else. */
export interface CreatedOrder {
  readonly orderId: string;
  readonly orderSecret: string;
}

/** A shop's own way between its pages and the service. */
export interface Relay {
  /** Answers what pages ask below the relay's path. */
  handle(request: Request, ctx?: unknown): Promise<Response>;
  /** Hands a delivery of a webhook to the account's feed as it came; its answer is the answer to give. Never rejects. */
  handleWebhook(request: Request): Promise<Response>;
  /** A token for one invoice, good for 15 minutes. */
  createToken(invoiceId: InvoiceId): Promise<string>;
  /**
   * Keeps an order at the shop's price; its invoice is made when the page first asks with the secret. When that invoice is
   * paid, and no other, `orderPaid` of `AccountFeed` is given this `orderId` and draft.
   */
  createOrder(draft: InvoiceDraft): Promise<CreatedOrder>;
}
