import * as oauth from 'oauth4webapi';
import { UnreachableError } from '../core/errors/index.ts';
import { isLoopback } from '../core/hosts.ts';
import { checkCredential, fetchBy, type FetchInit, readBody } from '../core/http/index.ts';
import { systemClock } from '../core/time.ts';
import {
  loginError,
  loginRefused,
  loginRequired,
  refreshUnknown,
  stateMismatch,
  readWord,
} from './errors.ts';
import { type LoginEndpoints, type LoginSettings, type Revocation, secureUrl } from './options.ts';

export interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
  /**
   * The access token's lifetime, in milliseconds from the request. Absent if the server doesn't
   * specify one.
   */
  readonly life: number | undefined;
  readonly scopes: readonly string[] | undefined;
}

export interface LoginServer {
  authorization(): Promise<URL>;
  exchangeCode(callback: URL, state: string, verifier: string): Promise<Tokens>;
  refresh(token: string): Promise<Tokens>;
  revoke(token: string): Promise<Revocation>;
  /** Finds the login server's URLs if they aren't known yet. */
  find(): Promise<void>;
}

/**
 * Signature algorithms to accept for ID tokens if there's no discovery document. The contents of ID
 * tokens aren't used.
 */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'HS256'];

/**
 * Tolerance for times in an ID token, so that valid tokens aren't rejected if the local clock is
 * off.
 */
const TOLERANCE_SECONDS = 1_000_000;

/** Creates the client for the login server's protocol. It doesn't store any tokens. */
export function makeServer(settings: LoginSettings): LoginServer {
  // Store the value, not a promise, because in a Worker, a promise belongs to a single request.
  let known = settings.endpoints && describe(settings.endpoints);
  const client: oauth.Client = {
    client_id: settings.clientId,
    [oauth.clockSkew]: Math.round((settings.clock.now() - systemClock.now()) / 1_000),
    [oauth.clockTolerance]: TOLERANCE_SECONDS,
  };
  const addresses = async () => (known ??= await discover(settings, settings.authUrl!));
  return {
    find: async () => void (await addresses()),
    authorization: async () => new URL((await addresses()).authorization_endpoint!),
    exchangeCode: async (callback, state, verifier) =>
      exchangeCode(settings, client, await addresses(), callback, state, verifier),
    refresh: async (token) => refresh(settings, client, await addresses(), token),
    revoke: async (token) => revoke(settings, client, await addresses(), token),
  };
}

async function exchangeCode(
  settings: LoginSettings,
  client: oauth.Client,
  as: oauth.AuthorizationServer,
  callback: URL,
  state: string,
  verifier: string,
): Promise<Tokens> {
  const parameters = validate(as, client, callback, state);
  return withOwnErrors(async () => {
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      chooseCredential(as, settings.clientSecret),
      parameters,
      settings.redirectUri,
      verifier,
      makeOptions(settings, new URL(as.token_endpoint!)),
    );
    return readTokens(
      await settings.clock.external(oauth.processAuthorizationCodeResponse(as, client, response)),
    );
  });
}

function refresh(
  settings: LoginSettings,
  client: oauth.Client,
  as: oauth.AuthorizationServer,
  token: string,
): Promise<Tokens> {
  return withOwnErrors(async () => {
    const response = await oauth.refreshTokenGrantRequest(
      as,
      client,
      chooseCredential(as, settings.clientSecret),
      token,
      makeOptions(settings, new URL(as.token_endpoint!)),
    );
    return readTokens(
      await settings.clock.external(oauth.processRefreshTokenResponse(as, client, response)),
    );
  });
}

async function revoke(
  settings: LoginSettings,
  client: oauth.Client,
  as: oauth.AuthorizationServer,
  token: string,
): Promise<Revocation> {
  if (as.revocation_endpoint === undefined) return 'not-offered';
  const response = await oauth.revocationRequest(
    as,
    client,
    chooseCredential(as, settings.clientSecret),
    token,
    makeOptions(settings, new URL(as.token_endpoint!)),
  );
  await settings.clock.external(oauth.processRevocationResponse(response));
  return 'yes';
}

function makeOptions(settings: LoginSettings, url: URL) {
  return {
    [oauth.customFetch]: (to: string, init: Parameters<typeof exchange>[2]) =>
      exchange(settings, to, init),
    [oauth.allowInsecureRequests]: isLoopback(url.hostname),
  };
}

function describe({
  issuer,
  authorization,
  token,
  revocation,
}: LoginEndpoints): oauth.AuthorizationServer {
  return {
    issuer,
    authorization_endpoint: String(authorization),
    token_endpoint: String(token),
    ...(revocation !== undefined && { revocation_endpoint: String(revocation) }),
    id_token_signing_alg_values_supported: ALGORITHMS,
  };
}

