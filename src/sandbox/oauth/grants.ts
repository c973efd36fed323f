import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { badInput } from '../../core/errors/index.ts';
import { toHex, type Account, revokeKey, getStore, type World } from '../world/world.ts';

export class OAuthError extends Error {
  readonly error: string;
  readonly status: number;
  constructor(error: string, status = 400) {
    super(error);
    this.error = error;
    this.status = status;
  }
}

/**
 * An OAuth client, which is a program that asks users for access to their account. Lifetimes are in
 * milliseconds on the sandbox's clock.
 */
export interface OAuthClientDraft {
  /** Client id. Defaults to a random one. */
  readonly clientId?: string | undefined;
  /** Client secret. If absent, the client is public, like a web page. */
  readonly clientSecret?: string | undefined;
  /**
   * Allowed redirect URLs. The URL in a request must match one exactly. Defaults to
   * `https://app.example/callback`.
   */
  readonly redirectUris?: readonly string[] | undefined;
  /** Whether any redirect URL on localhost is allowed. Defaults to false. */
  readonly loopback?: boolean | undefined;
  /** Scopes that the client may request. Defaults to all scopes. */
  readonly scopes?: readonly string[] | undefined;
  /** Lifetime of access tokens in milliseconds. Defaults to one hour. */
  readonly accessTokenLifetime?: number | undefined;
  /** Lifetime of refresh tokens in milliseconds. Defaults to 30 days. */
  readonly refreshTokenLifetime?: number | undefined;
  /**
   * Whether a refresh returns a new refresh token and invalidates the old one. Defaults to true.
   */
  readonly rotates?: boolean | undefined;
}

/** A registered OAuth client. Lifetimes are in milliseconds. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly redirectUris: readonly string[];
  readonly loopback: boolean;
  readonly scopes: readonly string[] | undefined;
  readonly accessTokenLifetime: number;
  readonly refreshTokenLifetime: number;
  readonly rotates: boolean;
}

const HOUR = 3_600_000;
const MONTH = 2_592_000_000;

function getClients(world: World): Map<string, OAuthClient> {
  return getStore(world, 'oauth.clients', () => new Map<string, OAuthClient>());
}

export function addClient(world: World, draft: OAuthClientDraft): OAuthClient {
  const {
    redirectUris = ['https://app.example/callback'],
    accessTokenLifetime = HOUR,
    refreshTokenLifetime = MONTH,
    rotates = true,
    loopback = false,
    clientSecret,
    scopes,
  } = draft;
  const clients = getClients(world);
  const clientId =
    draft.clientId ?? `app-${toHex(world.random.bytes('oauth/client', clients.size)).slice(0, 12)}`;
  if (clients.has(clientId)) throw badInput('clientId', 'client names must be unique');
  if (redirectUris.length === 0) throw badInput('redirectUris', 'must have at least one URL');
  for (const [name, lifetime] of Object.entries({ accessTokenLifetime, refreshTokenLifetime }))
    if (!Number.isSafeInteger(lifetime) || lifetime < 0)
      throw badInput(name, 'must be a number of milliseconds, 0 or more');
  const client = {
    clientId,
    clientSecret,
    redirectUris,
    loopback,
    scopes,
    rotates,
    accessTokenLifetime,
    refreshTokenLifetime,
  };
  clients.set(clientId, client);
  return client;
}

export function findClient(world: World, clientId: string | null): OAuthClient | undefined {
  return clientId === null ? undefined : getClients(world).get(clientId);
}

export function isRegistered({ redirectUris, loopback }: OAuthClient, address: string): boolean {
  return (
    redirectUris.includes(address) ||
    (loopback && /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?\/[^#\\]*$/.test(address))
  );
}

/**
 * Authenticates an OAuth client by its `authorization` header or by the secret in its request body.
 * Rejects requests that use both.
 */
export function authenticateClient(
  world: World,
  headers: Headers,
  form: URLSearchParams,
): OAuthClient {
  const basic = readBasic(headers);
  if (basic && form.has('client_secret')) throw new OAuthError('invalid_request');
  const [clientId, secret] = basic ?? [
    form.get('client_id'),
    form.get('client_secret') ?? undefined,
  ];
  const client = findClient(world, clientId);
  if (!client || client.clientSecret !== secret || (form.get('client_id') ?? clientId) !== clientId)
    throw new OAuthError('invalid_client', 401);
  return client;
}

