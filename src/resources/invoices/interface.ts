// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions } from '../../core/http/index.ts';
import type { List, ListOptions, Condition } from '../../core/lists/index.ts';
import type {
  Invoice,
  InvoiceDraft,
  InvoiceFilter,
  InvoiceId,
  InvoiceQuote,
  InvoiceQuoteDraft,
} from './model.ts';

/** Invoices: amounts that others pay to the account. */
export interface Invoices {
  /**
   * Creates an invoice. `draft.correlationId` is made when absent, so a lost response is asked for
   * again and never makes a second one; a duplicate that this call did not make is an error, and
   * says `outcome: 'unknown'`: an invoice with this id is there. Resolves to the invoice with its
   * correlationId. `POST /v1/invoices` (documented).
   *
   * @throws InputError for a bad field · RefusedError `DUPLICATE_INVOICE` with `values.existing` ·
   * UnreachableError with `outcome: 'unknown'` and `correlationId` when no response came
   * @example
   * const invoice = await client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } });
   */
  create(draft: InvoiceDraft, options?: CallOptions): Call<Invoice>;

  /**
   * Creates an invoice that credits another account, found by its handle; else as `create`.
   * Resolves to the invoice: `issuerId` is yours, `receiverId` the other's.
   * `POST /v1/invoices/handle/{handle}` (public).
   *
   * A call whose outcome stays unknown is settled by `ensure(draft, { handle })`, also by another
   * process.
   *
   * @param handle public name of the account that is to be credited
   * @throws RefusedError `NOT_FOUND` for an unknown or private handle, `INVALID_RECIPIENT`,
   * `USER_CURRENCY_UNAVAILABLE` · else as `create`
   * @example
   * const invoice = await client.invoices.createFor('friend', {
   *   amount: { amount: '12.50', currency: 'EUR' },
   * });
   */
  createFor(handle: string, draft: InvoiceDraft, options?: CallOptions): Call<Invoice>;

  /**
   * Creates an invoice, or finds the one that has this `correlationId` and asks for the same.
   * Resolves to the invoice as it is now and whether it existed: look at its state before you show
   * it. `POST /v1/invoices`, `GET /v1/invoices` (documented).
   *
   * @param options `handle`: the public name of the account that is to be credited, as of
   * `createFor`. The service does not tell whose name it is: where other names may have had this
   * `correlationId`, compare `receiverId`
   * @throws InputError without correlationId · RefusedError `DUPLICATE_INVOICE` when the existing
   * one differs
   * @example
   * const { invoice, existed } = await client.invoices.ensure({
   *   correlationId: 'order-7781', amount: { amount: '12.50', currency: 'EUR' },
   * });
   */
  ensure(
    draft: InvoiceDraft & { readonly correlationId: string },
    options?: CallOptions & { readonly handle?: string | undefined },
  ): Promise<{ readonly invoice: Invoice; readonly existed: boolean }>;

  /**
   * Reads one invoice. Resolves to the invoice. `GET /v1/invoices/{invoiceId}` (documented).
   *
   * @throws RefusedError `NOT_FOUND`
   * @example
   * const { state } = await client.invoices.get(invoice.invoiceId);
   */
  get(
    invoiceId: InvoiceId,
    options?: CallOptions & { readonly includeTransactions?: boolean | undefined },
  ): Call<Invoice>;

  /**
   * Lists invoices, oldest first, each exactly once though others come and go. Returns a list to
   * iterate, to page or to count; nothing is sent before that. `whereInvoice` makes filters of more
   * than these four. `GET /v1/invoices` (documented).
   *
   * @throws InputError for a date that is none
   * @example
   * for await (const invoice of client.invoices.list({ state: 'UNPAID' }))
   *   console.log(invoice.invoiceId);
   */
  list(filter?: InvoiceFilter | Condition<'invoice'>, options?: ListOptions): List<Invoice>;

  /**
   * Cancels an unpaid invoice. Resolves to the invoice, CANCELLED; after a lost response the
   * invoice is read. `PATCH /v1/invoices/{invoiceId}/cancel` (documented).
   *
   * @throws RefusedError `INVALID_STATE_FOR_INVOICE_PAID` when it is paid, `PROCESSING_PAYMENT`
   * while a payment runs
   * @example
   * const cancelled = await client.invoices.cancel(invoice.invoiceId);
   */
  cancel(invoiceId: InvoiceId, options?: CallOptions): Call<Invoice>;

  /**
   * Makes a way to pay the invoice now: a BOLT11 text with amount, rate and end. Resolves to the
   * quote; count its validity from `expirationInSec`, never from your own clock.
   * `POST /v1/invoices/{invoiceId}/quote` (documented).
   *
   * @throws RefusedError `INVALID_STATE_FOR_INVOICE_PAID`, `_CANCELLED`, `_REVERSED`
   * @example
   * const { lnInvoice, expirationInSec } = await client.invoices.quote(invoice.invoiceId);
   */
  quote(invoiceId: InvoiceId, draft?: InvoiceQuoteDraft, options?: CallOptions): Call<InvoiceQuote>;
}
