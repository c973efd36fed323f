// What stands between browsers and a shop's Worker, as a network does: it hears everything, and can break off and fall silent.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface Front {
  readonly url: string;
  /** Everything that browsers were sent, as text. */
  readonly sent: string[];
  /** Where the Worker is. */
  to(url: string): void;
  /** Breaks all open sockets off. */
  loseSockets(): void;
  /** From now on the open sockets carry nothing, and nobody is told. */
  silenceSockets(): void;
  close(): Promise<void>;
}

/** Opens one on the loopback. Each order comes from an address of its own, unless it names one. */
export async function openFront(): Promise<Front> {
  const sent: string[] = [];
  const lines = new Set<{ readonly page: Socket; readonly worker: Socket }>();
  let port = 0;
  let customers = 0;
  const headersOf = ({ headers }: IncomingMessage) => {
    const { 'accept-encoding': _, 'sec-websocket-extensions': __, ...rest } = headers; // so that what is sent can be read
    return { 'cf-connecting-ip': `198.51.${(customers += 1) >> 8}.${customers & 255}`, ...rest };
  };
  const server = createServer((incoming, outgoing) => {
    const { method, url: path } = incoming;
    const away = request(
      { host: '127.0.0.1', port, method, path, headers: headersOf(incoming) },
      (answer) => {
        sent.push(JSON.stringify(answer.rawHeaders));
        outgoing.writeHead(answer.statusCode!, answer.rawHeaders);
        answer.on('data', (part: Buffer) => void sent.push(part.toString())).pipe(outgoing);
      },
    );
    away.on('error', () => outgoing.destroy());
    outgoing.on('close', () => away.destroy());
    incoming.pipe(away);
  });
  server.on('upgrade', (incoming: IncomingMessage, page: Socket) => {
    const worker = connect(port, '127.0.0.1');
    const line = { page, worker };
    lines.add(line);
    const headers = Object.entries(headersOf(incoming)).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    worker.write(`GET ${incoming.url} HTTP/1.1\r\n${headers.join('')}\r\n`);
    worker.on('data', (part) => void sent.push(part.toString())).pipe(page);
    page.pipe(worker);
    for (const end of [page, worker]) end.on('error', () => {}).on('close', () => drop(line));
  });
  const drop = (line: { readonly page: Socket; readonly worker: Socket }) => {
    if (!lines.delete(line)) return;
    line.page.destroy();
    line.worker.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    to: (url) => void (port = Number(new URL(url).port)),
    loseSockets: () => [...lines].forEach(drop),
    silenceSockets() {
      for (const { page, worker } of lines) {
        worker.unpipe(page);
        page.unpipe(worker);
        for (const end of [page, worker]) end.resume();
      }
    },
    async close() {
      [...lines].forEach(drop);
      server.closeAllConnections();
      server.close();
    },
  };
}
