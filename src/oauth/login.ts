import * as oauth from 'oauth4webapi';
import {
  badInput,
  checkOptions,
  isPaystateError,
  type PaystateError,
} from '../core/errors/index.ts';
import { parseUrl } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';
import { loginRequired, refreshUnknown, stateMismatch } from './errors.ts';
import { computeLease } from './lock.ts';
import {
  type BeginOptions,
  type Grant,
  type Login,
  type LoginOptions,
  type LoginSettings,
  type Revocation,
  checkSettings,
} from './options.ts';
import { type LoginServer, makeServer, type Tokens } from './server.ts';
import {
  type LoginRepository,
  loginRepository,
  type PendingLogin,
  openPendingLogins,
  type StoredLogin,
} from './stored-login.ts';

/**
 * Creates a login for one user, using the authorization code flow with PKCE. Concurrent callers
 * share one token refresh. Tokens are only kept in the store and in closures. No request is sent
 * until you call a method. Throws an `InputError` for an invalid option, or if a page passes a
 * client secret.
 *
 * @param options the login server, the client id and the scopes to request. Times are in
 * milliseconds
 *
 * @example
 * const login = createLogin(sandbox.oauth.loginOptions);
 * const { url } = await login.begin();
 * await login.finish(await sandbox.oauth.visit(url));
 * const client = createClient({ ...sandbox.clientOptions, apiKey: undefined, token: login.token });
 */
