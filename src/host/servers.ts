// Servers of each runtime call one function from `Request` to `Response`, sockets included.
import { badInput } from '../core/errors/index.ts';
import { SUBPROTOCOL } from '../core/protocol.ts';
import { type NodeRequest, originOf, requestOf, type RequestOrigin } from './node-handler.ts';
import { opensSocket, type ServerSocket, type SocketResponse } from './page-socket.ts';

/** Your server's function: routes to `relay.handle`, `relay.handleWebhook` and the rest. */
export type RequestHandler = (request: Request, from: RequestOrigin) => Promise<Response>;

/** A longer message comes from no page; its socket is closed before it is read whole, bytes. */
const LONGEST_MESSAGE = 65_536;

/** As much of the connection of Node's event `upgrade` as is used here. */
export interface NodeConnection {
  /** Calls the listener when the connection fails. */
  on(event: 'error', listener: () => void): unknown;
  /** Sends a text, and ends the connection. */
  end(text: string): unknown;
  /** Breaks the connection off. */
  destroy(): unknown;
}

/** `WebSocketServer` of the package `ws`, as much of it as is used here. */
export interface NodeSockets<Incoming, Connection, Head> {
  /** Completes the handshake, and passes on the open socket. */
  handleUpgrade(
    incoming: Incoming,
    connection: Connection,
    head: Head,
    opened: (socket: ServerSocket) => void,
  ): void;
}

/** Options that tell the package `ws` what to accept. */
export interface NodeSocketsOptions {
  /** The server is yours. */
  readonly noServer: true;
  /** Longest message of a page, bytes. */
  readonly maxPayload: number;
  /** Chooses the protocol of a socket. */
  readonly handleProtocols: () => string;
}

/**
 * Makes a listener for the event `upgrade` of Node's servers, also under Express and Hono: pages
 * get sockets. A request that your function refuses is told so; one that is broken, or whose
 * connection fails, loses its connection and nothing else.
 *
 * @param Sockets `WebSocketServer` of the package `ws`
 * @param respond the function that `nodeHandler` is given, too
 * @example
 * class Sockets { handleUpgrade() {} } // yours: WebSocketServer of the package ws
 * const onUpgrade = nodeUpgrade(Sockets, async () => new Response(null, { status: 404 }));
 * // createServer(nodeHandler(respond)).on('upgrade', onUpgrade)
 */
