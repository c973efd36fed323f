// Protects: ofetch is what sends, told to do no more than that: it repeats nothing, reads nothing, follows nothing,
// and nobody gets at its hooks, which see the bearer and can send it to another host.
import { expect } from 'chai';
import { build, type Plugin } from 'esbuild';
import { describe, it } from '#test';
import { root } from './source.ts';

/** A page's program that keeps what it is given, with another ofetch: one that notes what it is asked. */
const PROGRAM = `
import { createClient } from 'paystate';
const answer = () => new Response('{}', { status: 503 });
// the SDK refuses unknown options, but sees none that are inherited
const client = createClient(Object.assign(Object.create({
  retry: 3, timeout: 5, baseURL: 'https://evil.example', query: { a: 1 }, headers: { 'x-evil': '1' }, dispatcher: {}, agent: {},
  onRequest() {}, onResponse() {}, onRequestError() {}, onResponseError() {}, parseResponse() {},
}), { baseUrl: 'https://pay.example', apiKey: 'KEY', fetch: async () => answer(), maxAttempts: 1 }));
const options = Object.create({ retry: 3, timeout: 5, baseURL: 'https://evil.example', query: { a: 1 }, headers: { 'x-evil': '1' }, onRequestError() {} });
await client.invoices.create({ amount: { amount: '1', currency: 'EUR' }, correlationId: 'order-1' }, options).catch(() => {});
await client.invoices.get('x', options).catch(() => {});
`;
const NOTING = `
export const notes = (globalThis[Symbol.for('test.ofetch')] ??= []);
export const createFetch = ({ fetch, Headers, ...given }) => ({
  raw: async (url, options) => (notes.push({ given, url, options }), fetch(url, { ...given.defaults, ...options, headers: new Headers(options.headers) })),
});
`;

const noting: Plugin = {
  name: 'noting',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^ofetch$/ }, () => ({ path: 'ofetch', namespace: 'noting' }));
    onLoad({ filter: /./, namespace: 'noting' }, () => ({ contents: NOTING }));
  },
};

interface Note {
  readonly given: object;
  readonly url: string;
  readonly options: {
    readonly method: string;
    readonly headers: unknown;
    readonly signal: AbortSignal;
    readonly body: string | undefined;
  };
}

const notesOf = async (program: string): Promise<readonly Note[]> => {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: root, loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [noting],
  });
  await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`);
  return (globalThis as { [key: symbol]: unknown })[Symbol.for('test.ofetch')] as readonly Note[];
};

describe('the transport', () => {
  it('sends everything through ofetch, which repeats, reads and follows nothing and has no hooks', async () => {
    const notes = await notesOf(PROGRAM);
    expect(notes.map(({ url }) => url)).to.deep.equal([
      'https://pay.example/v1/invoices',
      'https://pay.example/v1/invoices/x',
    ]);
    for (const { given, options } of notes) {
      expect(given).to.deep.equal({
        defaults: {
          retry: 0,
          responseType: 'stream',
          ignoreResponseError: true,
          redirect: 'manual',
        },
      });
      expect(Object.keys(options)).to.have.members(['method', 'headers', 'signal', 'body']);
      expect(options.signal).to.be.an.instanceOf(AbortSignal);
    }
    const accept = ['accept', 'application/json'];
    const authorization = ['authorization', 'Bearer KEY'];
    expect(
      notes.map(({ options: { method, headers, body } }) => ({ method, headers, body })),
    ).to.deep.equal([
      {
        method: 'POST',
        headers: [accept, authorization, ['content-type', 'application/json']],
        body: '{"amount":{"amount":"1","currency":"EUR"},"correlationId":"order-1"}',
      },
      { method: 'GET', headers: [accept, authorization], body: undefined },
    ]);
  });
});
