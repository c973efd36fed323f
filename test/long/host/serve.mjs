// Serves a function from `Request` to `Response` on the loopback, sockets included. Resolves to the port.
import { nodeHandler, opensSocket } from 'paystate/host';

const hostname = '127.0.0.1';
const PROTOCOL = 'paystate.v1';

async function serveNode(answer, port) {
  const { createServer } = await import('node:http');
  const { WebSocketServer } = await import('ws');
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: 65_536,
    handleProtocols: () => PROTOCOL,
  });
  const server = createServer((incoming, outgoing) =>
    nodeHandler((request) => answer(request, incoming.socket.remoteAddress))(incoming, outgoing),
  );
  server.keepAliveTimeout = 60_000; // a client that sends on a connection just closed fails
  const upgrade = async (incoming, connection, head) => {
    const url = `http://${incoming.headers.host}${incoming.url}`;
    const request = new Request(url, { headers: incoming.headers });
    const response = await answer(request, incoming.socket.remoteAddress);
    if (!opensSocket(response))
      return connection.end(`HTTP/1.1 ${response.status} Refused\r\nconnection: close\r\n\r\n`);
    sockets.handleUpgrade(incoming, connection, head, (socket) => response.connect(socket));
  };
  server.on('upgrade', (incoming, connection, head) => {
    const end = () => connection.destroy();
    connection.on('error', end); // else a stranger's broken connection ends the process
    upgrade(incoming, connection, head).catch(end); // so does an address that is none
  });
  await new Promise((resolve) => server.listen(port, hostname, resolve));
  return server.address().port;
}

function serveDeno(answer, port) {
  const handler = async (request, { remoteAddr }) => {
    const response = await answer(request, remoteAddr.hostname);
    if (!opensSocket(response)) return response;
    const upgrade = Deno.upgradeWebSocket(request, { protocol: PROTOCOL });
    response.connect(upgrade.socket);
    return upgrade.response;
  };
  return Deno.serve({ hostname, port, onListen: () => {} }, handler).addr.port;
}

/** Bun calls one set of functions for all sockets; each keeps what listens to it in `data`. */
function serveBun(answer, port) {
  const tell = ({ data }, type, event) => data.listeners[type]?.(event);
  const server = Bun.serve({
    hostname,
    port,
    async fetch(request) {
      const response = await answer(request, server.requestIP(request)?.address);
      if (!opensSocket(response)) return response;
      const headers = { 'sec-websocket-protocol': PROTOCOL };
      server.upgrade(request, { headers, data: { response, listeners: {} } });
    },
    websocket: {
      open(socket) {
        const { response, listeners } = socket.data;
        socket.addEventListener = (type, listener) => void (listeners[type] = listener);
        response.connect(socket);
      },
      message: (socket, data) => tell(socket, 'message', { data }),
      close: (socket) => tell(socket, 'close', {}),
    },
  });
  return server.port;
}

const runtime = 'Bun' in globalThis ? serveBun : 'Deno' in globalThis ? serveDeno : serveNode;

export const serve = async (answer, port = 0) => runtime(answer, port);
