// Checks of the login server.
import { createHash, randomBytes } from 'node:crypto';
import { checkRefusal } from './checks.ts';
import { type Answer, check, type Fact, same, section, type Stage } from './fact.ts';
import type { LoginClient } from './worlds.ts';
import { queryOf, valueAt } from './shapes.ts';

const SCOPES = 'openid profile offline_access partner.balances.read';
const FORM = 'application/x-www-form-urlencoded';

const makeProof = (): { readonly verifier: string; readonly challenge: string } => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

/** Fields of a form or of a query; what is undefined is left out. */
type Fields = Readonly<Record<string, string | undefined>>;

/** The response of a login server: tokens, or an error of RFC 6749 5.2. */
type TokenAnswer = Omit<Answer, 'json' | 'error'> & {
  readonly json: {
    readonly access_token: string;
    readonly refresh_token: string;
    readonly expires_in: number;
    readonly error?: string;
    readonly sub?: string;
  };
};

type Tokens = TokenAnswer['json'];

/** The answer of a login server. */
const asTokens = (answer: Answer): TokenAnswer => answer as unknown as TokenAnswer;

/** A form to an address of the login server. */
async function sendForm(
  stage: Stage,
  login: LoginClient,
  path: string,
  fields: Fields,
  headers: Fields = {},
): Promise<TokenAnswer> {
  const { clientId, clientSecret } = login;
  const isOpen = clientSecret !== undefined && headers['authorization'] === undefined;
  const body = new URLSearchParams(
    without({
      client_id: clientId,
      ...(isOpen && { client_secret: clientSecret }),
      ...fields,
    }),
  );
  const answer = await stage.ask(`POST ${login.path}${path}`, {
    as: null,
    body: String(body),
    headers: { 'content-type': FORM, ...headers },
  });
  return asTokens(answer);
}

const without = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );

/** The way in which a user came back from the login server. */
interface Visit {
  readonly status: number;
  readonly text: string;
  readonly location: string;
  readonly params: URLSearchParams;
  readonly verifier: string;
}

