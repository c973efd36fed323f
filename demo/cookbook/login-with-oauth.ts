// Act for another person's account, after a login with OAuth: two routes of your server.
import { createClient } from 'paystate';
import { createLogin, type Login } from 'paystate/oauth';
import { createSandbox } from 'paystate/sandbox';

/** GET /login */
export async function begin(login: Login): Promise<Response> {
  const { url } = await login.begin();
  return Response.redirect(url, 302);
}

/** GET /callback, the address after the login */
export async function finish(login: Login, request: Request): Promise<Response> {
  const { scopes } = await login.finish(request.url);
  return Response.json({ scopes });
}

export async function example() {
  const sandbox = createSandbox();
  // Yours: { authUrl, clientId, redirectUri, scopes, store, sessionId }, a login for each session.
  const login = createLogin(sandbox.oauth.loginOptions);
  const redirect = await sandbox.run(begin(login));
  const callback = await sandbox.oauth.visit(redirect.headers.get('location')!); // as the person
  const done = await sandbox.run(finish(login, new Request(callback)));
  const client = createClient({ ...sandbox.clientOptions, apiKey: undefined, token: login.token });
  const balances = await sandbox.run(client.balances.list());
  return [redirect.status, done.status, balances.length > 0];
}

if (import.meta.main) console.log(await example());
