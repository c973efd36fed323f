// A client beside its sandbox, and answers that no sandbox gives.
import { type Client, type ClientOptions, createClient, isPaystateError } from 'paystate';
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';

export const DRAFT = { amount: { amount: '12.50', currency: 'EUR' } };
export const INVOICE = {
  invoiceId: '0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11',
  ...DRAFT,
  state: 'UNPAID',
  created: '2026-03-04T09:15:27.4812593+00:00',
  issuerId: '5f1d3c90-2b44-4d0e-8a6c-0f9b7e6d5c41',
  receiverId: '5f1d3c90-2b44-4d0e-8a6c-0f9b7e6d5c41',
};

export interface Shop {
  readonly sandbox: Sandbox;
  readonly client: Client;
  readonly run: Sandbox['run'];
  /** Milliseconds since the sandbox began. */
  now(): number;
}

/** What was created, as a read shows it: the seventh digit of its time is not stored. */
export const asRead = <T extends { readonly created: string }>(one: T): T => ({
  ...one,
  created: one.created.replace(/(\.\d{6})\d(?=\+)/, '$1').replace(/\.?0+(?=\+)/, ''),
});

export const openShop = (
  options: Partial<ClientOptions> = {},
  world: SandboxOptions = {},
): Shop => {
  const sandbox = createSandbox({ signed: false, ...world });
  const client = createClient({ ...sandbox.clientOptions, ...options });
  return { sandbox, client, run: sandbox.run, now: () => sandbox.clock.monotonic() };
};

/** One request as an injected `fetch` saw it. */
interface Sent {
  readonly url: string;
  readonly init: RequestInit;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Wire {
  readonly sent: readonly Sent[];
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

export type Answer = (init: RequestInit) => Response | Promise<Response>;

/** A `fetch` that gives these answers in turn, the last one again and again. */
export const answering = (...answers: readonly Answer[]): Wire => {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (url, init) => {
      sent.push({ url, init, headers: Object.fromEntries(new Headers(init.headers)) });
      return answers[Math.min(sent.length, answers.length) - 1]!(init);
    },
  };
};

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json', ...headers },
    });

/** A refusal in the service's envelope. */
export const refusal = (
  status: number,
  code: string,
  more: object = {},
  headers: Record<string, string> = {},
): Answer =>
  json(
    { traceId: 'trace-1', data: { status, code, message: 'text for developers', ...more } },
    status,
    headers,
  );

export const failureOf = async (work: PromiseLike<unknown>) => {
  const thrown = await work.then(
    () => new Error('it was not rejected'),
    (reason: unknown) => reason,
  );
  if (!isPaystateError(thrown)) throw thrown;
  return thrown;
};

/** What a promise was rejected with, whatever it is. */
export const reasonOf = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).then(
    () => {
      throw new Error('it was not rejected');
    },
    (reason: unknown) => reason,
  );

/** The four ways of repeating that invoices have. */
export const rows: Readonly<
  Record<
    'safe' | 'pure' | 'client-id' | 'same-request',
    (client: Client, id: string, options?: object) => Promise<unknown>
  >
> = {
  safe: (client, id, options) => client.invoices.get(id, options),
  pure: (client, id, options) => client.invoices.quote(id, {}, options),
  'client-id': (client, _id, options) => client.invoices.create(DRAFT, options),
  'same-request': (client, id, options) => client.invoices.cancel(id, options),
};

export type Repeating = keyof typeof rows;
export const repeats = Object.keys(rows) as readonly Repeating[];
