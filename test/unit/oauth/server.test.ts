// The login server in the box, spoken to as the protocol has it.
import { expect } from 'chai';
import { describe, it, itLong } from '#test';
import {
  createSandbox,
  type OAuthClientDraft,
  type Sandbox,
  type SandboxLogin,
} from 'paystate/sandbox';
import { reasonOf } from '../core/shop.ts';

const VERIFIER = 'a'.repeat(43);
const CHALLENGE = 'ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA'; // its SHA-256, made elsewhere

type Fields = Readonly<Record<string, string>>;

interface Server {
  readonly sandbox: Sandbox;
  readonly client: SandboxLogin;
  address(changes?: Fields): string;
  code(changes?: Fields): Promise<string>;
  ask(
    fields: Fields,
    headers?: Fields,
    path?: string,
  ): Promise<{ status: number; body: Record<string, string> }>;
  exchange(code: string, changes?: Fields): ReturnType<Server['ask']>;
  refresh(token: string, changes?: Fields): ReturnType<Server['ask']>;
}

const openServer = (draft: OAuthClientDraft = {}): Server => {
  const sandbox = createSandbox({ signed: false });
  const client = sandbox.oauth.registerClient(draft);
  const { clientId, redirectUri } = client;
  const address: Server['address'] = (changes = {}) => {
    const scope = 'openid offline_access partner.invoice.read';
    const query = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state: 's',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      ...changes,
    };
    return `${sandbox.oauth.authUrl}/connect/authorize?${String(new URLSearchParams(query))}`;
  };
  const ask: Server['ask'] = async (fields, headers = {}, path = '/connect/token') => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: String(new URLSearchParams(fields)),
    };
    const response = await sandbox.run(sandbox.fetch(path, init));
    const text = await response.text();
    return {
      status: response.status,
      body: text ? (JSON.parse(text) as Record<string, string>) : {},
    };
  };
  return {
    sandbox,
    client,
    address,
    ask,
    code: async (changes) =>
      new URL(await sandbox.oauth.visit(address(changes))).searchParams.get('code')!,
    exchange: (code, changes = {}) =>
      ask({
        grant_type: 'authorization_code',
        code,
        code_verifier: VERIFIER,
        redirect_uri: redirectUri,
        client_id: clientId,
        ...changes,
      }),
    refresh: (token, changes = {}) =>
      ask({ grant_type: 'refresh_token', refresh_token: token, client_id: clientId, ...changes }),
  };
};

const statusWith = async (
  { sandbox }: Server,
  token: string | undefined,
  path = '/v1/invoices',
): Promise<number> =>
  (await sandbox.run(sandbox.fetch(path, { headers: { authorization: `Bearer ${token}` } })))
    .status;

const refused = (error: string, status = 400) => ({ status, body: { error } });

