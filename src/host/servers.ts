// Adapters that let the HTTP servers in Node, Deno and Bun call a function that takes a `Request`
// and returns a `Response`. They also support WebSockets.
import { badInput, checkArgument, checkMethods } from '../core/errors/index.ts';
import { SUBPROTOCOL } from '../core/protocol.ts';

/** A response that opens a WebSocket. */
export interface SocketResponse extends Response {
  /** Connects the server's socket to the relay. */
  connect(socket: ServerSocket): void;
}

/**
 * Creates a response that opens a WebSocket. The status is set afterward, because the `Response`
 * constructor doesn't accept 101.
 */
export function upgradeTo(connect: (socket: ServerSocket) => void): Response {
  return Object.defineProperties(new Response(null), {
    status: { value: 101 },
    connect: { value: connect },
  });
}

/**
 * Checks whether a response opens a WebSocket. If it does, accept the connection and pass the
 * socket to `connect`.
 *
 * @example
 * const response = new Response(); // that of relay.handle
 * if (opensSocket(response)) response.connect(serverSocket);
 */
export function opensSocket(response: Response): response is SocketResponse {
  return response?.status === 101 && 'connect' in response;
}

/**
 * The part of a server-side WebSocket that the relay uses. Sockets from Deno and the `ws` package
 * are compatible.
 */
export interface ServerSocket {
  /** Connection state. 0 means connecting, 1 open, 2 closing and 3 closed. */
  readonly readyState: number;
  /** Sends a text message. */
  send(text: string): void;
  /** Closes the socket. */
  close(code?: number, reason?: string): void;
  /** Calls the listener for each event of this type. */
  addEventListener(
    type: 'open' | 'message' | 'close' | 'error',
    listener: (event: { readonly type: string; readonly data?: unknown }) => void,
  ): void;
}

interface SocketEvents {
  readonly message: (text: unknown) => void;
  readonly close: () => void;
}

const OPEN = 1;

/** The relay's socket to a page. Messages are queued until the connection is open. */
export class PageSocket {
  readonly #socket: ServerSocket;
  readonly #events: SocketEvents;
  #unsent: string[] = [];
  #closing: { readonly code: number } | undefined;

