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
