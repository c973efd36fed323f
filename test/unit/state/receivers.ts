// Receivers of what the SDK hands out that treat it as their own, as stores and frameworks do; and a world in which
// one of them stands before an observer who must not notice.
import {
  createClient,
  provide,
  type Watch,
  watchBalances,
  watchInvoice,
  watchInvoices,
} from 'paystate';
import { applyPlan, checkout, exchange, pay, plan } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';

/** Does something to a value and returns what the page then works with. */
export type Receiver = <T>(value: T) => T;

const partsOf = (value: object): readonly unknown[] =>
  Reflect.ownKeys(value).map((key) => Reflect.get(value, key) as unknown);

function eachObject(value: unknown, visit: (one: object) => void, seen = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const part of partsOf(value)) eachObject(part, visit, seen);
  visit(value);
}

/** As Immer and Redux Toolkit do. */
export const freezing: Receiver = (value) => {
  eachObject(value, (one) => Object.freeze(one));
  return value;
};

/** As careless code does: whatever lets itself be changed is changed. */
export const writing: Receiver = (value) => {
  eachObject(value, (one) => {
    const names = Reflect.ownKeys(one).filter((key) => key !== 'length' && key !== 'stack');
    for (const name of names) Reflect.set(one, name, 'changed');
    // an error may be extended: runtimes and frameworks note their own things in it
    if (!(one instanceof Error)) Reflect.set(one, 'added', true);
    for (const name of names) Reflect.deleteProperty(one, name);
    if (Array.isArray(one)) Reflect.set(one, 'length', 0);
  });
  return value;
};

const isWrapped = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  Object.isExtensible(value) &&
  ['Object', 'Array', 'Map', 'Set'].includes(Object.prototype.toString.call(value).slice(8, -1));

/** As libraries with deep proxies do: what can be extended is wrapped, with all that it leads to. */
export const proxying: Receiver = (value) =>
  isWrapped(value)
    ? (new Proxy(value, {
        get: (target, key, receiver) => {
          const got: unknown = Reflect.get(target, key, receiver);
          if (typeof got !== 'function') return proxying(got);
          return target instanceof Map || target instanceof Set ? got.bind(target) : got;
        },
      }) as typeof value)
    : value;

const told = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part instanceof Error ? { ...part, message: part.message } : part,
  );

/**
 * Plays a shop and a payer in one account, in which `receive` gets everything first. Returns what
 * a second observer was told.
 */
export async function observed(receive: Receiver): Promise<readonly string[]> {
  const sandbox = createSandbox({ signed: false });
  const { run } = sandbox;
  const { fetch } = sandbox.clientOptions;
  let isAway = false;
  const options = {
    ...sandbox.clientOptions,
    fetch: (...given: Parameters<NonNullable<typeof fetch>>) =>
      isAway ? Promise.reject(new TypeError('no network')) : fetch!(...given),
  };
  const client = receive(createClient(options));
  const log: string[] = [];
  const stops: (() => void)[] = [];
  const follow = <T>(name: string, watch: Watch<T>): Watch<T> => {
    const received = receive(watch);
    const ignore = { error: receive };
    stops.push(received.subscribe({ next: (value) => void receive(value), ...ignore }));
    stops.push(
      watch.subscribe({
        next: (value) => void log.push(`${name} ${told(value)}`),
        error: (error) => void log.push(`${name} failed ${told(error)}`),
        complete: () => void log.push(`${name} ended`),
      }),
    );
    return watch;
  };
  const later = async (ms: number): Promise<void> => {
    await sandbox.advance(ms);
    for (const [name, watch] of watches) log.push(`${name} is ${told(watch.current())}`);
  };
  const amount = { amount: '12.50', currency: 'EUR' };
  const draft = { amount, correlationId: 'order-1' };
  const invoice = await run(client.invoices.create(draft));
  const { invoiceId } = invoice;
  receive(invoice);
  receive(await run(client.invoices.get(invoiceId)));
  receive(await run(client.invoices.list().toArray({ limit: 10 })));
  const watches = [
    ['invoice', follow('invoice', watchInvoice(client, invoiceId))],
    ['member', follow('member', client.invoices.watch(invoiceId))],
    ['list', follow('list', watchInvoices(client))],
    ['balances', follow('balances', watchBalances(client))],
    ['checkout', follow('checkout', checkout(client, { invoiceId }))],
  ] as const;
  await later(20_000);
  const read = await run(client.invoices.get(invoiceId));
  provide(client, 'invoice', read, { asOf: sandbox.clock.now() });
  receive(read);
  await later(20_000);
  isAway = true;
  await later(90_000);
  isAway = false;
  await later(60_000);
  receive(await run(client.invoices.create({ amount, correlationId: 'order-2' })));
  await later(10_000);
  const journal = memoryStore();
  const EUR = (euros: string) => ({ amount: euros, currency: 'EUR' });
  const ada = { to: 'ada@wallet.example', sourceCurrency: 'EUR', maxFee: 'any' } as const;
  const ends = async <T>(name: string, moved: Watch<unknown> & { readonly result: Promise<T> }) => {
    follow(name, moved);
    receive(await run(moved.result));
    log.push(`${name} ended with ${told(await moved.result)}`);
  };
  await ends('pay', pay(client, { ...ada, journal, intent: 'a', amount: EUR('2.00') }));
  const sale = { journal, intent: 'b', sell: 'EUR', buy: 'USD', amount: EUR('5.00') } as const;
  await ends('exchange', exchange(client, sale));
  const rows = ['1.00', '2.00'].map((euros) => ({ ...ada, intent: euros, amount: EUR(euros) }));
  const made = await run(plan(client, rows, { journal }));
  const applied = applyPlan(client, made, { journal });
  receive(made);
  await ends('plan', applied);
  await sandbox.payer.pay(invoiceId);
  await later(60_000);
  for (const stop of stops) stop();
  log.push(`moved ${told(await run(client.balances.list()))}`);
  return log;
}
