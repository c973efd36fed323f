// Payments in a process that may be killed at any of its points; for Node, Deno and workerd.
import { type Client, type ClientOptions, createClient } from 'paystate';
import { type MoneyResult, type MoneyStep, pay, payOut, resume, type Run } from 'paystate/flows';
import type { Store } from 'paystate/stores';
import type { FastTime, MoneyEnd, MoneyTask, Work } from './task.ts';

type Clock = NonNullable<ClientOptions['clock']>;

function clockOf({ started, from, factor }: FastTime): Clock {
  const now = (): number => from + (Date.now() - started) * factor;
  const after = (ms: number, ring: () => void): (() => void) => {
    const timer = setTimeout(ring, Math.max(0, ms) / factor);
    return () => clearTimeout(timer);
  };
  const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const stop = after(ms, resolve);
      const end = (): void => {
        stop();
        resolve();
      };
      signal?.addEventListener('abort', end, { once: true });
    });
  return { now, monotonic: now, after, wait, external: (work) => work };
}

/** A place at which the process may be killed; it does not return from the last one. */
type Gate = (name: string) => void | Promise<void>;

/** A point before the work and one after it. */
async function gated<T>(point: Gate, name: string, work: () => Promise<T>): Promise<T> {
  await point(`before ${name}`);
  const found = await work();
  await point(`after ${name}`);
  return found;
}

function gatedStore(journal: Store, point: Gate): Store {
  return {
    durable: journal.durable,
    get: (key) => gated(point, 'get', () => journal.get(key)),
    put: (key, value) => gated(point, 'put', () => journal.put(key, value)),
    compareAndSet: (key, version, value, open) =>
      gated(point, 'compareAndSet', () => journal.compareAndSet(key, version, value, open)),
    listOpen: (prefix) => gated(point, 'listOpen', () => journal.listOpen(prefix)),
  };
}

function* runsOf(
  client: Client,
  work: Work,
  journal: Store,
): Iterable<Run<MoneyStep, MoneyResult>> {
  const any = { maxFee: 'any', maxTotal: 'any' } as const;
  if (work.kind === 'payments')
    for (const order of work.orders) yield pay(client, { ...order, ...any, journal });
  else for (const order of work.orders) yield payOut(client, { ...order, maxFee: 'any', journal });
}

function endOf(result: MoneyResult): MoneyEnd {
  const { phase } = result;
  if ('payment' in result) return { phase, id: result.payment.paymentId };
  return { phase, id: 'movement' in result ? result.movement.id : undefined };
}

const STOPPED: MoneyEnd = { phase: 'stopped', id: undefined };

interface Life {
  readonly isRestart: boolean;
  readonly restoredFrom?: number | undefined;
  readonly journal: Store;
  readonly point: Gate;
}

/**
 * Pays, or goes on with what a killed process has begun, all at once, and stops the last; resolves to
 * how each payment ended.
 */
export async function live(
  { baseUrl, apiKey, work, time }: MoneyTask,
  { isRestart, restoredFrom, journal, point }: Life,
): Promise<readonly MoneyEnd[]> {
  const client = createClient({
    baseUrl,
    apiKey,
    clock: clockOf(time),
    fetch: (url, init) =>
      gated(point, `${init?.method} ${new URL(`${url}`).pathname}`, () => fetch(url, init)),
  });
  const store = gatedStore(journal, point);
  if (isRestart) {
    await resume(client, { journal: store, restoredFrom });
    const runs = [...runsOf(client, work, store)];
    const isStopped = await runs.at(-1)!.stop();
    const found = await Promise.all(runs.map(async (run) => endOf(await run.result)));
    // what was stopped is not in the books, which are compared with what is said to be done
    return found.map((end, at) => (isStopped && at === runs.length - 1 ? STOPPED : end));
  }
  const ends: MoneyEnd[] = [];
  for (const run of runsOf(client, work, store)) ends.push(endOf(await run.result));
  return ends;
}
