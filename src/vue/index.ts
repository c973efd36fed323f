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

/** Options for `checkout` whose `invoiceId` may arrive later. */
type LateCheckoutOptions = Omit<CheckoutOptions, 'invoiceId'> & {
  /** Id of the invoice. Nothing is requested without it. */
  readonly invoiceId: InvoiceId | null | undefined;
};

type LateClient = MaybeRefOrGetter<Connection | undefined>;
type LateInvoice = MaybeRefOrGetter<Invoice | InvoiceId | null | undefined>;

/** Arguments with or without a client. */
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

/** Returns a constant value that requests nothing. */
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
 * @param client the client
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
 * Provides a client to the components inside the one that calls this in its `setup`.
 *
 * @param client the client
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
 * Returns the client from `createPaystate` or the nearest `providePaystate`. Call it in `setup`.
 *
 * @throws InputError if there is none
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

/** Uses the provided client if the caller didn't pass one. */
function clientAnd<T>(given: Given<T>): readonly [LateClient, T] {
  if (given.length === 1) return [useClient(), given[0]];
  readClient(given[0]);
  return given;
}

/** Returns the current client without Vue's proxy, if there is one. */
function readClient(client: LateClient): Connection | undefined {
  const by = toRaw(toValue(client));
  if (by !== undefined) checkClient(by);
  return by;
}

/**
 * Returns a ref with the current value of a watch while the component is mounted. On a server,
 * renders what is known without a request. Outside components, the ref is updated immediately,
 * until its effect scope ends.
 *
 * @param watch a watch, a ref of one, or a getter, which creates a new watch when its reactive
 * sources change
 *
 * @example
 * const setup = () => ({ balances: useWatch(() => watchBalances(client)) });
 */
export function useWatch<T>(watch: MaybeRefOrGetter<Watch<T>>): Readonly<ShallowRef<T>>;
/** Same, but the watch may be `undefined` while something is missing. */
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
 * Returns a ref that's true while the component is mounted and not cached by `KeepAlive`. In your
 * own effect scope, it's always true.
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

/** Follows the result of `create`, converted by `formOf`. */
function useShown<T, Form>(
  create: () => Shown<T>,
  formOf: (value: T, actions: WatchActions<T>) => Form,
): Readonly<ShallowRef<Form>> {
  const watch = computed(create);
  const isOn = useOnPage();
  const form = shallowRef(formOf(watch.value.current(), pickActions(watch.value)));
  // Vue doesn't run a component's effects while it renders on a server.
  watchEffect((onCleanup) => {
    const now = watch.value;
    const actions = pickActions(now);
    const show = (value: T): void => void (form.value = formOf(value, actions));
    if (isOn.value) onCleanup(now.subscribe(show));
    else show(now.current());
  });
  return form;
}

/** Reads the functions of a watch once, because a watch creates `refresh` at each access. */
function pickActions<T>({ retry, refresh }: WatchActions<T>): WatchActions<T> {
  return { retry, refresh };
}

/**
 * Returns a ref with the snapshot of `watchInvoice`, its `retry` and `refresh`, or `idle` without a
 * client or invoice. Follows refs and getters to another invoice.
 *
 * @param invoice the invoice or its id, a ref or a getter, or `undefined` until you have one. Uses
 * the client of `createPaystate` or `providePaystate`
 * @throws InputError if no client was passed or provided
 *
 * @example
 * const setup = () => ({ snapshot: useInvoice(client, () => invoice) });
 */
export function useInvoice(invoice: LateInvoice): ActingRef<Snapshot<Invoice> | IdleSnapshot>;
/** Same, but with your own client, or `undefined` until you have one. */
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
 * Returns a ref with what a checkout page should show, its `retry` and `refresh`, or `idle` without
 * a client or `invoiceId`. While it's mounted, any tap or key press on the page tells the checkout
 * that the payer is present. Follows refs and getters to another checkout.
 *
 * @param options as for `checkout`, a ref or a getter, or `undefined` until you have them. Uses the
 * client of `createPaystate` or `providePaystate`
 * @throws InputError if no client was passed or provided
 *
 * @example
 * const setup = () => ({ view: useCheckout(client, { invoiceId }) });
 */
export function useCheckout(
  options: MaybeRefOrGetter<LateCheckoutOptions | undefined>,
): ActingRef<CheckoutView | IdleCheckout>;
/** Same, but with your own client, or `undefined` until you have one. */
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
  // first, because Vue hides a watcher's errors from the caller
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
