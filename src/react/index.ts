import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from 'react';
import type { Client } from '../client.ts';
import { badInput, checkArgument } from '../core/errors/index.ts';
import { type Connection, checkClient } from '../core/http/index.ts';
import type { IdleCheckout, IdleSnapshot, Watch, WatchActions } from '../core/watch.ts';
import { checkout, type CheckoutOptions, type CheckoutView } from '../flows/index.ts';
import type { Invoice, InvoiceId } from '../resources/invoices.ts';
import { type KnownSnapshot, type Snapshot, watchInvoice } from '../state/index.ts';
import { withActions } from '../state/snapshot.ts';
import { heldInvoice } from './suspense.ts';

export type { IdleCheckout, IdleSnapshot, WatchActions };

/** Options for `checkout` whose `invoiceId` may still be missing. */
type LateCheckoutOptions = Omit<CheckoutOptions, 'invoiceId'> & {
  /** Id of the invoice. No request is sent while it's missing. */
  readonly invoiceId: InvoiceId | null | undefined;
};

/** A hook's arguments, with or without a client. */
type Given<C, T> = readonly [T] | readonly [client: C, T];

type Acting<T> = T & WatchActions<T>;

interface Shown<T, Read = T> extends WatchActions<Read> {
  current(): T;
  subscribe(listen: () => void): () => void;
}

const ClientContext = /* @__PURE__ */ createContext<Client | undefined>(undefined);
const IDLE = /* @__PURE__ */ idle<IdleSnapshot>({ freshness: 'idle' });
const IDLE_CHECKOUT = /* @__PURE__ */ idle<IdleCheckout>({ phase: 'idle' });
const NO_WATCH = /* @__PURE__ */ idle<undefined>(undefined);

/** Returns a watch with a constant value, which sends no requests. */
function idle<T>(value: T): Shown<T> {
  return {
    current: () => value,
    subscribe: () => () => {},
    retry() {},
    refresh: () => Promise.resolve(value),
  };
}

/**
 * Provides a client to the hooks in all nested components.
 *
 * @param props `client`, and the `children` that use it
 *
 * @example
 * import { createElement } from 'react';
 * const page = createElement(PaystateProvider, { client }, 'the shop');
 */
export function PaystateProvider(props: {
  /** The client to provide. Create it once, outside the component. */
  readonly client: Client;
  /** Components that use the client. */
  readonly children?: ReactNode;
}): ReactElement {
  checkClient(props.client);
  return createElement(ClientContext.Provider, { value: props.client }, props.children);
}

/**
 * Returns the client of the nearest `PaystateProvider`.
 *
 * @throws InputError if there's no provider around the component
 *
 * @example
 * import { createElement } from 'react';
 * const Cancel = ({ id }: { id: string }) => {
 *   const client = useClient();
 *   return createElement('button', { onClick: () => client.invoices.cancel(id) }, 'Cancel');
 * };
 */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client)
    throw badInput(
      'client',
      'wrap the page in <PaystateProvider client={client}>, or pass a client',
    );
  return client;
}

/** Returns a hook's arguments, with the provider's client if the hook was called without one. */
function useGiven<C extends Connection | undefined, T>(
  given: Given<C, T>,
): readonly [C | Client, T] {
  // A component always calls a hook with the same number of arguments, so the order of hooks is
  // stable.
  if (given.length === 1) return [useClient(), given[0]];
  if (given[0] !== undefined) checkClient(given[0]);
  return given;
}

/**
 * Returns the current value of a watch, starting with the first render. On a server, it only
 * renders values that are already known and sends no request.
 *
 * @param create a function that creates the watch, called again when `deps` change
 * @param deps all values that `create` uses
 *
 * @example
 * const Euros = () => String(useWatch(() => watchBalances(client), [client]).freshness);
 */
export function useWatch<T>(create: () => Watch<T>, deps: readonly unknown[]): T;
/**
 * Works like the other overload, but `create` may return `undefined` until it can create the watch.
 */
export function useWatch<T>(
  create: () => Watch<T> | undefined,
  deps: readonly unknown[],
): T | undefined;
export function useWatch<T>(
  create: () => Watch<T> | undefined,
  deps: readonly unknown[],
): T | undefined {
  checkArgument('create', create, 'function!');
  checkArgument('deps', deps, 'array!');
  const watch = useMemo(create, deps) ?? NO_WATCH;
  checkArgument('watch.subscribe', watch.subscribe, 'function!');
  return useShown<T | undefined>(watch);
}

function useShown<T>(watch: Shown<T, unknown>): T {
  return useSyncExternalStore(watch.subscribe, watch.current, watch.current);
}

/**
 * Returns the watch's value with `retry` and `refresh`. It's the same object until the value
 * changes.
 */