/** Reads the discovery document and validates the URLs that tokens are sent to. */
async function discover(settings: LoginSettings, authUrl: URL): Promise<oauth.AuthorizationServer> {
  try {
    const response = await oauth.discoveryRequest(authUrl, makeOptions(settings, authUrl));
    const found = await settings.clock.external(oauth.processDiscoveryResponse(authUrl, response));
    for (const name of ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint'] as const)
      if (name !== 'revocation_endpoint' || found[name] !== undefined)
        secureUrl(name, textIn(found, name));
    const ways: unknown = found.token_endpoint_auth_methods_supported;
    if (ways !== undefined && !Array.isArray(ways)) throw new TypeError('no list of methods');
    return found;
  } catch {
    const message = 'could not find the login server; check authUrl, or set endpoints';
    throw new UnreachableError(message, {
      code: 'UNREACHABLE',
      outcome: 'not-done',
      next: 'retry',
    });
  }
}

/**
 * Returns a field of the discovery document. Throws if it isn't a string, because an array with one
 * URL would be converted to that URL.
 */
function textIn(found: oauth.AuthorizationServer, name: keyof oauth.AuthorizationServer): string {
  const value: unknown = found[name];
  if (typeof value === 'string') return value;
  throw new TypeError(`${name} is not a string`);
}

/**
 * Returns how to send the client secret. As documented, it's sent in the body, unless the server
 * doesn't support that.
 */
function chooseCredential(
  { token_endpoint_auth_methods_supported: ways }: oauth.AuthorizationServer,
  secret: string | undefined,
): oauth.ClientAuth {
  if (secret === undefined) return oauth.None();
  return ways && !ways.includes('client_secret_post')
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

function validate(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  callback: URL,
  state: string,
): URLSearchParams {
  try {
    return oauth.validateAuthResponse(as, client, callback, state);
  } catch (thrown) {
    // The response may have come from another server.
    if (!(thrown instanceof oauth.AuthorizationResponseError)) throw stateMismatch();
    throw loginRefused(readWord(thrown.error));
  }
}

/** Validates and converts the tokens in a response. They must be bearer tokens. */
function readTokens({
  access_token,
  refresh_token,
  expires_in,
  scope,
  token_type,
}: oauth.TokenEndpointResponse): Tokens {
  if (token_type !== 'bearer') throw refreshUnknown();
  checkCredential('token', access_token);
  return {
    access: access_token,
    refresh: refresh_token,
    life: expires_in === undefined ? undefined : Math.floor(expires_in * 1_000),
    scopes: scope?.split(' ').filter(Boolean),
  };
}

/** The login server's error codes for temporary failures. */
const TEMPORARY = /^(temporarily_unavailable|server_error|slow_down)$/;

/** Replaces the OAuth library's errors, because they contain tokens. */
async function withOwnErrors(ask: () => Promise<Tokens>): Promise<Tokens> {
  try {
    return await ask();
  } catch (thrown) {
    if (!(thrown instanceof oauth.ResponseBodyError)) throw refreshUnknown();
    if (TEMPORARY.test(thrown.error))
      throw loginError(
        'REFRESH_UNKNOWN',
        'the login server is temporarily unavailable; try again',
        {
          next: 'retry',
        },
      );
    throw thrown.error === 'invalid_grant' ? loginRequired() : loginRefused(readWord(thrown.error));
  }
}

const MAX_RESPONSE_BYTES = 1_000_000;

/** The parts of the OAuth library's requests that are used. */
interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Sends one request to the login server. The timeout includes reading the body. The OAuth library
 * only gets the response's status, content type and text.
 */
async function exchange(
  { fetch, clock, attemptTimeout }: LoginSettings,
  url: string,
  { method, headers, body }: Outgoing,
): Promise<Response> {
  const ended = new AbortController();
  let cancel!: () => void;
  const end = new Promise<never>((_, reject) => {
    cancel = clock.after(attemptTimeout, () => {
      reject(refreshUnknown());
      ended.abort();
    });
  });
  try {
    return await Promise.race([answer(), end]);
  } catch {
    throw refreshUnknown(); // the runtime's error message may contain a secret
  } finally {
    cancel();
  }

  async function answer(): Promise<Response> {
    const { accept = 'application/json', authorization, 'content-type': type } = headers;
    const init: FetchInit = {
      method,
      signal: ended.signal,
      redirect: 'manual',
      headers: {
        accept,
        ...(authorization !== undefined && { authorization }),
        ...(type !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body: String(body) }),
    };
    const response = await fetchBy(fetch, url, init);
    const text = await clock.external(readBody(response, MAX_RESPONSE_BYTES));
    if (text === undefined) throw refreshUnknown();
    return new Response(text || null, {
      status: response.status,
      headers: { 'content-type': response.headers.get('content-type') ?? '' },
    });
  }
}
