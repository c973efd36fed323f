import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type Account, revokeKey, storeOf, type World } from '../world/world.ts';
import { type OAuthClient, OAuthError } from './clients.ts';

/** What a user allowed a client, with all tokens issued for it: when one is used twice, all end. */
export interface TokenFamily {
  readonly client: OAuthClient;
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly accesses: string[];
  isRevoked: boolean;
}

/** A code on its way through the user's browser. */
interface CodeFacts {
  readonly client: OAuthClient;
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string;
}

interface Code extends CodeFacts {
  readonly until: number;
  /** What a redeemed code gave; absent until then. */
  family?: TokenFamily;
  isUsed: boolean;
}

interface Refresh {
  readonly family: TokenFamily;
  readonly until: number;
  isUsed: boolean;
}

const CODE_LIFE = 60_000;

const grantsOf = (world: World) =>
  storeOf(world, 'oauth.grants', () => ({
    codes: new Map<string, Code>(),
    refreshes: new Map<string, Refresh>(),
    accesses: new Map<string, TokenFamily>(),
    families: [] as TokenFamily[],
  }));

export function addCode(world: World, facts: CodeFacts): string {
  const text = drawText(world, 'code');
  grantsOf(world).codes.set(text, {
    ...facts,
    until: world.clock.now() + CODE_LIFE,
    isUsed: false,
  });
  return text;
}

/** What a code stands for, once. One that comes again was stolen: all that came of it ends. */
export function redeemCode(
  world: World,
  client: OAuthClient,
  text: string | null,
  shown: { readonly redirectUri: string | null; readonly verifier: string | null },
): TokenFamily {
  const code = grantsOf(world).codes.get(text ?? '');
  if (code?.isUsed && code.family) revoke(world, code.family);
  if (!code || code.isUsed || code.client !== client) throw new OAuthError('invalid_grant');
  code.isUsed = true;
  const isRight =
    shown.verifier !== null &&
    /^[\w.~-]{43,128}$/.test(shown.verifier) &&
    challengeOf(shown.verifier) === code.challenge;
  if (world.clock.now() >= code.until || shown.redirectUri !== code.redirectUri || !isRight)
    throw new OAuthError('invalid_grant');
  code.family = {
    client,
    account: code.account,
    scopes: code.scopes,
    accesses: [],
    isRevoked: false,
  };
  grantsOf(world).families.push(code.family);
  return code.family;
}

/**
 * What a refresh token stands for. Where they rotate, one that comes again ends its family: one of
 * two holders is a thief.
 */
export function redeemRefresh(world: World, client: OAuthClient, text: string | null): TokenFamily {
  const refresh = grantsOf(world).refreshes.get(text ?? '');
  if (!refresh || refresh.family.client !== client) throw new OAuthError('invalid_grant');
  if (refresh.isUsed) revoke(world, refresh.family);
  if (refresh.family.isRevoked || world.clock.now() >= refresh.until)
    throw new OAuthError('invalid_grant');
  refresh.isUsed = client.rotates;
  return refresh.family;
}

/** A new access token: the API takes it until its end. */
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
  const text = jwtOf(world, { ...claims, jti: drawText(world, 'access') });
  world.keys.set(text, { account, scopes: new Set(scopes), until });
  grantsOf(world).accesses.set(text, family);
  accesses.push(text);
  return text;
}

export function issueRefresh(world: World, family: TokenFamily): string {
  const text = drawText(world, 'refresh');
  grantsOf(world).refreshes.set(text, {
    family,
    until: world.clock.now() + family.client.refreshTokenLifetime,
    isUsed: false,
  });
  return text;
}

/**
 * Ends a token: an access token alone, a refresh token with all its family. Who does not own it
 * changes nothing.
 */
export function revokeToken(world: World, client: OAuthClient, text: string | null): void {
  const { refreshes, accesses } = grantsOf(world);
  const family = refreshes.get(text ?? '')?.family;
  if (family?.client === client) revoke(world, family);
  if (text !== null && accesses.get(text)?.client === client) revokeKey(world, text);
}

/** Ends what was issued so far. */
export function endAll(world: World, what: 'access' | 'logins'): void {
  for (const family of grantsOf(world).families) {
    if (what === 'logins') family.isRevoked = true;
    for (const text of family.accesses) revokeKey(world, text);
  }
}

function revoke(world: World, family: TokenFamily): void {
  family.isRevoked = true;
  for (const text of family.accesses) revokeKey(world, text);
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Base64url without padding. */
function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '');
}

/** The challenge of a verifier, method S256. */
function challengeOf(verifier: string): string {
  return base64Url(sha256(utf8(verifier)));
}

/** The next code or token of a kind: 43 characters. */
function drawText(world: World, kind: string): string {
  const purpose = `oauth/${kind}`;
  return base64Url(world.random.bytes(purpose, world.random.next(purpose)));
}

/** A JWT with these claims; only the box itself knows the secret that it is signed with. */
export function jwtOf(world: World, claims: object): string {
  const head = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => base64Url(utf8(JSON.stringify(part))))
    .join('.');
  return `${head}.${base64Url(hmac(sha256, world.random.bytes('oauth/secret', 0), utf8(head)))}`;
}
