import { tailDue } from './tail.ts';

/** What a settlement needs of its checkout. */
interface SettledInvoiceHost {
  /** Reads the invoice with its payments; rejects where that fails. */
  read(reason: string): Promise<void>;
  /** What was read of the invoice has its payments: a relay brings them. */
  hasPayments(): boolean;
  /** Monotonic milliseconds. */
  now(): number;
  /** Called when subscribers may be told the end. */
  onTold(): void;
}

/** What becomes of a settled invoice: its payments are read once, and later whether it moved on. */
export class SettledInvoice {
  /** When the invoice is read next, monotonic. */
  dueAt: number = Infinity;
  /** Subscribers were told the end. */
  isTold: boolean = false;
  #state: string | undefined;
  #since: number = 0;
  readonly #host: SettledInvoiceHost;

  constructor(host: SettledInvoiceHost) {
    this.#host = host;
  }

  /** Takes in that the invoice was settled in this state; the same again changes nothing. */
  async settle(state: string): Promise<void> {
    if (state === this.#state) return;
    this.#state = state;
    this.#since = this.#host.now();
    // without its payments it counts as in time and exact
    if (state === 'PAID' && !this.#host.hasPayments())
      await this.#host.read('payments of the invoice').catch(() => {});
    this.isTold = true;
    this.#plan();
    this.#host.onTold();
  }

  /** Reads the invoice if it is time; where that fails, the next read comes all the same. */
  readIfDue(): void {
    if (this.dueAt > this.#host.now()) return;
    this.#plan();
    this.#host.read('a settled invoice may move on').catch(() => {});
  }

  #plan(): void {
    this.dueAt = this.#state === 'REVERSED' ? Infinity : tailDue(this.#since, this.#host.now());
  }
}
