import { createServer, type Server } from 'node:http';
import { nodeHandler } from '../host/servers.ts';

/** A server of this machine, for this machine. */
export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/**
 * Serves a function from `Request` to `Response`, as in a Worker; rejects where the port is taken.
 */
export async function serve(
  answer: (request: Request) => Promise<Response>,
  { port = 0 }: { readonly port?: number } = {},
): Promise<Served> {
  const server = createServer(nodeHandler(answer));
  await listen(server, port);
  return {
    url: `http://${HOST}:${portOf(server)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
    server.listen(port, HOST);
  });
}
