import { isPaystateError, type PaystateError, ResponseError } from '../core/errors/index.ts';
import { type Connection, createConnection, isLoginOver, request } from '../core/http/index.ts';
import { type Clock, systemClock } from '../core/time.ts';
import type { Observer, WatchStatus } from '../core/watch.ts';
import {
  type Checkout,
  checkout,
  type CheckoutOptions,
  type CheckoutView,
} from '../flows/index.ts';
import type { InvoiceId } from '../resources/invoices.ts';

/** A relay order's properties, which the shop passes to the page. */
interface OrderKeys {
  readonly baseUrl: string;
  readonly orderId: string;
  readonly orderSecret: string;
}

interface Pass {
  readonly invoiceId: InvoiceId;
  readonly token: string;
  /** The token's lifetime in seconds. */
  readonly expiresIn: number;
}

/** How many milliseconds before its expiry a token is replaced. */
const TOKEN_MARGIN_MS = 60_000;
/** Maximum delay between two attempts to open an order. */
const MAX_PAUSE_MS = 30_000;

/**
 * Exchanges an order's secret for tokens. A token is kept until it expires or is refused. The
 * secret is only kept in closures.
 */
export class OrderAccess {
  /** Client for reading the order's invoice. It gets a token when it sends its first request. */
  readonly client: Connection;
  readonly #relay: Connection;
  readonly #orderId: string;
  #pass: Promise<Pass> | undefined;
  #token: string | undefined;
  #endsAt: number = Infinity;

  constructor({ baseUrl, orderId, orderSecret }: OrderKeys) {
    this.#orderId = orderId;
    this.#relay = createConnection({ baseUrl, token: orderSecret });
    const token = async (last?: { readonly refused: string }) =>
      (await this.#passNow(last?.refused)).token;
    this.client = createConnection({ baseUrl, token });
  }

  /** Opens the order. Resolves to the id of its invoice, which the relay creates if necessary. */
  async open(): Promise<InvoiceId> {
    return (await this.#passNow()).invoiceId;
  }

  /**
   * Returns the current token and invoice id, or exchanges the secret for a new token. Concurrent
   * callers share one exchange.
   */
  #passNow(refused?: string): Promise<Pass> {
    const isOver = systemClock.monotonic() >= this.#endsAt;
    const isRefused = refused !== undefined && refused === this.#token;
    if (this.#pass && !isOver && !isRefused) return this.#pass;
    const pass = this.#exchange();
    this.#pass = pass;
    this.#endsAt = Infinity;
    pass.catch(() => (this.#pass = undefined));
    return pass;
  }

  async #exchange(): Promise<Pass> {
    const body = { orderId: this.#orderId };
    const pass = await request<Partial<Pass> | null>(this.#relay, 'POST', '/token', { body });
    const { invoiceId, token, expiresIn = 0 } = pass ?? {};
    if (typeof invoiceId !== 'string' || typeof token !== 'string')
      throw new ResponseError('the relay returned no token', {
        code: 'RESPONSE_INVALID',
        outcome: 'not-done',
      });
    this.#token = token;
    const life = Math.max(expiresIn * 1_000 - TOKEN_MARGIN_MS, TOKEN_MARGIN_MS);
    this.#endsAt = systemClock.monotonic() + life;
    return { invoiceId, token, expiresIn };
  }
}

export interface Sale extends Pick<Checkout, 'touch' | 'retry'> {
  subscribe(to: Pick<Observer<CheckoutView>, 'next' | 'error'>): () => void;
  status(): WatchStatus;
}

/**
 * The checkout for a relay order. It opens the order first, because the invoice isn't known until
 * then.
 */
export class OrderSale implements Sale {
  readonly #access: OrderAccess;
  readonly #options: Omit<CheckoutOptions, 'invoiceId'>;
  readonly #clock: Clock = systemClock;
  #to: Pick<Observer<CheckoutView>, 'next' | 'error'> | undefined;
  #sale: Checkout | undefined;
  #leave: (() => void) | undefined;
  #pause: AbortController = new AbortController();
  #isOpening: boolean = false;
  #failures: number = 0;

  constructor(access: OrderAccess, options: Omit<CheckoutOptions, 'invoiceId'>) {
    this.#access = access;
    this.#options = options;
  }

  subscribe(to: Pick<Observer<CheckoutView>, 'next' | 'error'>): () => void {
    this.#to = to;
    to.next({ phase: 'loading' });
    void this.#open();
    return () => {
      this.#to = undefined;
      this.#pause.abort();
      this.#leave?.();
    };
  }

  touch(): void {
    this.#sale?.touch();
  }

  retry(): void {
    if (this.#sale) return this.#sale.retry();
    this.#pause.abort();
    void this.#open();
  }

  status(): WatchStatus {
    return this.#sale?.status() ?? { reason: 'opening the order' };
  }

  /** Opens the order, and retries until the request succeeds or is refused. */
  async #open(): Promise<void> {
    if (this.#isOpening) return;
    this.#isOpening = true;
    while (this.#to && !this.#sale) {
      try {
        this.#follow(await this.#access.open());
      } catch (thrown) {
        if (!this.#to) break;
        const error = toProblem(thrown);
        const isFinal = isLoginOver(error) || error.kind === 'refused' || error.kind === 'input';
        this.#to.next(
          isFinal ? { phase: 'failed', error } : { phase: 'loading', error: error.code },
        );
        if (isFinal) break;
        await this.#rest(error);
      }
    }
    this.#isOpening = false;
  }

  #follow(invoiceId: InvoiceId): void {
    if (!this.#to) return;
    this.#sale = checkout(this.#access.client, { ...this.#options, invoiceId });
    this.#leave = this.#sale.subscribe(this.#to);
  }

  #rest({ retryAt = 0 }: PaystateError): Promise<void> {
    this.#pause = new AbortController();
    const grown = Math.min(MAX_PAUSE_MS, 1_000 * 2 ** this.#failures++);
    const wait = Math.max(grown, retryAt - this.#clock.now());
    return this.#clock.wait(wait, this.#pause.signal);
  }
}

function toProblem(thrown: unknown): PaystateError {
  if (isPaystateError(thrown)) return thrown;
  return new ResponseError('the order could not be opened', {
    code: 'RESPONSE_INVALID',
    outcome: 'not-done',
  });
}
