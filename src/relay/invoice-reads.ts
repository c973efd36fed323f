import { isPaystateError } from '../core/errors/index.ts';
import {
  type CallOptions,
  type Connection,
  internals,
  type Priority,
  withPriority,
} from '../core/http/index.ts';
import { get, type Invoice } from '../resources/invoices.ts';
import type { WithTransactions } from './calls.ts';
import { PLACE_WAIT } from './routes.ts';

/** Whether the payments are read too. */
type Extent = WithTransactions['includeTransactions'];

/** One read of an invoice. */
interface InvoiceRead extends Pick<CallOptions, 'maxAttempts'> {
  readonly reason: string;
  readonly extent: Extent;
  readonly priority: Priority;
}

/** Reads single invoices; who asks for the same while it is under way can share it. */
export class InvoiceReads {
  readonly #client: Connection;
  readonly #taken: (read: Invoice, extent: Extent, sentAt: number) => void;
  readonly #underWay: Map<string, Promise<Invoice>> = new Map();

  /** @param taken is given each response before whoever has asked */
  constructor(client: Connection, taken: (read: Invoice, extent: Extent, sentAt: number) => void) {
    this.#client = client;
    this.#taken = taken;
  }

  isUnderWay(invoiceId: string, extent: Extent): boolean {
    return this.#underWay.has(readKey(invoiceId, extent));
  }

  /** What is under way, or a new read. */
  share(invoiceId: string, asked: InvoiceRead): Promise<Invoice> {
    const key = readKey(invoiceId, asked.extent);
    return this.#underWay.get(key) ?? this.#begin(invoiceId, asked, key);
  }

  /** A read that is sent after this call. */
  begin(invoiceId: string, asked: InvoiceRead): Promise<Invoice> {
    return this.#begin(invoiceId, asked, readKey(invoiceId, undefined));
  }

  #begin(invoiceId: string, asked: InvoiceRead, key: string): Promise<Invoice> {
    const end = () => void (this.#underWay.get(key) === read && this.#underWay.delete(key));
    const read = this.#read(invoiceId, asked).finally(end);
    this.#underWay.set(key, read);
    return read;
  }

  async #read(invoiceId: string, asked: InvoiceRead): Promise<Invoice> {
    const sentAt = this.#client[internals].clock.now();
    const read = await readInvoice(this.#client, invoiceId, asked);
    this.#taken(read, asked.extent, sentAt);
    return withoutPayments(read);
  }
}

/** Reads one, whole; where payments are refused, the invoice alone. */
export async function readInvoice(
  connection: Connection,
  invoiceId: string,
  { reason, extent, priority, maxAttempts }: InvoiceRead,
): Promise<Invoice> {
  const client = withPriority(connection, priority);
  const options = { reason, queueTimeout: PLACE_WAIT, maxAttempts };
  try {
    return await get(client, invoiceId, { ...options, includeTransactions: extent });
  } catch (error) {
    if (!extent || !isPaystateError(error) || error.kind !== 'refused') throw error;
    return get(client, invoiceId, options);
  }
}

/** Reads with payments are counted apart from those without. */
export function readKey(invoiceId: string, extent: Extent): string {
  return extent ? `${invoiceId} with payments` : invoiceId;
}

/** As lists and watches have it. */
export function withoutPayments(read: Invoice): Invoice {
  const { transactions: _, ...invoice } = read;
  return invoice;
}
