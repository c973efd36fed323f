import { type Connection, send } from '../core/http/index.ts';
import { anyOf, between, PAGE } from '../core/lists/index.ts';
import type { Watch } from '../core/watch/index.ts';
import * as rows from '../resources/invoices/endpoints.ts';
import type { Invoice, InvoiceId } from '../resources/invoices/model.ts';
import { invoiceStates } from '../resources/invoices/states.ts';
import type { WatchOptions } from './hub.ts';
import type { Kind } from './kind.ts';
import type { Snapshot } from './seen.ts';
import { watchEntity } from './watch-entity.ts';

/** How invoices are looked at. */
export const invoiceKind: Kind<Invoice> = {
  name: 'invoice',
  life: invoiceStates,
  idOf: (invoice) => invoice.invoiceId,
  stateOf: (invoice) => invoice.state,
  find: (connection, invoiceId, options) =>
    send(connection, rows.get, { where: { invoiceId } }, options),
  lists: {
    byIds: (connection, ids, options) =>
      send(
        connection,
        rows.list,
        { where: { filter: anyOf('invoiceId', ids), top: PAGE } },
        options,
      ),
    byCreated: (connection, after, before, skip, options) =>
      send(
        connection,
        rows.list,
        { where: { filter: between(after, before), orderBy: 'created asc', top: PAGE, skip } },
        options,
      ),
  },
};

/**
 * Watches an invoice: what is true of it now, and how fresh that is. Nothing is sent before somebody subscribes;
 * any number of watches share their requests. Completes when the invoice is settled (PAID, CANCELLED, REVERSED);
 * a failed look never ends it, it only makes the value `stale`. `GET /v1/invoices` (seed).
 *
 * @param invoice the invoice or its id
 * @throws through `error`: RefusedError when the service refuses to show it, AuthenticationError when the credential is over
 * @example
 * for await (const { value, freshness } of watchInvoice(client, invoice)) console.log(value.state, freshness);
 */
export function watchInvoice(
  client: Connection,
  invoice: Invoice | InvoiceId,
  options: WatchOptions = {},
): Watch<Snapshot<Invoice>> {
  return watchEntity(
    client,
    invoiceKind,
    invoice,
    options,
    typeof invoice === 'string' ? undefined : invoice?.created,
  );
}