describe('the login server: authorize', () => {
  it('sends the user back with code, state and issuer', async () => {
    const { sandbox, address } = openServer();
    const response = await sandbox.run(sandbox.fetch(address()));
    const back = new URL(response.headers.get('location')!);
    expect([response.status, `${back.origin}${back.pathname}`]).to.deep.equal([
      302,
      'https://app.example/callback',
    ]);
    expect([...back.searchParams.keys()]).to.deep.equal(['code', 'state', 'iss']);
    expect([back.searchParams.get('state'), back.searchParams.get('iss')]).to.deep.equal([
      's',
      sandbox.oauth.authUrl,
    ]);
  });

  it('sends nobody to an address that is not registered', async () => {
    const { sandbox, address } = openServer();
    for (const changes of [
      { redirect_uri: 'https://app.example/callback/' },
      { redirect_uri: 'https://evil.example' },
      { client_id: 'nobody' },
    ]) {
      const response = await sandbox.run(sandbox.fetch(address(changes)));
      expect([response.status, response.headers.get('location')]).to.deep.equal([400, null]);
      expect(((await reasonOf(sandbox.oauth.visit(address(changes)))) as Error).message).to.contain(
        'not registered',
      );
    }
  });

  it('knows the client app, and sends it to any address of this machine', async () => {
    const { sandbox, client, address } = openServer();
    for (const redirect_uri of [
      'http://localhost:5173/back?x=1',
      'http://127.0.0.1/',
      'http://[::1]:80/a',
    ]) {
      expect(
        new URL(
          await sandbox.oauth.visit(address({ client_id: 'app', redirect_uri })),
        ).searchParams.get('code'),
      ).to.match(/^[\w-]{43}$/);
      expect(await reasonOf(sandbox.oauth.visit(address({ redirect_uri })))).to.be.an('error');
    }
    for (const redirect_uri of [
      'http://localhost.evil.example/',
      'http://localhost:1@evil.example/',
      'https://localhost',
      'http://10.0.0.1/',
    ])
      expect(
        await reasonOf(sandbox.oauth.visit(address({ client_id: 'app', redirect_uri }))),
      ).to.be.an('error');
    expect([sandbox.oauth.loginOptions.clientId, client.clientId === 'app']).to.deep.equal([
      'app',
      false,
    ]);
  });

  it('says no by the protocol', async () => {
    const { sandbox, address } = openServer({ scopes: ['partner.invoice.read'] });
    const cases = [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge: '' }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ scope: 'partner.payout.create' }, 'invalid_scope'],
      [{ scope: '' }, 'invalid_scope'],
    ] as const;
    for (const [changes, error] of cases)
      expect(
        new URL(await sandbox.oauth.visit(address(changes))).searchParams.get('error'),
      ).to.equal(error);
  });
});

