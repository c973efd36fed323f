import { type Incoming, keyOf } from '../http/incoming.ts';
import { relies } from '../reliance.ts';
import type { World } from '../world.ts';
import { authorize } from './authorize.ts';
import { authenticated } from './clients.ts';
import { revokeToken } from './grants.ts';
import { OAuthError } from './oauth-error.ts';
import { tokenAnswer } from './token.ts';

/** An answer before it becomes a `Response`. */
interface Outgoing {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

type Answer = (world: World, incoming: Incoming) => Outgoing;

const answers: Readonly<Record<string, Answer>> = {
  'GET /.well-known/openid-configuration': (_, { url }) => json(200, configurationOf(url.origin)),
  'GET /connect/authorize': (world, { url }) => ({
    status: 302,
    headers: { location: authorize(world, url) },
    body: null,
  }),
  'POST /connect/token': (world, incoming) =>
    json(200, tokenAnswer(world, incoming.headers, formOf(incoming), incoming.url.origin)),
  'POST /connect/revocation': (world, incoming) => {
    const form = formOf(incoming);
    revokeToken(world, authenticated(world, incoming.headers, form), form.get('token'));
    return { status: 200, headers: {}, body: null };
  },
  'GET /connect/userinfo': (world, { headers }) => {
    const { account } = keyOf(world, headers);
    return json(200, { sub: account.id, name: account.handle });
  },
};

/** What every answer of it rests on. */
const RESTS = ['logins.flow', 'logins.tokens', 'logins.lives', 'logins.rules'];

/** Whether an address is the login server's. */
export function isLogin({ pathname }: URL): boolean {
  return /^\/(connect|\.well-known)\//.test(pathname);
}

/** Answers what belongs to the login server, and nothing else. */
export function loginAnswer(world: World, incoming: Incoming): Outgoing | undefined {
  const name = `${incoming.method} ${incoming.url.pathname}`;
  const answer = Object.hasOwn(answers, name) ? answers[name] : undefined;
  if (answer) for (const id of RESTS) relies(world, id);
  try {
    return answer?.(world, incoming);
  } catch (thrown) {
    if (thrown instanceof OAuthError) return json(thrown.status, { error: thrown.error });
    throw thrown;
  }
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

function formOf({ headers, body }: Incoming): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(headers.get('content-type') ?? ''))
    throw new OAuthError('invalid_request');
  const form = new URLSearchParams(body ?? '');
  if (new Set(form.keys()).size !== [...form.keys()].length)
    throw new OAuthError('invalid_request');
  return form;
}

/** Nobody on the way may keep it. */
function json(status: number, body: object): Outgoing {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  };
}
