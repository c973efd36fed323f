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

/** Request headers that the journal stores. The sandbox doesn't read any others. */
const HEADERS = ['authorization', 'content-type', 'idempotency-key', 'x-paystate-control'];

/** A sandbox behind HTTP that keeps a journal of its requests, so it survives crashes. */
export class Host {
  readonly #parts: HostParts;
  #hosted: Promise<HostedSandbox> | undefined;

  constructor(parts: HostParts) {
    const options = requireValid(sandboxOptionsSchema, parts.options, 'options');
    this.#parts = { ...parts, options };
  }

  /** Handles a request to the simulated service, or to its control API under `/_sandbox/`. */
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

  /**
   * Returns whether this is one of the sandbox's API keys or tokens, including revoked and expired
   * ones.
   */
  async knowsKey(text: string): Promise<boolean> {
    return (await this.#open()).knowsKey(text);
  }

  #open(): Promise<HostedSandbox> {
    this.#hosted ??= HostedSandbox.open(this.#parts);
    this.#hosted.catch(() => {
      this.#hosted = undefined; // the next request opens the sandbox again
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
 * Returns the request headers to store in the journal, without secrets. Replaces client secrets,
 * and any keys that look real unless they're the sandbox's own.
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
 * Options for a sandbox in a Durable Object. They must match its journal, so use a new object when
 * you change them.
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
  /**
   * Function that sends webhooks. By default, webhooks go over the network to localhost and
   * `allowHosts`.
   */
  readonly deliver?: ((request: Request) => Promise<Response>) | undefined;
  /** Clock that the sandbox follows. Defaults to the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * A sandbox in a SQLite Durable Object. It stores each request before it responds, and after an
 * eviction it replays them to restore exactly the same state. Time follows the system clock and the
 * object's alarm. Requests under `/_sandbox/` control the sandbox, as on the CLI's server. Your
 * Worker decides who may send them.
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

  /** Handles a request to the simulated service, or to its control API under `/_sandbox/`. */
  fetch(request: Request): Promise<Response> {
    return this.#host.fetch(request);
  }

  /** Runs timers that have expired. Call this from your object's `alarm` method. */
  alarm(): Promise<void> {
    return this.#host.wake();
  }
}
