import type { Observable } from 'rxjs';
import type { Connection } from '../core/connection.ts';
import type { Invoice, InvoiceId } from '../resources/invoices/model.ts';
import { type Seen, watchInvoice as watch, type WatchOptions } from '../state/index.ts';
import { fromWatch } from './from-watch.ts';

/**
 * What is true of an invoice, as an Observable: starts on subscribe, is shared by all who watch the same invoice,
 * replays the last value, completes when the invoice is settled, stops on unsubscribe.
 *
 * @param invoice the invoice or its id
 * @example
 * watchInvoice(client, invoice).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export function watchInvoice(client: Connection, invoice: Invoice | InvoiceId, options: WatchOptions = {}): Observable<Seen<Invoice>> {
  return fromWatch(watch(client, invoice, options));
}
