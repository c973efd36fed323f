// One of the processes that share a login: its store is another process's, its clock its own.
import { createLogin } from 'paystate/oauth';

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The machine's clock, off by so much; monotonic time begins anywhere. */
const clockOf = (skew) => {
  const after = (ms, ring) => {
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
        signal?.addEventListener('abort', () => resolve(stop()), { once: true });
      }),
  };
};

/** A store behind an address; it is told who asks. */
const storeAt = (url, who) => {
  const ask = async (operation, ...given) => {
    const body = JSON.stringify({ who, operation, given });
    const response = await fetch(url, { method: 'POST', body });
    if (!response.ok) throw new Error('the store refused');
    return (await response.json()).found;
  };
  return {
    durable: true, // beyond this process
    get: (key) => ask('get', key),
    put: (key, value) => ask('put', key, value),
    compareAndSet: (key, version, value) => ask('compareAndSet', key, version, value),
    listOpen: () => ask('listOpen'),
  };
};

/** Asks until there is a word: an answer that was lost is asked for again, as its error says. */
async function tokenOf(login, refused) {
  for (let unsure = 0; ; unsure++) {
    try {
      return { token: await login.token(refused === undefined ? undefined : { refused }), unsure };
    } catch ({ code, message }) {
      if (code !== 'REFRESH_UNKNOWN' || unsure > 5) return { code: code ?? message, unsure };
    }
  }
}

let login;
process.on('message', async ({ make, ask }) => {
  if (make) {
    const { skew, storeUrl, who, ...options } = make;
    login = createLogin({ ...options, clock: clockOf(skew), store: storeAt(storeUrl, who) });
    process.send('ready');
  } else {
    await wait(ask.delay);
    process.send(await tokenOf(login, ask.refused));
  }
});
process.on('disconnect', () => process.exit());
