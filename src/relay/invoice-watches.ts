import { type Connection, withPriority } from '../core/http/index.ts';
import type { Watch } from '../core/watch.ts';
import type { Invoice } from '../resources/invoices.ts';
import { type Snapshot, watchInvoice } from '../state/index.ts';

type InvoiceWatch = Watch<Snapshot<Invoice>>;

/** What becomes of watches. */
interface WatchListener {
  /** It shows something new. Rejects where that cannot be kept. */
  shown(value: Invoice, watch: InvoiceWatch): Promise<void>;
  /** The service refuses to show it, for good. */
  refused(invoiceId: string): void;
}

/** Watches of invoices by the client's hub, which joins, gathers and paces their reads. */
export class InvoiceWatches {
  readonly #client: Connection;
  readonly #listener: WatchListener;
  readonly #watches: Map<string, { readonly watch: InvoiceWatch; stop: () => void }> = new Map();

  constructor(client: Connection, listener: WatchListener) {
    this.#client = client;
    this.#listener = listener;
  }

  /** Watches exactly these, and says which were not watched before. */
  set(wanted: ReadonlySet<string>, begun: (invoiceId: string) => void): void {
    for (const [id, { stop }] of [...this.#watches]) {
      if (wanted.has(id)) continue;
      stop();
      this.#watches.delete(id);
    }
    for (const id of wanted) if (this.begin(id)) begun(id);
  }

  /** Begins to watch one; returns whether it was not watched. */
  begin(invoiceId: string): boolean {
    if (this.#watches.has(invoiceId)) return false;
    const watch = watchInvoice(withPriority(this.#client, 'normal'), invoiceId, { until: 'never' });
    const entry = { watch, stop: () => {} };
    this.#watches.set(invoiceId, entry);
    entry.stop = watch.subscribe({
      next: ({ value }) => void this.#show(invoiceId, watch, value),
      error: () => {
        this.#watches.delete(invoiceId);
        this.#listener.refused(invoiceId);
      },
    });
    return true;
  }

  /** What cannot be kept is watched no more: its object may be gone, else its alarm begins anew. */
  async #show(invoiceId: string, watch: InvoiceWatch, value: Invoice | undefined): Promise<void> {
    try {
      if (value) await this.#listener.shown(value, watch);
    } catch {
      this.#watches.get(invoiceId)?.stop();
      this.#watches.delete(invoiceId);
    }
  }

  get(invoiceId: string): InvoiceWatch | undefined {
    return this.#watches.get(invoiceId)?.watch;
  }
}
