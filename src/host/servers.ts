// Servers of each runtime call one function from `Request` to `Response`, sockets included.
import { badInput, checkArgument, checkMethods } from '../core/errors/index.ts';
import { SUBPROTOCOL } from '../core/protocol.ts';

/** A response, and what becomes of it where it opens a socket. */
export interface SocketResponse extends Response {
  /** Gives the page's end its connection. */
  connect(socket: ServerSocket): void;
}

/** A response that opens a socket: none may be made with the status 101 here. */
export function upgradeTo(connect: (socket: ServerSocket) => void): Response {
  return Object.defineProperties(new Response(null), {
    status: { value: 101 },
    connect: { value: connect },
  });
}

/**
 * True if a response opens a socket: then the server accepts the connection, and gives it to
 * `connect`.
 *
 * @example
 * const response = new Response(); // that of relay.handle
 * if (opensSocket(response)) response.connect(serverSocket);
 */
export function opensSocket(response: Response): response is SocketResponse {
  return response?.status === 101 && 'connect' in response;
}

/** The part of a `WebSocket` that is used: those of Deno and of the package `ws` fit. */
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

/** The messages of a page. */
interface SocketEvents {
  readonly message: (text: unknown) => void;
  readonly close: () => void;
}

const OPEN = 1;

/** Our end of a page's socket. What is sent before the connection is open is kept until it is. */
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
    // in Node an error that nobody listens to ends the process; `close` follows it
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

/** The part of Node's `IncomingMessage` that is read here. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  /** HTTP method. */
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url?: string | undefined;
  /** Path and query before Express has taken away where a handler is mounted. */
  readonly originalUrl?: string | undefined;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** The connection. */
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
  /** The bytes of the body, where a platform has read them before. */
  readonly rawBody?: unknown;
  /** The same, where a parser has, such as `express.raw()`. */
  readonly body?: unknown;
}

/** The origin of a request, which only the server knows. */
export interface RequestOrigin {
  /** The address that it came from; `null` where the server does not know it. */
  readonly address: string | null;
}

/** The part of Node's `ServerResponse` that is used here. */
export interface NodeResponse {
  /** Writes status and headers: names and values in turn. */
  writeHead(status: number, headers: string[]): unknown;
  /** Writes a part of the body; false where the next one has to wait for `drain`. */
  write(part: Uint8Array): boolean;
  /** Ends the response. */
  end(): unknown;
  /** Breaks the connection off. */
  destroy(): unknown;
  /** Calls back when the connection is closed or takes more. */
  once(event: 'close' | 'drain', listener: () => void): unknown;
  /** Takes a listener away. */
  off(event: 'close' | 'drain', listener: () => void): unknown;
  /** The connection is gone. */
  readonly destroyed: boolean;
}

const MAX_BODY_BYTES = 1_000_000;
/** The status where sockets are not accepted (RFC 9110 15.5.22); the page goes on by polling. */
const UPGRADE_REQUIRED = 426;

/** A request that gets a bare status: its body is too long, `fetch` has no such request, … */
class BareStatus extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`${status}`);
    this.status = status;
  }
}

/**
 * Makes a handler for Node's `http.createServer` of a function from `Request` to `Response`, such
 * as `sandbox.fetch`, `inbox.handle` or `relay.handle`. A body of a request is read whole, up to
 * 1,000,000 bytes; one that was read before is taken from `rawBody` or `body`, if it is still
 * bytes or a text. That of a response is sent while it is made. A request whose `Host` is not a host
 * is answered with 400. Where the function rejects, or a
 * body breaks off, the connection does, as a network would. A request whose client has gone is
 * aborted. A response that opens a socket becomes 426: sockets are accepted by `nodeUpgrade`.
 *
 * @param respond what responds; its second argument is the address of the connection
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

/** The request that Node describes, with this body and signal. */
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
 * The address of a request (RFC 9112 3.3). A host that is none is refused: it would become a part
 * of the path. Joined as text: `new URL(path, base)` would take a path that begins with two slashes
 * for a host.
 */
