import {
  computed,
  type MaybeRefOrGetter,
  onMounted,
  shallowRef,
  type ShallowRef,
  toRaw,
  toValue,
  watchEffect,
} from 'vue';
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

/** What a ref needs of a watch. */
interface Shown<T> {
  readonly retry: () => void;
  current(): T;
  subscribe(show: (value: T) => void): () => void;
}

const IDLE = /* @__PURE__ */ idle<IdleSnapshot>({ freshness: 'idle' });
const IDLE_SALE = /* @__PURE__ */ idle<IdleCheckout>({ phase: 'idle' });

/** Shows one value for ever and asks nothing. */
function idle<T>(value: T): Shown<T> {
  return {
    current: () => value,
    subscribe(show) {
      show(value);
      return () => {};
    },
    retry() {},
  };
}

/**
 * What a watch shows, for as long as the component is mounted; on a server that is what is known
 * without asking.
 *
 * @param create makes the watch, and again when something reactive that it reads has changed
 * @example
 * const setup = () => ({ balances: useWatch(() => watchBalances(client)) });
 */
export function useWatch<T>(create: () => Watch<T>): Readonly<ShallowRef<T>> {
  return useShown(create, (value) => value);
}

/** What a watch shows, changed by `form`. */
function useShown<T, Form>(
  create: () => Shown<T>,
  form: (value: T, watch: Shown<T>) => Form,
): Readonly<ShallowRef<Form>> {
  const watch = computed(create);
  const formNow = (value: T): Form => form(value, watch.value);
  const now = shallowRef(formNow(watch.value.current()));
  const show = (value: T): void => void (now.value = formNow(value));
  onMounted(() => watchEffect((onCleanup) => onCleanup(watch.value.subscribe(show))));
  return now;
}

function withRetry<T extends object>(value: T, { retry }: Shown<T>): T & Retry {
  return { ...value, retry };
}

/**
 * What is true of an invoice, as of `watchInvoice`, and `retry` of that watch; `idle` until client
 * and invoice are there. Where a ref or what a getter reads has changed, the new invoice is followed.
 *
 * @param client a client, a ref of one or a getter; or nothing yet
 * @param invoice the invoice or its id, a ref of it or a getter; or nothing yet
 * @example
 * const setup = () => ({ snapshot: useInvoice(client, invoice) });
 */
export function useInvoice(
  client: MaybeRefOrGetter<Connection | undefined>,
  invoice: MaybeRefOrGetter<Invoice | InvoiceId | undefined>,
): Readonly<ShallowRef<(Snapshot<Invoice> | IdleSnapshot) & Retry>> {
  return useShown((): Shown<Snapshot<Invoice> | IdleSnapshot> => {
    const [by, one] = [toRaw(toValue(client)), toRaw(toValue(invoice))];
    return by && one !== undefined ? watchInvoice(by, one) : IDLE;
  }, withRetry);
}

/**
 * What a checkout shows, as of `checkout`, and its `retry`; `idle` until client and `invoiceId` are
 * there. While it is mounted, each tap and key on the page tells it that the payer is there. Where a
 * ref or what a getter reads has changed, the new checkout is shown.
 *
 * @param client a client, a ref of one or a getter; or nothing yet
 * @param options as of `checkout`, a ref of them or a getter; or nothing yet
 * @example
 * const setup = () => ({ view: useCheckout(client, { invoiceId }) });
 */
export function useCheckout(
  client: MaybeRefOrGetter<Connection | undefined>,
  options: MaybeRefOrGetter<LateCheckoutOptions | undefined>,
): Readonly<ShallowRef<(CheckoutView | IdleCheckout) & Retry>> {
  const sale = computed(() => {
    const [by, given] = [toRaw(toValue(client)), toValue(options)];
    const { invoiceId } = given ?? {};
    return by && invoiceId !== undefined ? checkout(by, { ...given, invoiceId }) : undefined;
  });
  onMounted(() =>
    watchEffect((onCleanup) => {
      const { touch } = sale.value ?? {};
      if (!touch) return;
      const page = new AbortController();
      for (const type of ['pointerdown', 'keydown'])
        document.addEventListener(type, touch, { signal: page.signal });
      onCleanup(() => page.abort());
    }),
  );
  return useShown<CheckoutView | IdleCheckout, (CheckoutView | IdleCheckout) & Retry>(
    () => sale.value ?? IDLE_SALE,
    withRetry,
  );
}