export function createLogin(options: LoginOptions): Login {
  const settings = checkSettings(options);
  const server = makeServer(settings);
  const logins = loginRepository(settings);
  const pending = openPendingLogins(settings);
  const usable = makeUsable(logins, makeRenewal(settings, server, logins));
  return Object.freeze<Login>({
    begin: async (how = {}) => begin(settings, server, pending.keep, how),
    finish: async (callback) => {
      const { state, verifier, url } = await takePending(settings, pending.take, callback);
      const asked = logins.moment();
      const tokens = await server.exchangeCode(url, state, verifier);
      const stored = logins.toStored(tokens, { scopes: settings.scopes, login: state }, asked);
      await logins.put(stored);
      return makeGrant(logins, stored);
    },
    token: async (last) => (await usable(last?.refused)).access,
    async refresh() {
      const { stored } = await logins.read();
      return makeGrant(logins, await usable(stored?.access));
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
 * Returns a function that resolves to a valid login. It reads the login from the store, and renews
 * it if necessary. Concurrent calls share one renewal.
 */
function makeUsable(
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
  options: BeginOptions,
): Promise<{ readonly url: string }> {
  checkOptions<BeginOptions>(options, { prompt: ['login', 'consent', 'none'] });
  const { prompt } = options;
  const { clock, clientId, redirectUri, scopes, randomBytes } = settings;
  if (!crypto.subtle)
    throw badInput(
      'redirectUri',
      'cannot be used from this page: a login needs hashing, which browsers only allow on https:// and localhost. Serve the page over https://',
    );
  const url = await server.authorization();
  const state = encodeText(randomBytes(32));
  const verifier = encodeText(randomBytes(32));
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

/** Encodes 32 random bytes as 43 URL-safe characters (RFC 7636 4.1). */
function encodeText(bytes: Uint8Array): string {
  if (!(bytes instanceof Uint8Array) || bytes.length !== 32)
    throw badInput('randomBytes', 'must return the requested number of bytes');
  const text = btoa(String.fromCharCode(...bytes)).replaceAll('+', '-');
  return text.replaceAll('/', '_').replace('=', '');
}

async function takePending(
  { redirectUri }: LoginSettings,
  take: (state: string | null) => Promise<PendingLogin | undefined>,
  callback: string | URL,
): Promise<PendingLogin & { readonly url: URL }> {
  const url = parseUrl(callback);
  if (!url || !isAt(url, new URL(redirectUri)))
    throw badInput('callback', 'must be the full URL that the user was redirected to');
  const pending = await take(url.searchParams.get('state'));
  if (!pending) throw stateMismatch();
  return { ...pending, url };
}

/**
 * Checks whether a URL is the redirect URI, possibly with query parameters added by the login
 * server.
 */
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

function makeGrant(logins: LoginRepository, stored: StoredLogin): Grant {
  const { scopes, refresh } = stored;
  const expiresAt = logins.endOf(stored);
  return {
    scopes,
    canRefresh: refresh !== undefined,
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** Interval between reads of the stored login while another process holds the lease. */
const POLL_LEASE_MS = 250;
/** How long to keep trying to write new tokens if the store fails. */
const WRITE_TOKENS_FOR_MS = 10 * 60_000;

/** A lease held by another process, with the time when this process first saw it. */
interface Seen {
  readonly version: number;
  /** When this process first saw the version, in milliseconds on its monotonic clock. */
  readonly since: number;
}

/**
 * Returns a function that resolves to a valid login and renews it if necessary. A refresh token can
 * only be used once, and sending it twice may end the login. Processes share the stored login and
 * coordinate through its version:
 *
 * 1. A process takes the lease by compare-and-set and then immediately sends the refresh token. If
 * it was suspended for too long in between, it releases the lease without sending. If there's no
 * response, it sends the same token a second time under the same lease. 2. Other processes wait. A
 * process ends another process's lease by compare-and-set once it has seen the same version for the
 * duration of the lease. The token may have been sent, so the login is marked as uncertain and the
 * token isn't sent again immediately. 3. All waiting callers get the same result, the new
 * token or `REFRESH_UNKNOWN`. After `REFRESH_UNKNOWN`, the next call sends the token again. The
 * login is only lost if the server has processed the token and its response was lost. 4. New tokens
 * are stored even if they arrive late, as long as the stored login is the one they were requested
 * for. They never replace newer tokens.
 */
function makeRenewal(
  settings: LoginSettings,
  server: LoginServer,
  logins: LoginRepository,
): (refused: string | undefined) => Promise<StoredLogin> {
  const { clock, lock, sessionId } = settings;
  let seen: Seen | undefined; // kept between calls, because a call may end before the lease expires

  async function settle(refused: string | undefined): Promise<StoredLogin> {
    let hasWaited = false;
    for (;;) {
      const asked = clock.monotonic();
      const { stored, version } = await logins.read();
      if (!stored) throw loginRequired();
      if (stored.access !== refused && logins.isAlive(stored)) return stored;
      if (stored.refresh === undefined) await logins.swap(version, null);
      else if (stored.lease !== undefined) {
        hasWaited = true;
        if (seen?.version !== version) seen = { version, since: clock.monotonic() };
        if (asked - seen.since < stored.lease) await clock.wait(POLL_LEASE_MS);
        else await logins.swap(version, { ...stored, lease: undefined, unsure: true });
      } else if (hasWaited && stored.unsure) throw refreshUnknown();
      else {
        const renewed = await renew(settings, server, logins, stored, stored.refresh, version);
        // Don't check the new token again. Otherwise, a token with a very short lifetime would be
        // renewed forever.
        if (renewed) return renewed;
      }
    }
  }

  return (refused) => lock(`paystate-oauth/${sessionId}`, () => settle(refused));
}

/**
 * Takes the lease and refreshes the tokens. Returns `undefined` if the stored login must be read
 * again.
 */
async function renew(
  { clock, attemptTimeout }: LoginSettings,
  server: LoginServer,
  logins: LoginRepository,
  stored: StoredLogin,
  token: string,
  version: number,
): Promise<StoredLogin | undefined> {
  await findServer(server);
  const begun = logins.moment();
  if (!(await logins.swap(version, { ...stored, lease: computeLease(attemptTimeout) })))
    return undefined;
  // If the response is lost, the same token is sent again immediately, because login servers accept
  // a repeated token only for a few seconds. Both requests end before the lease expires, because
  // the lease is twice as long as the timeout for one request.
  const askAgain = async () => {
    const first = await sendRefresh(server, token);
    const isLost =
      'code' in first && first.code === 'REFRESH_UNKNOWN' && first.outcome === 'unknown';
    return isLost && logins.passed(begun) < attemptTimeout ? sendRefresh(server, token) : first;
  };
  if (logins.passed(begun) < attemptTimeout)
    return refreshAndStore(clock, server, logins, stored, askAgain, version + 1);
  await logins.swap(version + 1, stored);
  return undefined;
}

/** Sends one refresh request. Resolves to the new tokens or to the error. */
function sendRefresh(server: LoginServer, token: string): Promise<Tokens | PaystateError> {
  return server
    .refresh(token)
    .catch((thrown: unknown) => (isPaystateError(thrown) ? thrown : refreshUnknown()));
}

/** Refreshes the tokens and stores them, unless the login has been replaced in the meantime. */
async function refreshAndStore(
  clock: Clock,
  server: LoginServer,
  logins: LoginRepository,
  stored: StoredLogin,
  send: () => ReturnType<typeof sendRefresh>,
  version: number,
): Promise<StoredLogin | undefined> {
  const asked = logins.moment();
  const tokens = await send();
  if ('code' in tokens) {
    const isOver = tokens.code === 'LOGIN_REQUIRED';
    const unsure = tokens.code === 'REFRESH_UNKNOWN' || stored.unsure;
    const written = logins.swap(version, isOver ? null : { ...stored, unsure });
    await written.catch(() => false); // if this fails, the lease expires later
    if (!isOver) throw tokens;
    return undefined;
  }
  const renewed = logins.toStored(tokens, stored, asked);
  const found = await writeTokens(clock, logins, stored, renewed);
  if (found === renewed) return renewed;
  // After a logout or another login, the new token isn't needed anymore.
  const orphan = !found || found.login !== stored.login ? tokens.refresh : undefined;
  if (orphan !== undefined) await server.revoke(orphan).catch(() => {});
  return undefined;
}

/**
 * Replaces the old tokens in the store and retries failed writes. Resolves to the login that is
 * then stored.
 */
async function writeTokens(
  clock: Clock,
  logins: LoginRepository,
  before: StoredLogin,
  renewed: StoredLogin,
): Promise<StoredLogin | null> {
  const begun = clock.monotonic();
  for (;;) {
    try {
      const { stored, version } = await logins.read();
      // Another process has changed the login, or an earlier write succeeded although it seemed to
      // fail.
      if (stored?.access !== before.access || stored.refresh !== before.refresh) return stored;
      if (await logins.swap(version, renewed)) return renewed;
    } catch {
      if (clock.monotonic() - begun > WRITE_TOKENS_FOR_MS) throw refreshUnknown();
      await clock.wait(POLL_LEASE_MS);
    }
  }
}

/**
 * Finds the login server's URLs. If that fails, the login is kept, because the token wasn't sent.
 */
async function findServer(server: LoginServer): Promise<void> {
  await server.find().catch(() => {
    throw refreshUnknown();
  });
}
