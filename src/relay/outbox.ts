import { type Clock, once } from '../core/time.ts';
import { type Caller, Refused, type RoomContract, type ShownInvoice } from './calls.ts';
import type { InvoiceRow, RelayStore } from './relay-store.ts';

/**
 * The delay before an update is sent again to a room that couldn't be reached, in milliseconds. It
 * doubles with each failure, up to `SLOWEST`.
 */
const RETRY = 1_000;
const SLOWEST = 60_000;

/**
 * Sends changed invoices to their rooms until they're confirmed. The database stores which version
 * each room has confirmed, so a restarted object can resume.
 */
export class Outbox {
  readonly #store: Pick<RelayStore, 'invoices' | 'untold' | 'setTold'>;
  readonly #account: string;
  readonly #clock: Clock;
  readonly #roomOf: (invoiceId: string) => Caller<RoomContract>;
  readonly #failed: (error: unknown) => void;
  /** The ids of invoices whose rooms haven't confirmed the newest version. */
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

  readonly begin: () => Promise<void> = once(async () => {
    for (const id of await this.#store.untold(this.#account)) this.#untold.add(id);
  });

  /** Sends an invoice to its room without waiting for the response. */
  changed(invoiceId: string): void {
    this.#untold.add(invoiceId);
    void this.#tell(invoiceId);
  }

  /** Returns when to resend unconfirmed invoices, in milliseconds since 1970. */
  get nextDue(): number {
    const isWaiting = [...this.#untold].some((id) => !this.#telling.has(id));
    return isWaiting ? this.#retryAt : Infinity;
  }

  async round(): Promise<void> {
    if (this.#clock.now() < this.nextDue) return;
    await Promise.all([...this.#untold].map((id) => this.#tell(id)));
  }

  /**
   * Sends the newest version of an invoice to its room. Repeats this as long as there are newer
   * versions.
   */
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

  /**
   * Sends an invoice's current version once. Resolves to whether there may be a newer version.
   */
  async #tellOnce(invoiceId: string): Promise<boolean> {
    this.#untold.delete(invoiceId);
    try {
      const [row] = await this.#store.invoices(this.#account, [invoiceId]);
      if (!row || row.since === Infinity) return false;
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

export function shownInvoice(row: InvoiceRow, now: number): ShownInvoice {
  const { epoch, version, asOf, value, unconfirmed, seen, quote } = row;
  return {
    ...{ epoch, version, asOf, value, unconfirmed, seenFor: now - seen },
    quote: quote && { quote: quote.quote, goodFor: quote.endsAt - now },
  };
}
