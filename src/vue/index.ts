import { computed, onMounted, shallowRef, type ShallowRef, watchEffect } from 'vue';
import type { Connection } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import { checkout, type CheckoutOptions, type CheckoutView } from '../flows/index.ts';
import type { Invoice, InvoiceId } from '../resources/invoices/model.ts';
import { type Snapshot, watchInvoice } from '../state/index.ts';

/**
 * What a watch shows, for as long as the component is mounted; on a server that is what is known
 * without asking.
 *
 * @param create makes the watch, anew when something reactive that it reads has changed
 * @example
 * const setup = () => ({ balances: useWatch(() => watchBalances(client)) });
 */
export function useWatch<T>(create: () => Watch<T>): Readonly<ShallowRef<T>> {
  const watch = computed(create);
  const now = shallowRef(watch.value.current());
  const show = (value: T): void => void (now.value = value);
  onMounted(() => watchEffect((onCleanup) => onCleanup(watch.value.subscribe(show))));
  return now;
}

/**
 * What is true of an invoice, as of `watchInvoice`.
 *
 * @param invoice the invoice or its id
 * @example
 * const setup = () => ({ snapshot: useInvoice(client, invoice) });
 */
export function useInvoice(
  client: Connection,
  invoice: Invoice | InvoiceId,
): Readonly<ShallowRef<Snapshot<Invoice>>> {
  return useWatch(() => watchInvoice(client, invoice));
}

/**
 * What a checkout shows, as of `checkout`. While it is mounted, each tap and key on the page tells it
 * that the payer is there.
 *
 * @example
 * const setup = () => ({ view: useCheckout(client, { invoiceId }) });
 */
export function useCheckout(
  client: Connection,
  options: CheckoutOptions,
): Readonly<ShallowRef<CheckoutView>> {
  const sale = checkout(client, options);
  onMounted(() =>
    watchEffect((onCleanup) => {
      const page = new AbortController();
      for (const type of ['pointerdown', 'keydown'])
        document.addEventListener(type, sale.touch, { signal: page.signal });
      onCleanup(() => page.abort());
    }),
  );
  return useWatch(() => sale);
}
