import { type Clock, once } from '../core/time.ts';
import { type Caller, Refused, type RoomContract, type ShownInvoice } from './calls.ts';
import type { InvoiceRow, RelayStore } from './relay-store.ts';

/**
 * A room that could not be reached is asked again after this, then later and later, milliseconds.
 */
const RETRY = 1_000;
const SLOWEST = 60_000;

/**
 * Tells rooms what they do not have yet. The rows say what each has confirmed, so that an object
 * that was put out of memory goes on where it was.
 */
export class Outbox {
  readonly #store: Pick<RelayStore, 'invoices' | 'untold' | 'setTold'>;
  readonly #account: string;
  readonly #clock: Clock;
  readonly #roomOf: (invoiceId: string) => Caller<RoomContract>;
  readonly #failed: (error: unknown) => void;
  /** Invoices whose rooms have not confirmed the newest. */
  readonly #untold: Set<string> = new Set();
  readonly #telling: Set<string> = new Set();
  #failures: number = 0;
  #retryAt: number = -Infinity;

  constructor(
    store: Pick<RelayStore, 'invoices' | 'untold' | 'setTold'>,
    account: string,
    clock: Clock,
    roomOf: (invoiceId: string) => Caller<RoomContract>,
    failed: (error: unknown) => void,
  ) {
    this.#store = store;
    this.#account = account;
    this.#clock = clock;
    this.#roomOf = roomOf;
    this.#failed = failed;
  }

  /** What was not told when the object was put out of memory. */
  readonly begin: () => Promise<void> = once(async () => {
    for (const id of await this.#store.untold(this.#account)) this.#untold.add(id);
  });

  /** Its room has to be told; never waits. */
  changed(invoiceId: string): void {
    this.#untold.add(invoiceId);
    void this.#tell(invoiceId);
  }

  /** When rooms that did not answer have to be told again, milliseconds. */
  get nextDue(): number {
    const isWaiting = [...this.#untold].some((id) => !this.#telling.has(id));
    return isWaiting ? this.#retryAt : Infinity;
  }

  /** Tells rooms that are due; no room waits for another. Never rejects. */
  async round(): Promise<void> {
    if (this.#clock.now() < this.nextDue) return;
    await Promise.all([...this.#untold].map((id) => this.#tell(id)));
  }

  /** Tells a room the newest, and again while there is something newer. */
  async #tell(invoiceId: string): Promise<void> {
    if (this.#telling.has(invoiceId)) return;
    this.#telling.add(invoiceId);
    try {
      while (await this.#tellOnce(invoiceId));
      this.#failures = 0;
    } catch (thrown) {
      if (!(thrown instanceof Refused)) this.#failed(thrown);
      const wait = Math.min(SLOWEST, RETRY * 2 ** this.#failures++);
      this.#retryAt = this.#clock.now() + wait;
    }
    this.#telling.delete(invoiceId);
  }

  /** Resolves to whether there may be something newer by now. */
  async #tellOnce(invoiceId: string): Promise<boolean> {
    this.#untold.delete(invoiceId);
    try {
      const [row] = await this.#store.invoices(this.#account, [invoiceId]);
      if (!row || row.since === Infinity) return false; // no page shows it
      const shown = shownInvoice(row, this.#clock.now());
      await this.#roomOf(invoiceId)('update', { invoiceId, shown });
      await this.#store.setTold(this.#account, invoiceId, row.version);
    } catch (thrown) {
      this.#untold.add(invoiceId);
      throw thrown;
    }
    return this.#untold.has(invoiceId);
  }
}

/** An invoice as its room is told of it. */
export function shownInvoice(row: InvoiceRow, now: number): ShownInvoice {
  const { epoch, version, asOf, value, unconfirmed, seen, quote } = row;
  return {
    ...{ epoch, version, asOf, value, unconfirmed, seenFor: now - seen },
    quote: quote && { quote: quote.quote, goodFor: quote.endsAt - now },
  };
}
