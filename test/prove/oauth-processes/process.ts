// One of the processes that share a login: its store is another process's, its clock its own.
import { setTimeout as wait } from 'node:timers/promises';
import { isPaystateError } from 'paystate';
import type { Clock } from 'paystate';
import { createLogin, type Login } from 'paystate/oauth';
import type { Store } from 'paystate/stores';
import type { Given, Order, StoreCall } from './messages.ts';

const MOST_UNSURE = 5;

/** The machine's clock, off by so much; monotonic time begins anywhere. */
function clockOf(skew: number): Clock {
  const after = (ms: number, ring: () => void): (() => void) => {
    const timer = setTimeout(ring, Math.max(ms, 0));
    return () => clearTimeout(timer);
  };
  return {
    now: () => Date.now() + skew,
    monotonic: () => performance.now() + Math.abs(skew),
    external: (work) => work,
    after,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const stop = after(ms, resolve);
        const end = (): void => {
          stop();
          resolve();
        };
        signal?.addEventListener('abort', end, { once: true });
      }),
  };
}

/** A store behind an address; it is told who asks. */
function storeAt(url: string, who: number): Store {
  const ask = async <T>(call: StoreCall): Promise<T> => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(call) });
    if (!response.ok) throw new Error('the store refused');
    return ((await response.json()) as { readonly found: T }).found;
  };
  return {
    durable: true, // beyond this process
    get: (key) => ask({ who, operation: 'get', key }),
    put: (key, value) => ask({ who, operation: 'put', key, value }),
    compareAndSet: (key, version, value) =>
      ask({ who, operation: 'compareAndSet', key, version, value }),
    listOpen: async () => [],
  };
}

/** Asks until there is a word: an answer that was lost is asked for again, as its error says. */
async function tokenOf(login: Login, refused: string | undefined): Promise<Given> {
  for (let unsure = 0; ; unsure++)
    try {
      return { token: await login.token(refused === undefined ? undefined : { refused }), unsure };
    } catch (thrown) {
      const code = isPaystateError(thrown) ? thrown.code : `${thrown}`;
      if (code !== 'REFRESH_UNKNOWN' || unsure > MOST_UNSURE) return { code, unsure };
    }
}

let login: Login | undefined;
process.on('message', async (order: Order) => {
  if (order.order === 'make') {
    const { storeUrl, ...options } = order.login;
    const store = storeAt(storeUrl, order.who);
    login = createLogin({ ...options, clock: clockOf(order.skew), store });
    process.send!('ready');
  } else {
    await wait(order.delay);
    process.send!(await tokenOf(login!, order.refused));
  }
});
process.on('disconnect', () => process.exit());
