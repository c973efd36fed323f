// Servers of each runtime call one function from `Request` to `Response`, for sockets too.
import { badInput, checkArgument, checkMethods } from '../core/errors/index.ts';
import { SUBPROTOCOL } from '../core/protocol.ts';

/** A response that opens a socket. */
export interface SocketResponse extends Response {
  /** Connects the page's end. */
  connect(socket: ServerSocket): void;
}

/** Creates a response that opens a socket. The constructor refuses status 101. */
export function upgradeTo(connect: (socket: ServerSocket) => void): Response {
  return Object.defineProperties(new Response(null), {
    status: { value: 101 },
    connect: { value: connect },
  });
}

/**
 * Returns true if a response opens a socket. Then accept the connection, and pass it to `connect`.
 *
 * @example
 * const response = new Response(); // that of relay.handle
 * if (opensSocket(response)) response.connect(serverSocket);
 */
export function opensSocket(response: Response): response is SocketResponse {
  return response?.status === 101 && 'connect' in response;
}

/** The part of a `WebSocket` that's used here. Those of Deno and of the package `ws` fit. */
export interface ServerSocket {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  /** Sends a text. */
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

/** Our end of a page's socket. Messages before the connection is open wait for it. */
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
    // in Node an unhandled error event ends the process, and `close` follows it
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

/** The part of Node's `IncomingMessage` that's used here. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  /** HTTP method. */
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url?: string | undefined;
  /** Path and query before Express has removed the prefix of a mounted handler. */
  readonly originalUrl?: string | undefined;
  /** Alternating names and values, unchanged. */
  readonly rawHeaders: readonly string[];
  /** The connection. */
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
  /** The body's bytes, if a platform has read them before. */
  readonly rawBody?: unknown;
  /** The body, if a parser such as `express.raw()` has read it before. */
  readonly body?: unknown;
}

/** The origin of a request, which only the server knows. */
export interface RequestOrigin {
  /** The client's address, or `null` if the server doesn't know it. */
  readonly address: string | null;
}

/** The part of Node's `ServerResponse` that's used here. */
export interface NodeResponse {
  /** Writes status and headers, which are alternating names and values. */
  writeHead(status: number, headers: string[]): unknown;
  /** Writes a part of the body. Returns false if the next one must wait for `drain`. */
  write(part: Uint8Array): boolean;
  /** Ends the response. */
  end(): unknown;
  /** Breaks the connection. */
  destroy(): unknown;
  /** Calls the listener once, when the connection closes or takes more. */
  once(event: 'close' | 'drain', listener: () => void): unknown;
  /** Removes a listener. */
  off(event: 'close' | 'drain', listener: () => void): unknown;
  /** True if the connection is gone. */
  readonly destroyed: boolean;
}

const MAX_BODY_BYTES = 1_000_000;
/** The status for refused sockets (RFC 9110 15.5.22). The page polls instead. */
const UPGRADE_REQUIRED = 426;

/** Ends a request with a bare status, for instance if its body is too long. */
class BareStatus extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`${status}`);
    this.status = status;
  }
}

/**
 * Makes a handler for Node's `http.createServer` from a function from `Request` to `Response`, such
 * as `sandbox.fetch`, `inbox.handle` or `relay.handle`. It reads a whole request body of up to
 * 1,000,000 bytes. If something else has read it before, it uses `rawBody` or `body` if they're
 * bytes or a text. The response's body is streamed. An invalid `Host` is answered with 400. If the
 * function rejects or a body breaks off, so does the connection, as in a network failure. If the
 * client disconnects, the request is aborted. A response that opens a socket becomes 426, because
 * `nodeUpgrade` accepts sockets.
 *
 * @param respond your function. Its second argument has the address of the connection
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

/** Converts Node's request, with this body and signal. */
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
 * Returns the address of a request (RFC 9112 3.3). Refuses an invalid host, which would become a
 * part of the path. Joins texts, because `new URL(path, base)` takes a path with two slashes for a
 * host.
 */
function formatAddress(url: string, headers: Headers): string {
  const [, authority = headers.get('host') ?? 'localhost', path = url] =
    /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (!isAuthority(authority)) throw new BareStatus(400);
  return `http://${authority}${/^[/?]/.test(path) ? path : '/'}`;
}

/** Returns true for a host with or without a port. */
function isAuthority(host: string): boolean {
  return /^([\w.-]+|\[[\da-f:.]+\])(:\d*)?$/i.test(host);
}

/** Returns true for a valid host. Deno and Bun make an address of any text. */
function hasHost({ headers }: Request): boolean {
  return isAuthority(headers.get('host') ?? 'localhost');
}

const readOrigin = ({ socket }: NodeRequest): RequestOrigin => ({
  address: socket?.remoteAddress ?? null,
});

/** Reads the body. A method without one gets none. */
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

