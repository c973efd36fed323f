// The service of the watching table: it is filled from other addresses, and its resources change without the watching client.
import {
  type Client,
  type Invoice,
  type InvoiceId,
  type Payout,
  type PayoutId,
  type ReceiveRequest,
  type ReceiveRequestId,
  type Receives,
  type Snapshot,
  type Watch,
  watchInvoice,
  watchPayout,
  watchReceives,
} from 'paystate';
import { createSandbox, type Sandbox, type SandboxClient } from 'paystate/sandbox';

const SECOND = 1_000;
/** Requests that come from one address: far below each limit. */
const PER_ADDRESS = 200;
/** Milliseconds between two resources that are made, and how long it takes to make all of them at most. */
const APART_MS = 6 * SECOND;
const LONGEST_FILL_MS = 6_000 * SECOND;
/** Milliseconds that a request takes on its way, and its response. */
export const WAY_MS = 50;

export type AnySnapshot = Snapshot<Invoice> | Snapshot<Payout> | Snapshot<Receives>;

/** Something of the service that is watched and changes once. */
export interface Subject {
  readonly id: string;
  watch(client: Client, isById: boolean): Watch<AnySnapshot>;
  /** Changes it in the service, at once. */
  change(): Promise<unknown>;
  /** True for a snapshot that shows the change. */
  shows(snapshot: AnySnapshot): boolean;
}

type Kind = 'invoice' | 'payout' | 'receive request' | 'mixed';

export interface WorldOptions {
  readonly kind: Kind;
  readonly rateLimits: 'production' | 'test';
  /** Invoices that nobody watches, made between two that are watched. */
  readonly strangers: number;
  /** Lists have this many items at most, whatever was asked for. */
  readonly pageSize: number | undefined;
  /** The service prints times in whole seconds. */
  readonly isInSeconds: boolean;
}

const EUR = { amount: '1.00', currency: 'EUR' };