function readBasic(headers: Headers): readonly [string, string] | undefined {
  const [, text] = /^Basic +([\w+/=]+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (text === undefined) return undefined;
  try {
    const [name, secret, ...rest] = atob(text)
      .split(':')
      .map((part) => decodeURIComponent(part.replace(/\+/g, ' ')));
    if (name !== undefined && secret !== undefined && rest.length === 0) return [name, secret];
  } catch {
    // ignore invalid base64 or percent encoding, and throw below
  }
  throw new OAuthError('invalid_client', 401);
}

/**
 * A user's consent with all tokens issued for it. If a code or a rotated refresh token is used
 * twice, all of these tokens are revoked.
 */
export interface TokenFamily {
  readonly client: OAuthClient;
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly accesses: string[];
  isRevoked: boolean;
}

interface CodeFacts {
  readonly client: OAuthClient;
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string;
}

interface Code extends CodeFacts {
  readonly until: number;
  /** Tokens issued for this code. Absent until the code is redeemed. */
  family?: TokenFamily;
  isUsed: boolean;
}

interface Refresh {
  readonly family: TokenFamily;
  readonly until: number;
  isUsed: boolean;
}

const CODE_LIFE = 60_000;

const getGrants = (world: World) =>
  getStore(world, 'oauth.grants', () => ({
    codes: new Map<string, Code>(),
    refreshes: new Map<string, Refresh>(),
    accesses: new Map<string, TokenFamily>(),
    families: [] as TokenFamily[],
  }));

export function addCode(world: World, facts: CodeFacts): string {
  const text = drawText(world, 'code');
  getGrants(world).codes.set(text, {
    ...facts,
    until: world.clock.now() + CODE_LIFE,
    isUsed: false,
  });
  return text;
}

/**
 * Redeems an authorization code. If a code is used twice, it may have been stolen, so all of its
 * tokens are revoked.
 */
export function redeemCode(
  world: World,
  client: OAuthClient,
  text: string | null,
  shown: { readonly redirectUri: string | null; readonly verifier: string | null },
): TokenFamily {
  const code = getGrants(world).codes.get(text ?? '');
  if (code?.isUsed && code.family) revoke(world, code.family);
  if (!code || code.isUsed || code.client !== client) throw new OAuthError('invalid_grant');
  code.isUsed = true;
  const isRight =
    shown.verifier !== null &&
    /^[\w.~-]{43,128}$/.test(shown.verifier) &&
    makeChallenge(shown.verifier) === code.challenge;
  if (world.clock.now() >= code.until || shown.redirectUri !== code.redirectUri || !isRight)
    throw new OAuthError('invalid_grant');
  code.family = {
    client,
    account: code.account,
    scopes: code.scopes,
    accesses: [],
    isRevoked: false,
  };
  getGrants(world).families.push(code.family);
  return code.family;
}

/**
 * Redeems a refresh token. If a rotated token is used twice, it may have been stolen, so its whole
 * token family is revoked.
 */
export function redeemRefresh(world: World, client: OAuthClient, text: string | null): TokenFamily {
  const refresh = getGrants(world).refreshes.get(text ?? '');
  if (!refresh || refresh.family.client !== client) throw new OAuthError('invalid_grant');
  if (refresh.isUsed) revoke(world, refresh.family);
  if (refresh.family.isRevoked || world.clock.now() >= refresh.until)
    throw new OAuthError('invalid_grant');
  refresh.isUsed = client.rotates;
  return refresh.family;
}

export function issueAccess(world: World, family: TokenFamily): string {
  const { account, client, scopes, accesses } = family;
  const now = world.clock.now();
  const until = now + client.accessTokenLifetime;
  const claims = {
    sub: account.id,
    name: account.handle,
    client_id: client.clientId,
    scope: scopes.join(' '),
    iat: Math.floor(now / 1_000),
    exp: Math.floor(until / 1_000),
  };
  const text = makeJwt(world, { ...claims, jti: drawText(world, 'access') });
  world.keys.set(text, { account, scopes: new Set(scopes), until });
  getGrants(world).accesses.set(text, family);
  accesses.push(text);
  return text;
}

export function issueRefresh(world: World, family: TokenFamily): string {
  const text = drawText(world, 'refresh');
  getGrants(world).refreshes.set(text, {
    family,
    until: world.clock.now() + family.client.refreshTokenLifetime,
    isUsed: false,
  });
  return text;
}

/**
 * Revokes an access token, or a refresh token with its whole token family. Ignores other clients'
 * tokens.
 */
export function revokeToken(world: World, client: OAuthClient, text: string | null): void {
  const { refreshes, accesses } = getGrants(world);
  const family = refreshes.get(text ?? '')?.family;
  if (family?.client === client) revoke(world, family);
  if (text !== null && accesses.get(text)?.client === client) revokeKey(world, text);
}

export function endAll(world: World, what: 'access' | 'logins'): void {
  for (const family of getGrants(world).families) {
    if (what === 'logins') family.isRevoked = true;
    for (const text of family.accesses) revokeKey(world, text);
  }
}

function revoke(world: World, family: TokenFamily): void {
  family.isRevoked = true;
  for (const text of family.accesses) revokeKey(world, text);
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '');
}

/** Returns the PKCE challenge for a verifier, using the S256 method. */
function makeChallenge(verifier: string): string {
  return base64Url(sha256(utf8(verifier)));
}

function drawText(world: World, kind: string): string {
  const purpose = `oauth/${kind}`;
  return base64Url(world.random.bytes(purpose, world.random.next(purpose)));
}

/** Creates a JWT that's signed with the sandbox's secret. */
export function makeJwt(world: World, claims: object): string {
  const head = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => base64Url(utf8(JSON.stringify(part))))
    .join('.');
  return `${head}.${base64Url(hmac(sha256, world.random.bytes('oauth/secret', 0), utf8(head)))}`;
}
