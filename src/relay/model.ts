import type { Clock } from '../core/time.ts';
import type { InvoiceDraft, InvoiceId } from '../resources/invoices.ts';
import type { ObjectNamespace, ObjectStub } from './platform.ts';
import type { TokenSettings } from './tokens.ts';

/** What a relay needs. */
export interface RelayOptions extends TokenSettings {
  /**
   * The account object, the one with the API key: its stub where the relay is made for one request,
   * else what makes a stub for each call.
   */
  readonly account: ObjectStub | (() => ObjectStub);
  /** The rooms, one for each invoice. */
  readonly rooms: ObjectNamespace;
  /**
   * Secrets of the account's webhooks, as the account object has them: a delivery that is not signed
   * by one of them is refused here, and wakes no object. Absent: the account object checks all.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /** Where the relay answers; `/pay`. */
  readonly path?: string | undefined;
  /** Time for tokens and orders; the machine's own. */
  readonly clock?: Clock | undefined;
}

/** An order as it is given to the page, once: its secret is kept nowhere else. */
export interface CreatedOrder {
  /** Names the order; its invoice has it as `correlationId`. Not a secret. */
  readonly orderId: string;
  /**
   * Opens the invoice of the order for two days. Give it to the page of this customer and nowhere
   * else; only its hash is kept here.
   */
  readonly orderSecret: string;
}

/** A shop's relay between its pages and the service. */
export interface Relay {
  /** Responds to what pages ask below the relay's path. */
  handle(request: Request, ctx?: unknown): Promise<Response>;
  /**
   * Passes a delivery of a webhook to the account object; with `secrets` only one that is signed and
   * not older than 30 days. Resolves to the response to give. Never rejects.
   */
  handleWebhook(request: Request): Promise<Response>;
  /** A token for one invoice, good for `tokenLifetime`. */
  createToken(invoiceId: InvoiceId): Promise<string>;
  /**
   * Keeps an order at the shop's price; its invoice is made when the page first asks with the
   * secret. When that invoice is paid, and no other, `orderPaid` of `AccountObject` is given this
   * `orderId` and draft.
   *
   * @param own your own `orderId` (at most 40 characters) and `orderSecret` (32 at least): with the same
   * draft it is the same order, however often it is created
   * @throws InputError for a draft that no invoice can be made for, and with the code
   * `PROCESSING_CONFLICT` for an `orderId` of another draft or secret; UnreachableError with the outcome
   * `unknown` where the account object did not answer: its `correlationId` is the order's id
   */
  createOrder(draft: InvoiceDraft, own?: Partial<CreatedOrder>): Promise<CreatedOrder>;
}
