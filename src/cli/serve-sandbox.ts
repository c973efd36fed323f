import { readFileSync } from 'node:fs';
import { isLoopback } from '../core/hosts.ts';
import { Alarm, systemClock } from '../core/time.ts';
import { createControl } from '../sandbox/host/control.ts';
import { ConnectionLost, Host } from '../sandbox/host/host.ts';
import type { Journal } from '../sandbox/host/hosted-sandbox.ts';
import { CONTROL_PATH, looksReal } from '../sandbox/host/names.ts';
import type { SandboxOptions } from '../sandbox/host/options.ts';
import type { Sandbox } from '../sandbox/host/sandbox.ts';
import { sendOverNetwork } from '../sandbox/webhooks/transport.ts';
import { serve, type Served } from './loopback.ts';
import { ask } from './page/server.ts';
import { PageFeed } from './page-feed.ts';
import { pageAnswer } from './page-files.ts';
import { recordBodies } from './record-bodies.ts';

/**
 * Serves an in-process sandbox and its control API on localhost. If a fault drops a response, the
 * server closes the connection.
 */
export function serveSandbox(inner: Sandbox): Promise<Served> {
  const sandbox = recordBodies(inner);
  const control = createControl(sandbox);
  const feed = new PageFeed(control);
  feed.follow(sandbox);
  return serveParts({ service: (request) => sandbox.fetch(request), control, feed });
}

interface JournalOptions {
  readonly port: number;
  /** Called with warnings for the user. */
  readonly warn: (text: string) => void;
  readonly journal: Journal;
  readonly options: SandboxOptions;
  readonly allowHosts: readonly string[];
}

/**
 * Serves a sandbox with a journal. It follows the system clock and stores each request before it
 * responds.
 */
export async function serveJournal({
  port,
  warn,
  journal,
  options,
  allowHosts,
}: JournalOptions): Promise<Served> {
  const control: Answer = (request) => host.fetch(request);
  const feed = new PageFeed(control);
  const alarm = new Alarm(systemClock, () => void host.wake());
  const host: Host = new Host({
    journal,
    options,
    clock: systemClock,
    wrap: (sandbox) => feed.follow(recordBodies(sandbox)),
    deliver: (webhook) => sendOverNetwork(webhook, allowHosts),
    setAlarm: (at) => alarm.set(systemClock.monotonic() + at - systemClock.now()),
  });
  await host.wake();
  const service: Answer = async (request) => {
    const authorization = request.headers.get('authorization') ?? '';
    const answer = await host.fetch(request);
    const isStrange = answer.status === 401 && looksReal(authorization);
    // the sandbox's revoked keys don't count as real keys
    if (isStrange && !(await host.knowsKey(authorization.replace(/^Bearer +/i, ''))))
      warn(
        `the sandbox rejected and did not store a key that looks real. Never send real keys to a sandbox.`,
      );
    return answer;
  };
  return serveParts({ service, control, feed }, port);
}

type Answer = (request: Request) => Promise<Response>;

interface Parts {
  readonly service: Answer;
  readonly control: Answer;
  /** Stream of updates for the sandbox's web page. */
  readonly feed: PageFeed;
}

/**
 * Starts the server. Every write triggers an update of the web page. An internal sandbox error
 * returns status 500, because only faults may break connections.
 */
async function serveParts(parts: Parts, port: number = 0): Promise<Served> {
  const { feed } = parts;
  const answer: Answer = async (request) => {
    try {
      const response = await answerGuarded(request, parts);
      if (request.method !== 'GET') feed.poke();
      return response;
    } catch (thrown) {
      if (thrown instanceof ConnectionLost || request.signal.aborted) throw thrown;
      console.error(`paystate: the sandbox failed at ${request.method}:`, thrown);
      const data = { status: 500, code: 'INTERNAL_SERVER_ERROR', message: String(thrown) };
      return Response.json({ traceId: 'sandbox', data }, { status: 500 });
    }
  };
  const { url, close } = await serve(answer, { port });
  return {
    url,
    close() {
      feed.close();
      return close();
    },
  };
}

/** Paths that web pages on other origins must not access. */
const PRIVATE = [CONTROL_PATH, '/_page/stream', '/_page/row/'];

const ALLOWED = {
  'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
  'access-control-allow-headers': 'authorization, content-type, accept, idempotency-key',
  'access-control-max-age': '600',
};

/**
 * Only accepts requests whose host is localhost, which prevents DNS rebinding, and whose origin, if
 * any, is localhost too. Pages on other ports may use the service, but not the control API or the
 * timeline.
 */
async function answerGuarded(
  request: Request,
  { service, control, feed }: Parts,
): Promise<Response> {
  const url = new URL(request.url);
  const origin = request.headers.get('origin');
  if (!isLoopback(url.hostname))
    return no('the sandbox only accepts requests addressed to localhost');
  if (origin !== null && !(URL.canParse(origin) && isLoopback(new URL(origin).hostname)))
    return no('the sandbox only accepts requests from pages on this machine');
  const isOwn = PRIVATE.some((path) => url.pathname.startsWith(path));
  if (isOwn && isForeign(request)) return no("only the sandbox's own page may do this");
  if (url.pathname.startsWith(CONTROL_PATH)) return control(request);
  const page = feed.answer(request) ?? pageAnswer(request);
  if (page) return page; // without CORS headers, so other pages can't read it
  const isDescription = request.method === 'GET' && url.pathname === OPENAPI_PATH;
  const serveIt: Answer = isDescription ? describeService : service;
  if (origin === null) return serveIt(request);
  const answer =
    request.method === 'OPTIONS'
      ? new Response(null, { status: 204, headers: ALLOWED })
      : await serveIt(request);
  answer.headers.set('access-control-allow-origin', origin);
  answer.headers.set('access-control-expose-headers', 'retry-after, date');
  answer.headers.append('vary', 'origin');
  return answer;
}

/** Path of the OpenAPI document. */
export const OPENAPI_PATH = '/openapi.json';

/** Serves the OpenAPI document, with the sandbox's URL as its server. */
function describeService({ url }: Request): Promise<Response> {
  const text = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');
  const described: object = JSON.parse(text);
  const servers = [{ url: new URL(url).origin }];
  return Promise.resolve(Response.json({ ...described, servers }));
}

/**
 * Returns whether a web page on another origin sent the request. Programs don't send the headers
 * `origin` and `sec-fetch-site`.
 */
function isForeign({ headers, url }: Request): boolean {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  return (
    (origin !== null && origin !== new URL(url).origin) ||
    (site !== null && site !== 'same-origin' && site !== 'none')
  );
}

function no(reason: string): Response {
  return new Response(`Refused: ${reason}.\n`, {
    status: 403,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}

export interface ShownAccount {
  readonly handle: string;
  readonly apiKeys: readonly { readonly apiKey: string; readonly isRevoked: boolean }[];
}

export function shownAccounts(url: string): Promise<readonly ShownAccount[]> {
  return ask('GET', 'accounts', undefined, url);
}
