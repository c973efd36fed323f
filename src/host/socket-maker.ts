import type { SocketMaker } from '../relay/index.ts';
import type { SocketResponse } from './model.ts';
import { PageSocket, type ServerSocket } from './page-socket.ts';

/** A message that is answered without the object. */
export interface Pong {
  readonly request: string;
  readonly response: string;
}

/** Sockets where the platform makes none. */
export const hostedSockets: SocketMaker = {
  pair() {
    const socket = new PageSocket();
    return { page: socket, own: socket };
  },
  autoResponse: (request, response): Pong => ({ request, response }),
  // no `Response` may be made with the status 101 here
  upgrade: (page) =>
    Object.defineProperties(new Response(null), {
      status: { value: 101 },
      connect: { value: (socket: ServerSocket) => (page as PageSocket).connect(socket) },
    }),
};

/**
 * Whether a response opens a socket: then the server accepts the connection, and gives it to
 * `connect`.
 *
 * @example
 * const response = new Response(); // that of relay.handle
 * if (opensSocket(response)) response.connect(serverSocket);
 */
export function opensSocket(response: Response): response is SocketResponse {
  return response.status === 101 && 'connect' in response;
}
