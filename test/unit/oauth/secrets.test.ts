// What must never be seen: tokens, code, verifier, client secret. All of them pass through here and are looked for everywhere.
import { expect } from 'chai';
import { describe, it } from '#test';
import { allowSecretInBrowser, createClient, type ClientOptions } from 'paystate';
import { createLogin } from 'paystate/oauth';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { reasonOf } from '../core/shop.ts';
import { TOKEN_PATH } from './shop.ts';

const SECRET = 'C4n4ry.client-secret_0123456789';

/** Everything that can be got at from a value: own members of any kind, causes, texts. */
const surfaceOf = (value: unknown, seen = new Set<unknown>()): string => {
  if ((typeof value !== 'function' && typeof value !== 'object') || value === null)
    return String(value);
  if (seen.has(value)) return '';
  seen.add(value);
  const members = Reflect.ownKeys(value).map(
    (key) => `${String(key)}=${surfaceOf(Reflect.get(value, key), seen)}`,
  );
  return (
    members.join() +
    (value instanceof Error ? `${value.stack}${String(value)}${JSON.stringify(value)}` : '')
  );
};

interface Spied {
  readonly fetch: NonNullable<ClientOptions['fetch']>;
  /** Everything secret that travelled, by where it was found. */
  readonly secrets: Set<string>;
  readonly urls: string[];
}

/** Lets everything through, and notes what is secret of it. */
const spyOn = (sandbox: Sandbox): Spied => {
  const secrets = new Set<string>([SECRET]);
  const urls: string[] = [];
  return {
    secrets,
    urls,
    fetch: async (url, init) => {
      urls.push(url);
      const form = new URLSearchParams(typeof init.body === 'string' ? init.body : '');
      for (const name of ['code', 'code_verifier', 'refresh_token', 'token'])
        if (form.has(name)) secrets.add(form.get(name)!);
      const response = await sandbox.oauth.loginOptions.fetch(url, init);
      if (!url.endsWith(TOKEN_PATH) || !response.headers.get('content-type')?.includes('json'))
        return response;
      const text = await response.text();
      for (const [, found] of text.matchAll(/"(?:access|refresh|id)_token":"([^"]+)"/g))
        secrets.add(found!);
      return new Response(text, response);
    },
  };
};

const open = () => {
  const sandbox = createSandbox({ signed: false });
  const spied = spyOn(sandbox);
  const store: Store = memoryStore();
  const given = sandbox.oauth.registerClient({ clientSecret: SECRET });
  const login = createLogin({ ...given, fetch: spied.fetch, store, [allowSecretInBrowser]: true });
  const views: unknown[] = [];
  const note = (view: unknown): void => void views.push(view);
  const client = createClient({
    ...sandbox.clientOptions,
    apiKey: undefined,
    token: login.token,
    onRequest: note,
    onResponse: note,
    onRetry: note,
  });
  return { sandbox, ...spied, store, login, client, views };
};

const expectClean = (value: unknown, secrets: ReadonlySet<string>): void => {
  const surface = surfaceOf(value);
  for (const secret of secrets)
    for (const form of [secret, encodeURIComponent(secret), btoa(secret), secret.slice(0, 12)])
      expect(surface.includes(form), form).to.equal(false);
};

describe('a secret of a login', () => {
  it('is in no error, whatever the login server or the network does', async () => {
    const echoes = (init: RequestInit): readonly (() => Response | Promise<Response>)[] => {
      const text = `${String(init.body)} ${new Headers(init.headers).get('authorization')}`;
      return [
        () => {
          throw new TypeError(text);
        },
        () => Promise.reject(Object.assign(new Error(text), { cause: init })),
        () => new Response(text),
        () =>
          new Response(JSON.stringify({ error: text, error_description: text }), {
            status: 400,
            headers: { 'content-type': 'application/json' },
          }),
        () =>
          new Response(JSON.stringify({ access_token: text, token_type: 'dpop' }), {
            headers: { 'content-type': 'application/json' },
          }),
        () =>
          new Response(text, {
            status: 401,
            headers: { 'www-authenticate': `Bearer error="${text}"` },
          }),
        () => new Response(null, { status: 302, headers: { location: `/?${text}` } }),
      ];
    };
    for (let which = 0; which < 7; which++) {
      const { sandbox, secrets, store, login } = open();
      const back = async (): Promise<string> => sandbox.oauth.visit((await login.begin()).url);
      await sandbox.run(back().then((address) => login.finish(address)));
      const given = sandbox.oauth.registerClient({ clientSecret: SECRET });
      const fetch: Spied['fetch'] = async (url, init) =>
        url.endsWith('configuration')
          ? sandbox.oauth.loginOptions.fetch(url, init)
          : echoes(init)[which]!();
      const echoing = createLogin({ ...given, fetch, store, [allowSecretInBrowser]: true });
      for (const work of [
        () => echoing.refresh(),
        async () => echoing.finish(await sandbox.oauth.visit((await echoing.begin()).url)),
        () => echoing.logout(),
      ]) {
        const outcome = await sandbox.run(
          work().then(
            (value) => value,
            (reason: unknown) => reason,
          ),
        );
        expectClean(outcome, secrets);
      }
      expect(secrets.size).to.be.greaterThan(4);
    }
  });

  it('is in no address of ours, no observer, nothing that can be looked into', async () => {
    const { sandbox, secrets, urls, login, client, views } = open();
    const begun = await sandbox.run(login.begin());
    await sandbox.run(login.finish(await sandbox.oauth.visit(begun.url)));
    sandbox.oauth.end('access');
    const found = await reasonOf(sandbox.run(client.invoices.get('x')));
    sandbox.oauth.end('logins');
    const over = await reasonOf(sandbox.run(client.invoices.get('x')));
    expect(secrets.size).to.be.greaterThan(6);
    expectClean(
      [
        login,
        client,
        views,
        found,
        over,
        begun,
        urls,
        sandbox.log.map(({ path, query }) => path + query),
        JSON.stringify(login),
      ],
      secrets,
    );
  });

  it('is in the store alone, and gone from there after logging out', async () => {
    const { sandbox, secrets, store, login } = open();
    const { url } = await sandbox.run(login.begin());
    const row = async (): Promise<string> =>
      JSON.stringify([await store.get('oauth/main/begun'), await store.get('oauth/main/tokens')]);
    expect(await row()).to.contain(new URL(url).searchParams.get('state'));
    await sandbox.run(login.finish(await sandbox.oauth.visit(url)));
    expect([...secrets].filter((secret) => secret !== SECRET)).to.have.length(4);
    const kept = await row();
    expect([...secrets].filter((secret) => kept.includes(secret))).to.have.length(2); // access and refresh
    await sandbox.run(login.logout());
    expectClean(await row(), secrets);
  });
});
