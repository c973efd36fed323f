import {
  type Client,
  type ClientOptions,
  createClient,
  type Invoice,
  type Observer,
  type RequestView,
  type Unsubscribe,
  type Watch,
  type KnownSnapshot,
  type Snapshot,
} from 'paystate';
import type { Observable, Unsubscribable } from 'rxjs';
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';

/** A shop on a sandbox: a client whose requests are written down and whose timers are counted. */
export interface Shop {
  readonly sandbox: Sandbox;
  readonly client: Client;
  readonly requests: RequestView[];
  /** Waits on the client's clock that nobody has ended. */
  timers(): number;
  /** Requests that were handed to fetch and have not come back. */
  flying(): number;
  invoice(): Promise<Invoice>;
  pay(invoice: Invoice): Promise<void>;
}

/** Time as a client sees it. */
export type Clock = NonNullable<ClientOptions['clock']>;

export type Answers = (url: string, ask: () => Promise<Response>) => Promise<Response>;

/** Opens a shop. `answers` may change what the service says, `timed` the clock of the client. */
export function openShop(
  options: SandboxOptions = {},
  answers: Answers = (_url, ask) => ask(),
  changes: Partial<ClientOptions> = {},
  timed: (clock: Clock) => Clock = (clock) => clock,
): Shop {
  const sandbox = createSandbox({ signed: false, ...options });
  const base = sandbox.clientOptions;
  const clock = timed(sandbox.clock);
  const requests: RequestView[] = [];
  let timers = 0;
  let flying = 0;
  const client = createClient({
    ...base,
    ...changes,
    clock: {
      ...clock,
      after(ms, ring) {
        timers++;
        let isSet = true;
        const over = () => {
          if (isSet) timers--;
          isSet = false;
        };
        const cancel = clock.after(ms, () => {
          over();
          ring();
        });
        return () => {
          over();
          cancel();
        };
      },
      async wait(ms, signal) {
        timers++;
        await clock.wait(ms, signal);
        timers--;
      },
    },
    async fetch(url, init) {
      flying++;
      try {
        return await answers(url, () => base.fetch!(url, init));
      } finally {
        flying--;
      }
    },
    onRequest: (view) => void requests.push(view),
  });
  return {
    sandbox,
    client,
    requests,
    timers: () => timers,
    flying: () => flying,
    invoice: () =>
      sandbox.run(client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } })),
    async pay(invoice) {
      const { lnInvoice } = await sandbox.run(client.invoices.quote(invoice.invoiceId));
      await sandbox.payer.pay(lnInvoice);
    },
  };
}

/** Everything that a watch or an Observable says, in order. */
export interface Record<T> {
  readonly values: T[];
  ended?: 'complete' | { readonly error: unknown };
  stop(): void;
}

type Source<T> = Watch<T> | Observable<T>;

/** Records only snapshots with a value, where the source says how fresh it is. */
export function record<T>(source: Source<Snapshot<T>>): Record<KnownSnapshot<T>>;
export function record<T>(source: Source<T>): Record<T>;
export function record<T>(source: Source<T>): Record<T> {
  const log = recordAll(source);
  const isKnown = (value: T) =>
    !(typeof value === 'object' && value && Object.keys(value).join().startsWith('freshness'));
  return {
    get values() {
      return log.values.filter(isKnown);
    },
    get ended() {
      return log.ended as never;
    },
    stop: () => log.stop(),
  };
}

export function recordAll<T>(source: Source<T>): Record<T> {
  const log: Record<T> = { values: [], stop: () => {} };
  const subscribe = source.subscribe.bind(source) as (
    observer: Observer<T>,
  ) => Unsubscribe | Unsubscribable;
  const end = subscribe({
    next: (value) => void log.values.push(value),
    error: (error) => void (log.ended = { error }),
    complete: () => void (log.ended = 'complete'),
  });
  log.stop = () => (typeof end === 'function' ? end() : end.unsubscribe());
  return log;
}

/** An answer of the service with an error, in its envelope. */
export function refusal(status: number, code: string): Response {
  return new Response(JSON.stringify({ data: { status, code, message: 'for developers' } }), {
    status,
  });
}

/** Changes the JSON of an answer. */
export async function altered(
  answer: Response,
  change: (json: never) => unknown,
): Promise<Response> {
  const json = change(JSON.parse(await answer.text()) as never);
  return new Response(JSON.stringify(json), { status: answer.status, headers: answer.headers });
}

/** A shop whose events can be read up to `garble`; from then on each has these members instead. */
export function openGarbling(members: object): { readonly shop: Shop; garble(): void } {
  let isGarbled = false;
  const change = (page: { items: object[] }) => ({
    ...page,
    items: page.items.map((event) => ({ ...event, ...members })),
  });
  const shop = openShop({}, async (url, ask) =>
    isGarbled && url.includes('/v1/events') ? altered(await ask(), change) : ask(),
  );
  return { shop, garble: () => void (isGarbled = true) };
}
