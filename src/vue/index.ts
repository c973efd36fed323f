import {
  computed,
  type EffectScope,
  getCurrentInstance,
  getCurrentScope,
  hasInjectionContext,
  inject,
  type InjectionKey,
  type MaybeRefOrGetter,
  onActivated,
  onDeactivated,
  onMounted,
  type Plugin,
  provide,
  shallowRef,
  type ShallowRef,
  toRaw,
  toValue,
  watchEffect,
} from 'vue';
import type { Client } from '../client.ts';
import { badInput, checkArgument } from '../core/errors/index.ts';
import { type Connection, checkClient } from '../core/http/index.ts';
import type { IdleCheckout, IdleSnapshot, Watch, WatchActions } from '../core/watch.ts';
import { checkout, type CheckoutOptions, type CheckoutView } from '../flows/index.ts';
import type { Invoice, InvoiceId } from '../resources/invoices.ts';
import { type Snapshot, watchInvoice } from '../state/index.ts';
import { withActions } from '../state/snapshot.ts';

export type { IdleCheckout, IdleSnapshot, WatchActions };

/** Options for `checkout` whose `invoiceId` may still be missing. */
type LateCheckoutOptions = Omit<CheckoutOptions, 'invoiceId'> & {
  /** Id of the invoice. No request is sent while it's missing. */
  readonly invoiceId: InvoiceId | null | undefined;
};

type LateClient = MaybeRefOrGetter<Connection | undefined>;
type LateInvoice = MaybeRefOrGetter<Invoice | InvoiceId | null | undefined>;

/** A composable's arguments, with or without a client. */
type Given<T> = readonly [T] | readonly [client: LateClient, T];

type ActingRef<T> = Readonly<ShallowRef<T & WatchActions<T>>>;

interface Shown<T> extends WatchActions<T> {
  current(): T;
  subscribe(show: (value: T) => void): () => void;
}

const CLIENT: InjectionKey<Client> = /* @__PURE__ */ Symbol.for('paystate.vue.client');
const IDLE = /* @__PURE__ */ idle<IdleSnapshot>({ freshness: 'idle' });
const IDLE_CHECKOUT = /* @__PURE__ */ idle<IdleCheckout>({ phase: 'idle' });
const NO_WATCH = /* @__PURE__ */ idle<undefined>(undefined);

/** Returns a watch with a constant value, which sends no requests. */
function idle<T>(value: T): Shown<T> {
  return {
    current: () => value,
    subscribe(show) {
      show(value);
      return () => {};
    },
    retry() {},
    refresh: () => Promise.resolve(value),
  };
}

/**
 * Creates a plugin that provides a client to all components of an app.
 *
 * @param client the client to provide
 *
 * @example
 * import { createSSRApp, h } from 'vue';
 * const app = createSSRApp(() => h('main')).use(createPaystate(client));
 */
export function createPaystate(client: Client): Plugin {
  checkClient(client);
  return { install: (app) => void app.provide(CLIENT, toRaw(client)) };
}

/**
 * Provides a client to all components nested in the current one. Call it in `setup`.
 *
 * @param client the client to provide
 *
 * @example
 * import { defineComponent, h } from 'vue';
 * const Shop = defineComponent(() => {
 *   providePaystate(client);
 *   return () => h('main');
 * });
 */
export function providePaystate(client: Client): void {
  checkClient(client);
  provide(CLIENT, toRaw(client));
}

/**
 * Returns the client provided by `createPaystate` or the nearest `providePaystate`. Call it in
 * `setup`.
 *
 * @throws InputError if no client is provided
 *
 * @example
 * import { defineComponent, h } from 'vue';
 * const Cancel = defineComponent((props: { id: string }) => {
 *   const client = useClient();
 *   return () => h('button', { onClick: () => client.invoices.cancel(props.id) }, 'Cancel');
 * });
 */
export function useClient(): Client {
  const client = hasInjectionContext() ? inject(CLIENT, undefined) : undefined;
  if (!client)
    throw badInput(
      'client',
      'call app.use(createPaystate(client)) first, or pass a client; this only works in setup',
    );
  return client;
}

/** Returns a composable's arguments, with the provided client if the caller didn't pass one. */
function clientAnd<T>(given: Given<T>): readonly [LateClient, T] {
  if (given.length === 1) return [useClient(), given[0]];
  readClient(given[0]);
  return given;
}

/** Returns the current client without Vue's proxy, or `undefined` if there's no client yet. */
function readClient(client: LateClient): Connection | undefined {
  const by = toRaw(toValue(client));
  if (by !== undefined) checkClient(by);
  return by;
}

/**
 * Returns a ref with a watch's current value, which is updated while the component is mounted. On a
 * server, it only renders values that are already known and sends no request. Outside a component,
 * the ref is updated immediately, until its effect scope ends.
 *
 * @param watch a watch, a ref to one, or a getter that creates a new watch when its reactive
 * dependencies change
 *
 * @example
 * const setup = () => ({ balances: useWatch(() => watchBalances(client)) });
 */
export function useWatch<T>(watch: MaybeRefOrGetter<Watch<T>>): Readonly<ShallowRef<T>>;
/** Works like the other overload, but the watch may be `undefined` until it can be created. */
export function useWatch<T>(
  watch: MaybeRefOrGetter<Watch<T> | undefined>,
): Readonly<ShallowRef<T | undefined>>;
export function useWatch<T>(
  watch: MaybeRefOrGetter<Watch<T> | undefined>,
): Readonly<ShallowRef<T | undefined>> {
  return useShown(
    (): Shown<T | undefined> => {
      const now = toValue(watch) ?? NO_WATCH;
      checkArgument('watch.subscribe', now.subscribe, 'function!');
      return now;
    },
    (value) => value,
  );
}

