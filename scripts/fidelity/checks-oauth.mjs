// Checks of the login server.
import { createHash, randomBytes } from 'node:crypto';
import { checkRefusal } from './checks.mjs';
import { queryOf } from './json.mjs';
import { check, same } from './verdict.mjs';

const SCOPES = 'openid profile offline_access partner.balances.read';
const FORM = 'application/x-www-form-urlencoded';

const proof = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

/** A form to an address of the login server. */
async function form(stage, login, path, fields, headers = {}) {
  const { clientId, clientSecret } = login;
  const body = new URLSearchParams({
    client_id: clientId,
    ...(clientSecret && !headers.authorization && { client_secret: clientSecret }),
    ...fields,
  });
  for (const [name, value] of Object.entries(fields)) if (value === undefined) body.delete(name);
  return stage.ask(`POST ${login.path}${path}`, {
    as: null,
    body: String(body),
    headers: { 'content-type': FORM, ...headers },
  });
}

/** The address to which the login server sends the user back. */
async function authorize(stage, login, more = {}) {
  const { verifier, challenge } = proof();
  const query = {
    response_type: 'code',
    client_id: login.clientId,
    redirect_uri: login.redirectUri,
    scope: SCOPES,
    state: 'state-1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  };
  for (const name of Object.keys(query)) if (query[name] === undefined) delete query[name];
  const response = await stage.ask(`GET ${login.path}/connect/authorize`, {
    as: null,
    query: queryOf(query),
  });
  const location = response.headers.get('location') ?? '';
  const params = location ? new URL(location).searchParams : new URLSearchParams();
  return { ...response, location, params, verifier };
}

const grant = (login, { params, verifier }, more = {}) => ({
  grant_type: 'authorization_code',
  code: params.get('code'),
  code_verifier: verifier,
  redirect_uri: login.redirectUri,
  ...more,
});

/** A whole login: the answer with the tokens. */
async function loggedIn(stage, { draft, scope = SCOPES } = {}) {
  const login = await stage.world.login(draft);
  const visit = await authorize(stage, login, { scope });
  const { status, json, headers, text } = await form(
    stage,
    login,
    '/connect/token',
    grant(login, visit),
  );
  check(status === 200, 'a token', `${status} ${text}`);
  return { login, tokens: json, headers };
}

const refresh = (stage, login, token) =>
  form(stage, login, '/connect/token', { grant_type: 'refresh_token', refresh_token: token });

const withToken = (stage, token, call = 'GET /v1/balances') =>
  stage.ask(call, { as: null, headers: { authorization: `Bearer ${token}` } });

export const discovers = (name, test) => async (stage) => {
  const { path } = await stage.world.login();
  const { status, json } = await stage.ask(`GET ${path}/.well-known/openid-configuration`, {
    as: null,
  });
  same(200, status);
  check(test(json[name]), `${name} to fit`, json[name]);
};

export const sendsBack = (test, more) => async (stage) => {
  const login = await stage.world.login();
  const visit = await authorize(stage, login, more);
  check(test(visit, login), 'a redirect with code and state', [visit.status, visit.location]);
};

/** What is asked wrongly comes back as an error of the standard, or not at all. */
export const refusesVisit = (more, error) => async (stage) => {
  const login = await stage.world.login();
  const { location, status, params, text } = await authorize(stage, login, more);
  if (error) return same(error, params.get('error') ?? `${status} ${text}`);
  check(status >= 400 && location === '', 'no redirect', [status, location]);
};

export const token = (name, test, scope) => async (stage) => {
  const { tokens } = await loggedIn(stage, { scope });
  check(test(tokens[name]), `${name} to fit`, tokens[name]);
};

export const claim =
  (name, of = 'access_token') =>
  async (stage) => {
    const { tokens } = await loggedIn(stage);
    const claims = JSON.parse(Buffer.from(tokens[of].split('.')[1], 'base64url').toString());
    check(claims[name] !== undefined, `the claim ${name}`, claims);
  };

export const opens = (call, status, code) => async (stage) => {
  const { tokens } = await loggedIn(stage);
  const response = await withToken(stage, tokens.access_token, call);
  if (code) return checkRefusal(response, status, code);
  same(status, response.status);
};

export const ends = () => async (stage) => {
  const { tokens } = await loggedIn(stage);
  await stage.world.advance((tokens.expires_in + 1) * 1_000);
  checkRefusal(await withToken(stage, tokens.access_token), 401, 'UNAUTHORIZED');
};

/** A request for a token with something wrong. */
export const refusesGrant = (more, error, headers) => async (stage) => {
  const login = await stage.world.login();
  const visit = await authorize(stage, login);
  const answer = await form(stage, login, '/connect/token', grant(login, visit, more), headers);
  check(
    answer.status >= 400 && answer.status < 500,
    'a refusal',
    `${answer.status} ${answer.text}`,
  );
  check([error].flat().includes(answer.json?.error), error, answer.text);
};

export const codeOnce = () => async (stage) => {
  const login = await stage.world.login();
  const visit = await authorize(stage, login);
  await form(stage, login, '/connect/token', grant(login, visit));
  const again = await form(stage, login, '/connect/token', grant(login, visit));
  same([400, 'invalid_grant'], [again.status, again.json?.error]);
};

export const refreshes = (test) => async (stage) => {
  const { login, tokens } = await loggedIn(stage);
  const { status, json, text } = await refresh(stage, login, tokens.refresh_token);
  check(status === 200, 'new tokens', `${status} ${text}`);
  await test({ stage, login, old: tokens, fresh: json });
};

export const freshOpens = () =>
  refreshes(async ({ stage, fresh }) =>
    same(200, (await withToken(stage, fresh.access_token)).status),
  );

export const refusesRefresh = () => async (stage) => {
  const login = await stage.world.login();
  const { status, json } = await refresh(stage, login, 'no-such-token');
  same([400, 'invalid_grant'], [status, json?.error]);
};

export const revokes = () => async (stage) => {
  const { login, tokens } = await loggedIn(stage);
  const { status } = await form(stage, login, '/connect/revocation', {
    token: tokens.refresh_token,
    token_type_hint: 'refresh_token',
  });
  same(200, status);
  const after = await refresh(stage, login, tokens.refresh_token);
  same('invalid_grant', after.json?.error);
};

export const revokesUnknown = () => async (stage) => {
  const login = await stage.world.login();
  same(200, (await form(stage, login, '/connect/revocation', { token: 'no-such-token' })).status);
};

export const tellsUser = () => async (stage) => {
  const { login, tokens } = await loggedIn(stage);
  const { status, json } = await withToken(
    stage,
    tokens.access_token,
    `GET ${login.path}/connect/userinfo`,
  );
  check(status === 200 && typeof json?.sub === 'string', '200 with sub', json ?? status);
};

export const tellsNobody = () => async (stage) => {
  const { path } = await stage.world.login();
  same(401, (await stage.ask(`GET ${path}/connect/userinfo`, { as: null })).status);
};

export const isNowhere = (path) => async (stage) => {
  const login = await stage.world.login();
  same(404, (await stage.ask(`POST ${login.path}${path}`, { as: null })).status);
};

const SECRET = 'a-secret-of-the-server';

/** A client with a secret, which is sent so. */
export const secretClient = (secret, asBasic, isRight) => async (stage) => {
  const login = await stage.world.login({ clientSecret: SECRET });
  const visit = await authorize(stage, login);
  const basic = `Basic ${btoa(`${login.clientId}:${secret}`)}`;
  const { status, json } = await form(
    stage,
    login,
    '/connect/token',
    { ...grant(login, visit), ...(!asBasic && { client_secret: secret }) },
    asBasic ? { authorization: basic } : {},
  );
  if (isRight) return same(200, status);
  check(status === 400 || status === 401, '400 or 401', status);
  same('invalid_client', json?.error);
};

export const notStored = () => async (stage) => {
  const { headers } = await loggedIn(stage);
  check(/no-store/.test(headers.get('cache-control') ?? ''), 'cache-control: no-store', [
    ...headers,
  ]);
};