describe('the login server: tokens', () => {
  it('for a code: the API takes them, with their scopes and until their end', async () => {
    const server = openServer({ accessTokenLifetime: 60_000 });
    const { status, body } = await server.exchange(await server.code());
    expect(status).to.equal(200);
    expect(Object.keys(body).sort()).to.deep.equal([
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    expect(await statusWith(server, body['access_token'])).to.equal(200);
    expect(await statusWith(server, body['access_token'], '/v1/events')).to.equal(403);
    expect(await statusWith(server, body['access_token'], '/connect/userinfo')).to.equal(200);
    await server.sandbox.advance(60_000);
    expect(await statusWith(server, body['access_token'])).to.equal(401);
    expect(await statusWith(server, body['access_token'], '/connect/userinfo')).to.equal(401);
  });

  it('not for a code with a wrong verifier, another redirect, another client, too late; the code is spent then', async () => {
    for (const changes of [
      { code_verifier: 'b'.repeat(43) },
      { code_verifier: 'short' },
      { redirect_uri: 'https://app.example' },
    ]) {
      const server = openServer();
      const code = await server.code();
      expect(await server.exchange(code, changes)).to.deep.equal(refused('invalid_grant'));
      expect(await server.exchange(code)).to.deep.equal(refused('invalid_grant'));
    }
    const server = openServer();
    const other = server.sandbox.oauth.registerClient();
    expect(await server.exchange(await server.code(), { client_id: other.clientId })).to.deep.equal(
      refused('invalid_grant'),
    );
    const late = await server.code();
    await server.sandbox.advance(60_000);
    expect(await server.exchange(late)).to.deep.equal(refused('invalid_grant'));
    expect(await server.exchange('nonsense')).to.deep.equal(refused('invalid_grant'));
  });

  it('of a code that comes twice all end', async () => {
    const server = openServer();
    const code = await server.code();
    const { body } = await server.exchange(code);
    expect(await server.exchange(code)).to.deep.equal(refused('invalid_grant'));
    expect(await statusWith(server, body['access_token'])).to.equal(401);
    expect(await server.refresh(body['refresh_token']!)).to.deep.equal(refused('invalid_grant'));
  });

  it('rotate; a refresh token that comes twice ends the family', async () => {
    const server = openServer();
    const first = await server.exchange(await server.code());
    const second = await server.refresh(first.body['refresh_token']!);
    expect(second.status).to.equal(200);
    expect(second.body['refresh_token']).not.to.equal(first.body['refresh_token']);
    expect(await server.refresh(first.body['refresh_token']!)).to.deep.equal(
      refused('invalid_grant'),
    );
    expect(await server.refresh(second.body['refresh_token']!)).to.deep.equal(
      refused('invalid_grant'),
    );
    expect(await statusWith(server, second.body['access_token'])).to.equal(401);
  });

  it('only for clients that show who they are, in one way', async () => {
    const clientSecret = 'a+b c:d';
    const server = openServer({ clientSecret });
    const basic = (secret: string) => ({
      authorization: `Basic ${btoa(`${server.client.clientId}:${encodeURIComponent(secret)}`)}`,
    });
    const grant = async (): Promise<Fields> => ({
      grant_type: 'authorization_code',
      code: await server.code(),
      code_verifier: VERIFIER,
      redirect_uri: server.client.redirectUri,
    });
    expect(await server.exchange(await server.code())).to.deep.equal(
      refused('invalid_client', 401),
    );
    expect(await server.exchange(await server.code(), { client_secret: 'wrong' })).to.deep.equal(
      refused('invalid_client', 401),
    );
    expect(
      (await server.exchange(await server.code(), { client_secret: clientSecret })).status,
    ).to.equal(200);
    expect((await server.ask(await grant(), basic(clientSecret))).status).to.equal(200);
    expect(await server.ask(await grant(), basic('wrong'))).to.deep.equal(
      refused('invalid_client', 401),
    );
    expect(
      await server.ask({ ...(await grant()), client_secret: clientSecret }, basic(clientSecret)),
    ).to.deep.equal(refused('invalid_request'));
    expect(await server.ask(await grant(), { authorization: 'Basic %' })).to.deep.equal(
      refused('invalid_client', 401),
    );
    expect(
      await server.ask({
        grant_type: 'password',
        client_id: server.client.clientId,
        client_secret: clientSecret,
      }),
    ).to.deep.equal(refused('unsupported_grant_type'));
  });

  it('end when they are revoked by their own client', async () => {
    const server = openServer();
    const { body } = await server.exchange(await server.code());
    const other = server.sandbox.oauth.registerClient();
    const revoke = (token: string, client_id = server.client.clientId) =>
      server.ask({ token, client_id }, {}, '/connect/revocation');
    expect(await revoke(body['refresh_token']!, other.clientId)).to.deep.equal({
      status: 200,
      body: {},
    });
    expect(await statusWith(server, body['access_token'])).to.equal(200);
    await revoke(body['access_token']!);
    expect(await statusWith(server, body['access_token'])).to.equal(401);
    const next = await server.refresh(body['refresh_token']!);
    expect(next.status).to.equal(200);
    await revoke(next.body['refresh_token']!);
    expect([
      await statusWith(server, next.body['access_token']),
      (await server.refresh(next.body['refresh_token']!)).status,
    ]).to.deep.equal([401, 400]);
    expect(await revoke('nonsense')).to.deep.equal({ status: 200, body: {} });
  });

  it('are the same for the same seed', async () => {
    const [one, two] = [openServer(), openServer()];
    const [first, second] = [
      await one.exchange(await one.code()),
      await two.exchange(await two.code()),
    ];
    expect(first).to.deep.equal(second);
  });

  itLong('cost nothing of the request limits', async () => {
    const server = openServer();
    for (let round = 0; round < 1_100; round++) await server.refresh('nonsense');
    expect([
      server.sandbox.blocks,
      await statusWith(server, (await server.exchange(await server.code())).body['access_token']),
    ]).to.deep.equal([0, 200]);
  });
});
