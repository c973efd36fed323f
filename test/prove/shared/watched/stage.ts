// A service, a device, the network between them, and a client of the built package on it.
import { type Client, type ClientOptions, createClient, type Fetch, type Invoice } from 'paystate';
import type { Sandbox, SandboxClient, SandboxOptions } from 'paystate/sandbox';
import { Device } from './device.ts';
import { Network } from './network.ts';
import { Service } from './service.ts';

/** Something that happens at its time, counted from the beginning. */
export interface Act {
  readonly at: number;
  act(): unknown;
}

export class Stage {
  readonly service: Service;
  readonly device: Device;
  readonly network: Network;
  /** When each code that was made ends, by the service. */
  readonly codes = new Map<string, number>();
  /** When the service answered the client's reads, by the ids of the invoices that they showed. */
  readonly reads = new Map<string, number[]>();
  readonly #base: SandboxClient;
  readonly #failing = new Set<() => Promise<string>>();

  constructor(options: SandboxOptions) {
    this.service = new Service(options);
    this.device = new Device(this.clock);
    this.#base = this.sandbox.clientOptionsFor({ address: '203.0.113.9' });
    this.network = new Network({ clock: this.clock, device: this.device, send: this.#send });
  }

  get sandbox(): Sandbox {
    return this.service.sandbox;
  }

  get clock(): Sandbox['clock'] {
    return this.service.clock;
  }

  readonly #send = async (...[url, init]: Parameters<Fetch>): Promise<Response> => {
    const response = await this.#base.fetch(url, init);
    if (response.status >= 300) return response;
    if (`${url}`.endsWith('/quote')) {
      const quote = (await response.clone().json()) as { lnInvoice: string; expiration: string };
      this.codes.set(quote.lnInvoice, Date.parse(quote.expiration));
    } else if (init?.method === 'GET' && `${url}`.includes('/v1/invoices')) {
      const read = (await response.clone().json()) as Invoice & { items?: readonly Invoice[] };
      for (const { invoiceId } of read.items ?? [read])
        this.reads.set(invoiceId, [...(this.reads.get(invoiceId) ?? []), this.clock.now()]);
    }
    return response;
  };

  /** Breaks the provider of credentials; returns what mends it. */
  failCredential(how: () => Promise<string>): () => void {
    const one = (): Promise<string> => how();
    this.#failing.add(one);
    return () => void this.#failing.delete(one);
  }

  /** A client whose credential comes from a provider. */
  newClient(capabilities: NonNullable<ClientOptions['capabilities']>): Client {
    const { apiKey, ...base } = this.#base;
    return createClient({
      ...base,
      capabilities,
      token: async () => [...this.#failing][0]?.() ?? apiKey,
      clock: this.device.clock,
      fetch: this.network.fetch,
    });
  }

  /** Plays acts at their times, counted from now; resolves after `length` milliseconds. */
  async play(acts: readonly Act[], length: number): Promise<void> {
    const begin = this.clock.now();
    const moveTo = (at: number): Promise<void> =>
      this.sandbox.advance(Math.max(0, begin + at - this.clock.now()));
    for (const { at, act } of acts.toSorted((a, b) => a.at - b.at)) {
      await moveTo(at);
      await act();
    }
    await moveTo(length);
  }
}
