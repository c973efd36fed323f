// What the processes share: a store with compare-and-set, a login server, and a count of what was
// asked of it.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { createLogin } from 'paystate/oauth';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { serveSandbox } from '../serve-sandbox.mjs';

/** Serves a store over HTTP. Each way takes a while; `onSwap` may kill wrote before it hears. */
async function serveStore(store, draw, hooks) {
  const server = createServer(async (request, response) => {
    try {
      const body = Buffer.concat(await request.toArray());
      const { who, operation, given } = JSON.parse(body.toString());
      await wait(draw(10));
      const found = await store[operation](...given);
      if (operation === 'compareAndSet' && found) hooks.onSwap?.(who, given[2]);
      await wait(draw(10));
      response.end(JSON.stringify({ found }));
    } catch {
      response.destroy(); // whoever asked was killed
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Hooks, set at any time: `onSwap(who, value)` after a change, `onRefresh(answer)` around a refresh. */
export async function openWorld({ draw, attemptTimeout }) {
  const sandbox = createSandbox({ clock: 'real', signed: false });
  const store = memoryStore({ mayForget: true }); // one that several processes share over HTTP
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
  const client = sandbox.oauth.registerClient({ redirectUris: ['http://127.0.0.1/back'] });
  const { clientId, redirectUri, scopes } = client;
  const options = { authUrl: served.url, clientId, redirectUri, scopes, attemptTimeout };
  const login = createLogin({ ...options, store });
  return {
    hooks,
    sandbox,
    options: { ...options, storeUrl: rows.url },
    refreshes: () => refreshes,
    /** Logs in; resolves to the access token. */
    async logIn() {
      await login.finish(await sandbox.oauth.visit((await login.begin()).url));
      return login.token();
    },
    /** Whether the service takes a token. */
    async takes(token) {
      const headers = { authorization: `Bearer ${token}` };
      return (await globalThis.fetch(`${served.url}/connect/userinfo`, { headers })).ok;
    },
    async close() {
      rows.close();
      await served.close();
    },
  };
}
