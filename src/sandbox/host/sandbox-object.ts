import { type Clock, systemClock } from '../../core/time.ts';
import type { ObjectState } from '../../core/platform.ts';
import type { SandboxOptions } from './options.ts';
import { sendOverNetwork, sendWithTimeout } from '../webhooks/transport.ts';
import { createHost, type Host } from './host.ts';
import { journalIn } from './journal.ts';

/**
 * What a sandbox in a Durable Object is made of. Change them only with a new object: its journal is
 * read with them.
 */
export interface SandboxObjectOptions
  extends Pick<
    SandboxOptions,
    | 'seed'
    | 'signed'
    | 'rateLimits'
    | 'filterLimits'
    | 'retryAfterFormat'
    | 'accounts'
    | 'quoteLifetimes'
    | 'firstCheck'
    | 'strict'
    | 'allowHosts'
  > {
  /** Where webhooks go; over the network to this machine and to `allowHosts`. */
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
