import { type Clock, systemClock } from '../core/time/index.ts';
import { badInput } from '../core/errors/index.ts';
import { allowSecretInBrowser, checkCredential, type Fetch } from '../core/http/index.ts';
import { isBrowser, systemBytes } from '../core/platform/index.ts';
import { checkLasting } from '../stores/check-lasting.ts';
import { memoryStore } from '../stores/memory.ts';
import { timedStore, type Rows } from './timed-store.ts';
import { leaseOf, usualLock } from './lock.ts';
import type { LoginEndpoints, LoginOptions, Lock } from './model.ts';

/** The options of a login, checked. */
export interface LoginSettings {
  readonly authUrl: URL | undefined;
  readonly endpoints: LoginEndpoints | undefined;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly store: Rows;
  readonly sessionId: string;
  readonly fetch: Fetch | undefined;
  readonly clock: Clock;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly lock: Lock;
  readonly attemptTimeout: number;
}

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Checks everything before anything is sent; an error never repeats a value. */
export function settingsOf(options: LoginOptions): LoginSettings {
  const { store = memoryStore(), clock = systemClock } = options;
  const { attemptTimeout = 8_000, sessionId = 'main', randomBytes = systemBytes } = options;
  const { authUrl, endpoints, clientId, clientSecret, scopes, fetch } = options;
  if ((authUrl === undefined) === (endpoints === undefined))
    throw badInput('authUrl', 'give either authUrl or endpoints');
  checkCredential('clientId', clientId);
  checkSecret(clientSecret, options[allowSecretInBrowser]);
  checkScopes(scopes);
  if (!(Number.isFinite(attemptTimeout) && attemptTimeout > 0))
    throw badInput('attemptTimeout', 'must be milliseconds above 0');
  if (typeof sessionId !== 'string' || sessionId === '')
    throw badInput('sessionId', 'must name whose login it is');
  return {
    authUrl: authUrl === undefined ? undefined : secureUrl('authUrl', authUrl),
    endpoints: endpoints && checkEndpoints(endpoints),
    clientId,
    clientSecret,
    redirectUri: redirectOf(options.redirectUri),
    scopes: [...scopes],
    store: timedStore(
      checkLasting(store, authUrl ?? endpoints!.token, 'store', 'a crash loses the login'),
      clock,
      attemptTimeout,
    ),
    sessionId,
    fetch,
    clock,
    randomBytes,
    lock: options.lock ?? usualLock(clock, leaseOf(attemptTimeout)),
    attemptTimeout,
  };
}

function checkScopes(scopes: readonly string[]): void {
  if (
    !Array.isArray(scopes) ||
    scopes.length === 0 ||
    !scopes.every((scope) => typeof scope === 'string' && SCOPE.test(scope))
  )
    throw badInput('scopes', 'must name at least one, each without spaces');
}

function checkSecret(secret: string | undefined, allowed: boolean | undefined): void {
  if (secret === undefined) return;
  if (isBrowser() && !allowed)
    throw badInput('clientSecret', 'never in a page: leave it out, or log in through your server', {
      code: 'SECRET_IN_BROWSER',
    });
  checkCredential('clientSecret', secret);
}

function checkEndpoints(endpoints: LoginEndpoints): LoginEndpoints {
  for (const name of ['issuer', 'authorization', 'token'] as const)
    secureUrl(`endpoints.${name}`, endpoints[name]);
  if (endpoints.revocation !== undefined) secureUrl('endpoints.revocation', endpoints.revocation);
  return endpoints;
}

function redirectOf(given: string | URL): string {
  const url = urlOf(given);
  if (!url || url.hash || url.username || url.password)
    throw badInput('redirectUri', 'must be the whole address as registered, without a fragment');
  return String(given);
}

/** An address that tokens may travel to: https, or this machine itself. */
export function secureUrl(field: string, given: string | URL): URL {
  const url = urlOf(given);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
  if (!url || !isSafe || url.username || url.password || url.hash)
    throw badInput(
      field,
      'must be like https://login.example, without user or fragment (http:// for loopback only)',
    );
  return url;
}

/** Whether an address is this machine itself. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** The address that a text is; `undefined` where it is none. */
export function urlOf(given: string | URL): URL | undefined {
  try {
    return new URL(given);
  } catch {
    return undefined;
  }
}