/** The address to which the login server sends the user back. */
async function authorize(stage: Stage, login: LoginClient, more: Fields = {}): Promise<Visit> {
  const { verifier, challenge } = makeProof();
  const query = without({
    response_type: 'code',
    client_id: login.clientId,
    redirect_uri: login.redirectUri,
    scope: SCOPES,
    state: 'state-1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  });
  const { status, text, headers } = await stage.ask(`GET ${login.path}/connect/authorize`, {
    as: null,
    query: queryOf(query),
  });
  const location = headers.get('location') ?? '';
  const params = location ? new URL(location).searchParams : new URLSearchParams();
  return { status, text, location, params, verifier };
}

const grantOf = (login: LoginClient, { params, verifier }: Visit, more: Fields = {}): Fields => ({
  grant_type: 'authorization_code',
  code: params.get('code') ?? '',
  code_verifier: verifier,
  redirect_uri: login.redirectUri,
  ...more,
});

/** A whole login: the answer with the tokens. */
async function logIn(
  stage: Stage,
  scope: string = SCOPES,
): Promise<{ readonly login: LoginClient; readonly tokens: Tokens; readonly headers: Headers }> {
  const login = await stage.world.login();
  const visit = await authorize(stage, login, { scope });
  const { status, json, headers, text } = await sendForm(
    stage,
    login,
    '/connect/token',
    grantOf(login, visit),
  );
  check(status === 200, 'a token', `${status} ${text}`);
  return { login, tokens: json, headers };
}

const refresh = (stage: Stage, login: LoginClient, token: string): Promise<TokenAnswer> =>
  sendForm(stage, login, '/connect/token', { grant_type: 'refresh_token', refresh_token: token });

const withToken = (stage: Stage, token: string, call = 'GET /v1/balances'): Promise<Answer> =>
  stage.ask(call, { as: null, headers: { authorization: `Bearer ${token}` } });

const discovers =
  (name: string, test: (value: string) => unknown): Fact =>
  async (stage) => {
    const { path } = await stage.world.login();
    const { status, json } = await stage.ask(`GET ${path}/.well-known/openid-configuration`, {
      as: null,
    });
    same(200, status);
    const value = valueAt<string>(json, name);
    check(test(value), `${name} to fit`, value);
  };

const sendsBack =
  (test: (visit: Visit, login: LoginClient) => unknown, more?: Fields): Fact =>
  async (stage) => {
    const login = await stage.world.login();
    const visit = await authorize(stage, login, more);
    check(test(visit, login), 'a redirect with code and state', [visit.status, visit.location]);
  };

/** A wrong authorization request comes back as an error of RFC 6749 4.1.2.1, or not at all. */
const refusesVisit =
  (more: Fields, error?: string): Fact =>
  async (stage) => {
    const login = await stage.world.login();
    const { location, status, params, text } = await authorize(stage, login, more);
    if (error) return same(error, params.get('error') ?? `${status} ${text}`);
    check(status >= 400 && location === '', 'no redirect', [status, location]);
  };

const token =
  (name: string, test: (value: string) => unknown, scope?: string): Fact =>
  async (stage) => {
    const { tokens } = await logIn(stage, scope);
    const value = valueAt<string>(tokens, name);
    check(test(value), `${name} to fit`, value);
  };

const claim =
  (name: string, of = 'access_token'): Fact =>
  async (stage) => {
    const { tokens } = await logIn(stage);
    const claims = JSON.parse(
      Buffer.from(valueAt<string>(tokens, of).split('.')[1] ?? '', 'base64url').toString(),
    );
    check(claims[name] !== undefined, `the claim ${name}`, claims);
  };

const opens =
  (call: string, status: number, code?: string): Fact =>
  async (stage) => {
    const { tokens } = await logIn(stage);
    const response = await withToken(stage, tokens.access_token, call);
    if (code) return checkRefusal(response, status, code);
    same(status, response.status);
  };

const ends = (): Fact => async (stage) => {
  const { tokens } = await logIn(stage);
  await stage.world.advance((tokens.expires_in + 1) * 1_000);
  checkRefusal(await withToken(stage, tokens.access_token), 401, 'UNAUTHORIZED');
};

/** A request for a token with something wrong. */
const refusesGrant =
  (more: Fields, error: string | readonly string[], headers?: Fields): Fact =>
  async (stage) => {
    const login = await stage.world.login();
    const visit = await authorize(stage, login);
    const answer = await sendForm(
      stage,
      login,
      '/connect/token',
      grantOf(login, visit, more),
      headers,
    );
    check(
      answer.status >= 400 && answer.status < 500,
      'a refusal',
      `${answer.status} ${answer.text}`,
    );
    check([error].flat().includes(answer.json?.error ?? ''), error, answer.text);
  };

const codeOnce = (): Fact => async (stage) => {
  const login = await stage.world.login();
  const visit = await authorize(stage, login);
  await sendForm(stage, login, '/connect/token', grantOf(login, visit));
  const again = await sendForm(stage, login, '/connect/token', grantOf(login, visit));
  same([400, 'invalid_grant'], [again.status, again.json?.error]);
};

/** The tokens before and after a refresh. */
interface Refreshed {
  readonly stage: Stage;
  readonly login: LoginClient;
  readonly old: Tokens;
  readonly fresh: Tokens;
}

const refreshes =
  (test: (got: Refreshed) => unknown): Fact =>
  async (stage) => {
    const { login, tokens } = await logIn(stage);
    const { status, json, text } = await refresh(stage, login, tokens.refresh_token);
    check(status === 200, 'new tokens', `${status} ${text}`);
    await test({ stage, login, old: tokens, fresh: json });
  };

const freshOpens = (): Fact =>
  refreshes(async ({ stage, fresh }) =>
    same(200, (await withToken(stage, fresh.access_token)).status),
  );

const refusesRefresh = (): Fact => async (stage) => {
  const login = await stage.world.login();
  const { status, json } = await refresh(stage, login, 'no-such-token');
  same([400, 'invalid_grant'], [status, json?.error]);
};

const revokes = (): Fact => async (stage) => {
  const { login, tokens } = await logIn(stage);
  const { status } = await sendForm(stage, login, '/connect/revocation', {
    token: tokens.refresh_token,
    token_type_hint: 'refresh_token',
  });
  same(200, status);
  const after = await refresh(stage, login, tokens.refresh_token);
  same('invalid_grant', after.json?.error);
};

const tellsUser = (): Fact => async (stage) => {
  const { login, tokens } = await logIn(stage);
  const { status, json } = asTokens(
    await withToken(stage, tokens.access_token, `GET ${login.path}/connect/userinfo`),
  );
  check(status === 200 && typeof json?.sub === 'string', '200 with sub', json ?? status);
};

const tellsNobody = (): Fact => async (stage) => {
  const { path } = await stage.world.login();
  same(401, (await stage.ask(`GET ${path}/connect/userinfo`, { as: null })).status);
};

const SECRET = 'a-secret-of-the-server';

/** A client with a secret, which is sent so. */
const secretClient =
  (secret: string, asBasic: boolean, isRight: boolean): Fact =>
  async (stage) => {
    const login = await stage.world.login({ clientSecret: SECRET });
    const visit = await authorize(stage, login);
    const basic = `Basic ${btoa(`${login.clientId}:${secret}`)}`;
    const { status, json } = await sendForm(
      stage,
      login,
      '/connect/token',
      { ...grantOf(login, visit), ...(!asBasic && { client_secret: secret }) },
      asBasic ? { authorization: basic } : {},
    );
    if (isRight) return same(200, status);
    check(status === 400 || status === 401, '400 or 401', status);
    same('invalid_client', json?.error);
  };

const notStored = (): Fact => async (stage) => {
  const { headers } = await logIn(stage);
  check(/no-store/.test(headers.get('cache-control') ?? ''), 'cache-control: no-store', [
    ...headers,
  ]);
};

// Delegated access: the login server and its tokens.

const endsWith = (path: string) => (value: string) => new URL(value).pathname.endsWith(path);
const holds = (word: string) => (list: unknown) => Array.isArray(list) && list.includes(word);
const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isNothing = (value: unknown) => value === undefined;
const WITHOUT = 'openid partner.balances.read';

export const oauth = section('oauth', [
  discovers('issuer', isText),
  discovers('authorization_endpoint', endsWith('/connect/authorize')),
  discovers('token_endpoint', endsWith('/connect/token')),
  discovers('revocation_endpoint', endsWith('/connect/revocation')),
  discovers('userinfo_endpoint', endsWith('/connect/userinfo')),
  discovers('response_types_supported', holds('code')),
  discovers('code_challenge_methods_supported', holds('S256')),
  discovers('grant_types_supported', holds('authorization_code')),
  discovers('grant_types_supported', holds('refresh_token')),
  sendsBack(({ params }) => isText(params.get('code'))),
  sendsBack(({ status }) => [302, 303].includes(status)),
  sendsBack(({ params }) => params.get('state') === 'state-1'),
  sendsBack(({ location }, login) => location.startsWith(login.redirectUri)),
  sendsBack(({ status }) => status < 400, { prompt: 'login' }),
  refusesVisit({ redirect_uri: 'https://evil.example/callback' }),
  refusesVisit({ client_id: 'nobody' }),
  refusesVisit({ response_type: 'token' }, 'unsupported_response_type'),
  refusesVisit({ code_challenge_method: 'plain' }, 'invalid_request'),
  token('access_token', isText),
  token('access_token', (value) => value.split('.').length === 3),
  token('token_type', (value) => /^bearer$/i.test(value)),
  token('expires_in', (value) => Number.isInteger(value) && BigInt(value) > 0n),
  token('scope', (value) => value.split(' ').includes('partner.balances.read')),
  token('refresh_token', isText),
  token('refresh_token', isNothing, WITHOUT),
  token('id_token', isText),
  token('id_token', isNothing, 'partner.balances.read'),
  notStored(),
  claim('sub'),
  claim('name'),
  claim('exp'),
  opens('GET /v1/balances', 200),
  opens('GET /v1/invoices', 403, 'FORBIDDEN'),
  ends(),
  codeOnce(),
  refusesGrant({ code: 'no-such-code' }, 'invalid_grant'),
  refusesGrant({ code_verifier: undefined }, ['invalid_grant', 'invalid_request']),
  refusesGrant({ code_verifier: 'x'.repeat(43) }, 'invalid_grant'),
  refusesGrant({ redirect_uri: 'http://127.0.0.1:9/other' }, 'invalid_grant'),
  refusesGrant({ client_id: 'nobody' }, ['invalid_client', 'invalid_grant']),
  refusesGrant({ grant_type: 'password' }, 'unsupported_grant_type'),
  refusesGrant({}, 'invalid_request', { 'content-type': 'application/json' }),
  refreshes(({ fresh, old }) =>
    check(
      isText(fresh.access_token) && fresh.access_token !== old.access_token,
      'a new token',
      fresh,
    ),
  ),
  freshOpens(),
  refusesRefresh(),
  revokes(),
  tellsUser(),
  tellsNobody(),
  secretClient(SECRET, false, true),
  secretClient(SECRET, true, true),
  secretClient('guess', false, false),
]);
