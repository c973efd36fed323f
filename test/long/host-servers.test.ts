// Protects: a function from Request to Response behind Node's real server: what it is asked, what
// its client gets, and what happens where one of the two breaks off.
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { nodeHandler, nodeUpgrade, type RequestHandler, type ServerSocket } from 'paystate/host';
import { describe, it } from '#test';
import { until } from '../edge/until.ts';

/** The test is given a server of this function. */
async function serving(
  respond: RequestHandler,
  test: (port: number, server: Server) => Promise<void>,
): Promise<void> {
  const handle = nodeHandler(respond);
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await test((server.address() as AddressInfo).port, server);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Sends these bytes, and resolves to all that comes back until the connection ends. */
function say(port: number, text: string, onLine?: (line: Socket) => void): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const line = connect(port, '127.0.0.1', () => line.write(text));
    line.on('data', (data) => (received += String(data)));
    line.on('error', () => {}).once('close', () => resolve(received));
    onLine?.(line);
  });
}

const head = (line: string, ...headers: readonly string[]): string =>
  `${[`${line} HTTP/1.1`, ...headers, 'connection: close'].join('\r\n')}\r\n\r\n`;

describe('a function behind node:http', () => {
  it('is asked method, address, headers and body as they came', async () => {
    const asked: unknown[] = [];
    const respond: RequestHandler = async (request, { address }) => {
      const { method, url, headers } = request;
      const body = request.body === null ? null : await request.text();
      asked.push([method, url, headers.get('x-twice'), body, address]);
      return new Response(null, { status: 204 });
    };
    await serving(respond, async (port) => {
      const host = 'host: shop.example';
      const twice = ['x-twice: a', 'X-Twice: b'];
      await say(port, `${head('POST /a?b=c', host, ...twice, 'content-length: 4')}t\u00e9a`);
      await say(port, `${head('GET //evil.example/x', host, 'content-length: 3')}tea`);
      await say(port, head('POST /empty', host));
      await say(port, head('GET http://other.example/x', host));
      await say(port, `GET /old HTTP/1.0\r\n\r\n`);
    });
    expect(asked).to.deep.equal([
      ['POST', 'http://shop.example/a?b=c', 'a, b', 't\u00e9a', '127.0.0.1'],
      ['GET', 'http://shop.example//evil.example/x', null, null, '127.0.0.1'],
      ['POST', 'http://shop.example/empty', null, null, '127.0.0.1'],
      ['GET', 'http://other.example/x', null, null, '127.0.0.1'], // RFC 9112 3.2.2
      ['GET', 'http://localhost/old', null, null, '127.0.0.1'],
    ]);
  });

  it('has its status, headers and body sent, cookies apart', async () => {
    const headers = new Headers({ 'content-type': 'text/plain', 'set-cookie': 'a=1' });
    headers.append('set-cookie', 'b=2');
    await serving(
      async () => new Response('tea', { status: 418, headers }),
      async (port) => {
        const text = await say(port, head('GET /', 'host: h'));
        expect(text).to.match(/^HTTP\/1\.1 418 /);
        expect(text)
          .to.match(/content-type: text\/plain/i)
          .and.match(/\btea\b/);
        expect(text.match(/set-cookie: \w=\d/gi)).to.have.length(2);
      },
    );
  });

  it('gets a body of a million bytes, and no longer one', async () => {
    const lengths: number[] = [];
    const respond: RequestHandler = async (request) => {
      lengths.push((await request.arrayBuffer()).byteLength);
      return new Response('kept');
    };
    await serving(respond, async (port) => {
      const send = (length: number) =>
        say(port, head('POST /', 'host: h', `content-length: ${length}`) + 'x'.repeat(length));
      expect(await send(1_000_000)).to.match(/^HTTP\/1\.1 200 /);
      const refused = await send(1_000_001);
      expect(refused).to.match(/^HTTP\/1\.1 413 [^]*connection: close\r\n/i);
      expect(refused).to.match(/content-length: 0\r\n/i);
    });
    expect(lengths).to.deep.equal([1_000_000]);
  });

  it('is not asked what is no request of fetch', async () => {
    let asked = 0;
    const respond: RequestHandler = async () => {
      asked += 1;
      return new Response();
    };
    await serving(respond, async (port) => {
      expect(await say(port, head('TRACE /', 'host: h'))).to.match(/^HTTP\/1\.1 400 /);
      expect(await say(port, head('GET /', 'host: ['))).to.match(/^HTTP\/1\.1 400 /);
    });
    expect(asked).to.equal(0);
  });

  it('breaks the connection off where it rejects, or its body does', async () => {
    const respond: RequestHandler = async ({ url }) => {
      if (url.endsWith('/throws')) throw new Error('broken');
      const body = new ReadableStream({
        pull(controller) {
          if (url.endsWith('/at-once')) return controller.error(new Error('broken'));
          controller.enqueue(new TextEncoder().encode('one part'));
          controller.error(new Error('broken'));
        },
      });
      return new Response(body);
    };
    await serving(respond, async (port) => {
      expect(await say(port, head('GET /throws', 'host: h'))).to.equal('');
      expect(await say(port, head('GET /later', 'host: h'))).not.to.match(/\r\n0\r\n/);
      expect(await say(port, head('GET /at-once', 'host: h'))).not.to.match(/\r\n0\r\n/);
    });
  });

  it('sends each part when it is made, and no faster than the client reads', async () => {
    let made = 0;
    let isCancelled = false;
    const respond: RequestHandler = async () =>
      new Response(
        new ReadableStream(
          {
            pull(controller) {
              made += 1;
              controller.enqueue(new Uint8Array(65_536));
            },
            cancel() {
              isCancelled = true;
            },
          },
          { highWaterMark: 0 },
        ),
      );
    await serving(respond, async (port) => {
      let client: Socket | undefined;
      const ended = say(port, head('GET /', 'host: h'), (line) => void (client = line));
      client!.pause();
      await until('some parts', () => made > 0);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const before = made;
      expect(before, 'it waits').to.be.below(500);
      client!.resume();
      await until('more parts', () => made > before + 10);
      client!.destroy();
      await ended;
      await until('the end', () => isCancelled);
    });
  });

  it('has its request aborted where the client has gone', async () => {
    let signal: AbortSignal | undefined;
    let end = (): void => {};
    const respond: RequestHandler = (request) => {
      ({ signal } = request);
      return new Promise((resolve) => (end = () => resolve(new Response('late'))));
    };
    await serving(respond, async (port) => {
      void say(port, head('GET /', 'host: h'), (line) => setTimeout(() => line.destroy(), 50));
      await until('the request', () => signal !== undefined);
      expect(signal!.aborted).to.equal(false);
      await until('the abort', () => signal!.aborted);
      end();
    });
  });
});

