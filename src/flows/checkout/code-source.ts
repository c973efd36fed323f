import { ResponseError } from '../../core/errors/index.ts';
import { type CallOptions, type Connection, internals } from '../../core/http/index.ts';
import type { QuotedRate } from '../../resources/amounts.ts';
import {
  type Invoice,
  type InvoiceId,
  type InvoiceQuote,
  quote,
} from '../../resources/invoices.ts';
import { InvoiceQuoteSchema } from '../../resources/invoices.schemas.ts';
import { pushedQuote } from '../../state/watch-one.ts';
import {
  type ClockReading,
  type HeldQuote,
  isFarFromTicker,
  isWorthShowing,
  HIDE_BEFORE_END_MS,
  measureLeft,
  loadPayeeReader,
  type PayeeOf,
  findProblem,
  type QuoteProblem,
  readClocks,
  readTicker,
  toHeldQuote,
} from './quote.ts';
import { readBy } from '../../resources/wire.ts';

/** A checked code, or the reason it must not be shown. */
interface CheckedCode {
  readonly held?: HeldQuote | undefined;
  readonly problem?: QuoteProblem | undefined;
}

/**
 * A code that hasn't been checked yet. `sentAt` is when it was requested, or when the relay sent
 * it.
 */
interface GivenCode {
  readonly given: InvoiceQuote;
  readonly sentAt: ClockReading;
  /** Exchange rates that the code's rate is compared with. Absent if the rate isn't compared. */
  readonly rates?: Promise<readonly QuotedRate[]> | undefined;
}

/**
 * Provides the payment codes for one invoice. They're either requested or pushed by the relay.
 * Compares each code with the invoice and with the first code.
 */
export class CodeSource {
  /** The first code that was shown. All later codes must have the same payee. */
  #first: string | undefined;
  #payeeOf: PayeeOf | undefined;
  /** When the latest code expires, according to the service's clock. */
  #latestEnd: number = -Infinity;
  readonly #client: Connection;
  readonly #invoiceId: InvoiceId;

  constructor(client: Connection, invoiceId: InvoiceId) {
    this.#client = client;
    this.#invoiceId = invoiceId;
  }

  get hasFirst(): boolean {
    return this.#first !== undefined;
  }

  /**
   * Resolves to the next code. `took` is how long the request took, in milliseconds. It's absent
   * for a code that the relay pushed.
   */
  async next(
    invoice: Invoice,
    options: CallOptions & { signal: AbortSignal },
  ): Promise<CheckedCode & { readonly took?: number }> {
    const { clock } = this.#client[internals];
    const loaded = this.hasFirst ? this.#loadCheck(options.signal) : undefined;
    const pushed = this.#findPushed();
    const checked = pushed && (await this.#check(invoice, pushed, loaded));
    if (checked?.held) return checked;
    const sentAt = readClocks(this.#client);
    const isRated = invoice.amount.currency !== 'BTC';
    const rates = isRated ? readTicker(this.#client, options.signal) : undefined;
    const given = await quote(this.#client, this.#invoiceId, {}, options);
    const took = clock.monotonic() - sentAt.monotonic;
    return { ...(await this.#check(invoice, { given, sentAt, rates }, loaded)), took };
  }

  /**
   * Returns the code that the relay pushed, if it has enough time left and expires after all
   * earlier codes.
   */
  #findPushed(): GivenCode | undefined {
    const pushed = pushedQuote(this.#client, this.#invoiceId);
    if (!pushed?.quote) return undefined;
    const { monotonic, wall } = readClocks(this.#client);
    const sentAt = { monotonic: pushed.sentAt, wall: wall - monotonic + pushed.sentAt };
    try {
      const given = readBy(InvoiceQuoteSchema, pushed.quote);
      const held = this.#toHeld({ given, sentAt });
      const isNews = (held.expiration ?? -Infinity) > this.#latestEnd;
      return isNews && isWorthShowing(held, { monotonic, wall }) ? { given, sentAt } : undefined;
    } catch {
      return undefined; // a code that can't be read is ignored
    }
  }

  async #check(
    invoice: Invoice,
    code: GivenCode,
    loaded: Promise<void> | undefined,
  ): Promise<CheckedCode> {
    const { clock, settings } = this.#client[internals];
    await loaded;
    const [first, payeeOf] = [this.#first, this.#payeeOf];
    const comparison = { first, payeeOf, network: settings.network, clock };
    const { given, rates } = code;
    const differs = await findProblem(invoice, given, comparison);
    const isFar =
      !differs && rates && isFarFromTicker(invoice.amount, given.sourceAmount, await rates);
    const problem = isFar ? 'QUOTE_RATE_DIFFERS' : differs;
    const isRateUnknown = rates !== undefined && isFar === undefined;
    return { problem, held: problem ? undefined : this.#hold(code, isRateUnknown) };
  }

  async #loadCheck(signal: AbortSignal): Promise<void> {
    this.#payeeOf ??= await loadPayeeReader(this.#client[internals].clock, signal);
  }

  #toHeld({ given, sentAt }: GivenCode, isRateUnknown: boolean = false): HeldQuote {
    const isRenewed = this.hasFirst;
    const isPayeeUnknown = isRenewed && !this.#payeeOf;
    return toHeldQuote(given, sentAt, { isRenewed, isPayeeUnknown, isRateUnknown });
  }

  /**
   * Keeps a checked code. A code that expires right away counts as a failure, so the next request
   * is delayed.
   */
  #hold(code: GivenCode, isRateUnknown: boolean): HeldQuote {
    const held = this.#toHeld(code, isRateUnknown);
    if (measureLeft(held, readClocks(this.#client)) <= 2 * HIDE_BEFORE_END_MS)
      throw new ResponseError('the code is no longer valid', {
        code: 'RESPONSE_INVALID',
        outcome: 'not-done',
      });
    this.#first ??= code.given.lnInvoice;
    this.#latestEnd = held.expiration!; // a code whose expiry can't be read is never shown
    return held;
  }
}