/**
 * Returns a ref that is true while the component is mounted and not cached by `KeepAlive`. Outside
 * a component, it's always true.
 */
function useOnPage(): Readonly<ShallowRef<boolean>> {
  const component = getCurrentInstance() as { readonly scope: EffectScope } | null;
  const isOn = shallowRef(component?.scope !== getCurrentScope());
  if (isOn.value) return isOn;
  const turn = (on: boolean) => () => void (isOn.value = on);
  onMounted(turn(true));
  onActivated(turn(true));
  onDeactivated(turn(false));
  return isOn;
}

/**
 * Returns a ref with the value of the watch that `create` currently returns, converted by `formOf`.
 */
function useShown<T, Form>(
  create: () => Shown<T>,
  formOf: (value: T, actions: WatchActions<T>) => Form,
): Readonly<ShallowRef<Form>> {
  const watch = computed(create);
  const isOn = useOnPage();
  const form = shallowRef(formOf(watch.value.current(), pickActions(watch.value)));
  // Vue doesn't run the effects of components when it renders on a server.
  watchEffect((onCleanup) => {
    const now = watch.value;
    const actions = pickActions(now);
    const show = (value: T): void => void (form.value = formOf(value, actions));
    if (isOn.value) onCleanup(now.subscribe(show));
    else show(now.current());
  });
  return form;
}

/**
 * Reads the functions of a watch once, because a watch creates a new `refresh` function on each
 * access.
 */
function pickActions<T>({ retry, refresh }: WatchActions<T>): WatchActions<T> {
  return { retry, refresh };
}

/**
 * Watches an invoice. Returns a ref with the current snapshot, `retry` and `refresh`. While there's
 * no client or no invoice, the snapshot's `freshness` is `idle`. If you pass a ref or a getter, you
 * can switch to another invoice.
 *
 * @param invoice the invoice or its id, or a ref or getter that returns one. It may be `undefined`
 * until you have one. This overload uses the client of `createPaystate` or `providePaystate`
 * @throws InputError if no client was passed or provided
 *
 * @example
 * const setup = () => ({ snapshot: useInvoice(client, () => invoice) });
 */
export function useInvoice(invoice: LateInvoice): ActingRef<Snapshot<Invoice> | IdleSnapshot>;
/** Works like the other overload, but takes a client. Pass `undefined` until you have one. */
export function useInvoice(
  client: LateClient,
  invoice: LateInvoice,
): ActingRef<Snapshot<Invoice> | IdleSnapshot>;
export function useInvoice(
  ...given: Given<LateInvoice>
): ActingRef<Snapshot<Invoice> | IdleSnapshot> {
  const [client, invoice] = clientAnd(given);
  const id = computed(() => {
    const one = toValue(invoice);
    return typeof one === 'object' ? one?.invoiceId : one;
  });
  return useShown((): Shown<Snapshot<Invoice> | IdleSnapshot> => {
    const by = readClient(client);
    return by && id.value !== undefined ? watchInvoice(by, id.value) : IDLE;
  }, withActions);
}

/**
 * Runs the checkout for an invoice. Returns a ref with the view to display, `retry` and `refresh`.
 * While there's no client or no `invoiceId`, the view's `phase` is `idle`. While the component is
 * mounted, any tap or key press on the page lets the checkout know that the payer is present. If
 * you pass a ref or a getter, you can switch to another checkout.
 *
 * @param options the options for `checkout`, or a ref or getter that returns them. Pass `undefined`
 * until you have them. This overload uses the client of `createPaystate` or `providePaystate`
 * @throws InputError if no client was passed or provided
 *
 * @example
 * const setup = () => ({ view: useCheckout(client, { invoiceId }) });
 */
export function useCheckout(
  options: MaybeRefOrGetter<LateCheckoutOptions | undefined>,
): ActingRef<CheckoutView | IdleCheckout>;
/** Works like the other overload, but takes a client. Pass `undefined` until you have one. */
export function useCheckout(
  client: LateClient,
  options: MaybeRefOrGetter<LateCheckoutOptions | undefined>,
): ActingRef<CheckoutView | IdleCheckout>;
export function useCheckout(
  ...given: Given<MaybeRefOrGetter<LateCheckoutOptions | undefined>>
): ActingRef<CheckoutView | IdleCheckout> {
  const [client, options] = clientAnd(given);
  const sale = computed(() => {
    const [by, now] = [readClient(client), toValue(options)];
    checkArgument('options', now, 'object');
    const { invoiceId } = now ?? {};
    return by && invoiceId !== undefined && invoiceId !== null
      ? checkout(by, { ...now, invoiceId })
      : undefined;
  });
  // Create the checkout here first, because Vue doesn't pass a watcher's errors to the caller.
  const shown = useShown(
    (): Shown<CheckoutView | IdleCheckout> => sale.value ?? IDLE_CHECKOUT,
    withActions,
  );
  listenForPayer(() => sale.value?.touch);
  return shown;
}

/** Calls `touch` on each tap and key press while the component is mounted. */
function listenForPayer(touch: () => (() => void) | undefined): void {
  const isOn = useOnPage();
  watchEffect((onCleanup) => {
    const tell = touch();
    if (!tell || !isOn.value) return;
    const page = new AbortController();
    for (const type of ['pointerdown', 'keydown'])
      globalThis.document?.addEventListener(type, tell, { signal: page.signal });
    onCleanup(() => page.abort());
  });
}
