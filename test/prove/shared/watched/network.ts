// The network between one device and the service. Troubles are put before it and taken away again; all requests are noted.
import type { Clock, Fetch } from 'paystate';
import type { Device } from './device.ts';

/** Milliseconds each way. */
const WAY_MS = 50;

type RequestKind = 'feed' | 'list' | 'single' | 'command';

/** A request as the network sees it. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly kind: RequestKind;
}

/**
 * Something wrong with the network: what it returns is the response; `undefined` where it is not
 * concerned. `ask` brings the request to the service.
 */
export type Trouble = (
  request: WireRequest,
  ask: () => Promise<Response>,
  signal: AbortSignal | undefined,
) => Response | Promise<Response> | undefined;

export interface Sent {
  readonly at: number;
  readonly request: WireRequest;
}

const PATHS: readonly (readonly [path: RegExp, kind: RequestKind])[] = [
  [/^\/v1\/events$/, 'feed'],
  [/^\/v1\/[a-z-]+$/, 'list'],
];

function requestOf(url: string, method: string): WireRequest {
  const { pathname, search } = new URL(url);
  const kind = PATHS.find(([path]) => path.test(pathname))?.[1] ?? 'single';
  return { method, path: pathname, search, kind: method === 'GET' ? kind : 'command' };
}

/** Never answers; ends with its signal. */
export const silence = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
  });

export const broken = (): TypeError => new TypeError('the network is gone');

export interface NetworkOptions {
  /** The clock of the world. */
  readonly clock: Clock;
  /** A machine that slept has lost its connections. */
  readonly device: Pick<Device, 'sleeps' | 'awake'>;
  /** The sandbox's own fetch. */
  readonly send: (...given: Parameters<Fetch>) => Promise<Response>;
}

export class Network {
  readonly log: Sent[] = [];
  readonly #options: NetworkOptions;
  readonly #troubles = new Set<Trouble>();
  #flying = 0;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /** Counts requests that have not ended. */
  flying(): number {
    return this.#flying;
  }

  /** Begins a trouble; returns what ends it. */
  trouble(act: Trouble): () => void {
    this.#troubles.add(act);
    return () => void this.#troubles.delete(act);
  }

  readonly fetch: Fetch = async (input, init) => {
    const { clock } = this.#options;
    const request = requestOf(`${input}`, init?.method ?? 'GET');
    const sent: Sent = { at: clock.now(), request };
    this.log.push(sent);
    this.#flying++;
    try {
      return await this.#carry(sent, input, init);
    } finally {
      this.#flying--;
    }
  };

  async #carry(sent: Sent, ...given: Parameters<Fetch>): Promise<Response> {
    const { clock, device } = this.#options;
    const signal = given[1]?.signal ?? undefined;
    await clock.wait(WAY_MS, signal);
    signal?.throwIfAborted();
    const response = await this.#respond(sent.request, signal, given);
    await clock.wait(WAY_MS, signal);
    signal?.throwIfAborted();
    if (device.sleeps.some(({ to, from }) => to > sent.at && from <= clock.now())) {
      await device.awake();
      throw broken();
    }
    return response;
  }

  #respond(
    request: WireRequest,
    signal: AbortSignal | undefined,
    given: Parameters<Fetch>,
  ): Response | Promise<Response> {
    const ask = (): Promise<Response> => this.#options.send(...given);
    for (const trouble of this.#troubles) {
      const response = trouble(request, ask, signal);
      if (response !== undefined) return response;
    }
    return ask();
  }
}
