import { type Connection, internals, type Priority, withPriority } from '../core/http/index.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import { resource } from '../resources/invoices/resource.ts';
import { GatheredReads } from '../webhooks/gathered-reads.ts';
import { EVENT_READS, readMany } from '../webhooks/resource-reads.ts';
import type { InvoiceReader } from './invoice-reader.ts';

/** Part of the rate limit for events of invoices that are no order's. */
const STRANGERS = 1 / 10;

/**
 * Reads invoices for their events, and for the pages that look at them. Where the shop ships orders
 * only, anybody can make invoices that are no order's, and many of them: they are read last, and
 * take nothing from those of orders.
 */
export class EventReads {
  readonly #orders: GatheredReads<Invoice>;
  readonly #others: GatheredReads<Invoice>;
  readonly #isFirst: (invoiceId: string) => boolean;

  constructor(client: Connection, reader: InvoiceReader, isFirst: (invoiceId: string) => boolean) {
    this.#isFirst = isFirst;
    this.#orders = gatherReads(client, reader, EVENT_READS, 'normal');
    this.#others = gatherReads(client, reader, STRANGERS, 'low');
  }

  read(invoiceId: string): Promise<Invoice> {
    return (this.#isFirst(invoiceId) ? this.#orders : this.#others).read(invoiceId);
  }
}

function gatherReads(
  connection: Connection,
  reader: InvoiceReader,
  part: number,
  priority: Priority,
): GatheredReads<Invoice> {
  const client = withPriority(connection, priority);
  const many = async (ids: readonly string[]) => {
    const sentAt = client[internals].clock.now();
    const found = await readMany(client, resource.watch.list!, resource.idOf, ids);
    // what could not be kept is read again
    for (const value of found.values()) reader.takeListed(value, sentAt).catch(() => {});
    return found;
  };
  const one = (id: string) => reader.readForEvent(id, priority);
  return new GatheredReads(client, { one, many }, part, priority);
}
