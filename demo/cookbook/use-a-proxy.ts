// Send all requests through a proxy. Give the client a `fetch` that uses it.
// With the package `undici`: proxied(options, new ProxyAgent('http://proxy.example:3128')).
// Node itself uses the proxy of the environment if you set NODE_USE_ENV_PROXY=1.
import { type Client, type ClientOptions, createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

export function proxied(options: ClientOptions, dispatcher: object): Client {
  const { fetch: send = globalThis.fetch } = options;
  const init = { dispatcher }; // an option of Node's fetch
  return createClient({ ...options, fetch: (input, more) => send(input, { ...more, ...init }) });
}

export async function example() {
  const sandbox = createSandbox();
  const proxy = { name: 'a proxy' };
  const used: unknown[] = [];
  const fetch: typeof sandbox.fetch = (input, init) => {
    used.push((init as { dispatcher?: unknown }).dispatcher);
    return sandbox.fetch(input, init);
  };
  const client = proxied({ ...sandbox.clientOptions, fetch }, proxy);
  await sandbox.run(client.balances.list());
  return used.every((one) => one === proxy) && used.length;
}

if (import.meta.main) console.log(await example());
