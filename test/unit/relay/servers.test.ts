// Protects: servers are told the address of a page as they know it, and give its socket to the relay in the form that it wants.
import { expect } from 'chai';
import {
  bunHandler,
  type BunSocket,
  type BunConnection,
  denoHandler,
  forwardedAddress,
  nodeHandler,
  opensSocket,
  type ServerSocket,
} from 'paystate/host';
import { describe, it } from '#test';

const URL_OF_SHOP = 'https://shop.example/pay/live';

/** A response that opens a socket, and the sockets that it was given. */
function opening() {
  const opened: ServerSocket[] = [];
  const response = Object.defineProperties(new Response(null), {
    status: { value: 101 },
    connect: { value: (socket: ServerSocket) => void opened.push(socket) },
  });
  return { opened, response };
}

const forwarded = (value: string): Request =>
  new Request(URL_OF_SHOP, { headers: { 'x-forwarded-for': value } });

describe('the address that proxies pass on', () => {
  it('is the one that the first proxy of the shop has added, whatever a page writes in front', () => {
    const request = forwarded('10.9.9.9, 203.0.113.9, 198.51.100.7');
    expect(forwardedAddress(request, 1)).to.equal('198.51.100.7');
    expect(forwardedAddress(request, 2)).to.equal('203.0.113.9');
  });

  it('is not known where fewer proxies have written than there are', () => {
    expect(forwardedAddress(forwarded('203.0.113.9'), 2)).to.equal(null);
    expect(forwardedAddress(new Request(URL_OF_SHOP), 1)).to.equal(null);
  });

  it('has no port', () => {
    expect(forwardedAddress(forwarded('203.0.113.9:4711'), 1)).to.equal('203.0.113.9');
    expect(forwardedAddress(forwarded('[2001:db8::1]:4711'), 1)).to.equal('2001:db8::1');
    expect(forwardedAddress(forwarded('2001:db8::1'), 1)).to.equal('2001:db8::1');
  });

  it('needs a number of proxies', () => {
    for (const proxies of [0, -1, 1.5, Number.NaN])
      expect(() => forwardedAddress(forwarded('203.0.113.9'), proxies)).to.throw(/proxies/);
  });
});

/** What Node gives a handler for a request without a body, and the statuses that are written. */
function nodePair(url: string, rawHeaders: readonly string[], method: string = 'GET') {
  const written: number[] = [];
  const incoming = {
    ...{ method, url, rawHeaders },
    async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {},
  };
  const outgoing = {
    ...{ destroyed: false, write: () => true, end() {}, destroy() {}, once() {}, off() {} },
    writeHead: (status: number) => void written.push(status),
  };
  return { incoming, outgoing, written };
}

