// Protects: what the network said is in the error, bounded and without secrets; offline is only what the platform calls so.
import { expect } from 'chai';
import { describe, it } from '#test';
import { failureOf, openShop, reasonOf } from './shop.ts';

const KEY = 'KEY-that-must-not-leak-0123456789';

const failingWith = (thrown: unknown) =>
  openShop({ apiKey: KEY, fetch: () => Promise.reject(thrown), maxAttempts: 1 });

const causeOf = async (thrown: unknown): Promise<unknown> => {
  const { client, run } = failingWith(thrown);
  return (await failureOf(run(client.invoices.get('x')))).cause;
};

describe('the cause of an error', () => {
  it('is what the runtime said, as plain data', async () => {
    const dns = Object.assign(new Error('getaddrinfo ENOTFOUND pay.example'), {
      code: 'ENOTFOUND',
      hostname: 'pay.example',
    });
    const cause = await causeOf(new TypeError('fetch failed', { cause: dns }));
    expect(cause).to.deep.equal({
      name: 'Error',
      message: 'getaddrinfo ENOTFOUND pay.example',
      code: 'ENOTFOUND',
    });
    expect(Object.getPrototypeOf(cause)).to.equal(Object.prototype);
    expect(await causeOf(new TypeError('Failed to fetch'))).to.deep.equal({
      name: 'TypeError',
      message: 'Failed to fetch',
    });
  });

  it('has no secret and at most 200 characters', async () => {
    const long = new TypeError(`invalid header "Bearer ${KEY}" ${KEY.repeat(500)} end`);
    Object.assign(long, { name: `${KEY}N`.repeat(50), code: `${KEY}C`.repeat(50) });
    const { name, message, code } = (await causeOf(long)) as Record<string, string>;
    expect(`${name}${message}${code}`.length).to.be.at.most(200);
    expect(JSON.stringify([name, message, code])).not.to.contain('KEY');
    const secret = 'a secret of thirty characters.';
    const { client, run } = failingWith(new TypeError(`body: ${secret}`));
    const draft = {
      webhookUrl: 'https://shop.example/',
      webhookVersion: 'v1',
      secret,
      enabled: true,
      eventTypes: ['invoice.updated'],
    };
    const error = await failureOf(run(client.subscriptions.create(draft)));
    expect((error.cause as Error).message).to.equal('body: [secret]');
  });

  it('keeps every letter around a secret', async () => {
    const secret = 'a secret of thirty characters.';
    const said = `first ${secret}, then ${secret}; last`;
    const { client, run } = failingWith(new TypeError(said));
    const draft = {
      webhookUrl: 'https://shop.example/',
      webhookVersion: 'v1',
      secret,
      enabled: true,
      eventTypes: ['invoice.updated'],
    };
    const error = await failureOf(run(client.subscriptions.create(draft)));
    expect((error.cause as Error).message).to.equal('first [secret], then [secret]; last');
  });

  it('is absent where what was thrown says nothing, and never throws itself', async () => {
    const hostile = new Proxy(new Error('x'), {
      get: () => {
        throw new Error('mine');
      },
    });
    for (const thrown of [undefined, null, hostile])
      expect(await causeOf(thrown)).to.equal(undefined);
    const { client, run } = openShop({
      apiKey: undefined,
      token: () => Promise.reject(new Error('private')),
    });
    expect((await failureOf(run(client.invoices.get('x')))).cause).to.equal(undefined);
  });

  it('is not in JSON', async () => {
    const { client, run } = failingWith(new TypeError('seen'));
    expect(JSON.stringify(await reasonOf(run(client.invoices.get('x'))))).not.to.contain('seen');
  });
});

describe('a request without a response', () => {
  const codeWith = async (onLine: unknown): Promise<string> => {
    const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    Object.defineProperty(globalThis, 'navigator', { value: { onLine }, configurable: true });
    try {
      const { client, run } = failingWith(new TypeError('fetch failed'));
      return (await failureOf(run(client.invoices.get('x')))).code;
    } finally {
      if (before) Object.defineProperty(globalThis, 'navigator', before);
      else Reflect.deleteProperty(globalThis, 'navigator');
    }
  };

  it('is OFFLINE only where the platform says so', async () => {
    // some browsers let nobody replace what says so
    const isOffline = (await codeWith(false)) === 'OFFLINE';
    expect(isOffline || 'document' in globalThis).to.equal(true);
    for (const onLine of [true, undefined]) expect(await codeWith(onLine)).to.equal('UNREACHABLE');
  });
});
