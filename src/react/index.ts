import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Connection } from '../core/http/index.ts';
import type { IdleCheckout, IdleSnapshot, Retry, Watch } from '../core/watch.ts';
import { checkout, type CheckoutOptions, type CheckoutView } from '../flows/index.ts';
import type { Invoice, InvoiceId } from '../resources/invoices.ts';
import { type Snapshot, watchInvoice } from '../state/index.ts';

export type { IdleCheckout, IdleSnapshot, Retry };

/** The options of `checkout`, of which `invoiceId` may come later. */
type LateCheckoutOptions = Omit<CheckoutOptions, 'invoiceId'> & {
  /** Id of the invoice; nothing is asked before it is there. */
  readonly invoiceId: InvoiceId | undefined;
};

/** What a hook needs of a watch. */
interface Shown<T> {
  readonly retry: () => void;
  current(): T;
  subscribe(listen: () => void): () => void;
}

const IDLE = /* @__PURE__ */ idle<IdleSnapshot>({ freshness: 'idle' });
const IDLE_SALE = /* @__PURE__ */ idle<IdleCheckout>({ phase: 'idle' });

/** Shows one value for ever and asks nothing. */
function idle<T>(value: T): Shown<T> {
  return { current: () => value, subscribe: () => () => {}, retry() {} };
}

/**
 * What a watch shows, from the first rendering on; on a server that is what is known without asking.
 *
 * @param create makes the watch, anew when one of `deps` has changed
 * @param deps all that `create` uses
 * @example
 * const Euros = () => String(useWatch(() => watchBalances(client), [client]).freshness);
 */
export function useWatch<T>(create: () => Watch<T>, deps: readonly unknown[]): T {
  return useShown(useMemo(create, deps));
}

function useShown<T>(watch: Shown<T>): T {
  return useSyncExternalStore(watch.subscribe, watch.current, watch.current);
}

/** The same object until what the watch shows changes. */
function useRetried<T extends object>(watch: Shown<T>): T & Retry {
  const shown = useShown(watch);
  return useMemo(() => ({ ...shown, retry: watch.retry }), [shown, watch]);
}

/**
 * What is true of an invoice, as of `watchInvoice`, and `retry` of that watch; `idle` until client
 * and invoice are there.
 *
 * @param client a client, or nothing yet
 * @param invoice the invoice or its id, or nothing yet
 * @example
 * const State = () => useInvoice(client, invoice).value?.state ?? 'unknown';
 */
export function useInvoice(
  client: Connection | undefined,
  invoice: Invoice | InvoiceId | undefined,
): (Snapshot<Invoice> | IdleSnapshot) & Retry {
  const id = typeof invoice === 'object' ? invoice.invoiceId : invoice;
  const watch = useMemo(
    (): Shown<Snapshot<Invoice> | IdleSnapshot> =>
      client && id !== undefined ? watchInvoice(client, id) : IDLE,
    [client, id],
  );
  return useRetried(watch);
}

/**
 * What a checkout shows, as of `checkout`, and its `retry`; `idle` until client and `invoiceId` are
 * there. While it is mounted, each tap and key on the page tells it that the payer is there.
 *
 * @param client a client, or nothing yet
 * @param options as of `checkout`; only `invoiceId` is compared from one rendering to the next
 * @example
 * const Phase = () => useCheckout(client, { invoiceId }).phase;
 */
export function useCheckout(
  client: Connection | undefined,
  options: LateCheckoutOptions,
): (CheckoutView | IdleCheckout) & Retry {
  const { invoiceId } = options;
  const sale = useMemo(
    () =>
      client && invoiceId !== undefined ? checkout(client, { ...options, invoiceId }) : undefined,
    [client, invoiceId],
  );
  useEffect(() => {
    if (!sale) return undefined;
    const page = new AbortController();
    for (const type of ['pointerdown', 'keydown'])
      document.addEventListener(type, sale.touch, { signal: page.signal });
    return () => page.abort();
  }, [sale]);
  return useRetried<CheckoutView | IdleCheckout>(sale ?? IDLE_SALE);
}
