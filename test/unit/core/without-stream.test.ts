// Protects: a response without a stream (React Native, node-fetch 2, mocks) is read whole and held to the same size.
import { expect } from 'chai';
import { type ClientOptions, createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { DRAFT, failureOf } from './shop.ts';

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A client whose responses have this in the place of the stream of bytes. */
function openWithout(body: (text: string) => object, options: Partial<ClientOptions> = {}) {
  const sandbox = createSandbox({ signed: false });
  const base = sandbox.clientOptions;
  const fetch: Fetch = async (url, init) => {
    const { status, headers, ...response } = await (base.fetch as Fetch)(url, init).then(
      async (one) => ({
        status: one.status,
        headers: one.headers,
        text: await one.text(),
      }),
    );
    const ok = status >= 200 && status < 300;
    const read = { ok, status, headers, text: async () => response.text };
    return { ...read, ...body(response.text) } as Response;
  };
  return { sandbox, client: createClient({ ...base, fetch, ...options }) };
}

const BODIES: readonly (readonly [of: string, body: (text: string) => object])[] = [
  ['React Native', () => ({})],
  ['a mock with null', () => ({ body: null })],
  ['node-fetch 2, whose stream is one of Node', () => ({ body: { pipe() {} } })],
  ['a mock with its text', (text) => ({ body: text })],
];

describe('a response without a stream', () => {
  for (const [of, body] of BODIES)
    it(`of ${of} is read: creations, commands without a body and refusals`, async () => {
      const { sandbox, client } = openWithout(body);
      const { invoiceId, state } = await sandbox.run(client.invoices.create(DRAFT));
      expect(state).to.equal('UNPAID');
      const draft = {
        webhookUrl: 'https://shop.example/hook',
        webhookVersion: 'v1',
        secret: 'a-secret-of-30-characters-long',
        enabled: true,
        eventTypes: ['invoice.updated'],
      } as const;
      const { id } = await sandbox.run(client.subscriptions.create(draft));
      await sandbox.run(client.subscriptions.remove(id));
      expect((await sandbox.run(client.invoices.cancel(invoiceId))).state).to.equal('CANCELLED');
      const refused = await failureOf(sandbox.run(client.invoices.get('none')));
      expect([refused.code, refused.status]).to.deep.equal(['NOT_FOUND', 404]);
    });

  it('is refused above the limit, which counts bytes and not characters', async () => {
    const long = { ...DRAFT, description: 'ü'.repeat(100) };
    const probe = openWithout(() => ({}));
    const { invoiceId } = await probe.sandbox.run(probe.client.invoices.create(long));
    const read = await probe.sandbox.run(probe.client.invoices.get(invoiceId));
    const most = JSON.stringify(read).length + 60; // 100 bytes more than characters
    const { client } = openWithout(() => ({}), {
      ...probe.sandbox.clientOptions,
      fetch: async () => ({ status: 200, text: async () => JSON.stringify(read) }) as Response,
      maxResponseBytes: most,
    });
    const error = await failureOf(probe.sandbox.run(client.invoices.get(invoiceId)));
    expect([error.code, error.status]).to.deep.equal(['RESPONSE_TOO_LARGE', 200]);
  });
});
