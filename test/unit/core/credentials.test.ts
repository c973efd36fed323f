// Protects: a client without a credential, or with the wrong kind of one, is told so at once and by name.
import { expect } from 'chai';
import {
  allowSecretInBrowser,
  type ClientOptions,
  createClient,
  InputError,
  userMessage,
} from 'paystate';
import { en } from 'paystate/messages/en';
import { describe, it } from '#test';
import { answering, failureOf, openShop, refusal } from './shop.ts';

const baseUrl = 'https://pay.example';

const refusedOption = (options: object): string => {
  try {
    createClient(options as ClientOptions);
  } catch (thrown) {
    expect(thrown).to.be.an.instanceOf(InputError);
    return Object.keys((thrown as InputError).validationErrors ?? {}).join();
  }
  return 'none';
};

/** The globals by which code knows that strangers run it. */
const PLACES: Readonly<Record<string, object>> = {
  'a worker of a page': { importScripts: () => {}, location: new URL('https://shop.example/w') },
  'React Native': { navigator: { product: 'ReactNative' } },
};

/** Globals of servers that resemble a page's: each has a part of what proves a worker of a page. */
const SERVERS: Readonly<Record<string, object>> = {
  'a Worker of a compatibility date before 2024-03-04': {
    importScripts: () => {},
    WorkerGlobalScope: class {},
    navigator: { userAgent: 'Cloudflare-Workers' },
  },
  'a worker of Deno': { location: new URL('file:///w.js'), WorkerGlobalScope: class {} },
  'Deno 1': { window: globalThis, location: undefined },
  'a Node with a navigator': { navigator: { userAgent: 'Node.js/24' } },
};

/** Calls `use` while `globalThis` has these members. */
function withGlobals(globals: object, use: () => void): void {
  const before = Object.getOwnPropertyDescriptors(globalThis);
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  try {
    use();
  } finally {
    for (const name of Object.keys(globals))
      if (name in before) Object.defineProperty(globalThis, name, before[name as 'name']!);
      else Reflect.deleteProperty(globalThis, name);
  }
}

describe('a secret', () => {
  for (const [place, globals] of Object.entries(SERVERS))
    it(`is taken in ${place}`, () => {
      if ('document' in globalThis) return;
      withGlobals(globals, () => void createClient({ baseUrl, apiKey: 'KEY' }));
    });

  it('is allowed by a symbol that all copies of the package share', () => {
    expect(allowSecretInBrowser).to.equal(Symbol.for('paystate.allowSecretInBrowser'));
  });

  for (const [place, globals] of Object.entries(PLACES))
    it(`is refused in ${place}, unless somebody imported the permission; a token is not`, () => {
      if ('document' in globalThis) return;
      withGlobals(globals, () => {
        const make = (more: object) => () => createClient({ baseUrl, apiKey: 'KEY', ...more });
        expect(make({})).to.throw(InputError).with.property('code', 'SECRET_IN_BROWSER');
        make({ [allowSecretInBrowser]: true })();
        createClient({ baseUrl, token: 'TOKEN' });
      });
    });
});

describe('a client', () => {
  it('that gets no credential, or an empty one, is refused when it is made', () => {
    for (const [options, name] of [
      [{}, 'apiKey'],
      [{ apiKey: undefined }, 'apiKey'],
      [{ apiKey: '' }, 'apiKey'],
      [{ apiKey: null }, 'apiKey'],
      [{ token: undefined }, 'token'],
      [{ token: '' }, 'token'],
      [{ token: 7 }, 'token'],
      [{ apiKey: 'KEY', token: 'TOKEN', [allowSecretInBrowser]: true }, 'token'],
    ] as const)
      expect(refusedOption({ baseUrl, ...options }), JSON.stringify(options)).to.equal(name);
  });

  it('needs none where the caller says so, as for a relay of public invoices', async () => {
    const wire = answering(refusal(401, 'UNAUTHORIZED'));
    const { client, run } = openShop({ apiKey: undefined, token: null, fetch: wire.fetch });
    const error = await failureOf(run(client.invoices.get('x')));
    expect(wire.sent[0]!.headers).not.to.have.property('authorization');
    expect(error.next).to.equal('fix-credential');
  });

  it('whose API key is refused is not asked to log in; one with a token is', async () => {
    for (const [options, next, text] of [
      [{ apiKey: 'KEY' }, 'fix-credential', en.SECRET_INVALID],
      [{ apiKey: undefined, token: 'TOKEN' }, 'login', en.UNAUTHORIZED],
      [{ apiKey: undefined, token: () => 'TOKEN' }, 'login', en.UNAUTHORIZED],
    ] as const) {
      const wire = answering(refusal(401, 'UNAUTHORIZED'));
      const { client, run } = openShop({ ...options, fetch: wire.fetch });
      const error = await failureOf(run(client.invoices.get('x')));
      expect([error.kind, error.code, error.next, userMessage(error, en)]).to.deep.equal([
        'authentication',
        'UNAUTHORIZED',
        next,
        text,
      ]);
    }
  });

  it('whose key is refused after a lost response still says first what is not known', async () => {
    const wire = answering(
      () => Promise.reject(new TypeError('lost')),
      refusal(401, 'UNAUTHORIZED'),
    );
    const { client, run } = openShop({ apiKey: 'KEY', fetch: wire.fetch });
    const error = await failureOf(
      run(client.invoices.create({ amount: { amount: '1', currency: 'EUR' } })),
    );
    expect([error.code, error.outcome, error.next]).to.deep.equal([
      'UNAUTHORIZED',
      'unknown',
      'retry',
    ]);
  });
});
