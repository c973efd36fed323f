import { accountOf, type World } from '../world/world.ts';
import { clientOf, isRegistered, type OAuthClient } from './clients.ts';
import { addCode } from './grants.ts';
import { OAuthError } from './oauth-error.ts';

/** What a user does at the login server. */
export interface Visitor {
  /** Handle of the account; the first one. */
  readonly account?: string | undefined;
  /** Says yes; true. */
  readonly allow?: boolean | undefined;
  /** Allows only these; everything that was asked for. */
  readonly scopes?: readonly string[] | undefined;
}

/** Scopes of the protocol itself: no client has to be registered for them. */
const PROTOCOL_SCOPES: readonly string[] = ['openid', 'profile', 'offline_access'];

/**
 * The user's visit: the address they are sent back to. A user is never sent to an address that
 * is not registered, so that is an error of another kind.
 */
export function authorize(
  world: World,
  url: URL,
  { account, allow = true, scopes }: Visitor = {},
): string {
  const asked = url.searchParams;
  const client = clientOf(world, asked.get('client_id'));
  const redirectUri = asked.get('redirect_uri');
  if (!client || redirectUri === null || !isRegistered(client, redirectUri))
    throw new OAuthError('invalid_request');
  const back = new URL(redirectUri);
  const state = asked.get('state');
  try {
    if (!allow) throw new OAuthError('access_denied');
    const granted = grantedOf(client, asked, scopes);
    back.searchParams.set(
      'code',
      addCode(world, {
        client,
        account: accountOf(world, account),
        scopes: granted,
        redirectUri,
        challenge: challengeIn(asked),
      }),
    );
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown;
    back.searchParams.set('error', thrown.error);
  }
  if (state !== null) back.searchParams.set('state', state);
  back.searchParams.set('iss', url.origin);
  return back.href;
}

function challengeIn(asked: URLSearchParams): string {
  if (asked.get('response_type') !== 'code') throw new OAuthError('unsupported_response_type');
  const challenge = asked.get('code_challenge');
  if (
    challenge === null ||
    !/^[\w-]{43}$/.test(challenge) ||
    asked.get('code_challenge_method') !== 'S256'
  )
    throw new OAuthError('invalid_request');
  return challenge;
}

function grantedOf(
  client: OAuthClient,
  asked: URLSearchParams,
  allowed: readonly string[] | undefined,
): readonly string[] {
  const scopes = (asked.get('scope') ?? '').split(' ').filter(Boolean);
  const isOpen = (scope: string) =>
    client.scopes === undefined || client.scopes.includes(scope) || PROTOCOL_SCOPES.includes(scope);
  if (scopes.length === 0 || !scopes.every(isOpen)) throw new OAuthError('invalid_scope');
  return allowed ? scopes.filter((scope) => allowed.includes(scope)) : scopes;
}
