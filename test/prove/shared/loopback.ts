// Servers on the loopback.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Lets a server listen at a free port of the loopback; resolves to where it is. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes a server with all of its connections. */
export function closeNow(server: Server): void {
  server.close();
  server.closeAllConnections();
}
