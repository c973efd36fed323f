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
 * Creates the login of one user, using the code flow with PKCE. Many callers share one refresh.
 * Tokens are only kept in the store and in closures. Nothing is sent. Throws an `InputError` for an
 * invalid option, or for a client secret in a page.
 *
 * @param options the login server, this client and the requested scopes. Times are in milliseconds
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

/** Returns a function that gets a login from the store, or through a shared renewal. */
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

/** Encodes 32 random bytes as 43 characters (RFC 7636 4.1). */
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

/** Checks whether a URL is the registered one plus the login server's additions. */
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

/** Interval between reads of the row while another process has the lease. */
const POLL_LEASE_MS = 250;
/** How long writing new tokens is retried while the store fails. */
const WRITE_TOKENS_FOR_MS = 10 * 60_000;

/** Another process's lease, and since when this process has seen it. */
interface Seen {
  readonly version: number;
  /** By this process's monotonic clock. */
  readonly since: number;
}

/**
 * Returns a function that gets a usable login and renews it if necessary. A refresh token only
 * works once, and sending it twice may end the login. Processes share the row, and coordinate only
 * through its version:
 *
 * 1. A process takes the lease by compare-and-set and sends right after that. If it was stopped in
 * between for too long, for example by sleep, it gives the lease back and sends nothing. Without a
 * response it sends the same token once more within the same lease.
 * 2. The others wait. A process only ends another's lease, by compare-and-set, after it has itself
 * seen the same version for the whole lease, by its own monotonic clock. The token may have been
 * sent, so it isn't sent again now but marked as unsure.
 * 3. All waiting callers share the result, which is the new token or `REFRESH_UNKNOWN`. The next
 * call sends the token again. The login is only lost if the server has processed the token and its
 * response was lost.
 * 4. New tokens are written, however late they arrive, as long as the row contains the login they
 * were requested for. They never replace anything newer.
 */
function makeRenewal(
  settings: LoginSettings,
  server: LoginServer,
  logins: LoginRepository,
): (refused: string | undefined) => Promise<StoredLogin> {
  const { clock, lock, sessionId } = settings;
  let seen: Seen | undefined; // kept between calls, because a call may end before the lease does

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
        // not checked again, because a token without a lifetime would be renewed forever
        if (renewed) return renewed;
      }
    }
  }

  return (refused) => lock(`paystate-oauth/${sessionId}`, () => settle(refused));
}

/** Takes the lease and sends, or returns `undefined` to read the row again. */
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
  // The same token is sent again right away, because login servers only accept a repetition for
  // seconds. Both requests end before the lease does, which is twice the timeout of one.
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

/** Sends one refresh. Resolves to the new tokens or to the error. */
function sendRefresh(server: LoginServer, token: string): Promise<Tokens | PaystateError> {
  return server
    .refresh(token)
    .catch((thrown: unknown) => (isPaystateError(thrown) ? thrown : refreshUnknown()));
}

/** Sends one refresh and stores its tokens, unless the login was replaced in the meantime. */
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
    await written.catch(() => false); // if this fails, the lease expires
    if (!isOver) throw tokens;
    return undefined;
  }
  const renewed = logins.toStored(tokens, stored, asked);
  const found = await writeTokens(clock, logins, stored, renewed);
  if (found === renewed) return renewed;
  // after a logout or another login, the new token is useless
  const orphan = !found || found.login !== stored.login ? tokens.refresh : undefined;
  if (orphan !== undefined) await server.revoke(orphan).catch(() => {});
  return undefined;
}

/** Replaces the old tokens and retries failed writes. Resolves to the row's content. */
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
      // another process wrote the row, or a write did that seemed to fail
      if (stored?.access !== before.access || stored.refresh !== before.refresh) return stored;
      if (await logins.swap(version, renewed)) return renewed;
    } catch {
      if (clock.monotonic() - begun > WRITE_TOKENS_FOR_MS) throw refreshUnknown();
      await clock.wait(POLL_LEASE_MS);
    }
  }
}

/** Finds the server's URLs. If that fails, nothing was sent, and the login remains. */
async function findServer(server: LoginServer): Promise<void> {
  await server.find().catch(() => {
    throw refreshUnknown();
  });
}
