import type { BehaviourId } from '../provenance/behaviours.ts';
import { recordUse } from '../provenance/recorder.ts';
import { type IncomingRequest, keyOf } from '../service/incoming.ts';
import type { LoginResponder } from '../service/service.ts';
import { jsonResponse, type OutgoingResponse } from '../world/responses.ts';
import { accountOf, type World } from '../world/world.ts';
import {
  addCode,
  authenticateClient,
  clientOf,
  isRegistered,
  issueAccess,
  issueRefresh,
  jwtOf,
  type OAuthClient,
  OAuthError,
  redeemCode,
  redeemRefresh,
  revokeToken,
  type TokenFamily,
} from './grants.ts';

type Responder = (world: World, incoming: IncomingRequest) => OutgoingResponse;

const responders: Readonly<Record<string, Responder>> = {
  'GET /.well-known/openid-configuration': (_, { url }) => privateJson(configurationOf(url.origin)),
  'GET /connect/authorize': (world, { url }) => ({
    status: 302,
    headers: { location: authorize(world, url) },
    body: null,
  }),
  'POST /connect/token': (world, incoming) =>
    privateJson(tokenResponse(world, incoming.headers, formOf(incoming), incoming.url.origin)),
  'POST /connect/revocation': (world, incoming) => {
    const form = formOf(incoming);
    revokeToken(world, authenticateClient(world, incoming.headers, form), form.get('token'));
    return { status: 200, headers: {}, body: null };
  },
  'GET /connect/userinfo': (world, { headers }) => {
    const { account } = keyOf(world, headers);
    return privateJson({ sub: account.id, name: account.handle });
  },
};

/** The behaviours that its responses rest on. */
const RESTS: Readonly<Record<string, readonly BehaviourId[]>> = {
  'GET /.well-known/openid-configuration': ['logins.discovery'],
  'GET /connect/authorize': ['logins.flow', 'logins.rules', 'logins.codes'],
  'POST /connect/token': [
    'logins.secret',
    'logins.offline',
    'logins.tokens',
    'logins.lives',
    'logins.codes',
    'logins.twice',
  ],
  'POST /connect/revocation': ['logins.secret', 'logins.revocation'],
};

/** The login server of a world, for the service that it stands beside. */
export function createLoginServer(world: World): LoginResponder {
  return {
    owns: ({ pathname }) => /^\/(connect|\.well-known)\//.test(pathname),
    respond(incoming) {
      const name = `${incoming.method} ${incoming.url.pathname}`;
      const respond = Object.hasOwn(responders, name) ? responders[name] : undefined;
      if (respond) recordUse(world, 'logins.limits');
      const rests = Object.hasOwn(RESTS, name) ? RESTS[name] : undefined;
      for (const id of rests ?? []) recordUse(world, id);
      try {
        return respond?.(world, incoming);
      } catch (thrown) {
        if (thrown instanceof OAuthError)
          return privateJson({ error: thrown.error }, thrown.status);
        throw thrown;
      }
    },
  };
}

function configurationOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/connect/authorize`,
    token_endpoint: `${issuer}/connect/token`,
    revocation_endpoint: `${issuer}/connect/revocation`,
    userinfo_endpoint: `${issuer}/connect/userinfo`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    id_token_signing_alg_values_supported: ['HS256'],
    authorization_response_iss_parameter_supported: true,
  };
}

function formOf({ headers, body }: IncomingRequest): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(headers.get('content-type') ?? ''))
    throw new OAuthError('invalid_request');
  const form = new URLSearchParams(body ?? '');
  if (new Set(form.keys()).size !== [...form.keys()].length)
    throw new OAuthError('invalid_request');
  return form;
}

/** A response that no cache between may keep (RFC 6749 section 5.1). */
function privateJson(body: object, status = 200): OutgoingResponse {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { ...jsonResponse(status, body), headers };
}

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

/** The response to a request for tokens. */
function tokenResponse(
  world: World,
  headers: Headers,
  form: URLSearchParams,
  issuer: string,
): object {
  const client = authenticateClient(world, headers, form);
  const grant = form.get('grant_type');
  if (grant === 'authorization_code') {
    const family = redeemCode(world, client, form.get('code'), {
      redirectUri: form.get('redirect_uri'),
      verifier: form.get('code_verifier'),
    });
    return { ...tokensOf(world, family, true), ...nameTagOf(world, family, issuer) };
  }
  if (grant === 'refresh_token')
    return tokensOf(world, redeemRefresh(world, client, form.get('refresh_token')), client.rotates);
  throw new OAuthError('unsupported_grant_type');
}

function tokensOf(world: World, family: TokenFamily, renews: boolean): object {
  return {
    access_token: issueAccess(world, family),
    token_type: 'Bearer',
    expires_in: Math.floor(family.client.accessTokenLifetime / 1_000),
    scope: family.scopes.join(' '),
    ...(renews &&
      family.scopes.includes('offline_access') && { refresh_token: issueRefresh(world, family) }),
  };
}

function nameTagOf(world: World, { scopes, account, client }: TokenFamily, iss: string): object {
  if (!scopes.includes('openid')) return {};
  const now = Math.floor(world.clock.now() / 1_000);
  return {
    id_token: jwtOf(world, {
      iss,
      sub: account.id,
      aud: client.clientId,
      iat: now,
      exp: now + 300,
      name: account.handle,
    }),
  };
}
