// The proxy between the page of `npm start` and the shop's Worker. It lets only that page show the
// shop in a frame. The Worker isn't aware of it, because no frame may show a deployed shop.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { OfficeDoor } from './office-door.ts';

const HOST = '127.0.0.1';
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
const POLICY = 'content-security-policy';

/** The Worker's port, the page that may show it, and the door to its back office. */
interface Place {
  port: number;
  page: string;
  door?: OfficeDoor;
}

export interface Frame {
  readonly url: string;
  /** Sets the Worker, the page that shows it, and the door to its back office. */
  to(worker: string, page: string, door: OfficeDoor): void;
  close(): Promise<void>;
}

/** Returns the headers of a response, so that one page may show it in a frame. */
export const framedBy = (page: string, rawHeaders: readonly string[]): string[] =>
  rawHeaders.map((text, at) =>
    at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === POLICY
      ? text.replace("frame-ancestors 'none'", `frame-ancestors ${page}`)
      : text,
  );

function passOn(place: Place, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url: path } = incoming;
  const secret = place.door?.secretFor(incoming);
  const headers = { ...incoming.headers, ...(secret && { authorization: `Bearer ${secret}` }) };
  const away = request({ host: HOST, port: place.port, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, framedBy(place.page, answer.rawHeaders));
    answer.pipe(outgoing);
  });
  away.on('error', () => outgoing.destroy());
  outgoing.on('close', () => away.destroy());
  incoming.pipe(away);
}

/**
 * Returns the header lines of a socket. A session of the back office adds its secret as the second
 * protocol.
 */
const linesOf = ({ rawHeaders }: IncomingMessage, secret: string | undefined): readonly string[] =>
  rawHeaders.map((text, at) => {
    if (at % 2 === 0) return `${text}: `;
    const isProtocol = rawHeaders[at - 1]!.toLowerCase() === 'sec-websocket-protocol';
    return secret && isProtocol && text === 'office' ? `office, ${secret}\r\n` : `${text}\r\n`;
  });

function passSocket(place: Place, incoming: IncomingMessage, page: Duplex): void {
  const worker = connect(place.port, HOST);
  const lines = linesOf(incoming, place.door?.secretFor(incoming));
  worker.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('')}\r\n`);
  worker.pipe(page).pipe(worker);
  for (const [end, other] of [
    [page, worker],
    [worker, page],
  ] as const)
    end.on('error', () => {}).on('close', () => other.destroy());
}

/**
 * Opens one on a free port. It refuses hosts that aren't loopback, because a foreign name could
 * lead here.
 */
export async function openFrame(): Promise<Frame> {
  const place: Place = { port: 0, page: "'none'" };
  const server = createServer((incoming, outgoing) => {
    if (!LOOPBACK.test(incoming.headers.host ?? '')) return void outgoing.writeHead(421).end();
    if (!place.door?.answer(incoming, outgoing)) passOn(place, incoming, outgoing);
  });
  const sockets = new Set<Duplex>();
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
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://${HOST}:${port}`,
    to: (worker, page, door) =>
      void Object.assign(place, { port: Number(new URL(worker).port), page, door }),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
