// One server for all: what answers is a function from Request to Response, as in a Worker.
import { once } from 'node:events';
import { createServer } from 'node:http';

const HOST = '127.0.0.1';

const bodyOf = async (incoming) => {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return chunks.length > 0 ? Buffer.concat(chunks) : undefined;
};

const requestOf = async (incoming, signal) => {
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    headers.append(incoming.rawHeaders[at], incoming.rawHeaders[at + 1]);
  // Joined as text: new URL(path, base) would take a path that begins with two slashes for a host.
  const url = `http://${incoming.headers.host}${incoming.url}`;
  return new Request(url, { method: incoming.method, headers, body: await bodyOf(incoming), signal });
};

const sendBack = async (response, outgoing) => {
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(body);
};

const listen = async (server, port) => {
  server.listen(port, HOST);
  await once(server, 'listening');
};

/** Serves `answer` on the loopback; the wished port if it is free, else any. */
export async function serve(answer, { port = 0 } = {}) {
  const server = createServer(async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    try {
      await sendBack(await answer(await requestOf(incoming, gone.signal)), outgoing);
    } catch {
      // What fails here fails like a network: the connection breaks off without an answer.
      outgoing.destroy();
    }
  });
  await listen(server, port).catch(() => listen(server, 0));
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://${HOST}:${server.address().port}`, close };
}