describe('servers with the relay mounted', () => {
  it('open a socket for a response that says so, and for no other', () => {
    const { response } = opening();
    const named = Object.assign(new Response(null), { connect() {} });
    expect([response, named, new Response(null)].map(opensSocket)).to.deep.equal([
      true,
      false,
      false,
    ]);
  });

  it('Deno: passes on the address, and connects the socket that it accepts', async () => {
    const { opened, response } = opening();
    const accepted = { socket: { readyState: 1 } as ServerSocket, response: new Response() };
    const asked: string[] = [];
    const deno = {
      upgradeWebSocket(_: Request, { protocol }: { readonly protocol: string }) {
        asked.push(protocol);
        return accepted;
      },
    };
    const handler = denoHandler(deno, async (_, { address }) => {
      asked.push(String(address));
      return response;
    });
    const request = new Request(URL_OF_SHOP);
    const sent = await handler(request, { remoteAddr: { hostname: '203.0.113.9' } });
    await handler(request, { remoteAddr: { path: '/run/shop.sock' } });
    expect(asked).to.deep.equal(['203.0.113.9', 'paystate.v1', 'null', 'paystate.v1']);
    expect(sent).to.equal(accepted.response);
    expect(opened[0]).to.equal(accepted.socket);
  });

  it('Bun: gives each socket what is for it, and refuses what opens none', async () => {
    const { opened, response } = opening();
    const { fetch: handle, websocket } = bunHandler(async () => response);
    const datas: BunConnection[] = [];
    let isUpgraded = true;
    const server = {
      requestIP: () => null,
      upgrade(_: Request, { data }: { readonly data: BunConnection }) {
        datas.push(data);
        return isUpgraded;
      },
    };
    for (let n = 0; n < 2; n += 1)
      expect(await handle(new Request(URL_OF_SHOP), server)).to.equal(undefined);
    const heard: string[] = [];
    for (const [n, data] of datas.entries()) {
      websocket.open({ data, readyState: 1, send() {}, close() {} } satisfies BunSocket);
      opened[n]!.addEventListener('message', ({ data: text }) =>
        heard.push(`${n} ${String(text)}`),
      );
      opened[n]!.addEventListener('close', () => heard.push(`${n} closed`));
    }
    const [first, second] = datas.map((data) => ({ data, readyState: 1, send() {}, close() {} }));
    websocket.message(second!, 'ping');
    websocket.close(first!);
    expect(heard).to.deep.equal(['1 ping', '0 closed']);
    isUpgraded = false;
    expect((await handle(new Request(URL_OF_SHOP), server))?.status).to.equal(400);
  });

  const targets: Readonly<Record<string, readonly (readonly [string, string | undefined])[]>> = {
    // target, path and query that the program sees; absent: refused
    'shop.example': [
      ['/a?b=c', 'http://shop.example/a?b=c'],
      ['//other.example/x', 'http://shop.example//other.example/x'],
      ['http://other.example:8080/x?y', 'http://other.example:8080/x?y'],
      ['http://other.example', 'http://other.example/'],
      ['http://other.example?y', 'http://other.example/?y'],
      ['http://u@other.example/x', undefined],
      ['http:///office/refund', undefined],
      ['*', 'http://shop.example/'],
    ],
    'shop.example:8443': [['/a', 'http://shop.example:8443/a']],
    'SHOP.example.': [['/a', 'http://shop.example./a']],
    '127.0.0.1:80': [['/a', 'http://127.0.0.1/a']],
    '[::1]:8080': [['/a', 'http://[::1]:8080/a']],
    ...Object.fromEntries(
      [
        ...['shop.example/office/refund?', 'shop.example?', 'shop.example#', 'shop.example\\'],
        ...['', 'a b', 'u@shop.example', 'u:p@shop.example', 'shop.example:x', 'a:80:80', '::1'],
        ...['[::1', '[::1]x', '[shop.example/]', 'a:99999', 'a, b', '%2foffice', '/office/refund'],
      ].map((host) => [host, [['/a', undefined]]] as const),
    ),
  };

  it('Node: a host decides no path, and what is no host is refused', async () => {
    for (const [host, rows] of Object.entries(targets))
      for (const [target, expected] of rows) {
        const { incoming, outgoing, written } = nodePair(target, ['host', host]);
        const seen: string[] = [];
        await nodeHandler(async ({ url }) => {
          seen.push(url);
          return new Response(null, { status: 204 });
        })(incoming, outgoing);
        expect([seen, written], `${host} ${target}`).to.deep.equal(
          expected === undefined ? [[], [400]] : [[expected], [204]],
        );
      }
    const twice = nodePair('/a', ['host', 'shop.example', 'Host', 'other.example']);
    await nodeHandler(async () => new Response())(twice.incoming, twice.outgoing);
    expect(twice.written).to.deep.equal([400]);
    const proxied = nodePair('/a', ['host', 'shop.example', 'x-forwarded-host', 'a/office?']);
    await nodeHandler(async ({ url }) => {
      expect(url).to.equal('http://shop.example/a');
      return new Response(null, { status: 204 });
    })(proxied.incoming, proxied.outgoing);
    expect(proxied.written).to.deep.equal([204]);
  });

  it('Deno and Bun: what is no host is refused', async () => {
    const respond = async () => new Response(null, { status: 204 });
    const request = (host: string): Request =>
      ({ url: `http://${host}/a`, headers: new Map([['host', host]]) }) as unknown as Request;
    const deno = { upgradeWebSocket: () => expect.fail('no socket') };
    const server = { requestIP: () => null, upgrade: () => false };
    for (const [host, status] of [
      ['shop.example:8443', 204],
      ['shop.example/office/refund?', 400],
      ['u@shop.example', 400],
    ] as const) {
      const answers = [
        await denoHandler(deno, respond)(request(host), { remoteAddr: {} }),
        await bunHandler(respond).fetch(request(host), server),
      ];
      expect(answers.map((answer) => answer?.status)).to.deep.equal([status, status]);
    }
  });

  it('Node: takes the bytes that a raw parser has kept, and no others', async () => {
    const bytes = new TextEncoder().encode('{"a": 1}');
    for (const [kept, expected] of [
      [{ body: bytes }, '{"a": 1}'],
      [{ rawBody: bytes, body: { a: 1 } }, '{"a": 1}'],
      [{ body: '{"a": 1}' }, '{"a": 1}'],
      [{ body: { a: 1 } }, ''],
      [{ body: undefined }, ''],
    ] as const) {
      const { incoming, outgoing } = nodePair('/a', ['host', 'shop.example'], 'POST');
      let seen: string | undefined;
      await nodeHandler(async (request) => {
        seen = await request.text();
        return new Response();
      })({ ...incoming, ...kept }, outgoing);
      expect(seen).to.equal(expected);
    }
  });

  it('Node: passes on the address and the whole path, and tells a page where no sockets are accepted', async () => {
    const seen: string[] = [];
    const written: number[] = [];
    const incoming = (url: string) => ({
      ...{ method: 'GET', url: '/token', originalUrl: url, rawHeaders: ['host', 'shop.example'] },
      socket: { remoteAddress: '203.0.113.9' },
      async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {},
    });
    const outgoing = {
      ...{ destroyed: false, write: () => true, end() {}, destroy() {}, once() {}, off() {} },
      writeHead: (status: number) => void written.push(status),
    };
    const handler = nodeHandler(async ({ url }, { address }) => {
      seen.push(`${url} ${String(address)}`);
      return url.endsWith('live') ? opening().response : new Response(null, { status: 204 });
    });
    await handler(incoming('/pay/token'), outgoing);
    await handler(incoming('/pay/live'), outgoing);
    expect(seen[0]).to.equal('http://shop.example/pay/token 203.0.113.9');
    expect(written).to.deep.equal([204, 426]);
  });
});
