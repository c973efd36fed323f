import * as oauth from 'oauth4webapi';
import { badInput } from '../core/errors/index.ts';
import {
  type LoginRepository,
  loginRepository,
  type PendingLogin,
  pendingLoginsOf,
  type StoredLogin,
} from './stored-login.ts';
import {
  type BeginOptions,
  type Grant,
  type Login,
  type LoginOptions,
  type LoginSettings,
  type Revocation,
  settingsOf,
  urlOf,
} from './options.ts';
import { stateMismatch } from './errors.ts';
import { renewalOf } from './renewal.ts';
import { type LoginServer, serverOf } from './server.ts';

/**
 * Makes the login of one user, by the code flow with PKCE. Many callers share one refresh. Tokens
 * are only in the store and in closures. Nothing is sent. Throws an `InputError` for a bad option,
 * or for a client secret in a page.
 *
 * @param options where the login server is, which client this is, what it asks for; times in
 * milliseconds
 * @example
 * const login = createLogin(sandbox.oauth.loginOptions);
 * const { url } = await login.begin();
 * await login.finish(await sandbox.oauth.visit(url));
 * const client = createClient({ ...sandbox.clientOptions, apiKey: undefined, token: login.token });
 */
export function createLogin(options: LoginOptions): Login {
  const settings = settingsOf(options);
  const server = serverOf(settings);
  const logins = loginRepository(settings);
  const pending = pendingLoginsOf(settings);
  const usable = usableOf(logins, renewalOf(settings, server, logins));
  return Object.freeze<Login>({
    begin: (how = {}) => begin(settings, server, pending.keep, how),
    finish: async (callback) => {
      const { state, verifier, url } = await takePending(settings, pending.take, callback);
      const asked = logins.moment();
      const tokens = await server.exchangeCode(url, state, verifier);
      const stored = logins.toStored(tokens, { scopes: settings.scopes, login: state }, asked);
      await logins.put(stored);
      return grantOf(logins, stored);
    },
    token: async (last) => (await usable(last?.refused)).access,
    async refresh() {
      const { stored } = await logins.read();
      return grantOf(logins, await usable(stored?.access));
    },
    logout: () => logout(logins, server),
    async isLoggedIn() {
      const { stored } = await logins.read();
      if (!stored) return false;
      if (logins.isAlive(stored)) return true;
      return stored.refresh === undefined ? false : !stored.unsure || 'unknown';
    },
  });
}

/**
 * Returns a function that gets a usable login: from the store, otherwise by a renewal that all
 * callers share.
 */
function usableOf(
  logins: LoginRepository,
  renew: (refused: string | undefined) => Promise<StoredLogin>,
): (refused: string | undefined) => Promise<StoredLogin> {
  let under: Promise<StoredLogin> | undefined;
  return async function usable(refused): Promise<StoredLogin> {
    const { stored } = await logins.read();
    if (stored && stored.access !== refused && logins.isAlive(stored)) return stored;
    const isOwn = under === undefined;
    under ??= renew(refused).finally(() => {
      under = undefined;
    });
    const renewed = await under;
    return isOwn || renewed.access !== refused ? renewed : usable(refused);
  };
}

async function begin(
  settings: LoginSettings,
  server: LoginServer,
  keep: (pending: PendingLogin) => Promise<void>,
  { prompt }: BeginOptions,
): Promise<{ readonly url: string }> {
  const { clock, clientId, redirectUri, scopes, randomBytes } = settings;
  const url = await server.authorization();
  const state = textOf(randomBytes(32));
  const verifier = textOf(randomBytes(32));
  await keep({ state, verifier });
  const code_challenge = await clock.external(oauth.calculatePKCECodeChallenge(verifier));
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state,
    code_challenge,
    code_challenge_method: 'S256',
    ...(prompt !== undefined && { prompt }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href };
}

/** Writes 32 random bytes as 43 characters (RFC 7636 4.1). */
function textOf(bytes: Uint8Array): string {
  if (!(bytes instanceof Uint8Array) || bytes.length !== 32)
    throw badInput('randomBytes', 'must return the requested number of bytes');
  const text = btoa(String.fromCharCode(...bytes)).replaceAll('+', '-');
  return text.replaceAll('/', '_').replace('=', '');
}

/** Takes the pending login of a callback. */
async function takePending(
  { redirectUri }: LoginSettings,
  take: (state: string | null) => Promise<PendingLogin | undefined>,
  callback: string | URL,
): Promise<PendingLogin & { readonly url: URL }> {
  const url = urlOf(callback);
  if (!url || !isAt(url, new URL(redirectUri)))
    throw badInput('callback', 'must be the full URL to which the user was redirected');
  const pending = await take(url.searchParams.get('state'));
  if (!pending) throw stateMismatch();
  return { ...pending, url };
}

/** Whether an address is the registered one with what the login server added. */
function isAt(url: URL, redirect: URL): boolean {
  const added = [...redirect.searchParams].every(
    ([name, value]) => url.searchParams.get(name) === value,
  );
  return (
    url.protocol === redirect.protocol &&
    url.host === redirect.host &&
    url.pathname === redirect.pathname &&
    added
  );
}

async function logout(
  logins: LoginRepository,
  server: LoginServer,
): Promise<{ readonly revoked: Revocation }> {
  const { stored } = await logins.read();
  await logins.put(null);
  if (!stored) return { revoked: 'yes' };
  return {
    revoked: await server
      .revoke(stored.refresh ?? stored.access)
      .catch((): Revocation => 'unknown'),
  };
}

function grantOf(logins: LoginRepository, stored: StoredLogin): Grant {
  const { scopes, refresh } = stored;
  const expiresAt = logins.endOf(stored);
  return {
    scopes,
    canRefresh: refresh !== undefined,
    ...(expiresAt !== undefined && { expiresAt }),
  };
}
