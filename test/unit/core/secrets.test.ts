import { expect } from 'chai';
import { allowSecretInBrowser, type ClientOptions, createClient, InputError } from 'paystate';
import { describe, it } from '#test';
import {
  type Answer,
  answering,
  DRAFT,
  failureOf,
  INVOICE,
  json,
  openShop,
  reasonOf,
  refusal,
  rows,
  repeats,
} from './shop.ts';

const CANARY = 'C4n4ry-/+=.key_0123456789';
const hasPage = 'document' in globalThis;

/** Forms in which a text may hide. */
const formsOf = (text: string): readonly string[] => {
  const hex = Array.from(text, (letter) => letter.charCodeAt(0).toString(16)).join('');
  return [
    text,
    btoa(text),
    btoa(`Bearer ${text}`),
    encodeURIComponent(text),
    hex,
    text.slice(0, 8),
  ].flatMap((form) => [form, form.toLowerCase(), form.toUpperCase()]);
};

/** Everything that can be got at from a value: own members of any kind, causes, texts. */
const surfaceOf = (value: unknown, seen = new Set<unknown>()): string => {
  if (typeof value === 'function' || (typeof value === 'object' && value !== null)) {
    if (seen.has(value)) return '';
    seen.add(value);
    const members = Reflect.ownKeys(value).map((key) => {
      const { value: inner, get } = Object.getOwnPropertyDescriptor(value, key)!;
      return `${String(key)}=${surfaceOf(get ? Reflect.get(value, key) : inner, seen)}`;
    });
    const texts =
      value instanceof Error ? `${value.stack}${String(value)}${JSON.stringify(value)}` : '';
    const items =
      value instanceof Map ? surfaceOf([...(value as Map<unknown, unknown>)], seen) : '';
    return typeof value === 'function' && seen.size > 1
      ? members.join()
      : members.join() + texts + items;
  }
  return String(value);
};

const expectNoCanary = (value: unknown): void => {
  const surface = surfaceOf(value);
  for (const form of formsOf(CANARY)) expect(surface.includes(form), form).to.equal(false);
};

const credentials: readonly (readonly [string, Partial<ClientOptions>])[] = [
  ['an API key', { apiKey: CANARY, token: undefined, [allowSecretInBrowser]: true }],
  ['a token', { apiKey: undefined, token: CANARY }],
  ['a token provider', { apiKey: undefined, token: () => CANARY }],
];

