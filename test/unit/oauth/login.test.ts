import { expect } from 'chai';
import { describe, it } from '#test';
import { allowSecretInBrowser, createClient, InputError } from 'paystate';
import { createLogin } from 'paystate/oauth';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { answering, DRAFT, failureOf, json } from '../core/shop.ts';
import { clientOn, loggedIn, openLogin, TOKEN_PATH } from './shop.ts';

const AUTH = 'https://login.example';
const changed = (
  address: string,
  changes: Readonly<Record<string, string | undefined>>,
): string => {
  const url = new URL(address);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
};

describe('a login', () => {
  it('is begun, answered, finished, and pays', async () => {
    const { sandbox, login, client, run, logIn } = openLogin();
    expect(await run(login.isLoggedIn())).to.equal(false);
    expect(await failureOf(run(client.invoices.create(DRAFT)))).to.include({
      kind: 'authentication',
      code: 'LOGIN_REQUIRED',
      outcome: 'not-done',
      next: 'login',
      attempts: 0,
    });
    expect(sandbox.log).to.have.length(0);
    await logIn();
    expect(await run(login.isLoggedIn())).to.equal(true);
    const invoice = await run(client.invoices.create(DRAFT));
    expect(
      (await run(createClient(sandbox.clientOptions).invoices.get(invoice.invoiceId))).state,
    ).to.equal('UNPAID');
  });

  it('sends the user with PKCE, state and everything registered, each time another', async () => {
    const { login, options, run } = openLogin({ clientId: 'the-app' });
    const urls = [
      new URL((await run(login.begin())).url),
      new URL((await run(login.begin({ prompt: 'login' }))).url),
    ] as const;
    const [first, second] = urls.map(({ searchParams }) => Object.fromEntries(searchParams));
    expect(`${urls[0].origin}${urls[0].pathname}`).to.equal(
      `${String(options.authUrl)}/connect/authorize`,
    );
    expect({ ...first, state: '', code_challenge: '' }).to.deep.equal({
      response_type: 'code',
      client_id: 'the-app',
      redirect_uri: 'https://app.example/callback',
      scope: options.scopes.join(' '),
      state: '',
      code_challenge: '',
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'code_challenge']) {
      expect(first![name]).to.match(/^[\w-]{43}$/);
      expect(first![name]).not.to.equal(second![name]);
    }
    expect(second!['prompt']).to.equal('login');
  });

  it('says what was allowed and until when', async () => {
    const { sandbox, login, run, options } = openLogin({ accessTokenLifetime: 600_000 });
    const { url } = await run(login.begin());
    const only = ['offline_access', 'partner.invoice.read'];
    const grant = await run(login.finish(await sandbox.oauth.visit(url, { scopes: only })));
    expect(grant).to.deep.equal({
      scopes: only,
      canRefresh: true,
      expiresAt: sandbox.clock.now() + 600_000,
    });
    const refused = await failureOf(run(clientOn(sandbox, login).invoices.create(DRAFT)));
    expect(refused).to.include({ code: 'FORBIDDEN', neededScope: 'partner.invoice.create' });
    expect(options.scopes).to.include('partner.invoice.create');
  });

  it('takes what the server leaves unsaid as it was asked for, and a token of unknown life until it is refused', async () => {
    const sandbox = createSandbox({ signed: false });
    const { fetch, ...rest } = sandbox.oauth.loginOptions;
    const terse: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (!url.endsWith(TOKEN_PATH)) return response;
      const {
        scope: _,
        expires_in: __,
        ...left
      } = (await response.json()) as Record<string, unknown>;
      return new Response(JSON.stringify(left), response);
    };
    const { login, client, run, asked, logIn } = openLogin({}, { ...rest, fetch: terse }, sandbox);
    await logIn();
    await sandbox.advance(3_000_000);
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('NOT_FOUND');
    expect(asked()).to.equal(1);
    await sandbox.advance(600_000);
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('NOT_FOUND');
    expect(asked()).to.equal(2);
    expect(await run(login.refresh())).to.deep.equal({ scopes: rest.scopes, canRefresh: true });
  });

  it('acts for the account of the user who said yes', async () => {
    const sandbox = createSandbox({
      signed: false,
      accounts: [{ handle: 'ada' }, { handle: 'bob' }],
    });
    const { login, run, logIn } = openLogin({}, {}, sandbox);
    await logIn({ account: 'bob' });
    const { invoiceId } = await run(clientOn(sandbox, login).invoices.create(DRAFT));
    expect(
      await failureOf(run(createClient(sandbox.clientOptions).invoices.get(invoiceId))),
    ).to.include({ code: 'NOT_FOUND' });
    await run(createClient(sandbox.clientOptionsFor({ account: 'bob' })).invoices.get(invoiceId));
  });

  it('takes each way back once, and only its own session', async () => {
    const store = memoryStore();
    const { sandbox, options, login, run, asked } = openLogin({}, { store, sessionId: 'ada' });
    const back = await sandbox.oauth.visit((await run(login.begin())).url);
    const stranger = createLogin({ ...options, sessionId: 'mallory' });
    expect(await failureOf(run(stranger.finish(back)))).to.include({
      kind: 'authentication',
      code: 'LOGIN_STATE_MISMATCH',
      outcome: 'not-done',
    });
    await run(login.finish(back));
    expect(await failureOf(run(login.finish(back)))).to.include({ code: 'LOGIN_STATE_MISMATCH' });
    expect(asked()).to.equal(1);
    expect(await run(login.isLoggedIn())).to.equal(true);
    expect(await run(stranger.isLoggedIn())).to.equal(false);
  });

  it('refuses another state, none, another issuer, none, and an implicit token; each spoils the way back', async () => {
    const { sandbox, login, run, asked } = openLogin();
    for (const changes of [
      { state: 'x'.repeat(43) },
      { state: undefined },
      { iss: 'https://evil.example' },
      { iss: undefined },
      { id_token: 'x' },
    ]) {
      const back = await sandbox.oauth.visit((await run(login.begin())).url);
      expect(
        await failureOf(run(login.finish(changed(back, changes)))),
        JSON.stringify(changes),
      ).to.include({ code: 'LOGIN_STATE_MISMATCH' });
      if (!('state' in changes))
        expect(await failureOf(run(login.finish(back)))).to.include({
          code: 'LOGIN_STATE_MISMATCH',
        });
    }
    expect(asked()).to.equal(0);
  });

  it('refuses another way back than the registered one', async () => {
    const { sandbox, login, run } = openLogin();
    const back = await sandbox.oauth.visit((await run(login.begin())).url);
    for (const address of [
      back.replace('app.example', 'app.example.evil'),
      back.replace('app.example', 'app.example:444'),
      back.replace('/callback', '/callback/'),
      back.replace('https', 'http'),
      '/callback?code=x',
      '',
    ])
      expect(await failureOf(run(login.finish(address)))).to.be.instanceOf(InputError);
    await run(login.finish(new URL(back)));
  });

  it('may be begun five times at once; one more drops the oldest', async () => {
    const { sandbox, login, run } = openLogin();
    const backs: string[] = [];
    for (let n = 0; n < 6; n++)
      backs.push(await sandbox.oauth.visit((await run(login.begin())).url));
    const [dropped, ...kept] = backs;
    expect(await failureOf(run(login.finish(dropped!)))).to.include({
      code: 'LOGIN_STATE_MISMATCH',
    });
    for (const back of kept) await run(login.finish(back));
  });

  it('is over after ten minutes of waiting, and its code after one', async () => {
    for (const [wait, code] of [
      [61_000, 'LOGIN_REQUIRED'],
      [601_000, 'LOGIN_STATE_MISMATCH'],
    ] as const) {
      const { sandbox, login, run } = openLogin();
      const back = await sandbox.oauth.visit((await run(login.begin())).url);
      await sandbox.advance(wait);
      expect(await failureOf(run(login.finish(back)))).to.include({
        code,
        outcome: 'not-done',
        next: 'login',
      });
    }
  });

  it('hears a user who says no, and a server that refuses', async () => {
    const { login, run, logIn } = openLogin();
    expect(await failureOf(logIn({ allow: false })))
      .to.include({ code: 'LOGIN_REFUSED', next: 'login' })
      .and.deep.include({ values: { error: 'access_denied' } });
    expect(await run(login.isLoggedIn())).to.equal(false);
    const narrow = openLogin(
      { scopes: ['partner.invoice.read'] },
      { scopes: ['partner.payout.create'] },
    );
    expect((await failureOf(narrow.logIn())).values).to.deep.equal({ error: 'invalid_scope' });
    const secret = openLogin({ clientSecret: 'right' }, { clientSecret: 'wrong' });
    expect(await failureOf(secret.logIn()))
      .to.include({ code: 'LOGIN_REFUSED', next: 'stop' })
      .and.deep.include({ values: { error: 'invalid_client' } });
  });

  it('says when no answer came: perhaps it is done, perhaps not', async () => {
    for (const action of [
      'lost-before',
      'lost-after',
      { status: 502, html: '<p>' },
      { delay: 60_000 },
    ] as const) {
      const { sandbox, login, run } = openLogin();
      const back = await sandbox.oauth.visit((await run(login.begin())).url);
      sandbox.fault({ path: TOKEN_PATH, action });
      expect(await failureOf(run(login.finish(back)))).to.include({
        kind: 'authentication',
        code: 'REFRESH_UNKNOWN',
        outcome: 'unknown',
      });
    }
  });

  it('works with a secret in body and header, and with an id token', async () => {
    const { logIn, login, run } = openLogin(
      { clientSecret: 'a+b/c:d%e' },
      { scopes: ['openid', 'offline_access', 'partner.invoice.read'] },
    );
    await logIn();
    expect((await run(login.refresh())).canRefresh).to.equal(true);
    const { sandbox, options } = openLogin({ clientSecret: 'a+b/c:d%e' });
    const shown: boolean[] = [];
    const basic: typeof options.fetch = async (url, init) => {
      if (url.endsWith(TOKEN_PATH))
        shown.push(
          new Headers(init.headers).has('authorization'),
          String(init.body).includes('client_secret'),
        );
      const response = await sandbox.oauth.loginOptions.fetch(url, init);
      if (!url.endsWith('openid-configuration')) return response;
      return new Response(
        JSON.stringify({
          ...((await response.json()) as object),
          token_endpoint_auth_methods_supported: ['client_secret_basic'],
        }),
        { headers: { 'content-type': 'application/json' } },
      );
    };
    const other = createLogin({ ...options, fetch: basic });
    await sandbox.run(
      (async () => other.finish(await sandbox.oauth.visit((await other.begin()).url)))(),
    );
    expect([await sandbox.run(other.isLoggedIn()), shown]).to.deep.equal([true, [true, false]]);
  });

  it('takes given addresses instead of asking', async () => {
    const sandbox = createSandbox({ signed: false });
    const { authUrl, ...rest } = sandbox.oauth.loginOptions;
    const endpoints = {
      issuer: authUrl,
      authorization: `${authUrl}/connect/authorize`,
      token: new URL(`${authUrl}${TOKEN_PATH}`),
    };
    const login = createLogin({ ...rest, endpoints });
    await sandbox.run(
      (async () => login.finish(await sandbox.oauth.visit((await login.begin()).url)))(),
    );
    expect(sandbox.log.map(({ path }) => path)).to.deep.equal([TOKEN_PATH]);
    expect(await sandbox.run(login.logout())).to.deep.equal({ revoked: 'not-offered' });
    const elsewhere = createLogin({ ...rest, endpoints: { ...endpoints, issuer: AUTH } });
    expect(
      await failureOf(
        sandbox.run(
          (async () =>
            elsewhere.finish(await sandbox.oauth.visit((await elsewhere.begin()).url)))(),
        ),
      ),
    ).to.include({ code: 'LOGIN_STATE_MISMATCH' });
  });

  it('does not believe a login server that tells of another, or of unsafe addresses', async () => {
    const told = { issuer: AUTH, authorization_endpoint: `${AUTH}/a`, token_endpoint: `${AUTH}/t` };
    const lies = [
      { issuer: 'https://evil.example' },
      { token_endpoint: 'http://login.example/t' },
      { authorization_endpoint: 'javascript:alert(1)' },
      { revocation_endpoint: 'http://x.example' },
      { issuer: 7 },
      { token_endpoint: ['https://login.example/t'] },
      { authorization_endpoint: ['https://login.example/a'] },
      { revocation_endpoint: ['https://login.example/r'] },
      { token_endpoint_auth_methods_supported: 7 },
    ];
    const ask = (body: unknown, status?: number) =>
      createLogin({
        ...openLogin().options,
        authUrl: AUTH,
        store: memoryStore({ mayForget: true }),
        fetch: answering(json(body, status)).fetch,
      }).begin();
    expect((await ask(told)).url).to.match(/^https:\/\/login\.example\/a\?/);
    for (const lie of lies)
      expect(await failureOf(ask({ ...told, ...lie })), JSON.stringify(lie)).to.include({
        kind: 'unreachable',
        outcome: 'not-done',
        next: 'retry',
      });
    for (const [body, status] of [
      [told, 500],
      ['text', 200],
      [[], 200],
      [[told], 200],
    ] as const)
      expect(await failureOf(ask(body, status))).to.include({ kind: 'unreachable' });
  });

  it('refuses what cannot be right, before anything is sent', () => {
    const { authUrl, ...rest } = openLogin().options;
    const kept = memoryStore({ mayForget: true });
    const good = { ...rest, authUrl };
    const bad: readonly (readonly [string, object])[] = [
      ['authUrl', { authUrl: undefined }],
      ['authUrl', { authUrl: 'http://login.example' }],
      ['authUrl', { authUrl: 'login.example' }],
      ['authUrl', { endpoints: { issuer: AUTH, authorization: AUTH, token: AUTH } }],
      ['clientId', { clientId: '' }],
      ['clientId', { clientId: 'a b' }],
      ['clientSecret', { clientSecret: 'a\nb' }],
      ['redirectUri', { redirectUri: '/callback' }],
      ['redirectUri', { redirectUri: 'https://a.example/#x' }],
      ['scopes', { scopes: [] }],
      ['scopes', { scopes: ['a b'] }],
      ['attemptTimeout', { attemptTimeout: 0 }],
      ['sessionId', { sessionId: '' }],
      [
        'endpoints.token',
        {
          authUrl: undefined,
          endpoints: { issuer: AUTH, authorization: AUTH, token: 'http://x.example' },
        },
      ],
      [
        'endpoints.revocation',
        {
          authUrl: undefined,
          endpoints: {
            issuer: AUTH,
            authorization: AUTH,
            token: AUTH,
            revocation: 'http://x.example',
          },
        },
      ],
    ];
    for (const [field, change] of bad)
      expect(() => createLogin({ ...good, ...change }), field)
        .to.throw(InputError)
        .with.property('message')
        .that.includes(field);
    createLogin({ ...good, authUrl: 'http://127.0.0.1:8080', store: kept });
  });

  it('refuses random bytes of another number or kind', async () => {
    const { sandbox, options } = openLogin();
    const some = (count: number) => new Uint8Array(count).fill(7);
    for (const bytes of [
      some(0),
      some(31),
      some(33),
      Array.from(some(32)),
      undefined,
      'x'.repeat(32),
    ]) {
      const login = createLogin({ ...options, randomBytes: () => bytes as Uint8Array });
      const failure = await failureOf(sandbox.run(login.begin()));
      expect(failure, String(bytes)).to.include({ kind: 'input' });
      expect((failure as Error).message).to.include('randomBytes');
    }
    const login = createLogin({ ...options, randomBytes: some });
    expect((await sandbox.run(login.begin())).url).to.match(/state=BwcH/);
  });

  it('follows no redirect of the login server', async () => {
    const redirects: (string | undefined)[] = [];
    const sandbox = createSandbox({ signed: false });
    const { options } = openLogin({}, {}, sandbox);
    const login = createLogin({
      ...options,
      fetch: (url, init) => {
        redirects.push(init?.redirect);
        return sandbox.fetch(url, init);
      },
    });
    await sandbox.run(
      (async () => login.finish(await sandbox.oauth.visit((await login.begin()).url)))(),
    );
    expect([redirects.length > 1, ...new Set(redirects)]).to.deep.equal([true, 'manual']);
  });

  it('never takes a client secret in a page, unless somebody imported the permission', () => {
    const make = (more: object) => () =>
      createLogin({
        ...openLogin().options,
        clientSecret: 'secret',
        [allowSecretInBrowser]: undefined,
        ...more,
      });
    if ('document' in globalThis)
      expect(make({})).to.throw(InputError).with.property('code', 'SECRET_IN_BROWSER');
    else make({})();
    make({ [allowSecretInBrowser]: true })();
  });

  it('ends by logging out: forgotten here and revoked there', async () => {
    const { sandbox, login, client, run } = await loggedIn();
    const token = await run(login.token());
    expect(await run(login.logout())).to.deep.equal({ revoked: 'yes' });
    expect([
      await run(login.isLoggedIn()),
      (await failureOf(run(client.invoices.get('x')))).code,
    ]).to.deep.equal([false, 'LOGIN_REQUIRED']);
    expect(
      await failureOf(run(clientOn(sandbox, { token: async () => token }).invoices.get('x'))),
    ).to.include({ code: 'UNAUTHORIZED' });
    const away = await loggedIn();
    away.sandbox.fault({ path: '/connect/revocation', action: 'lost-before' });
    expect(await away.run(away.login.logout())).to.deep.equal({ revoked: 'unknown' });
    expect(await away.run(away.login.isLoggedIn())).to.equal(false);
  });
});
