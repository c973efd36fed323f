// The service and what is true: each state of each invoice, as the service itself says it at the moment of the change.
import type { Invoice } from 'paystate';
import {
  createSandbox,
  type Sandbox,
  type SandboxClient,
  type SandboxOptions,
} from 'paystate/sandbox';

/** One address sends this many requests, which is far below every limit. */
const REQUESTS_PER_ADDRESS = 200;

/** A state of an invoice since a time. */
export interface State {
  readonly at: number;
  readonly state: string;
}

/** The states of each invoice, by its id, oldest first. */
export type History = ReadonlyMap<string, readonly State[]>;

/** The states of one invoice; it must be known. */
export function statesOf(history: History, id: string): readonly State[] {
  const states = history.get(id);
  if (!states) throw new Error(`nothing is known of ${id}`);
  return states;
}

export interface PayHow {
  /** Milliseconds for which it is PENDING. */
  readonly pendingFor?: number | undefined;
  /** It is UNPAID again in the end. */
  readonly fails?: boolean | undefined;
}

/** A service whose history is kept; nothing of it passes through the SDK's calls or watches. */
export class Service {
  readonly sandbox: Sandbox;
  readonly #history = new Map<string, State[]>();
  #asked = 0;
  #line: SandboxClient | undefined;

  constructor(options: SandboxOptions = {}) {
    this.sandbox = createSandbox({ signed: false, ...options });
    // a replica knows the states that were since the first such fault: so it is there from the beginning
    this.sandbox.fault({ path: '/none', action: { stale: 1 } })();
  }

  get clock(): Sandbox['clock'] {
    return this.sandbox.clock;
  }

  get history(): History {
    return this.#history;
  }

  /** The connection of the next request: each few of them come from an address of their own. */
  #nextLine(): SandboxClient {
    const number = Math.floor(this.#asked / REQUESTS_PER_ADDRESS);
    const address = `198.18.${number >> 8}.${number & 255}`;
    if (!this.#line || this.#asked % REQUESTS_PER_ADDRESS === 0)
      this.#line = this.sandbox.clientOptionsFor({ address });
    this.#asked++;
    return this.#line;
  }

  async #ask(method: string, path: string, body?: object): Promise<[status: number, Invoice]> {
    const { apiKey, baseUrl, fetch } = this.#nextLine();
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return [response.status, (await response.json()) as Invoice];
  }

  #note(id: string, state: string): void {
    const states = this.#history.get(id) ?? [];
    this.#history.set(id, states);
    if (states.at(-1)?.state !== state) states.push({ at: this.clock.now(), state });
  }

  /** Writes down what the service says of an invoice now. */
  async look(id: string): Promise<string> {
    const [status, { state }] = await this.#ask('GET', `/v1/invoices/${id}`);
    if (status !== 200) throw new Error(`the service has no ${id}: ${status}`);
    this.#note(id, state);
    return state;
  }

  async create(amount = { amount: '12.50', currency: 'EUR' }): Promise<Invoice> {
    const [, invoice] = await this.#ask('POST', '/v1/invoices', { amount });
    this.#note(invoice.invoiceId, invoice.state);
    return invoice;
  }

  /** Pays; resolves to false where it cannot be paid now. */
  async pay(id: string, { pendingFor = 0, fails = false }: PayHow = {}): Promise<boolean> {
    if ((await this.look(id)) !== 'UNPAID') return false;
    const look = (): Promise<unknown> => this.look(id);
    const ended = this.sandbox.payer.pay(id, { pendingFor, fails }).then(look, look);
    await look();
    if (pendingFor === 0) await ended;
    return true;
  }

  async cancel(id: string): Promise<boolean> {
    const [status] = await this.#ask('PATCH', `/v1/invoices/${id}/cancel`);
    await this.look(id);
    return status === 200;
  }

  async reverse(id: string): Promise<boolean> {
    if ((await this.look(id)) !== 'PAID') return false;
    this.sandbox.move('invoice', id, 'REVERSED');
    await this.look(id);
    return true;
  }
}

/** The state at a time; undefined before it was made. */
export const stateAt = (states: readonly State[], at: number): string | undefined =>
  states.findLast((one) => one.at <= at)?.state;

/** Says where history and service differ: then the judge cannot be believed. Books know PAID and REVERSED. */
export async function doubtsOf(service: Service): Promise<readonly string[]> {
  const { sandbox, history } = service;
  const doubts: string[] = [];
  for (const id of history.keys()) {
    const known = statesOf(history, id).at(-1)?.state;
    const now = await service.look(id);
    if (known !== now) doubts.push(`${id}: ${known} noted, ${now} said`);
  }
  for (const { entityId, why, at } of sandbox.ledger.postings) {
    const [thing, state] = why.split(' ');
    const isKnown = history.get(entityId)?.some((one) => one.state === state && one.at === at);
    if (thing === 'invoice' && history.has(entityId) && !isKnown)
      doubts.push(`${entityId}: the books say ${state} at ${at}`);
  }
  return doubts;
}