  constructor(socket: ServerSocket, join: (socket: PageSocket) => SocketEvents) {
    this.#socket = socket;
    this.#events = join(this);
    socket.addEventListener('message', ({ data }) => this.#events.message(data));
    socket.addEventListener('close', () => this.#end());
    // In Node, an unhandled error event ends the process. A `close` event always follows.
    socket.addEventListener('error', () => {});
    if (socket.readyState === OPEN) this.#flush();
    else socket.addEventListener('open', () => this.#flush());
  }

  send(text: string): void {
    if (this.#closing) throw new Error('the socket is closed');
    if (this.#socket.readyState === OPEN) this.#socket.send(text);
    else this.#unsent.push(text);
  }

  close(code: number): void {
    if (this.#closing) return;
    this.#closing = { code };
    if (this.#socket.readyState === OPEN) this.#socket.close(code);
  }

  #flush(): void {
    for (const text of this.#unsent.splice(0)) this.#socket.send(text);
    if (this.#closing) this.#socket.close(this.#closing.code);
  }

  #end(): void {
    if (!this.#closing) this.#closing = { code: 1000 };
    this.#events.close();
  }
}

/** The part of Node's `IncomingMessage` that the handlers use. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  /** HTTP method. */
  readonly method?: string | undefined;
  /** The request's path and query. */
  readonly url?: string | undefined;
  /** Path and query, including the prefix of a mounted handler that Express removes from `url`. */
  readonly originalUrl?: string | undefined;
  /** Headers as alternating names and values. */
  readonly rawHeaders: readonly string[];
  /** The connection's socket. */
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
  /** The request body as bytes, if the platform has already read it. */
  readonly rawBody?: unknown;
  /** The request body, if a parser such as `express.raw()` has already read it. */
  readonly body?: unknown;
}

/** The origin of a request, as seen by the server. */
export interface RequestOrigin {
  /** The client's IP address, or `null` if the server doesn't know it. */
  readonly address: string | null;
}

/** The part of Node's `ServerResponse` that the handlers use. */
export interface NodeResponse {
  /** Writes the status and the headers, which are given as alternating names and values. */
  writeHead(status: number, headers: string[]): unknown;
  /**
   * Writes a chunk of the body. If it returns false, the next chunk must wait for the `drain`
   * event.
   */
  write(part: Uint8Array): boolean;
  /** Ends the response. */
  end(): unknown;
  /** Closes the connection without completing the response. */
  destroy(): unknown;
  /**
   * Registers a listener that is called once, when the connection is closed or can accept more
   * data.
   */
  once(event: 'close' | 'drain', listener: () => void): unknown;
  /** Removes a listener. */
  off(event: 'close' | 'drain', listener: () => void): unknown;
  /** Whether the connection has been closed. */
  readonly destroyed: boolean;
}

const MAX_BODY_BYTES = 1_000_000;
/** Status for refused WebSockets (RFC 9110 15.5.22), which makes the page poll instead. */
const UPGRADE_REQUIRED = 426;

/**
 * Thrown to end a request with a status and no body, for example if the request's body is too long.
 */
class BareStatus extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`${status}`);
    this.status = status;
  }
}

/**
 * Creates a handler for Node's `http.createServer` from a function that takes a `Request` and
 * returns a `Response`, such as `sandbox.fetch`, `inbox.handle` or `relay.handle`. The handler
 * reads the whole request body, up to 1,000,000 bytes. If other code has already read the body, it
 * uses `rawBody` or `body` if that's bytes or a string. The response body is streamed. Requests
 * with an invalid `Host` header get a 400 response. If `respond` rejects or a body is incomplete,
 * the connection is closed without a complete response. If the client disconnects, the request's
 * signal aborts. A response that opens a WebSocket is sent with the status 426, because WebSockets
 * require `nodeUpgrade`.
 *
 * @param respond your function for all requests. Its second argument contains the client's IP
 * address
 *
 * @example
 * const sandbox = createSandbox({ clock: 'real' });
 * const handler = nodeHandler((request) => sandbox.fetch(request));
 */
export function nodeHandler(
  respond: (request: Request, from: RequestOrigin) => Promise<Response>,
): (incoming: NodeRequest, outgoing: NodeResponse) => Promise<void> {
  checkArgument('respond', respond, 'function!');
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    try {
      const body = await readBody(incoming);
      const request = toRequest(incoming, { signal: gone.signal, ...(body && { body }) });
      const response = await respond(request, readOrigin(incoming));
      if (opensSocket(response)) throw new BareStatus(UPGRADE_REQUIRED);
      outgoing.writeHead(response.status, [...response.headers].flat());
      await sendBody(response, outgoing);
      outgoing.end();
    } catch (thrown) {
      if (!(thrown instanceof BareStatus)) return void outgoing.destroy();
      outgoing.writeHead(thrown.status, ['connection', 'close', 'content-length', '0']);
      outgoing.end();
    }
  };
}

/** Converts a Node request to a `Request`, with the body and signal from `more`. */
function toRequest(incoming: NodeRequest, more: RequestInit = {}): Request {
  const { method = 'GET', rawHeaders } = incoming;
  const url = incoming.originalUrl ?? incoming.url ?? '/';
  try {
    const headers = new Headers();
    for (let at = 0; at < rawHeaders.length; at += 2)
      headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
    return new Request(formatAddress(url, headers), { method, headers, ...more });
  } catch {
    throw new BareStatus(400);
  }
}

/**
 * Returns the URL of a request (RFC 9112 3.3). Rejects an invalid host, which could change the
 * path. Concatenates strings, because `new URL(path, base)` would treat a path starting with two
 * slashes as a host.
 */
function formatAddress(url: string, headers: Headers): string {
  const [, authority = headers.get('host') ?? 'localhost', path = url] =
    /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (!isAuthority(authority)) throw new BareStatus(400);
  return `http://${authority}${/^[/?]/.test(path) ? path : '/'}`;
}

/** Checks whether a string is a host with an optional port. */
function isAuthority(host: string): boolean {
  return /^([\w.-]+|\[[\da-f:.]+\])(:\d*)?$/i.test(host);
}

/** Validates the `Host` header, because Deno and Bun don't. */
function hasHost({ headers }: Request): boolean {
  return isAuthority(headers.get('host') ?? 'localhost');
}

const readOrigin = ({ socket }: NodeRequest): RequestOrigin => ({
  address: socket?.remoteAddress ?? null,
});

/** Reads the request body. Returns `undefined` if the method doesn't allow a body. */
async function readBody(incoming: NodeRequest): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { method = 'GET' } = incoming;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of incoming) {
    length += part.byteLength;
    if (length > MAX_BODY_BYTES) throw new BareStatus(413);
    parts.push(part);
  }
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (length === 0) return keptBody(incoming);
  const whole = new Uint8Array(length);
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.byteLength;
  }
  return whole;
}

