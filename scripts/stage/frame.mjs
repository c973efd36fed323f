// What stands between the page of `npm start` and the shop's Worker: it lets that page, and no other, show the shop in a frame.
// The Worker knows nothing of it, so what is deployed stays in no frame.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';

const HOST = '127.0.0.1';
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
const POLICY = 'content-security-policy';

/** The headers of an answer, with one page that may show it in a frame instead of none. */
export const framedBy = (page, rawHeaders) =>
  rawHeaders.map((text, at) =>
    at % 2 === 1 && rawHeaders[at - 1].toLowerCase() === POLICY
      ? text.replace("frame-ancestors 'none'", `frame-ancestors ${page}`)
      : text,
  );

const passOn = (place, incoming, outgoing) => {
  const { method, url: path } = incoming;
  const secret = place.door?.secretFor(incoming);
  const headers = { ...incoming.headers, ...(secret && { authorization: `Bearer ${secret}` }) };
  const away = request({ host: HOST, port: place.port, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, framedBy(place.page, answer.rawHeaders));
    answer.pipe(outgoing);
  });
  away.on('error', () => outgoing.destroy());
  outgoing.on('close', () => away.destroy());
  incoming.pipe(away);
};

/** The header lines of a socket; a session of the back office has its secret as the second protocol. */
const linesOf = ({ rawHeaders }, secret) =>
  rawHeaders.map((text, at) => {
    if (at % 2 === 0) return `${text}: `;
    const isProtocol = rawHeaders[at - 1].toLowerCase() === 'sec-websocket-protocol';
    return secret && isProtocol && text === 'office' ? `office, ${secret}\r\n` : `${text}\r\n`;
  });

const passSocket = (place, incoming, page) => {
  const worker = connect(place.port, HOST);
  const lines = linesOf(incoming, place.door?.secretFor(incoming));
  worker.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('')}\r\n`);
  worker.pipe(page).pipe(worker);
  for (const [end, other] of [
    [page, worker],
    [worker, page],
  ])
    end.on('error', () => {}).on('close', () => other.destroy());
};

/**
 * Opens one before any free port: { url, to, close }; `to` says where the Worker is, which page shows it, and what opens its
 * back office. Hosts that are not loopback are refused, as a name of elsewhere could lead here.
 */
export async function openFrame() {
  const place = { port: 0, page: "'none'" };
  const server = createServer((incoming, outgoing) => {
    if (!LOOPBACK.test(incoming.headers.host ?? '')) return outgoing.writeHead(421).end();
    if (!place.door?.answer(incoming, outgoing)) passOn(place, incoming, outgoing);
  });
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (incoming, socket) => {
    if (LOOPBACK.test(incoming.headers.host ?? '')) passSocket(place, incoming, socket);
    else socket.destroy();
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  return {
    url: `http://${HOST}:${server.address().port}`,
    to: (worker, page, door) =>
      void Object.assign(place, { port: Number(new URL(worker).port), page, door }),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
