import { checkArgument, checkOptions } from '../../core/errors/index.ts';
import type { ObjectState } from '../../core/platform.ts';
import { type Clock, systemClock } from '../../core/time.ts';
import { sendOverNetwork, sendWithTimeout } from '../webhooks/transport.ts';
import { requireValid } from '../world/checked.ts';
import type { SandboxOptions } from './options.ts';
import { sandboxOptionsSchema } from './option-schemas.ts';
import { parseBody, controlRefusal, controlResponse } from './control.ts';
import { HostedSandbox, type HostParts, journalIn } from './hosted-sandbox.ts';
import { CONTROL_PATH, looksReal } from './names.ts';

export { ConnectionLost } from '../service/network.ts';

/** Headers stored in the journal. A sandbox doesn't read any others. */
const HEADERS = ['authorization', 'content-type', 'idempotency-key', 'x-paystate-control'];

/** A sandbox behind HTTP that uses its journal to survive however its process ends. */
export class Host {
  readonly #parts: HostParts;
  #hosted: Promise<HostedSandbox> | undefined;

  constructor(parts: HostParts) {
    const options = requireValid(sandboxOptionsSchema, parts.options, 'options');
    this.#parts = { ...parts, options };
  }

  /** Responds as the service, or under `/_sandbox/` as its control API. */
  async fetch(request: Request): Promise<Response> {
    const hosted = await this.#open();
    const { method, url } = request;
    const { pathname } = new URL(url);
    if (pathname.startsWith(CONTROL_PATH)) {
      const refusal = controlRefusal(request);
      if (refusal) return refusal;
      if (method === 'GET') return hosted.read(request);
      if (pathname === `${CONTROL_PATH}advance`)
        return controlResponse(async () => ({
          now: await hosted.advance(parseBody('advance', await request.text()).duration),
        }));
      if (pathname === `${CONTROL_PATH}erase`) return controlResponse(() => this.#erase());
    }
    const headers = journalHeaders(request.headers, hosted);
    const body = journalBody(await request.text());
    return hosted.handle({ is: 'request', method, url, headers, body });
  }

  async wake(): Promise<void> {
    await (await this.#open()).wake();
  }

  /** Includes keys and tokens that have ended. */
  async knowsKey(text: string): Promise<boolean> {
    return (await this.#open()).knowsKey(text);
  }

  #open(): Promise<HostedSandbox> {
    this.#hosted ??= HostedSandbox.open(this.#parts);
    this.#hosted.catch(() => {
      this.#hosted = undefined; // the next request tries again
    });
    return this.#hosted;
  }

  async #erase(): Promise<object> {
    (await this.#open()).end();
    this.#parts.journal.clear();
    this.#hosted = undefined;
    await this.#open();
    return { erased: true };
  }
}

/**
 * Omits client secrets, which no client of a sandbox server has, and keys that look real unless
 * they're the sandbox's own.
 */
function journalHeaders(headers: Headers, hosted: HostedSandbox): Record<string, string> {
  const kept = Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const { authorization = '' } = kept;
  if (/^Basic /i.test(authorization)) kept['authorization'] = 'Basic not-kept';
  if (looksReal(authorization) && !hosted.knowsKey(authorization.replace(/^Bearer +/i, '')))
    kept['authorization'] = 'Bearer not-kept';
  return kept;
}

function journalBody(text: string): string {
  return text.startsWith('{')
    ? text
    : text.replace(/\bclient_secret=[^&]*/g, 'client_secret=not-kept');
}

/**
 * Options for a sandbox in a Durable Object. To change them, use a new object, because they must
 * match its journal.
 */
export interface SandboxObjectOptions
  extends Pick<
    SandboxOptions,
    | 'seed'
    | 'signed'
    | 'rateLimits'
    | 'filterLimits'
    | 'accounts'
    | 'quoteLifetimes'
    | 'assume'
    | 'strict'
    | 'allowHosts'
  > {
  /** Sends webhooks. By default, over the network to localhost and `allowHosts`. */
  readonly deliver?: ((request: Request) => Promise<Response>) | undefined;
  /** Defaults to the machine's clock. */
  readonly clock?: Clock | undefined;
}

/**
 * The service in a SQLite Durable Object. Each request is stored before its response. After an
 * eviction, all requests are replayed, which restores the same world to the byte. Time is the
 * machine's and the alarm's. Paths under `/_sandbox/` control it, as on the CLI's server, and your
 * Worker decides who may call them.
 *
 * @example
 * export class Box {
 *   #sandbox: SandboxObject;
 *   constructor(state: DurableObjectState) {
 *     this.#sandbox = new SandboxObject(state, { seed: 'shop' });
 *   }
 *   fetch(request: Request) {
 *     return this.#sandbox.fetch(request);
 *   }
 *   alarm() {
 *     return this.#sandbox.alarm();
 *   }
 * }
 */
export class SandboxObject {
  readonly #host: Host;

  constructor(ctx: ObjectState, given: SandboxObjectOptions = {}) {
    checkArgument('ctx', ctx, 'object!');
    checkArgument('ctx.storage', ctx.storage, 'object!');
    checkOptions<SandboxObjectOptions>(given, {
      seed: 'any',
      signed: 'any',
      rateLimits: 'any',
      filterLimits: 'any',
      accounts: 'any',
      quoteLifetimes: 'any',
      assume: 'any',
      strict: 'any',
      allowHosts: 'array',
      deliver: 'function',
      clock: 'object',
    });
    const { storage } = ctx;
    const { deliver, allowHosts = [], clock = systemClock, ...options } = given;
    this.#host = new Host({
      journal: journalIn(storage),
      options,
      clock,
      deliver: (webhook) =>
        deliver
          ? sendWithTimeout(
              (signal) =>
                deliver(
                  new Request(webhook.url, {
                    method: 'POST',
                    headers: webhook.headers,
                    body: webhook.body,
                    signal,
                  }),
                ),
              clock,
            )
          : sendOverNetwork(webhook, allowHosts, clock),
      setAlarm: (at) => void storage.setAlarm(at),
    });
  }

  /** Responds as the service, or under `/_sandbox/` as its control API. */
  fetch(request: Request): Promise<Response> {
    return this.#host.fetch(request);
  }

  /** Runs everything that's due. */
  alarm(): Promise<void> {
    return this.#host.wake();
  }
}