function formatAddress(url: string, headers: Headers): string {
  const [, authority = headers.get('host') ?? 'localhost', path = url] =
    /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (!isAuthority(authority)) throw new BareStatus(400);
  return `http://${authority}${/^[/?]/.test(path) ? path : '/'}`;
}

/** True for a host and its port, and nothing else. */
function isAuthority(host: string): boolean {
  return /^([\w.-]+|\[[\da-f:.]+\])(:\d*)?$/i.test(host);
}

/** True if a request's host is one: Deno and Bun make the address of a request of any text. */
function hasHost({ headers }: Request): boolean {
  return isAuthority(headers.get('host') ?? 'localhost');
}

/** The address of the connection. */
const readOrigin = ({ socket }: NodeRequest): RequestOrigin => ({
  address: socket?.remoteAddress ?? null,
});

/** The body; none is kept of a method that has none. */
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

/** The body that was read before, if its bytes or its text were kept. */
function keptBody({ rawBody, body }: NodeRequest): Uint8Array<ArrayBuffer> | undefined {
  const [kept] = [rawBody, body].filter(
    (one) => one instanceof Uint8Array || typeof one === 'string',
  );
  return typeof kept === 'string'
    ? new TextEncoder().encode(kept)
    : (kept as Uint8Array<ArrayBuffer> | undefined);
}

/** Sends each part when it is there, and no faster than the client takes it. */
async function sendBody({ body }: Response, outgoing: NodeResponse): Promise<void> {
  for (const reader = body?.getReader(); reader; ) {
    const { done, value } = await reader.read();
    if (done) return;
    if (!outgoing.write(value)) await drain(outgoing);
    if (!outgoing.destroyed) continue;
    await reader.cancel();
    throw new Error('the client has gone');
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

/** Your server's function: routes to `relay.handle`, `relay.handleWebhook` and the rest. */
export type RequestHandler = (request: Request, from: RequestOrigin) => Promise<Response>;

/** A longer message comes from no page; its socket is closed before it is read whole, bytes. */
const LONGEST_MESSAGE = 65_536;

/** The part of the connection of Node's event `upgrade` that is used here. */
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
    connection.on('error', end); // else a client's broken connection ends the process
    upgrade(incoming, connection, head).catch(end);
  };
}

/** The part of the global `Deno` that is used here. */
export interface DenoSockets {
  /** Accepts a socket. */
  upgradeWebSocket(
    request: Request,
    options: { readonly protocol: string },
  ): { readonly socket: ServerSocket; readonly response: Response };
}

/** The connection of a request, as `Deno.serve` describes it; a Unix socket has no `hostname`. */
export interface DenoConnection {
  /** The address that the request came from. */
  readonly remoteAddr: object;
}

/**
 * Makes a handler for `Deno.serve` of your function, sockets included.
 *
 * @param deno the global `Deno`
 * @param respond your function
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

/** The part of Bun's server that is used here. */
export interface BunServer {
  /** The address that the request came from. */
  requestIP(request: Request): { readonly address: string } | null;
  /** Accepts a socket; false where the request asks for none. */
  upgrade(
    request: Request,
    options: { readonly headers: Record<string, string>; readonly data: BunConnection },
  ): boolean;
}

/** The part of Bun's sockets that is used here. */
export interface BunSocket {
  /** The value that was given to `upgrade`. */
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
  /** The handlers that Bun calls for its sockets. */
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
 * The address that a request came from, behind your own proxies: the one that the
 * first of them has added to `X-Forwarded-For`. What is further in front a client has written by
 * itself, and is not read. `null` where the header is shorter than that.
 *
 * @param request any request
 * @param proxies how many proxies of yours a request passes; one or more
 * @throws InputError for another number
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
