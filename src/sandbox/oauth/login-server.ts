import { type IncomingRequest, keyOf } from '../service/incoming.ts';
import type { BehaviourId } from '../provenance/behaviours.ts';
import { recordUse } from '../provenance/recorder.ts';
import type { World } from '../world/world.ts';
import { authorize } from './authorize.ts';
import { authenticateClient } from './clients.ts';
import { revokeToken } from './grants.ts';
import { jsonResponse, type OutgoingResponse } from '../world/outgoing.ts';
import { OAuthError } from './oauth-error.ts';
import type { LoginResponder } from '../service/service.ts';
import { tokenResponse } from './token.ts';

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
