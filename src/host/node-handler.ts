import { opensSocket } from './page-socket.ts';

/** As much of Node's `IncomingMessage` as is read here. */
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
}

/** The origin of a request, which only the server knows. */
export interface RequestOrigin {
  /** The address that it came from; `null` where the server does not know it. */
  readonly address: string | null;
}

/** As much of Node's `ServerResponse` as is used here. */
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
 * 1,000,000 bytes; that of a response is sent while it is made. Where the function rejects, or a
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
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    try {
      const body = await bodyOf(incoming);
      const request = requestOf(incoming, { signal: gone.signal, ...(body && { body }) });
      const response = await respond(request, originOf(incoming));
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
export function requestOf(incoming: NodeRequest, more: RequestInit = {}): Request {
  const { method = 'GET', rawHeaders } = incoming;
  const url = incoming.originalUrl ?? incoming.url ?? '/';
  try {
    const headers = new Headers();
    for (let at = 0; at < rawHeaders.length; at += 2)
      headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
    // Joined as text: new URL(path, base) would take a path that begins with two slashes for a
    // host. A path it must be.
    const target = `http://${headers.get('host') ?? 'localhost'}${url.startsWith('/') ? url : '/'}`;
    return new Request(target, { method, headers, ...more });
  } catch {
    throw new BareStatus(400);
  }
}

/** The address of the connection. */
export const originOf = ({ socket }: NodeRequest): RequestOrigin => ({
  address: socket?.remoteAddress ?? null,
});

/** The body; none is kept of a method that has none. */
async function bodyOf(incoming: NodeRequest): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { method = 'GET' } = incoming;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of incoming) {
    length += part.byteLength;
    if (length > MAX_BODY_BYTES) throw new BareStatus(413);
    parts.push(part);
  }
  if (length === 0 || method === 'GET' || method === 'HEAD') return undefined;
  const whole = new Uint8Array(length);
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.byteLength;
  }
  return whole;
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
