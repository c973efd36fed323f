import { type Clock, systemClock } from '../core/time.ts';
import { createControl } from '../sandbox/host/control.ts';
import { type Journal, looksReal } from '../sandbox/host/journal.ts';
import type { Sandbox } from '../sandbox/host/sandbox.ts';
import type { SandboxOptions } from '../sandbox/host/options.ts';
import { ConnectionLost, createHost, type Host } from '../sandbox/host/host.ts';
import { sendOverNetwork } from '../sandbox/webhooks/transport.ts';
import type { ShownKey } from './accounts.ts';
import { guardHost } from './host-guard.ts';
import { serve, type Served } from './loopback.ts';
import { createPageFeed, type PageFeed } from './page-feed.ts';
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
  const host = createHost({
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

/** Where the sandbox itself fails, its client is told so; a fault alone breaks a connection. */
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
): Parameters<typeof createHost>[0]['setAlarm'] {
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
        'refused a key that this sandbox has not made and that looks real; nothing of it was kept. Never send real keys here.',
      );
    return answer;
  };
}
