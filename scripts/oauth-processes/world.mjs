// What the processes share: a store with compare-and-set, a login server, and an account of what was asked of both.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { createLogin } from 'paystate/oauth';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { serveSandbox } from '../serve-sandbox.mjs';

const ACCESS_LIFE = 3_600;

/** Serves a store over HTTP. Each way takes a while; `onSwap` may kill whoever swapped before it hears of it. */
async function serveStore(store, draw, hooks) {
  const server = createServer(async (request, response) => {
    try {
      const { who, operation, given } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      await wait(draw(10));
      const found = await store[operation](...given);
      if (operation === 'swap' && found) hooks.onSwap?.(who, given[2]);
      await wait(draw(10));
      response.end(JSON.stringify({ found }));
    } catch {
      response.destroy(); // whoever asked was killed
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => (server.close(), server.closeAllConnections()) };
}

/** Hooks: `onSwap(who, value)` after a change of the store, `onRefresh(process)` around a refresh; both may be set at any time. */
export async function openWorld({ draw, attemptLimit }) {
  const sandbox = createSandbox({ clock: 'real', signed: false });
  const store = memoryStore();
  const hooks = {};
  let refreshes = 0;
  const fetch = async (request) => {
    const body = request.method === 'POST' ? await request.clone().text() : '';
    if (!body.includes('grant_type=refresh_token')) return sandbox.fetch(request);
    refreshes += 1;
    const answer = () => sandbox.fetch(request);
    return hooks.onRefresh ? hooks.onRefresh(answer) : answer();
  };
  const served = await serveSandbox({ ...sandbox, fetch });
  const rows = await serveStore(store, draw, hooks);
  const { clientId, redirectUri, scopes } = sandbox.oauth.registerClient({ accessLife: ACCESS_LIFE, redirectUris: ['http://127.0.0.1/back'] });
  const options = { authUrl: served.url, clientId, redirectUri, scopes, attemptLimit };
  const login = createLogin({ ...options, store });
  return {
    hooks, sandbox, options: { ...options, storeUrl: rows.url },
    refreshes: () => refreshes,
    /** Logs in; resolves to the access token. */
    async logIn() {
      await login.finish(await sandbox.oauth.visit((await login.begin()).url));
      return login.token();
    },
    /** Whether the service takes a token. */
    async takes(token) {
      const { status } = await globalThis.fetch(`${served.url}/connect/userinfo`, { headers: { authorization: `Bearer ${token}` } });
      return status === 200;
    },
    async close() {
      rows.close();
      await served.close();
    },
  };
}