describe('sockets behind node:http', () => {
  /** As the package `ws` does: completes the handshake, or ends the connection. */
  class Sockets {
    static options: unknown;
    static readonly open = { readyState: 1 } as ServerSocket;
    constructor(options: unknown) {
      Sockets.options = options;
    }
    handleUpgrade(
      _incoming: unknown,
      connection: { end(text: string): void },
      _head: unknown,
      opened: (socket: ServerSocket) => void,
    ): void {
      opened(Sockets.open);
      connection.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    }
  }

  it('are given to who opens them, refused by status, and broken off where it fails', async () => {
    const opened: unknown[] = [];
    const respond: RequestHandler = async ({ url }, { address }) => {
      opened.push(`${url} ${address}`);
      if (url.endsWith('/refused')) return new Response(null, { status: 401 });
      if (url.endsWith('/broken')) throw new Error('broken');
      return Object.defineProperties(new Response(null), {
        status: { value: 101 },
        connect: { value: (socket: unknown) => void opened.push(socket) },
      });
    };
    await serving(respond, async (port, server) => {
      server.on('upgrade', nodeUpgrade(Sockets as never, respond));
      const ask = (path: string, host = 'h') =>
        say(
          port,
          `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n`,
        );
      expect(await ask('/live')).to.match(/^HTTP\/1\.1 101 /);
      expect(await ask('/refused')).to.equal(
        'HTTP/1.1 401 Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
      );
      expect(await ask('/broken')).to.equal('');
      expect(await ask('/live', '[')).to.equal('');
    });
    expect(opened).to.deep.equal([
      'http://h/live 127.0.0.1',
      Sockets.open,
      'http://h/refused 127.0.0.1',
      'http://h/broken 127.0.0.1',
    ]);
    const { handleProtocols, ...options } = Sockets.options as { handleProtocols(): string };
    expect(options).to.deep.equal({ noServer: true, maxPayload: 65_536 });
    expect(handleProtocols()).to.equal('paystate.v1');
  });
});
