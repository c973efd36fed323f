import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A server of this machine, for this machine. */
export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const LONGEST_BODY = 1_000_000;

/** Thrown where a request is longer than the limit. */
class TooLong extends Error {}

/**
 * Serves a function from `Request` to `Response`, as in a Worker; rejects where the port is taken.
 */
export async function serve(
  answer: (request: Request) => Promise<Response>,
  { port = 0 }: { readonly port?: number } = {},
): Promise<Served> {
  const server = createServer(async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    try {
      await sendBack(await answer(await requestOf(incoming, gone.signal)), outgoing);
    } catch (thrown) {
      if (thrown instanceof TooLong) outgoing.writeHead(413, { connection: 'close' });
      if (thrown instanceof TooLong) outgoing.end();
      else outgoing.destroy(); // what fails here fails like a network: the connection breaks off without an answer
    }
  });
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

async function requestOf(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const body = await bodyOf(incoming);
  // Joined as text: new URL(path, base) would take a path that begins with two slashes for a host.
  // A path it must be.
  const target = `http://${headers.get('host')}${url.startsWith('/') ? url : '/'}`;
  return new Request(target, { method, headers, signal, ...(body && { body }) });
}

async function bodyOf(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > LONGEST_BODY) throw new TooLong();
    chunks.push(chunk);
  }
  return length > 0 ? concat(chunks, length) : undefined;
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let place = 0;
  for (const chunk of chunks) {
    whole.set(chunk, place);
    place += chunk.byteLength;
  }
  return whole;
}

/** A body that breaks off in its middle does so for the client too. */
async function sendBack(response: Response, outgoing: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(response.headers);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (const reader = response.body?.getReader(); reader; ) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      length += value.byteLength;
    }
  } catch (broken) {
    outgoing.writeHead(response.status, { ...headers, 'content-length': `${length + 1}` });
    for (const chunk of chunks) outgoing.write(chunk);
    throw broken;
  }
  outgoing.writeHead(
    response.status,
    response.status === 204 ? headers : { ...headers, 'content-length': `${length}` },
  );
  outgoing.end(concat(chunks, length));
}