export function nodeUpgrade<Incoming extends NodeRequest, Connection extends NodeConnection, Head>(
  Sockets: new (options: NodeSocketsOptions) => NodeSockets<Incoming, Connection, Head>,
  respond: RequestHandler,
): (incoming: Incoming, connection: Connection, head: Head) => void {
  const sockets = new Sockets({
    noServer: true,
    maxPayload: LONGEST_MESSAGE,
    handleProtocols: () => SUBPROTOCOL,
  });
  const upgrade = async (
    incoming: Incoming,
    connection: Connection,
    head: Head,
  ): Promise<unknown> => {
    const response = await respond(requestOf(incoming), originOf(incoming));
    if (opensSocket(response))
      return sockets.handleUpgrade(incoming, connection, head, (socket) =>
        response.connect(socket),
      );
    const line = `HTTP/1.1 ${response.status} Refused`;
    return connection.end(`${line}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  };
  return (incoming, connection, head) => {
    const end = (): unknown => connection.destroy();
    connection.on('error', end); // else a client's broken connection ends the process
    upgrade(incoming, connection, head).catch(end);
  };
}

/** As much of the global `Deno` as is used here. */
export interface DenoSockets {
  /** Accepts a socket. */
  upgradeWebSocket(
    request: Request,
    options: { readonly protocol: string },
  ): { readonly socket: ServerSocket; readonly response: Response };
}

/** The connection of a request, as `Deno.serve` describes it; a Unix socket has no `hostname`. */
export interface DenoConnection {
  /** Where the request came from. */
  readonly remoteAddr: object;
}

/**
 * Makes a handler for `Deno.serve` of your function, sockets included.
 *
 * @param deno the global `Deno`
 * @param respond your function
 * @example
 * const deno = { upgradeWebSocket: () => ({ socket: serverSocket, response: new Response() }) };
 * const handler = denoHandler(deno, async () => new Response('tea')); // yours: Deno.serve(denoHandler(Deno, respond))
 */
export function denoHandler(
  deno: DenoSockets,
  respond: RequestHandler,
): (request: Request, info: DenoConnection) => Promise<Response> {
  return async (request, { remoteAddr }) => {
    const { hostname } = remoteAddr as { readonly hostname?: string };
    const response = await respond(request, { address: hostname ?? null });
    if (!opensSocket(response)) return response;
    const upgrade = deno.upgradeWebSocket(request, { protocol: SUBPROTOCOL });
    response.connect(upgrade.socket);
    return upgrade.response;
  };
}

/** As much of Bun's server as is used here. */
export interface BunServer {
  /** Where the request came from. */
  requestIP(request: Request): { readonly address: string } | null;
  /** Accepts a socket; false where the request is none for one. */
  upgrade(
    request: Request,
    options: { readonly headers: Record<string, string>; readonly data: BunConnection },
  ): boolean;
}

/** As much of Bun's sockets as is used here. */
export interface BunSocket {
  /** What was given to `upgrade`. */
  readonly data: BunConnection;
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  /** Sends a text. */
  send(text: string): unknown;
  /** Closes the socket. */
  close(code?: number, reason?: string): void;
}

/** The data of a Bun socket: Bun calls one set of functions for all sockets. */
export class BunConnection {
  readonly #response: SocketResponse;
  readonly #listeners: Map<string, Parameters<ServerSocket['addEventListener']>[1]> = new Map();

  constructor(response: SocketResponse) {
    this.#response = response;
  }

  /** Gives the page's end its connection. */
  open(socket: BunSocket): void {
    this.#response.connect({
      get readyState() {
        return socket.readyState;
      },
      send: (text) => void socket.send(text),
      close: (code, reason) => socket.close(code, reason),
      addEventListener: (type, listener) => void this.#listeners.set(type, listener),
    });
  }

  /** Passes an event on. */
  tell(type: 'message' | 'close', data?: unknown): void {
    this.#listeners.get(type)?.({ type, data });
  }
}

/** Options for `Bun.serve`. */
export interface BunHandler {
  /** Responds; nothing where a socket was opened. */
  fetch(request: Request, server: BunServer): Promise<Response | undefined>;
  /** What Bun calls for its sockets. */
  readonly websocket: {
    readonly maxPayloadLength: number;
    open(socket: BunSocket): void;
    message(socket: BunSocket, text: unknown): void;
    close(socket: BunSocket): void;
  };
}

/**
 * Makes the options `fetch` and `websocket` of `Bun.serve` of your function.
 *
 * @param respond your function
 * @example
 * const options = bunHandler(async () => new Response('tea')); // Bun.serve({ port: 8787, ...options })
 */
export function bunHandler(respond: RequestHandler): BunHandler {
  return {
    async fetch(request, server) {
      const address = server.requestIP(request)?.address ?? null;
      const response = await respond(request, { address });
      if (!opensSocket(response)) return response;
      const headers = { 'sec-websocket-protocol': SUBPROTOCOL };
      const isOpen = server.upgrade(request, { headers, data: new BunConnection(response) });
      return isOpen ? undefined : new Response(null, { status: 400 });
    },
    websocket: {
      maxPayloadLength: LONGEST_MESSAGE,
      open: (socket) => socket.data.open(socket),
      message: (socket, text) => socket.data.tell('message', text),
      close: (socket) => socket.data.tell('close'),
    },
  };
}

/**
 * The address that a request came from, where proxies of yours stand between: the one that the
 * first of them has added to `X-Forwarded-For`. What is further in front a client has written by
 * itself, and is not read. `null` where the header is shorter than that.
 *
 * @param request any request
 * @param proxies how many proxies of yours a request passes; one or more
 * @throws InputError for another number
 * @example
 * const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };
 * const address = forwardedAddress(new Request('https://shop.example', { headers }), 1); // 198.51.100.7
 */
export function forwardedAddress(request: Request, proxies: number): string | null {
  if (!Number.isSafeInteger(proxies) || proxies < 1)
    throw badInput('proxies', 'must be a whole number, and at least 1');
  const header = request.headers.get('x-forwarded-for') ?? '';
  const given = header.split(',').at(-proxies)?.trim() ?? '';
  const bare = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(given); // some proxies add the port
  return (bare?.[1] ?? bare?.[2] ?? given) || null;
}
