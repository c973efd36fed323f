// A proxy that does what the cookbook's Caddyfile says, and knows nothing of the shop: in turn, asked for health, a request
// that met the end of a process is sent again.
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { millisOf, textOf } from './compose.ts';

const TRY_INTERVAL_MS = 250; // where the Caddyfile says nothing

/** The content of the Caddyfile. A directive that is not read here fails the start: it would not be proved. */
function readCaddyfile() {
  const text = textOf('Caddyfile').replaceAll(/#.*$/gm, '');
  const [, upstreams = '', block = ''] = /reverse_proxy ([^{]+)\{(.*)\}\s*\}\s*$/s.exec(text)!;
  const said = new Map(
    block
      .replaceAll(/\{\s*([^}]*?)\s*\}/g, '$1')
      .trim()
      .split(/\s*\n\s*/)
      .map((line) => [line.split(' ')[0], line.slice(line.indexOf(' ') + 1)]),
  );
  const known = 'lb_policy health_uri health_interval health_timeout health_status lb_try_duration';
  for (const name of said.keys())
    if (!`${known} lb_retry_match request_buffers`.split(' ').includes(name!))
      throw new Error(`not read: ${name}`);
  return {
    upstreams: upstreams
      .trim()
      .split(' ')
      .map((address) => address.split(':')[0]!),
    policy: said.get('lb_policy'),
    healthUri: said.get('health_uri'),
    healthIntervalMs: millisOf(said.get('health_interval')!),
    healthTimeoutMs: millisOf(said.get('health_timeout')!),
    tryMs: millisOf(said.get('lb_try_duration')!),
    repeated: said.get('lb_retry_match')!.split(' ').slice(1),
  };
}

export const caddyfile = readCaddyfile();

/** Where a container listens on this machine, and whether it has answered that it is healthy. */
interface Upstream {
  readonly port: number;
  isHealthy: boolean;
  served: number;
}

const isFailure = (thrown: unknown): boolean =>
  (thrown as { readonly code?: string }).code !== 'ECONNREFUSED';

export class Proxy {
  readonly #upstreams: Map<string, Upstream>;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer((incoming, outgoing) => void this.#pass(incoming, outgoing));
  readonly #sockets = new Set<Socket>();
  readonly #over = new AbortController();
  #turn = 0;
  /** How often a request met the end of a process, and was or would have been sent again. */
  broken = 0;
  port = 0;

  constructor(ports: Readonly<Record<string, number>>) {
    const at = caddyfile.upstreams.map((name) => [
      name,
      { port: ports[name]!, isHealthy: true, served: 0 },
    ]);
    this.#upstreams = new Map(at as [string, Upstream][]);
    this.#server.on('upgrade', (incoming, socket: Socket) => void this.#upgrade(incoming, socket));
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as { readonly port: number }).port;
    for (const upstream of this.#upstreams.values()) void this.#askHealth(upstream);
    return `http://127.0.0.1:${this.port}`;
  }

  /** Requests that this upstream has responded to. */
  served = (name: string): number => this.#upstreams.get(name)!.served;
  isHealthy = (name: string): boolean => this.#upstreams.get(name)!.isHealthy;

  close(): void {
    this.#over.abort();
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #askHealth(upstream: Upstream): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      const timeout = AbortSignal.timeout(caddyfile.healthTimeoutMs);
      const url = `http://127.0.0.1:${upstream.port}${caddyfile.healthUri}`;
      upstream.isHealthy = await fetch(url, { signal: timeout }).then(
        ({ ok }) => ok,
        () => false,
      );
      await wait(caddyfile.healthIntervalMs, undefined, { signal }).catch(() => {});
    }
  }

  #next(): Upstream | undefined {
    const healthy = [...this.#upstreams.values()].filter(({ isHealthy }) => isHealthy);
    return healthy[this.#turn++ % healthy.length];
  }

  /** Tries one upstream after the other until one responds, or the time is over. */
  async #try<T>(
    method: string,
    attempt: (upstream: Upstream) => Promise<T>,
  ): Promise<T | undefined> {
    for (const end = performance.now() + caddyfile.tryMs; performance.now() < end; ) {
      const upstream = this.#next();
      try {
        if (upstream) return await attempt(upstream);
      } catch (thrown) {
        this.broken += 1;
        // a request that was written is sent again only where the Caddyfile allows it
        if (isFailure(thrown) && !caddyfile.repeated.includes(method)) return undefined;
      }
      await wait(TRY_INTERVAL_MS);
    }
    return undefined;
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = incoming;
    const body = await buffer(incoming);
    const response = await this.#try(method, async (upstream) => {
      const { port } = upstream;
      const headers = headersOf(incoming);
      const sent = request({ port, host: '127.0.0.1', method, path, headers, agent: this.#agent });
      sent.end(body);
      const [received] = (await once(sent, 'response')) as [IncomingMessage];
      upstream.served += 1;
      return { received, content: await buffer(received) };
    });
    if (!response) return void outgoing.writeHead(502).end();
    const { received, content } = response;
    const { 'transfer-encoding': _chunks, connection: _kept, ...headers } = received.headers;
    outgoing.writeHead(received.statusCode!, headers).end(content);
  }

  async #upgrade(incoming: IncomingMessage, near: Socket): Promise<void> {
    near.on('error', () => {});
    const far = await this.#try('GET', async (upstream) => {
      const socket = connect(upstream.port, '127.0.0.1');
      await once(socket, 'connect');
      upstream.served += 1;
      return socket;
    });
    if (!far) return void near.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const lines = Object.entries(headersOf(incoming)).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    far.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('')}\r\n`);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => {}).on('close', () => (this.#sockets.delete(from), to.destroy()));
      from.pipe(to);
    }
  }
}

/** The client's headers, and the address that it came from: what a client has written there is not kept. */
const headersOf = ({ headers, socket }: IncomingMessage) => ({
  ...headers,
  'x-forwarded-for': socket.remoteAddress,
});
