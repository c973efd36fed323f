// Serves a function from `Request` to `Response` on the loopback, sockets included, by the server that is named. Each is as short as a
// user may write it.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import * as ws from 'ws';
import {
  bunHandler,
  type BunHandler,
  type DenoConnection,
  denoHandler,
  type DenoSockets,
  nodeHandler,
  nodeUpgrade,
  type RequestHandler,
} from 'paystate/host';

const hostname = '127.0.0.1';
// the types that other packages bring are of an older version, which calls it `Server`
const { WebSocketServer } = ws as unknown as { readonly WebSocketServer: typeof ws.Server };

/** A server that listens. */
export interface Served {
  readonly port: number;
  close(): Promise<unknown>;
}

interface DenoServer {
  readonly addr: { readonly port: number };
  shutdown(): Promise<void>;
}
declare const Deno: DenoSockets & {
  serve(
    options: { readonly hostname: string; readonly port: number; onListen(): void },
    handler: (request: Request, info: DenoConnection) => Promise<Response>,
  ): DenoServer;
};
declare const Bun: {
  serve(options: BunHandler & { readonly hostname: string; readonly port: number }): {
    readonly port: number;
    stop(): Promise<void>;
  };
};

/** The part that all servers of Node have in common once they are made. */
async function listening(server: Server): Promise<Served> {
  if (!server.listening) await once(server, 'listening');
  server.keepAliveTimeout = 60_000; // a client that sends on a connection just closed fails
  return {
    port: (server.address() as { readonly port: number }).port,
    async close() {
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
    },
  };
}

const servers = {
  node(respond: RequestHandler, port: number) {
    const server = createServer(nodeHandler(respond));
    return listening(
      server.on('upgrade', nodeUpgrade(WebSocketServer, respond)).listen(port, hostname),
    );
  },

  async express(respond: RequestHandler, port: number) {
    const { express } = await import('../../peers/peers.mjs');
    const app = express();
    for (const path of ['/pay', '/hooks']) app.use(path, nodeHandler(respond)); // before express.json()
    const server = app.use(express.json()).use(nodeHandler(respond)).listen(port, hostname);
    return listening(server.on('upgrade', nodeUpgrade(WebSocketServer, respond)));
  },

  async hono(respond: RequestHandler, port: number) {
    const { getConnInfo, Hono, serveHono } = await import('../../peers/peers.mjs');
    const app = new Hono().all('*', (context) =>
      respond(context.req.raw, { address: getConnInfo(context).remote.address ?? null }),
    );
    const server = serveHono({ fetch: app.fetch, port, hostname });
    return listening(server.on('upgrade', nodeUpgrade(WebSocketServer, respond)));
  },

  /** Accepts no sockets: pages poll. */
  polling: (respond: RequestHandler, port: number) =>
    listening(createServer(nodeHandler(respond)).listen(port, hostname)),

  async deno(respond: RequestHandler, port: number) {
    const handler = denoHandler(Deno, respond);
    const server = Deno.serve({ hostname, port, onListen: () => {} }, handler);
    return { port: server.addr.port, close: () => server.shutdown() };
  },

  async bun(respond: RequestHandler, port: number) {
    const server = Bun.serve({ hostname, port, ...bunHandler(respond) });
    return { port: server.port, close: () => server.stop() };
  },
};

export type ServerName = keyof typeof servers;

const own: ServerName = 'Bun' in globalThis ? 'bun' : 'Deno' in globalThis ? 'deno' : 'node';

/** Starts the server of this name, or that of the runtime. */
export const serve = (respond: RequestHandler, port = 0, name?: string): Promise<Served> =>
  servers[(name as ServerName | undefined) ?? own](respond, port);