/** Returns a request body that other code has already read, if it's bytes or a string. */
function keptBody({ rawBody, body }: NodeRequest): Uint8Array<ArrayBuffer> | undefined {
  const [kept] = [rawBody, body].filter(
    (one) => one instanceof Uint8Array || typeof one === 'string',
  );
  return typeof kept === 'string'
    ? new TextEncoder().encode(kept)
    : (kept as Uint8Array<ArrayBuffer> | undefined);
}

/**
 * Sends each chunk of the response body as soon as it's available and the client can receive it.
 */
async function sendBody({ body }: Response, outgoing: NodeResponse): Promise<void> {
  for (const reader = body?.getReader(); reader; ) {
    const { done, value } = await reader.read();
    if (done) return;
    if (!outgoing.write(value)) await drain(outgoing);
    if (!outgoing.destroyed) continue;
    await reader.cancel();
    throw new Error('the client disconnected');
  }
}

function drain(outgoing: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      outgoing.off('close', stop);
      outgoing.off('drain', stop);
      resolve();
    };
    outgoing.once('close', stop);
    outgoing.once('drain', stop);
    if (outgoing.destroyed) stop();
  });
}

/**
 * Your function for all requests. It passes them to `relay.handle`, `relay.handleWebhook` or your
 * own code.
 */
export type RequestHandler = (request: Request, from: RequestOrigin) => Promise<Response>;

/** Maximum size of a message from a page, in bytes. The socket is closed if a message is larger. */
const LONGEST_MESSAGE = 65_536;

/** The part of the connection in Node's `upgrade` event that the listener uses. */
export interface NodeConnection {
  /** Registers a listener for errors of the connection. */
  on(event: 'error', listener: () => void): unknown;
  /** Sends a string and ends the connection. */
  end(text: string): unknown;
  /** Closes the connection without completing the response. */
  destroy(): unknown;
}

/** The part of the `ws` package's `WebSocketServer` that the listener uses. */
export interface NodeSockets<Incoming, Connection, Head> {
  /** Completes the handshake and calls `opened` with the open socket. */
  handleUpgrade(
    incoming: Incoming,
    connection: Connection,
    head: Head,
    opened: (socket: ServerSocket) => void,
  ): void;
}

/** Options for the `ws` package's `WebSocketServer`. */
export interface NodeSocketsOptions {
  /** Indicates that the HTTP server is created separately. */
  readonly noServer: true;
  /** Maximum size of a message from a page, in bytes. */
  readonly maxPayload: number;
  /** Returns the subprotocol of a socket. */
  readonly handleProtocols: () => string;
}

/**
 * Creates a listener for the `upgrade` event of a Node server, which lets pages use WebSockets. It
 * also works with Express and Hono. If `respond` refuses a request, the client gets the status of
 * that response. Invalid requests and failed connections don't affect other connections.
 *
 * @param Sockets `WebSocketServer` from the `ws` package
 * @param respond the same function that you pass to `nodeHandler`
 *
 * @example
 * class Sockets { handleUpgrade() {} } // yours: WebSocketServer of the package ws
 * const onUpgrade = nodeUpgrade(Sockets, async () => new Response(null, { status: 404 }));
 * // createServer(nodeHandler(respond)).on('upgrade', onUpgrade)
 */
