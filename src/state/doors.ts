import type { Connection } from '../core/http/index.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import { invoiceKind } from './invoice.ts';
import { hubOf } from './watch-one.ts';

/**
 * Says that an entity may have changed, from whatever heard it: watches of it look soon. Shows nothing by itself.
 *
 * @param noun such as `'invoice'` · @param why a few words for observers
 * @example
 * invalidate(client, 'invoice', invoiceId, 'customer came back');
 */
export function invalidate(
  client: Connection,
  noun: string,
  id: string,
  why: string = 'invalidated',
): void {
  hubOf(client).hub?.invalidate(noun, id, why);
}

/**
 * Hands an invoice that was read elsewhere, such as by your own relay, to the watches of it.
 *
 * @param asOf when it was read, milliseconds since 1970
 * @example
 * provide(client, invoice, message.asOf);
 */
export function provide(client: Connection, invoice: Invoice, asOf: number): void {
  hubOf(client).hub?.provide(invoiceKind, invoice, asOf);
}
