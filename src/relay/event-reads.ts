import { type Connection, internals, type Priority, withPriority } from '../core/http/index.ts';
import { type Invoice, resource } from '../resources/invoices.ts';
import { GatheredReads } from '../webhooks/gathered-reads.ts';
import { EVENT_READS, readMany } from '../webhooks/resource-reads.ts';
import type { InvoiceReader } from './invoice-reader.ts';

/** Part of the rate limit for events of invoices that are no order's. */
const STRANGERS = 1 / 10;
/** The same for looks at what no event has told of. */
const LOOKS = 0.3;

/** Whether an event is the reason, in words that the log of requests shows. */
type Occasion = 'events' | 'looks';

/**
 * Reads invoices by lists: for their events, and in case an event was lost. What an order's event
 * asks for goes before all other reads. Where the shop ships orders only, others can make invoices
 * that are no order's, and many of them: they are read last, and take nothing from those of orders.
 */
export class EventReads {
  readonly #orders: GatheredReads<Invoice>;
  readonly #others: GatheredReads<Invoice>;
  readonly #looks: GatheredReads<Invoice>;
  readonly #isFirst: (invoiceId: string) => boolean;

  constructor(client: Connection, reader: InvoiceReader, isFirst: (invoiceId: string) => boolean) {
    this.#isFirst = isFirst;
    this.#orders = gatherReads(client, reader, EVENT_READS, 'high');
    this.#others = gatherReads(client, reader, STRANGERS, 'low');
    this.#looks = gatherReads(client, reader, LOOKS, 'low', 'looks');
  }

  read(invoiceId: string): Promise<Invoice> {
    return (this.#isFirst(invoiceId) ? this.#orders : this.#others).read(invoiceId);
  }

  /** Reads one that nothing has told of. */
  look(invoiceId: string): Promise<Invoice> {
    return this.#looks.read(invoiceId);
  }
}

function gatherReads(
  connection: Connection,
  reader: InvoiceReader,
  part: number,
  priority: Priority,
  occasion: Occasion = 'events',
): GatheredReads<Invoice> {
  const client = withPriority(connection, priority);
  const many = async (ids: readonly string[]) => {
    const sentAt = client[internals].clock.now();
    const found = await readMany(client, resource.watch.list!, resource.idOf, ids, occasion);
    // what could not be kept is read again
    for (const value of found.values()) reader.takeListed(value, sentAt).catch(() => {});
    return found;
  };
  const one = (id: string) =>
    reader.readNow(id, priority, occasion === 'looks' ? 'a look' : 'an event');
  return new GatheredReads(client, { one, many }, part, priority);
}
