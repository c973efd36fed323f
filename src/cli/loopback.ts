import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nodeHandler } from '../host/servers.ts';

/** A local server that only this machine can reach. */
export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/**
 * Starts a local HTTP server with a handler from `Request` to `Response`. Rejects if the port is in
 * use.
 */
export async function serve(
  answer: (request: Request) => Promise<Response>,
  { port = 0 }: { readonly port?: number } = {},
): Promise<Served> {
  const server = createServer(nodeHandler(answer)).listen(port, HOST);
  await once(server, 'listening');
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
