import { type Clock, systemClock } from '../core/time.ts';
import { CONTROL_HEADER, CONTROL_PATH, createControl } from '../sandbox/host/control.ts';
import { ConnectionLost, Host } from '../sandbox/host/host.ts';
import { type HostParts, type Journal, looksReal } from '../sandbox/host/hosted-sandbox.ts';
import type { SandboxOptions } from '../sandbox/host/options.ts';
import type { Sandbox } from '../sandbox/host/sandbox.ts';
import { isLoopback, sendOverNetwork } from '../sandbox/webhooks/transport.ts';
import { serve, type Served } from './loopback.ts';
import { createPageFeed, type PageFeed } from './page-feed.ts';
import { pageAnswer } from './page-files.ts';
import { recordBodies } from './record-bodies.ts';

interface ServeOptions {
  /** Any free one. */
  readonly port?: number | undefined;
  /** Hears of what the person at the keyboard should know. */
  readonly warn?: ((text: string) => void) | undefined;
}

interface HostOptions extends ServeOptions {
  readonly journal: Journal;
  readonly options: SandboxOptions;
  readonly allowHosts: readonly string[];
}

/**
 * Serves a sandbox of this process and its control on the loopback; a fault that loses an answer
 * breaks the connection.
 */
export function serveSandbox(inner: Sandbox, { port, warn }: ServeOptions = {}): Promise<Served> {
  const sandbox = recordBodies(inner);
  const control = createControl(sandbox);
  const feed = createPageFeed(control);
  feed.follow(sandbox);
  const service = warning((request) => sandbox.fetch(request), isOwnKey(sandbox), warn);
  return serveWith(feed, guardHost({ service, control, feed }), port);
}

/**
 * Serves what a journal tells, in the time of this machine; everything is in the journal before it
 * is answered.
 */
export async function serveJournal({
  port = 0,
  warn,
  journal,
  options,
  allowHosts,
}: HostOptions): Promise<Served> {
  const feed = createPageFeed((request) => host.fetch(request));
  const host = new Host({
    journal,
    options,
    clock: systemClock,
    wrap: (sandbox) => feed.follow(recordBodies(sandbox)),
    deliver: (webhook) => sendOverNetwork(webhook, allowHosts),
    setAlarm: alarmOf(systemClock, () => host.wake()),
  });
  await host.wake();
  const control: Host['fetch'] = (request) => host.fetch(request);
  const service = warning(control, (key) => host.knowsKey(key), warn);
  return serveWith(feed, guardHost({ service, control, feed }), port);
}

/** Serves until it is closed; whatever was asked may have changed what the page shows. */
async function serveWith(feed: PageFeed, answer: Host['fetch'], port: number = 0): Promise<Served> {
  const asked: Host['fetch'] = async (request) => {
    const response = await answer(request);
    if (request.method !== 'GET') feed.poke();
    return response;
  };
  const { url, close } = await serve(neverSilent(asked), { port });
  return {
    url,
    close() {
      feed.close();
      return close();
    },
  };
}

/** If the sandbox itself fails, its client is told so; a fault alone breaks a connection. */
function neverSilent(answer: Host['fetch']): Host['fetch'] {
  return async (request) => {
    try {
      return await answer(request);
    } catch (thrown) {
      if (thrown instanceof ConnectionLost || request.signal.aborted) throw thrown;
      console.error(`paystate: the sandbox failed at ${request.method}:`, thrown);
      const data = { status: 500, code: 'INTERNAL_SERVER_ERROR', message: String(thrown) };
      return Response.json({ traceId: 'sandbox', data }, { status: 500 });
    }
  };
}

type IsOwnKey = Host['knowsKey'];

const isOwnKey =
  (sandbox: Sandbox): IsOwnKey =>
  async (key) =>
    sandbox.accounts
      .flatMap((handle) => sandbox.inspect(handle)['api-keys'] as readonly ShownKey[])
      .some(({ apiKey }) => apiKey === key);

