// The parts that the processes share: a store with compare-and-set, a login server, and a count of
// the refreshes it was asked for.
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createLogin } from 'paystate/oauth';
import { createSandbox, type Sandbox } from '../../../dist/sandbox/index.js'; // of the same build as the command
import { memoryStore, type Store } from 'paystate/stores';
import { serveSandbox } from '../../../dist/cli/serve-sandbox.js';
import { closeNow, listen } from '../shared/loopback.ts';
import type { LoginFacts, StoreCall } from './messages.ts';

/** Longest time that a request to the store, or its answer, is on its way. */
const WAY_MS = 10;

/** Draws a whole number below. */
export type Draw = (below: number) => number;

/** Hooks of the command, set at any time. */
interface Hooks {
  /** After a change of the store, before the process that made it hears of it. */
  onSwap?: ((who: number, value: unknown) => void) | undefined;
  /** Around a refresh. */
  onRefresh?: ((answer: () => Promise<Response>) => Promise<Response>) | undefined;
}

function foundBy(store: Store, call: StoreCall): Promise<unknown> {
  if (call.operation === 'get') return store.get(call.key);
  if (call.operation === 'put') return store.put(call.key, call.value);
  return store.compareAndSet(call.key, call.version, call.value);
}

/** Serves a store over HTTP. */
async function serveStore(
  store: Store,
  draw: Draw,
  hooks: Hooks,
): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    try {
      const body = Buffer.concat((await request.toArray()) as Buffer[]);
      const call = JSON.parse(body.toString()) as StoreCall;
      await wait(draw(WAY_MS));
      const found = await foundBy(store, call);
      if (call.operation === 'compareAndSet' && found) hooks.onSwap?.(call.who, call.value);
      await wait(draw(WAY_MS));
      response.end(JSON.stringify({ found }));
    } catch {
      response.destroy(); // whoever asked was killed
    }
  });
  return { url: await listen(server), close: () => closeNow(server) };
}

export interface World {
  readonly hooks: Hooks;
  readonly sandbox: Sandbox;
  readonly login: LoginFacts;
  refreshes(): number;
  /** Logs in; resolves to the access token. */
  logIn(): Promise<string>;
  /** True if the service takes the token. */
  takes(token: string): Promise<boolean>;
  close(): Promise<void>;
}

export async function openWorld(draw: Draw, attemptTimeout: number): Promise<World> {
  const sandbox = createSandbox({ clock: 'real', signed: false });
  const store = memoryStore({ mayForget: true }); // one that several processes share over HTTP
  const hooks: Hooks = {};
  let refreshes = 0;
  const respond = async (request: Request): Promise<Response> => {
    const body = request.method === 'POST' ? await request.clone().text() : '';
    if (!body.includes('grant_type=refresh_token')) return sandbox.fetch(request);
    refreshes += 1;
    const answer = (): Promise<Response> => sandbox.fetch(request);
    return hooks.onRefresh ? hooks.onRefresh(answer) : answer();
  };
  const served = await serveSandbox({
    ...sandbox,
    fetch: (input: string | URL | Request, init?: RequestInit) => respond(new Request(input, init)),
  });
  const rows = await serveStore(store, draw, hooks);
  const client = sandbox.oauth.registerClient({ redirectUris: ['http://127.0.0.1/back'] });
  const { clientId, redirectUri, scopes } = client;
  const options = { authUrl: served.url, clientId, redirectUri, scopes, attemptTimeout };
  const login = createLogin({ ...options, store });
  return {
    hooks,
    sandbox,
    login: { ...options, storeUrl: rows.url },
    refreshes: () => refreshes,
    async logIn() {
      await login.finish(await sandbox.oauth.visit((await login.begin()).url));
      return login.token();
    },
    async takes(token) {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${served.url}/connect/userinfo`, { headers })).ok;
    },
    async close() {
      rows.close();
      await served.close();
    },
  };
}