describe('the credential', () => {
  for (const [name, credential] of credentials)
    it(`${name} travels in one header and is seen nowhere else`, async () => {
      const echo = (init: RequestInit): string =>
        String(new Headers(init.headers).get('authorization'));
      const answers: readonly Answer[] = [
        refusal(401, 'UNAUTHORIZED'),
        refusal(422, 'BALANCE_TOO_LOW'),
        json({ state: 7 }),
        json('nonsense'),
        (init) => {
          throw new TypeError(`Headers.append: "${echo(init)}" is an invalid header value`);
        },
        (init) => Promise.reject(Object.assign(new Error(echo(init)), { cause: init })),
        (init) => new Response(echo(init)),
        (init) => new Response(`<p>${echo(init)}</p>`, { status: 502 }),
        (init) => new Response(null, { status: 302, headers: { location: `/?${echo(init)}` } }),
      ];
      for (const answer of answers)
        for (const repeat of repeats) {
          const wire = answering(answer);
          const seen: unknown[] = [];
          const note = (view: unknown): void => void seen.push(view);
          const { client, run } = openShop({
            ...credential,
            fetch: wire.fetch,
            onRequest: note,
            onResponse: note,
            onRetry: note,
          });
          expectNoCanary([await failureOf(run(rows[repeat](client, 'x'))), seen, client]);
          expect(wire.sent[0]!.headers['authorization']).to.equal(`Bearer ${CANARY}`);
          expect(wire.sent[0]!.url + String(wire.sent[0]!.init.body)).not.to.contain(CANARY);
        }
    });

  it('leaves with allowed headers only, in a bare request', async () => {
    const { sandbox } = openShop();
    const wire = answering(json(INVOICE));
    const client = createClient({ ...sandbox.clientOptions, fetch: wire.fetch });
    for (const repeat of repeats)
      await sandbox.run(rows[repeat](client, INVOICE.invoiceId).catch(() => {}));
    await reasonOf(sandbox.run(client.invoices.quote('x', { descriptionHash: 'a'.repeat(64) })));
    expect(
      wire.sent.map(({ init, headers }) => `${init.method} ${Object.keys(headers).sort().join()}`),
    ).to.deep.equal([
      'GET accept,authorization',
      'POST accept,authorization',
      'POST accept,authorization,content-type',
      'PATCH accept,authorization',
      'POST accept,authorization,content-type',
    ]);
    for (const { init } of wire.sent)
      expect([init.redirect, init.credentials, init.mode, init.referrer]).to.deep.equal([
        'manual',
        undefined,
        undefined,
        undefined,
      ]);
    expect(wire.sent.map(({ init }) => init.body)).to.deep.equal([
      undefined,
      undefined,
      wire.sent[2]!.init.body,
      undefined,
      JSON.stringify({ descriptionHash: 'a'.repeat(64) }),
    ]);
    const bare = answering(json(INVOICE));
    await sandbox.run(
      createClient({
        ...sandbox.clientOptions,
        apiKey: undefined,
        token: null,
        fetch: bare.fetch,
      }).invoices.get(INVOICE.invoiceId),
    );
    expect(Object.keys(bare.sent[0]!.headers)).to.deep.equal(['accept']);
  });

  it('that no header can hold is refused without an echo', () => {
    for (const bad of [
      `${CANARY}\n`,
      `${CANARY}\r\nx-evil: 1`,
      ` ${CANARY}`,
      `${CANARY} x`,
      `${CANARY}\0`,
      `${CANARY}é`,
      `${CANARY}\u2028`,
      '',
    ])
      for (const field of ['apiKey', 'token'] as const) {
        let thrown: unknown;
        try {
          createClient({
            baseUrl: 'https://pay.example',
            [field]: bad,
            [allowSecretInBrowser]: true,
          });
        } catch (reason) {
          thrown = reason;
        }
        expect(thrown).to.be.an.instanceOf(InputError);
        expect(Object.keys((thrown as InputError).validationErrors!)).to.deep.equal([field]);
        expectNoCanary(thrown);
      }
    expect(() =>
      createClient({
        baseUrl: 'https://pay.example',
        apiKey: 'a',
        token: 'b',
        [allowSecretInBrowser]: true,
      }),
    ).to.throw(InputError);
    expect(() =>
      createClient({
        baseUrl: 'https://pay.example',
        apiKey: 7 as unknown as string,
        [allowSecretInBrowser]: true,
      }),
    ).to.throw(InputError);
  });

  it('of a provider that fails is no refusal; nothing is sent', async () => {
    const providers: readonly (() => string | Promise<string>)[] = [
      () => {
        throw new Error(CANARY);
      },
      () => Promise.reject(new Error(CANARY)),
      () => `${CANARY}\n`,
      async () => '',
      () => undefined as unknown as string,
    ];
    for (const token of providers)
      for (const repeat of repeats) {
        const { sandbox, client, run } = openShop({ apiKey: undefined, token });
        const error = await failureOf(run(rows[repeat](client, 'x')));
        expect(error).to.include({
          kind: 'unreachable',
          code: 'TOKEN_UNAVAILABLE',
          outcome: 'not-done',
          next: 'retry',
          attempts: 0,
        });
        expect(sandbox.log).to.have.length(0);
        expectNoCanary(error);
      }
  });

  it('is asked for anew for each request', async () => {
    let asked = 0;
    const wire = answering(refusal(500, 'INTERNAL_SERVER_ERROR'), json(INVOICE));
    const { client, run } = openShop({
      apiKey: undefined,
      token: async () => `token-${++asked}`,
      fetch: wire.fetch,
    });
    await run(client.invoices.get(INVOICE.invoiceId));
    await run(client.invoices.get(INVOICE.invoiceId));
    expect(wire.sent.map(({ headers }) => headers['authorization'])).to.deep.equal([
      'Bearer token-1',
      'Bearer token-2',
      'Bearer token-3',
    ]);
  });

  it('a key is refused in a page, unless somebody imported the permission', async () => {
    const make =
      (more: object = {}) =>
      () =>
        createClient({ baseUrl: 'https://pay.example', apiKey: CANARY, ...more });
    make({ [allowSecretInBrowser]: true })();
    if (!hasPage) return void make()();
    for (const more of [
      {},
      { [Symbol('paystate.allowSecretInBrowser')]: true },
      { [allowSecretInBrowser]: false },
    ])
      expect(make(more)).to.throw(InputError).with.property('code', 'SECRET_IN_BROWSER');
    // the name alone is no permission, and no option either
    expect(make({ allowSecretInBrowser: true }))
      .to.throw(InputError, 'allowSecretInBrowser: is an unknown field')
      .with.property('outcome', 'not-done');
    expectNoCanary(await reasonOf((async () => make()())()));
    createClient({ baseUrl: 'https://pay.example', token: CANARY });
  });

  it('is not shown with the rest of the process by a client without a fetch', () => {
    const seen = new Set<unknown>();
    surfaceOf(createClient({ baseUrl: 'https://pay.example', token: CANARY }), seen);
    expect(seen.has(globalThis)).to.equal(false);
  });

  it('is not kept by a created invoice', async () => {
    const { sandbox, client, run } = openShop();
    const { value, headers } = await run(client.invoices.create(DRAFT).withResponse());
    expect(surfaceOf([value, [...headers]])).not.to.contain(sandbox.clientOptions.apiKey);
  });
});