/** Calls at the time that was said last. */
function alarmOf(
  clock: Clock,
  call: () => Promise<void>,
): HostParts['setAlarm'] {
  let sleep = new AbortController();
  return (at) => {
    sleep.abort();
    sleep = new AbortController();
    const { signal } = sleep;
    void clock.wait(at - clock.now(), signal).then(() => (signal.aborted ? undefined : call()));
  };
}

/** Warns of real keys; one that was revoked is the sandbox's own. */
function warning(
  service: Host['fetch'],
  isOwn: IsOwnKey,
  warn: (text: string) => void = () => {},
): Host['fetch'] {
  return async (request) => {
    const authorization = request.headers.get('authorization') ?? '';
    const answer = await service(request);
    if (
      answer.status === 401 &&
      looksReal(authorization) &&
      !(await isOwn(authorization.replace(/^Bearer +/i, '')))
    )
      warn(
        'refused a key that looks real and is not of this sandbox; it was not kept. Never send ' +
          'real keys here.',
      );
    return answer;
  };
}

type Answer = (request: Request) => Promise<Response>;

/** The requests that no other page may send. */
const PRIVATE = [CONTROL_PATH, '/_page/stream', '/_page/row/'];

const ALLOWED = {
  'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
  'access-control-allow-headers': 'authorization, content-type, accept, idempotency-key',
  'access-control-max-age': '600',
};

interface Guarded {
  readonly service: Answer;
  readonly control: Answer;
  /** The stream that the sandbox's own page follows. */
  readonly feed: Pick<PageFeed, 'answer'>;
}

/**
 * Accepts requests of this machine only: the addressed host must be loopback (which refuses DNS
 * rebinding), and so must the page's origin. Other pages may use the service, never the control or
 * the timeline: they are for the sandbox's own page and for programs.
 */
function guardHost({ service, control, feed }: Guarded): Answer {
  return async (request) => {
    const url = new URL(request.url);
    const origin = request.headers.get('origin');
    if (!isLoopback(url.hostname)) return no('the address is not one of this machine');
    if (origin !== null && !isNear(origin)) return no('a page from elsewhere');
    const isOwn = PRIVATE.some((path) => url.pathname.startsWith(path));
    if (isOwn && isForeign(request)) return no('only the page of the sandbox itself may do this');
    if (url.pathname.startsWith(CONTROL_PATH)) return control(request);
    const page = feed.answer(request) ?? pageAnswer(request);
    if (page) return page; // without CORS headers: no other page can read it
    if (origin === null) return service(request);
    const answer =
      request.method === 'OPTIONS'
        ? new Response(null, { status: 204, headers: ALLOWED })
        : await service(request);
    answer.headers.set('access-control-allow-origin', origin);
    answer.headers.set('access-control-expose-headers', 'retry-after, date');
    answer.headers.append('vary', 'origin');
    return answer;
  };
}

/** True if another page sent it; a program says neither its origin nor its site. */
function isForeign({ headers, url }: Request): boolean {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  return (
    (origin !== null && origin !== new URL(url).origin) ||
    (site !== null && site !== 'same-origin' && site !== 'none')
  );
}

function isNear(origin: string): boolean {
  return URL.canParse(origin) && isLoopback(new URL(origin).hostname);
}

function no(reason: string): Response {
  return new Response(`Refused: ${reason}.\n`, {
    status: 403,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}

/** A key, as the control shows it. */
interface ShownKey {
  readonly apiKey: string;
  readonly isRevoked: boolean;
}

/** An account, as the control shows it. */
export interface ShownAccount {
  readonly handle: string;
  readonly apiKeys: readonly ShownKey[];
}

/** Asks the control of a served sandbox for all accounts. */
export async function shownAccounts(url: string): Promise<readonly ShownAccount[]> {
  return (
    await fetch(`${url}${CONTROL_PATH}accounts`, { headers: { [CONTROL_HEADER]: '1' } })
  ).json() as Promise<readonly ShownAccount[]>;
}