function useActing<T extends object, Read>(watch: Shown<T, Read>): T & WatchActions<Read> {
  const shown = useShown(watch);
  // A watch creates a new `refresh` function on each access.
  const actions = useMemo(() => ({ retry: watch.retry, refresh: watch.refresh }), [watch]);
  return useMemo(() => withActions(shown, actions), [shown, actions]);
}

/**
 * Watches an invoice. Returns the current snapshot with `retry` and `refresh`. While there's no
 * client or no invoice, the snapshot's `freshness` is `idle`.
 *
 * @param invoice the invoice or its id, or `undefined` until you have one. This overload uses the
 * client of `PaystateProvider`
 * @throws InputError if no client was passed and there's no provider around the component
 *
 * @example
 * const State = () => useInvoice(client, invoice).value?.state ?? 'unknown';
 */
export function useInvoice(
  invoice: Invoice | InvoiceId | null | undefined,
): Acting<Snapshot<Invoice> | IdleSnapshot>;
/** Works like the other overload, but takes a client. Pass `undefined` until you have one. */
export function useInvoice(
  client: Connection | undefined,
  invoice: Invoice | InvoiceId | null | undefined,
): Acting<Snapshot<Invoice> | IdleSnapshot>;
export function useInvoice(
  ...given: Given<Connection | undefined, Invoice | InvoiceId | null | undefined>
): Acting<Snapshot<Invoice> | IdleSnapshot> {
  const [client, invoice] = useGiven(given);
  const id = typeof invoice === 'object' ? invoice?.invoiceId : invoice;
  const watch = useMemo(
    (): Shown<Snapshot<Invoice> | IdleSnapshot> =>
      client && id !== undefined ? watchInvoice(client, id) : IDLE,
    [client, id],
  );
  return useActing(watch);
}

/**
 * Watches an invoice with Suspense. Returns the current snapshot with `retry` and `refresh`. The
 * component suspends until the first value is available. Meanwhile, failed reads are retried. An
 * error that ends the watch, such as a refused credential, is thrown to the error boundary.
 *
 * @param invoice the invoice or its id. This overload uses the client of `PaystateProvider`
 * @throws the error that ended the watch, or InputError if no client was passed and there's no
 * provider around the component
 *
 * @example
 * const State = () => useSuspenseInvoice(client, invoice).value.state;
 */
export function useSuspenseInvoice(
  invoice: Invoice | InvoiceId,
): KnownSnapshot<Invoice> & WatchActions<Snapshot<Invoice>>;
/** Works like the other overload, but takes a client. */
export function useSuspenseInvoice(
  client: Connection,
  invoice: Invoice | InvoiceId,
): KnownSnapshot<Invoice> & WatchActions<Snapshot<Invoice>>;
export function useSuspenseInvoice(
  ...given: Given<Connection, Invoice | InvoiceId>
): KnownSnapshot<Invoice> & WatchActions<Snapshot<Invoice>> {
  const [client, invoice] = useGiven(given);
  checkClient(client);
  checkArgument('invoice', invoice ?? undefined, 'string|object!');
  const id = typeof invoice === 'object' ? invoice.invoiceId : invoice;
  // React discards this memo when the component suspends. `heldInvoice` then finds the same watch.
  const held = useMemo(() => heldInvoice(client, id), [client, id]);
  held.suspend();
  return useActing(held);
}

/**
 * Runs the checkout for an invoice. Returns the view to display, with `retry` and `refresh`. While
 * there's no client or no `invoiceId`, the view's `phase` is `idle`. While the component is
 * mounted, any tap or key press on the page lets the checkout know that the payer is present.
 *
 * @param options the options for `checkout`. Only changes to `invoiceId` have an effect. This
 * overload uses the client of `PaystateProvider`
 * @throws InputError if no client was passed and there's no provider around the component
 *
 * @example
 * const Phase = () => useCheckout(client, { invoiceId }).phase;
 */
export function useCheckout(options: LateCheckoutOptions): Acting<CheckoutView | IdleCheckout>;
/** Works like the other overload, but takes a client. Pass `undefined` until you have one. */
export function useCheckout(
  client: Connection | undefined,
  options: LateCheckoutOptions,
): Acting<CheckoutView | IdleCheckout>;
export function useCheckout(
  ...given: Given<Connection | undefined, LateCheckoutOptions>
): Acting<CheckoutView | IdleCheckout> {
  const [client, options] = useGiven(given);
  checkArgument('options', options, 'object!');
  const { invoiceId } = options;
  const sale = useMemo(
    () =>
      client && invoiceId !== undefined && invoiceId !== null
        ? checkout(client, { ...options, invoiceId })
        : undefined,
    [client, invoiceId],
  );
  useEffect(() => {
    if (!sale) return undefined;
    const page = new AbortController();
    for (const type of ['pointerdown', 'keydown'])
      document.addEventListener(type, sale.touch, { signal: page.signal });
    return () => page.abort();
  }, [sale]);
  const shown: Shown<CheckoutView | IdleCheckout> = sale ?? IDLE_CHECKOUT;
  return useActing(shown);
}