/** Sends requests of others; each few of them come from an address of their own. */
function createOthers(sandbox: Sandbox) {
  let asked = 0;
  let line: SandboxClient;
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const number = Math.floor(asked / PER_ADDRESS);
    if (asked++ % PER_ADDRESS === 0)
      line = sandbox.clientOptionsFor({ address: `198.18.${number >> 8}.${number & 255}` });
    const response = await line.fetch(`${line.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${line.apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return (response.status === 202 ? undefined : await response.json()) as T;
  };
}

type Ask = ReturnType<typeof createOthers>;

class InvoiceSubject implements Subject {
  readonly #sandbox: Sandbox;
  readonly #invoice: Invoice;

  constructor(sandbox: Sandbox, invoice: Invoice) {
    this.#sandbox = sandbox;
    this.#invoice = invoice;
  }

  get id(): InvoiceId {
    return this.#invoice.invoiceId;
  }

  watch(client: Client, isById: boolean): Watch<AnySnapshot> {
    return watchInvoice(client, isById ? this.id : this.#invoice);
  }

  change(): Promise<unknown> {
    return this.#sandbox.payer.pay(this.id);
  }

  shows({ value }: AnySnapshot): boolean {
    return (value as Invoice | undefined)?.state === 'PAID';
  }
}

class PayoutSubject implements Subject {
  readonly #sandbox: Sandbox;
  readonly #payout: Payout;

  constructor(sandbox: Sandbox, payout: Payout) {
    this.#sandbox = sandbox;
    this.#payout = payout;
  }

  get id(): PayoutId {
    return this.#payout.id;
  }

  watch(client: Client, isById: boolean): Watch<AnySnapshot> {
    return watchPayout(client, isById ? this.id : this.#payout);
  }

  /** Without a request: the service takes a number of payouts a day only. */
  async change(): Promise<void> {
    this.#sandbox.move('payout', this.id, 'INITIATED');
  }

  shows({ value }: AnySnapshot): boolean {
    return value !== undefined && (value as Payout).state !== 'NEW';
  }
}

class ReceiveRequestSubject implements Subject {
  readonly #sandbox: Sandbox;
  readonly #request: ReceiveRequest;

  constructor(sandbox: Sandbox, request: ReceiveRequest) {
    this.#sandbox = sandbox;
    this.#request = request;
  }

  get id(): ReceiveRequestId {
    return this.#request.receiveRequestId;
  }

  watch(client: Client, isById: boolean): Watch<AnySnapshot> {
    return watchReceives(client, isById ? this.id : this.#request);
  }

  async change(): Promise<void> {
    const { address } = this.#request.onchain!;
    void this.#sandbox.payer.pay(address!, { amount: '0.0001' });
  }

  shows({ value }: AnySnapshot): boolean {
    return ((value as Receives | undefined)?.receives.length ?? 0) > 0;
  }
}

/** One in ten is a payout, and one a receive request. */
const MIXED: readonly Exclude<Kind, 'mixed'>[] = [
  ...Array<'invoice'>(3).fill('invoice'),
  'payout',
  ...Array<'invoice'>(3).fill('invoice'),
  'receive request',
  ...Array<'invoice'>(2).fill('invoice'),
];

/** A service in virtual time, and what makes things in it. */
export class World {
  readonly sandbox: Sandbox;
  readonly #options: WorldOptions;
  readonly #ask: Ask;
  #made = 0;
  #methodId: string | undefined;

  constructor(seed: string, options: WorldOptions) {
    this.#options = options;
    this.sandbox = createSandbox({ seed, signed: false, rateLimits: options.rateLimits });
    this.#ask = createOthers(this.sandbox);
    const { isInSeconds, pageSize } = options;
    if (isInSeconds) this.sandbox.fault({ method: 'GET', action: { rewrite: { digits: 0 } } });
    if (pageSize) this.sandbox.fault({ method: 'GET', action: { rewrite: { page: pageSize } } });
  }

  /** Milliseconds since 1970 in this world. */
  now(): number {
    return this.sandbox.clock.now();
  }

  /** Makes this many, evenly over at most 100 minutes of virtual time. */
  async fill(count: number): Promise<readonly Subject[]> {
    const apart = Math.min(APART_MS, LONGEST_FILL_MS / count);
    const subjects: Subject[] = [];
    while (subjects.length < count) {
      for (let n = 0; n < this.#options.strangers; n++) await this.#createInvoice();
      subjects.push(await this.create());
      await this.sandbox.advance(apart);
    }
    return subjects;
  }

  async create(): Promise<Subject> {
    const { kind } = this.#options;
    const made = kind === 'mixed' ? MIXED[this.#made++ % MIXED.length]! : kind;
    if (made === 'payout') return new PayoutSubject(this.sandbox, await this.#createPayout());
    if (made === 'receive request')
      return new ReceiveRequestSubject(
        this.sandbox,
        await this.#ask('POST', '/v1/receive-requests', { onchain: {} }),
      );
    return new InvoiceSubject(this.sandbox, await this.#createInvoice());
  }

  /** Lets events of an invoice that nobody watches come, this many a second. */
  async beginForeignEvents(perSecond: number): Promise<void> {
    if (perSecond === 0) return;
    const { invoiceId } = await this.#createInvoice();
    const next = (state: 'PENDING' | 'UNPAID'): void => {
      this.sandbox.move('invoice', invoiceId, state);
      const other = state === 'PENDING' ? 'UNPAID' : 'PENDING';
      this.sandbox.clock.after(SECOND / perSecond, () => next(other));
    };
    next('PENDING');
  }

  #createInvoice(): Promise<Invoice> {
    return this.#ask('POST', '/v1/invoices', { amount: EUR });
  }

  async #createPayout(): Promise<Payout> {
    this.#methodId ??= await this.#createMethod();
    return this.#ask('POST', '/v1/payouts', { paymentMethodId: this.#methodId, amount: '1.00' });
  }

  async #createMethod(): Promise<string> {
    const { id } = await this.#ask<{ id: string }>('POST', '/v1/payment-methods/bank', {
      transferType: 'ACH',
      accountNumber: '123456789',
      routingNumber: '021000021',
      accountType: 'CHECKING',
      beneficiaries: [{ type: 'INDIVIDUAL', name: 'Ada Byron' }],
    });
    this.sandbox.move('bankPaymentMethod', id, 'READY');
    return id;
  }
}
