// Invoices: amounts that others pay to the account.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import { badInput, type ErrorFacts } from '../../core/errors/index.ts';
import {
  createdWhere,
  equals,
  type List,
  listOf,
  type ListOptions,
  type Condition,
} from '../../core/lists/index.ts';
import * as endpoints from './endpoints.ts';
import type {
  Invoice,
  InvoiceDraft,
  InvoiceFilter,
  InvoiceId,
  InvoiceQuote,
  InvoiceQuoteDraft,
} from './model.ts';
import { createOnce } from './create-once.ts';
import { READ_AFTER_LOSS, confirmMoved } from '../confirm-moved.ts';

/**
 * Creates an invoice. `draft.correlationId` is made when absent, so a lost response is asked for
 * again and never makes a second one; a duplicate that this call did not make is an error, and says
 * `outcome: 'unknown'`: an invoice with this id is there. Resolves to the invoice with its
 * correlationId. `POST /v1/invoices` (documented).
 *
 * @throws InputError for a bad field · RefusedError `DUPLICATE_INVOICE` with `values.existing` ·
 * UnreachableError with `outcome: 'unknown'` and `correlationId` when no response came
 * @example
 * const invoice = await client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } });
 */
export function create(
  connection: Connection,
  draft: InvoiceDraft,
  options: CallOptions = {},
): Call<Invoice> {
  return createOnce(connection, draft, options);
}

/**
 * Creates an invoice that credits another account, found by its handle; else as `create`. Resolves
 * to the invoice: `issuerId` is yours, `receiverId` the other's. `POST
 * /v1/invoices/handle/{handle}` (public).
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
export function createFor(
  connection: Connection,
  handle: string,
  draft: InvoiceDraft,
  options: CallOptions = {},
): Call<Invoice> {
  return createOnce(connection, draft, options, undefined, handle);
}

/**
 * Creates an invoice, or finds the one that has this `correlationId` and asks for the same.
 * Resolves to the invoice as it is now and whether it existed: look at its state before you show
 * it. `POST /v1/invoices`, `GET /v1/invoices` (documented).
 *
 * @param options `handle`: the public name of the account that is to be credited, as of `createFor`.
 * The service does not tell whose name it is: where other names may have had this `correlationId`,
 * compare `receiverId`
 * @throws InputError without correlationId · RefusedError `DUPLICATE_INVOICE` when the existing one
 * differs
 * @example
 * const { invoice, existed } = await client.invoices.ensure({
 *   correlationId: 'order-7781', amount: { amount: '12.50', currency: 'EUR' },
 * });
 */
export async function ensure(
  connection: Connection,
  draft: InvoiceDraft & { readonly correlationId: string },
  options: CallOptions & { readonly handle?: string | undefined } = {},
): Promise<{ readonly invoice: Invoice; readonly existed: boolean }> {
  if (!draft?.correlationId)
    throw badInput('correlationId', 'is required to find the invoice again', {
      validation: 'INVALID_DATA_REQUIRED',
    });
  let existed = false;
  const adopt = (before: boolean) => void (existed = before);
  const invoice = await createOnce(connection, draft, options, adopt, options.handle);
  return { invoice, existed };
}

/**
 * Reads one invoice. Resolves to the invoice. `GET /v1/invoices/{invoiceId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 * @example
 * const { state } = await client.invoices.get(invoice.invoiceId);
 */
export function get(
  connection: Connection,
  invoiceId: InvoiceId,
  options: CallOptions & { readonly includeTransactions?: boolean | undefined } = {},
): Call<Invoice> {
  const includeTransactions = options.includeTransactions || undefined;
  return send(connection, endpoints.get, { where: { invoiceId, includeTransactions } }, options);
}

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
export function list(
  connection: Connection,
  filter: InvoiceFilter | Condition<'invoice'> = {},
  options: ListOptions = {},
): List<Invoice> {
  const { state, correlationId, createdAfter, createdBefore, text } = filter as InvoiceFilter &
    Partial<Condition<'invoice'>>;
  const terms = [
    text,
    equals('state', state),
    equals('correlationId', correlationId),
    createdWhere('gt', 'createdAfter', createdAfter),
    createdWhere('lt', 'createdBefore', createdBefore),
  ];
  return listOf(connection, endpoints.list, (invoice) => invoice.invoiceId, terms, options);
}

/**
 * Cancels an unpaid invoice. Resolves to the invoice, CANCELLED; after a lost response the invoice
 * is read. `PATCH /v1/invoices/{invoiceId}/cancel` (documented).
 *
 * @throws RefusedError `INVALID_STATE_FOR_INVOICE_PAID` when it is paid, `PROCESSING_PAYMENT` while
 * a payment runs
 * @example
 * const cancelled = await client.invoices.cancel(invoice.invoiceId);
 */
export function cancel(
  connection: Connection,
  invoiceId: InvoiceId,
  options: CallOptions = {},
): Call<Invoice> {
  const resolve = (refusal: ErrorFacts, rest: CallOptions): Promise<Invoice> =>
    confirmMoved(
      refusal,
      get(connection, invoiceId, { ...rest, reason: READ_AFTER_LOSS }),
      ({ state }) => !/^(UNPAID|PENDING)$/.test(state),
    );
  return send(connection, endpoints.cancel, { where: { invoiceId }, resolve }, options);
}

/**
 * Makes a way to pay the invoice now: a BOLT11 text with amount, rate and end. Resolves to the
 * quote; count its validity from `expirationInSec`, never from your own clock. `POST
 * /v1/invoices/{invoiceId}/quote` (documented).
 *
 * @throws RefusedError `INVALID_STATE_FOR_INVOICE_PAID`, `_CANCELLED`, `_REVERSED`
 * @example
 * const { lnInvoice, expirationInSec } = await client.invoices.quote(invoice.invoiceId);
 */
export function quote(
  connection: Connection,
  invoiceId: InvoiceId,
  draft: InvoiceQuoteDraft = {},
  options: CallOptions = {},
): Call<InvoiceQuote> {
  const { input: _, ...bare } = endpoints.quote; // without a hash there is no body
  return draft?.descriptionHash === undefined
    ? send(connection, bare, { where: { invoiceId } }, options)
    : send(connection, endpoints.quote, { where: { invoiceId }, draft }, options);
}
