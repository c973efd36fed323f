// Protects: the sandbox stands in for the service behind a real Node server, and behind Mock Service Worker.
import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { http } from 'msw';
import { setupServer } from 'msw/node';
import { createClient } from 'paystate';
import { nodeHandler } from 'paystate/host';
import { createSandbox } from 'paystate/sandbox';
import { makeErrorResponse, makeInvoice } from 'paystate/testing';
import { describe, it } from '#test';

type Respond = (request: Request) => Promise<Response>;

/** A server of this machine for as long as `use` takes; its address. */
const withServer = async (respond: Respond, use: (url: string) => Promise<void>): Promise<void> => {
  const server = createServer(nodeHandler(respond)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const echo: Respond = async (request) =>
  new Response(request.body, { headers: { 'x-method': request.method, 'x-url': request.url } });

const textOf = async (incoming: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const part of incoming) text += part;
  return text;
};

/** Sends with headers and parts that `fetch` would not send. */
const raw = (url: string, options: object, ...parts: readonly string[]): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const outgoing = send(url, options, resolve).on('error', reject);
    for (const part of parts) outgoing.write(part);
    outgoing.end();
  });

describe('a handler for Node', () => {
  it('hands on method, path, headers and a body of 100 kB, whole or in parts', () =>
    withServer(echo, async (url) => {
      const body = 'ä'.repeat(50_000);
      const response = await fetch(`${url}/v1/a?b=c%20d`, { method: 'PATCH', body });
      expect(await response.text()).to.equal(body);
      expect(response.headers.get('x-method')).to.equal('PATCH');
      expect(response.headers.get('x-url')).to.equal(`${url}/v1/a?b=c%20d`);
      const parts = await raw(url, { method: 'POST' }, 'one, ', 'two');
      expect(await textOf(parts)).to.equal('one, two');
    }));

  it('keeps headers that come more than once, in both directions', () =>
    withServer(
      async (request) => {
        const headers = new Headers({ 'x-seen': request.headers.get('x-many') ?? '' });
        for (const cookie of ['a=1', 'b=2; Path=/']) headers.append('set-cookie', cookie);
        return new Response('', { headers });
      },
      async (url) => {
        const { headers } = await raw(url, {
          headers: ['host', 'localhost', 'x-many', '1', 'x-many', '2'],
        });
        expect(headers['set-cookie']).to.deep.equal(['a=1', 'b=2; Path=/']);
        expect(headers['x-seen']).to.equal('1, 2');
      },
    ));

  it('responds to HEAD, and with statuses that have no body', () =>
    withServer(
      async ({ method }) =>
        method === 'HEAD'
          ? new Response('unseen', { headers: { 'x-head': 'yes' } })
          : new Response(null, { status: 204 }),
      async (url) => {
        const head = await fetch(url, { method: 'HEAD' });
        expect([head.status, head.headers.get('x-head'), await head.text()]).to.deep.equal([
          200,
          'yes',
          '',
        ]);
        expect((await fetch(url)).status).to.equal(204);
      },
    ));

  it('sends each part of a body when it is there', () => {
    let makeSecond = (): void => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('first'));
        makeSecond = () => {
          controller.enqueue(new TextEncoder().encode('second'));
          controller.close();
        };
      },
    });
    return withServer(
      async () => new Response(body),
      async (url) => {
        const reader = (await fetch(url)).body!.pipeThrough(new TextDecoderStream()).getReader();
        expect((await reader.read()).value).to.equal('first');
        makeSecond();
        expect((await reader.read()).value).to.equal('second');
        expect((await reader.read()).done).to.equal(true);
      },
    );
  });

  it('sends a long body no faster than it is taken, and whole', () => {
    let made = 0;
    const part = new Uint8Array(65_536).fill(97);
    const respond: Respond = async () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            if (made++ < 320) controller.enqueue(part);
            else controller.close();
          },
        }),
      );
    return withServer(respond, async (url) => {
      const response = await raw(url, {});
      const first = made;
      expect((await textOf(response)).length).to.equal(320 * 65_536);
      expect(first).to.be.below(320);
    });
  });

  it('aborts the request whose client has gone, and makes no more of its body', async () => {
    const events: string[] = [];
    const told = new EventTarget();
    const tell = (event: string): void => {
      events.push(event);
      told.dispatchEvent(new Event(event));
    };
    const respond: Respond = async ({ signal, url }) => {
      if (url.endsWith('/waits')) {
        tell('asked');
        await once(signal, 'abort');
        tell('aborted');
        throw signal.reason;
      }
      return new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1_000_000)),
          cancel: () => tell('cancelled'),
        }),
      );
    };
    await withServer(respond, async (url) => {
      const [controller, asked] = [new AbortController(), once(told, 'asked')];
      const waiting = fetch(`${url}/waits`, { signal: controller.signal }).catch(() => 'gone');
      await asked;
      const aborted = once(told, 'aborted');
      controller.abort();
      await aborted;
      expect(await waiting).to.equal('gone');
      const cancelled = once(told, 'cancelled');
      (await raw(`${url}/endless`, {})).destroy();
      await cancelled;
    });
    expect(events).to.deep.equal(['asked', 'aborted', 'cancelled']);
  });

  it('breaks the connection where nothing responds, or a body breaks off', () =>
    withServer(
      async ({ url }) => {
        if (!url.endsWith('/cut')) throw new Error('a network that fails');
        return new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new Uint8Array(9)),
            pull: () => Promise.reject(new Error('cut')),
          }),
        );
      },
      async (url) => {
        const failed = await fetch(url).catch(() => 'broken');
        expect(failed).to.equal('broken');
        const cut = await fetch(`${url}/cut`)
          .then((response) => response.text())
          .catch(() => 'broken');
        expect(cut).to.equal('broken');
      },
    ));

  it('refuses a body that is too long, and a request that fetch does not have', () =>
    withServer(echo, async (url) => {
      const long = await fetch(url, { method: 'POST', body: 'x'.repeat(1_000_001) }).then(
        ({ status }) => status,
        () => 'broken', // where the client still sends when the connection ends
      );
      expect(long).to.be.oneOf([413, 'broken']);
      expect((await raw(url, { method: 'TRACE' })).statusCode).to.equal(400);
      expect((await raw(url, { headers: { host: 'no host' } })).statusCode).to.equal(400);
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.end('GET //elsewhere.example/v1 HTTP/1.0\r\n\r\n');
      expect(await textOf(socket as never)).to.match(/x-url: http:\/\/localhost\/\/elsewhere/i);
    }));

  it('serves the sandbox to a client of another process', async () => {
    const sandbox = createSandbox({ clock: 'real' });
    const { apiKey } = sandbox.clientOptions as { apiKey: string };
    await withServer(
      (request) => sandbox.fetch(request),
      async (baseUrl) => {
        const client = createClient({ baseUrl, apiKey });
        const amount = { amount: '5.00', currency: 'EUR' };
        const { invoiceId } = await client.invoices.create({ amount });
        await sandbox.payer.pay(invoiceId);
        expect((await client.invoices.get(invoiceId)).state).to.equal('PAID');
      },
    );
  });
});