export function nodeUpgrade<Incoming extends NodeRequest, Connection extends NodeConnection, Head>(
  Sockets: new (options: NodeSocketsOptions) => NodeSockets<Incoming, Connection, Head>,
  respond: RequestHandler,
): (incoming: Incoming, connection: Connection, head: Head) => void {
  checkArgument('Sockets', Sockets, 'function!');
  checkArgument('respond', respond, 'function!');
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
    const response = await respond(toRequest(incoming), readOrigin(incoming));
    if (opensSocket(response))
      return sockets.handleUpgrade(incoming, connection, head, (socket) =>
        response.connect(socket),
      );
    const line = `HTTP/1.1 ${response.status} Refused`;
    return connection.end(`${line}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  };
  return (incoming, connection, head) => {
    const end = (): unknown => connection.destroy();
    connection.on('error', end); // without a listener, a failed connection would end the process
    upgrade(incoming, connection, head).catch(end);
  };
}

/** The part of the global `Deno` that the handler uses. */
export interface DenoSockets {
  /** Accepts a WebSocket. */
  upgradeWebSocket(
    request: Request,
    options: { readonly protocol: string },
  ): { readonly socket: ServerSocket; readonly response: Response };
}

/** The connection information that `Deno.serve` passes to a handler. */
export interface DenoConnection {
  /** The client's address. It has no `hostname` if the connection uses a Unix socket. */
  readonly remoteAddr: object;
}

/**
 * Creates a handler for `Deno.serve` from your function. It also supports WebSockets.
 *
 * @param deno the global `Deno`
 * @param respond your function for all requests
 *
 * @example
 * const deno = { upgradeWebSocket: () => ({ socket: serverSocket, response: new Response() }) };
 * const handler = denoHandler(deno, async () => new Response('tea'));
 * // yours: Deno.serve(denoHandler(Deno, respond))
 */
export function denoHandler(
  deno: DenoSockets,
  respond: RequestHandler,
): (request: Request, info: DenoConnection) => Promise<Response> {
  checkMethods('deno', deno, 'upgradeWebSocket');
  checkArgument('respond', respond, 'function!');
  return async (request, { remoteAddr }) => {
    if (!hasHost(request)) return new Response(null, { status: 400 });
    const { hostname } = remoteAddr as { readonly hostname?: string };
    const response = await respond(request, { address: hostname ?? null });
    if (!opensSocket(response)) return response;
    const upgrade = deno.upgradeWebSocket(request, { protocol: SUBPROTOCOL });
    response.connect(upgrade.socket);
    return upgrade.response;
  };
}

/** The part of Bun's server that the handler uses. */
export interface BunServer {
  /** Returns the client's IP address. */
  requestIP(request: Request): { readonly address: string } | null;
  /** Accepts a WebSocket. Returns false if the request isn't a WebSocket handshake. */
  upgrade(
    request: Request,
    options: { readonly headers: Record<string, string>; readonly data: BunConnection },
  ): boolean;
}

/** The part of Bun's sockets that the handlers use. */
export interface BunSocket {
  /** The value passed to `upgrade`. */
  readonly data: BunConnection;
  /** Connection state. 0 means connecting, 1 open, 2 closing and 3 closed. */
  readonly readyState: number;
  /** Sends a text message. */
  send(text: string): unknown;
  /** Closes the socket. */
  close(code?: number, reason?: string): void;
}

/**
 * Data attached to a Bun socket, used to pass the socket's events to the relay. It's needed because
 * Bun calls the same handlers for all sockets.
 */
export class BunConnection {
  readonly #response: SocketResponse;
  readonly #listeners: Map<string, Parameters<ServerSocket['addEventListener']>[1]> = new Map();

  constructor(response: SocketResponse) {
    this.#response = response;
  }

  /** Connects the server's socket to the relay. */
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

  /** Passes an event to the listener registered for it. */
  tell(type: 'message' | 'close', data?: unknown): void {
    this.#listeners.get(type)?.({ type, data });
  }
}

/** Handlers to pass to `Bun.serve`. */
export interface BunHandler {
  /** Responds to a request. Resolves to `undefined` if it opens a WebSocket. */
  fetch(request: Request, server: BunServer): Promise<Response | undefined>;
  /** Handlers that Bun calls for WebSockets. */
  readonly websocket: {
    readonly maxPayloadLength: number;
    open(socket: BunSocket): void;
    message(socket: BunSocket, text: unknown): void;
    close(socket: BunSocket): void;
  };
}

/**
 * Creates the `fetch` and `websocket` options for `Bun.serve` from your function.
 *
 * @param respond your function for all requests
 *
 * @example
 * const options = bunHandler(async () => new Response('tea'));
 * // Bun.serve({ port: 8787, ...options })
 */
export function bunHandler(respond: RequestHandler): BunHandler {
  checkArgument('respond', respond, 'function!');
  return {
    async fetch(request, server) {
      if (!hasHost(request)) return new Response(null, { status: 400 });
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
 * Returns the client's IP address if your server is behind your own proxies. It's the address that
 * the outermost of these proxies added to `X-Forwarded-For`. Addresses before that come from the
 * client, so they aren't trusted. Returns `null` if the header has fewer addresses than there are
 * proxies.
 *
 * @param request any request
 * @param proxies how many of your proxies a request passes through, at least 1
 * @throws InputError if `proxies` isn't a positive whole number
 *
 * @example
 * const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };
 * const request = new Request('https://shop.example', { headers });
 * const address = forwardedAddress(request, 1); // 198.51.100.7
 */
export function forwardedAddress(request: Request, proxies: number): string | null {
  checkArgument('request', request, 'object!');
  checkArgument('request.headers', request.headers, 'object!');
  if (!Number.isSafeInteger(proxies) || proxies < 1)
    throw badInput('proxies', 'must be a whole number of at least 1');
  const header = request.headers.get('x-forwarded-for') ?? '';
  const given = header.split(',').at(-proxies)?.trim() ?? '';
  const bare = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(given); // some proxies add the port
  return (bare?.[1] ?? bare?.[2] ?? given) || null;
}
