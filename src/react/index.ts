import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Connection } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import { checkout, type CheckoutOptions, type CheckoutView } from '../flows/index.ts';
import type { Invoice, InvoiceId } from '../resources/invoices/model.ts';
import { type Snapshot, watchInvoice } from '../state/index.ts';

/**
 * What a watch shows, from the first rendering on; on a server that is what is known without asking.
 *
 * @param create makes the watch, anew when one of `deps` has changed
 * @param deps all that `create` uses
 * @example
 * const Euros = () => String(useWatch(() => watchBalances(client), [client]).freshness);
 */
export function useWatch<T>(create: () => Watch<T>, deps: readonly unknown[]): T {
  const watch = useMemo(create, deps);
  return useSyncExternalStore(watch.subscribe, watch.current, watch.current);
}

/**
 * What is true of an invoice, as of `watchInvoice`.
 *
 * @param invoice the invoice or its id
 * @example
 * const State = () => useInvoice(client, invoice).value?.state ?? 'unknown';
 */
export function useInvoice(client: Connection, invoice: Invoice | InvoiceId): Snapshot<Invoice> {
  const id = typeof invoice === 'string' ? invoice : invoice.invoiceId;
  return useWatch(() => watchInvoice(client, id), [client, id]);
}

/**
 * What a checkout shows, as of `checkout`. While it is mounted, each tap and key on the page tells it
 * that the payer is there.
 *
 * @param options as of `checkout`; only `invoiceId` is compared from one rendering to the next
 * @example
 * const Phase = () => useCheckout(client, { invoiceId }).phase;
 */
export function useCheckout(client: Connection, options: CheckoutOptions): CheckoutView {
  const sale = useMemo(() => checkout(client, options), [client, options.invoiceId]);
  useEffect(() => {
    const page = new AbortController();
    for (const type of ['pointerdown', 'keydown'])
      document.addEventListener(type, sale.touch, { signal: page.signal });
    return () => page.abort();
  }, [sale]);
  return useWatch(() => sale, [sale]);
}
