import type { SocketMaker } from '../relay/index.ts';
import type { SocketResponse } from './model.ts';
import { PageSocket, type ServerSocket } from './page-socket.ts';

/** A message that is answered without the object. */
export interface Pong {
  readonly request: string;
  readonly response: string;
}

/** Sockets where the platform makes none; what is sent waits for `gate`. */
export function hostedSockets(gate?: () => Promise<void>): SocketMaker {
  return {
    pair() {
      const socket = new PageSocket(gate);
      return { page: socket, own: socket };
    },
    autoResponse: (request, response): Pong => ({ request, response }),
    upgrade: (page) => upgradeTo((socket) => (page as PageSocket).connect(socket)),
  };
}

/** A response that opens a socket: none may be made with the status 101 here. */
export function upgradeTo(connect: (socket: ServerSocket) => void): Response {
  return Object.defineProperties(new Response(null), {
    status: { value: 101 },
    connect: { value: connect },
  });
}

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
