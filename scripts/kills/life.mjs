// Payments in a process that may be killed at any of its points; for Node, Deno and workerd.
import { createClient } from 'paystate';
import { pay, payOut, resume } from 'paystate/flows';

/** Time that goes `factor` times as fast as the machine's, the same in all processes of a life. */
function clockOf({ started, from, factor }) {
  const now = () => from + (Date.now() - started) * factor;
  const after = (ms, ring) => {
    const timer = setTimeout(ring, Math.max(0, ms) / factor);
    return () => clearTimeout(timer);
  };
  const wait = (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const stop = after(ms, resolve);
      signal?.addEventListener('abort', () => (stop(), resolve()), { once: true });
    });
  return { now, monotonic: now, after, wait, external: (work) => work };
}

/** A point before the work and one after it. */
export const gateOf = (point) => async (name, work) => {
  await point(`before ${name}`);
  const found = await work();
  await point(`after ${name}`);
  return found;
};

/** Pays, or goes on with what a killed process has begun; resolves to how each payment ended. */
export async function live(task, journal, point) {
  const { baseUrl, apiKey, work, orders, time, isRestart } = task;
  const begin = work === 'payouts' ? payOut : pay;
  const gate = gateOf(point);
  const client = createClient({
    baseUrl,
    apiKey,
    clock: clockOf(time),
    fetch: (url, init) => gate(`${init.method} ${new URL(url).pathname}`, () => fetch(url, init)),
  });
  const store = {
    durable: journal.durable,
    get: (key) => gate('get', () => journal.get(key)),
    put: (key, value) => gate('put', () => journal.put(key, value)),
    compareAndSet: (...given) => gate('compareAndSet', () => journal.compareAndSet(...given)),
    listOpen: (prefix) => gate('listOpen', () => journal.listOpen(prefix)),
  };
  if (isRestart) await resume(client, { journal: store });
  const ends = [];
  for (const order of orders) {
    const { phase, payment, movement } = await begin(client, { ...order, journal: store }).result;
    ends.push({ phase, paymentId: payment?.paymentId ?? movement?.id });
  }
  return ends;
}