describe('Mock Service Worker', () => {
  const baseUrl = 'https://payments.example';

  it('responds with the sandbox, and with values of the kit', async () => {
    const sandbox = createSandbox({ clock: 'real' });
    const { apiKey } = sandbox.clientOptions as { apiKey: string };
    const server = setupServer(http.all(`${baseUrl}/*`, ({ request }) => sandbox.fetch(request)));
    server.listen({ onUnhandledRequest: 'error' });
    try {
      const client = createClient({ baseUrl, apiKey, maxAttempts: 1 });
      const amount = { amount: '5.00', currency: 'EUR' };
      const { invoiceId } = await client.invoices.create({ amount });
      await sandbox.payer.pay(invoiceId);
      expect((await client.invoices.get(invoiceId)).state).to.equal('PAID');
      const paid = makeInvoice({ state: 'PAID' });
      server.use(
        http.get(`${baseUrl}/v1/invoices/:id`, () => Response.json(paid)),
        http.post(`${baseUrl}/v1/invoices`, () => makeErrorResponse('AMOUNT_TOO_HIGH')),
      );
      expect(await client.invoices.get(paid.invoiceId)).to.deep.equal(paid);
      const refused = await client.invoices.create({ amount }).catch((thrown) => thrown.code);
      expect(refused).to.equal('AMOUNT_TOO_HIGH');
    } finally {
      server.close();
    }
  });
});
