// A page that watches an invoice with a socket to its relay, and the relay's end of that socket.
import {
  type Client,
  type ClientOptions,
  createClient,
  type Invoice,
  type RequestView,
  watchInvoice,
} from 'paystate';
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';
import { type Record, record } from '../state/shop.ts';

type Heard = (event: { readonly data?: unknown }) => void;

/** The relay's end of a page's socket; it speaks when the test says so. */
export class Line {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly heard: string[] = [];
  isClosed = false;
  answersBeats = true;
  readonly #listeners = new Map<string, Heard>();

  constructor(url: string, protocols: readonly string[]) {
    this.url = url;
    this.protocols = protocols;
  }

  addEventListener(type: string, listener: Heard): void {
    this.#listeners.set(type, listener);
  }

  send(text: string): void {
    this.heard.push(text);
    if (text === 'ping' && this.answersBeats) this.say(`pong:${this.pong}`);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#listeners.get('close')?.({});
  }

  pong = 'e:0:';

  open(): void {
    this.#listeners.get('open')?.({});
  }

  say(message: unknown): void {
    this.#listeners.get('message')?.({
      data: typeof message === 'string' ? message : JSON.stringify(message),
    });
  }
}

export interface Live {
  readonly sandbox: Sandbox;
  readonly client: Client;
  readonly lines: Line[];
  readonly requests: RequestView[];
  timers(): number;
  readonly invoice: Invoice;
  readonly seen: Record<{ readonly value: Invoice; readonly freshness: string }>;
}

/** A page that watches an invoice with a socket to its relay; the sandbox stands for the gateway. */
export async function openLive(
  changes: Partial<ClientOptions> = {},
  world: SandboxOptions = {},
): Promise<Live> {
  const sandbox = createSandbox({ signed: false, ...world });
  const { apiKey, ...options } = sandbox.clientOptions;
  const lines: Line[] = [];
  const requests: RequestView[] = [];
  let timers = 0;
  const client = createClient({
    ...options,
    token: apiKey!,
    fetch: (input, init) =>
      options.fetch!(input, {
        ...init,
        headers: { ...init!.headers, authorization: `Bearer ${apiKey}` },
      }), // any token is good
    clock: {
      ...sandbox.clock,
      async wait(ms, signal) {
        timers++;
        await sandbox.clock.wait(ms, signal);
        timers--;
      },
    },
    WebSocket: class extends Line {
      constructor(url: string, protocols: string[]) {
        super(url, protocols);
        lines.push(this);
      }
    },
    onRequest: (view) => void requests.push(view),
    ...changes,
  });
  const shop = createClient(sandbox.clientOptions);
  const draft = { amount: { amount: '12.50', currency: 'EUR' } };
  const { invoiceId } = await sandbox.run(shop.invoices.create(draft));
  const invoice = await sandbox.run(shop.invoices.get(invoiceId)); // with `created` as it is read
  const seen = record(watchInvoice(client, invoice.invoiceId));
  await sandbox.advance(10);
  return { sandbox, client, lines, requests, timers: () => timers, invoice, seen };
}

/** A message of a room that does not say when its value was read: no more than a hint. */
export const news = (invoice: Invoice, seq: number, state = 'UNPAID') => ({
  epoch: 'e',
  seq,
  asOf: 0,
  value: { ...invoice, state },
});

/** The socket is open and has spoken of the invoice. */
export async function settle({ lines, invoice, sandbox }: Live, seq = 1): Promise<Line> {
  const line = lines.at(-1)!;
  line.pong = `e:${seq}:`;
  line.open();
  line.say(news(invoice, seq));
  await sandbox.advance(3_000);
  return line;
}