/** Returns a body that was read before, as bytes or text. */
function keptBody({ rawBody, body }: NodeRequest): Uint8Array<ArrayBuffer> | undefined {
  const [kept] = [rawBody, body].filter(
    (one) => one instanceof Uint8Array || typeof one === 'string',
  );
  return typeof kept === 'string'
    ? new TextEncoder().encode(kept)
    : (kept as Uint8Array<ArrayBuffer> | undefined);
}

/** Sends each part as soon as it's there, and no faster than the client takes it. */
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

/** Your server's function, which routes to `relay.handle`, `relay.handleWebhook` and the rest. */
export type RequestHandler = (request: Request, from: RequestOrigin) => Promise<Response>;

/**
 * Longest message, bytes. Pages send none that is longer, so the socket is closed before it's read.
 */
const LONGEST_MESSAGE = 65_536;

/** The part of the connection of Node's event `upgrade` that's used here. */
export interface NodeConnection {
  /** Calls the listener if the connection fails. */
  on(event: 'error', listener: () => void): unknown;
  /** Sends a text, and ends the connection. */
  end(text: string): unknown;
  /** Breaks the connection. */
  destroy(): unknown;
}

/** The part of `WebSocketServer` of the package `ws` that's used here. */
export interface NodeSockets<Incoming, Connection, Head> {
  /** Completes the handshake, and calls back with the open socket. */
  handleUpgrade(
    incoming: Incoming,
    connection: Connection,
    head: Head,
    opened: (socket: ServerSocket) => void,
  ): void;
}

/** Options for `WebSocketServer` of the package `ws`. */
export interface NodeSocketsOptions {
  /** You run the server. */
  readonly noServer: true;
  /** Longest message of a page, bytes. */
  readonly maxPayload: number;
  /** Chooses the protocol of a socket. */
  readonly handleProtocols: () => string;
}

/**
 * Makes a listener for the event `upgrade` of Node's servers, also under Express and Hono, so that
 * pages get sockets. If your function refuses a request, the client gets that response. A broken
 * request or connection only ends that connection.
 *
 * @param Sockets `WebSocketServer` of the package `ws`
 * @param respond the function that you pass to `nodeHandler`
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
    connection.on('error', end); // without a listener a broken connection would end the process
    upgrade(incoming, connection, head).catch(end);
  };
}

/** The part of the global `Deno` that's used here. */
export interface DenoSockets {
  /** Accepts a socket. */
  upgradeWebSocket(
    request: Request,
    options: { readonly protocol: string },
  ): { readonly socket: ServerSocket; readonly response: Response };
}

/** The connection of a request, as `Deno.serve` describes it. A Unix socket has no `hostname`. */
export interface DenoConnection {
  /** The client's address. */
  readonly remoteAddr: object;
}

/**
 * Makes a handler for `Deno.serve` from your function, for sockets too.
 *
 * @param deno the global `Deno`
 * @param respond your function
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

/** The part of Bun's server that's used here. */
export interface BunServer {
  /** Returns the client's address. */
  requestIP(request: Request): { readonly address: string } | null;
  /** Accepts a socket. Returns false if the request doesn't ask for one. */
  upgrade(
    request: Request,
    options: { readonly headers: Record<string, string>; readonly data: BunConnection },
  ): boolean;
}

/** The part of Bun's sockets that's used here. */
export interface BunSocket {
  /** The value from `upgrade`. */
  readonly data: BunConnection;
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  /** Sends a text. */
  send(text: string): unknown;
  /** Closes the socket. */
  close(code?: number, reason?: string): void;
}

/** The data of a Bun socket. Bun calls the same functions for all sockets. */
export class BunConnection {
  readonly #response: SocketResponse;
  readonly #listeners: Map<string, Parameters<ServerSocket['addEventListener']>[1]> = new Map();

  constructor(response: SocketResponse) {
    this.#response = response;
  }

  /** Connects the page's end. */
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

  /** Passes an event on to its listener. */
  tell(type: 'message' | 'close', data?: unknown): void {
    this.#listeners.get(type)?.({ type, data });
  }
}

/** Options for `Bun.serve`. */
export interface BunHandler {
  /** Answers a request. Resolves to `undefined` if it opens a socket. */
  fetch(request: Request, server: BunServer): Promise<Response | undefined>;
  /** The handlers that Bun calls for its sockets. */
  readonly websocket: {
    readonly maxPayloadLength: number;
    open(socket: BunSocket): void;
    message(socket: BunSocket, text: unknown): void;
    close(socket: BunSocket): void;
  };
}

/**
 * Makes the options `fetch` and `websocket` of `Bun.serve` from your function.
 *
 * @param respond your function
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
 * Returns the client's address behind your own proxies. It's the one that the first of them has
 * added to `X-Forwarded-For`. Addresses before it come from the client and aren't trusted. `null`
 * if the header is shorter than that.
 *
 * @param request any request
 * @param proxies number of your proxies that a request passes, one or more
 * @throws InputError for another number
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
