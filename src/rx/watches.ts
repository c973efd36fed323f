import type { Observable } from 'rxjs';
import type { Connection } from '../core/connection.ts';
import type { Invoice, InvoiceId } from '../resources/invoices/model.ts';
import type { Payment, PaymentId } from '../resources/payments/model.ts';
import type { ReceiveRequest, ReceiveRequestId } from '../resources/receive-requests/model.ts';
import { type Receives, type Seen, watchInvoice as watch, type WatchOptions, watchPayment as watchThePayment, watchReceives as watchTheReceives } from '../state/index.ts';
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

/**
 * What is true of a payment, as an Observable: completes when it is COMPLETED or FAILED; else as `watchInvoice`.
 *
 * @param payment the payment or its id
 * @example
 * watchPayment(client, payment).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export function watchPayment(client: Connection, payment: Payment | PaymentId, options: WatchOptions = {}): Observable<Seen<Payment>> {
  return fromWatch(watchThePayment(client, payment, options));
}

/**
 * What comes in for a receive request, as an Observable that never completes by itself.
 *
 * @param request the request or its id
 * @example
 * watchReceives(client, request).pipe(values()).subscribe(({ receives }) => console.log(receives.length));
 */
export function watchReceives(client: Connection, request: ReceiveRequest | ReceiveRequestId, options: WatchOptions = {}): Observable<Seen<Receives>> {
  return fromWatch(watchTheReceives(client, request, options));
}
