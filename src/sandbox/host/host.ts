import type { ObjectState } from '../../core/platform.ts';
import { type Clock, systemClock } from '../../core/time.ts';
import {
  type DeliveryResult,
  sendOverNetwork,
  sendWithTimeout,
  type Webhook,
} from '../webhooks/transport.ts';
import { requireValid } from '../world/checked.ts';
import type { SandboxOptions } from './options.ts';
import { sandboxOptionsSchema } from './option-schemas.ts';
import { bodyOf, CONTROL_PATH, controlRefusal, controlResponse } from './control.ts';
import {
  type HostedSandbox,
  openHostedSandbox,
  type WrapSandbox,
  type Journal,
  journalIn,
  looksReal,
} from './hosted-sandbox.ts';

export { ConnectionLost } from '../service/network.ts';

/** A sandbox behind HTTP that is restored from its journal after any end of its process. */
export interface Host {
  /** Responds as the service, or below `/_sandbox/` as its control. */
  fetch(request: Request): Promise<Response>;
  /** Runs what is due. */
  wake(): Promise<void>;
  /** True if a key or token is the sandbox's own, though it may have ended. */
  knowsKey(text: string): Promise<boolean>;
}

interface HostParts {
  readonly journal: Journal;
  readonly options: SandboxOptions;
  /** The machine's. */
  readonly clock: Clock;
  /** Sends a webhook to its receiver, in real time. */
  readonly deliver: (webhook: Webhook) => Promise<DeliveryResult>;
  /** Makes of each sandbox that is opened the one that is asked and controlled. */
  readonly wrap?: WrapSandbox | undefined;
  /** `wake` is needed at this time of the machine; a later call replaces an earlier one. */
  readonly setAlarm: (at: number) => void;
}

/** Headers that the journal keeps: a sandbox reads no others. */
const HEADERS = ['authorization', 'content-type', 'idempotency-key', 'x-paystate-control'];

/** The sandbox is opened by the first call. */
export function createHost(parts: HostParts): Host {
  return new JournalHost(parts);
}

class JournalHost implements Host {
  readonly #parts: HostParts;
  #hosted: Promise<HostedSandbox> | undefined;
  #alarm: number | undefined;

  constructor(parts: HostParts) {
    this.#parts = {
      ...parts,
      options: requireValid(sandboxOptionsSchema, parts.options, 'options'),
    };
  }

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
          now: await hosted.advance(bodyOf('advance', await request.text()).duration),
        }));
      if (pathname === `${CONTROL_PATH}erase`) return controlResponse(() => this.#erase());
    }
    const headers = journalHeaders(request.headers, hosted);
    const body = journalBody(await request.text());
    return hosted.handle({ is: 'request', method, url, headers, body });
  }

  async wake(): Promise<void> {
    this.#alarm = undefined;
    await (await this.#open()).wake();
  }

  async knowsKey(text: string): Promise<boolean> {
    return (await this.#open()).knowsKey(text);
  }

  #open(): Promise<HostedSandbox> {
    const { clock: machine, setAlarm: _setAlarm, ...parts } = this.#parts;
    this.#hosted ??= openHostedSandbox({
      ...parts,
      machine,
      onStep: () => void this.#hosted?.then((hosted) => this.#setAlarm(hosted)),
    });
    this.#hosted.catch(() => {
      this.#hosted = undefined; // the next request tries again
    });
    return this.#hosted;
  }

  #setAlarm(hosted: HostedSandbox): void {
    const at = hosted.wakeAt();
    if (at === undefined || at === this.#alarm) return;
    this.#alarm = at;
    this.#parts.setAlarm(at);
  }

  async #erase(): Promise<object> {
    (await this.#open()).end();
    this.#parts.journal.clear();
    this.#hosted = this.#alarm = undefined;
    await this.#open();
    return { erased: true };
  }
}

/**
 * The headers that are written down. A key that looks like one of the real service and is none of
 * the sandbox's own is not; nor is a client's secret: no client of a served sandbox has one.
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
 * Options of a sandbox in a Durable Object. Change them only with a new object: its journal is
 * read with them.
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
  /** Sends webhooks; over the network to this machine and to `allowHosts`. */
  readonly deliver?: ((request: Request) => Promise<Response>) | undefined;
  /** The machine's own. */
  readonly clock?: Clock | undefined;
}

/**
 * The service in a SQLite Durable Object: each request is kept before it is answered, and after an
 * eviction all of them are played again, which gives the same world to the byte. Time is that of
 * the machine, and the alarm's. Below `/_sandbox/` it is controlled as the command's server is;
 * whom to let there is up to your Worker.
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

  constructor(
    { storage }: ObjectState,
    { deliver, allowHosts = [], clock = systemClock, ...options }: SandboxObjectOptions = {},
  ) {
    this.#host = createHost({
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

  /** Answers for the service, or below `/_sandbox/` for its control. */
  fetch(request: Request): Promise<Response> {
    return this.#host.fetch(request);
  }

  /** Lets happen what is due. */
  alarm(): Promise<void> {
    return this.#host.wake();
  }
}
