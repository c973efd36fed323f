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
import { pushedQuote } from '../../state/told.ts';
import {
  type ClockReading,
  type HeldQuote,
  isFarFromTicker,
  isWorthShowing,
  HIDE_BEFORE_END_MS,
  leftOf,
  loadPayeeOf,
  type PayeeOf,
  problemOf,
  type QuoteProblem,
  readClocks,
  readTicker,
  toHeldQuote,
} from './quote.ts';
import { readBy } from '../../resources/wire.ts';

/** A code that was checked, or why it must not be shown. */
interface CheckedCode {
  readonly held?: HeldQuote | undefined;
  readonly problem?: QuoteProblem | undefined;
}

/** A code as it came. `sentAt`: when it was asked for, or sent by the relay. */
interface GivenCode {
  readonly answer: InvoiceQuote;
  readonly sentAt: ClockReading;
  /** The ticker, where the code is compared with it. */
  readonly rates?: Promise<readonly QuotedRate[]> | undefined;
}

/**
 * The codes of one invoice: one that the relay has pushed, else one that is asked for; each is
 * checked against the invoice and the first one.
 */
export class CodeSource {
  /** The code that was shown first: whom it pays, all others have to pay. */
  #first: string | undefined;
  #payeeOf: PayeeOf | undefined;
  /** End of the latest code by the service's clock. */
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

  /** The next code; `took`: how long the quote took, milliseconds, where it was asked for. */
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
    const answer = await quote(this.#client, this.#invoiceId, {}, options);
    const took = clock.monotonic() - sentAt.monotonic;
    return { ...(await this.#check(invoice, { answer, sentAt, rates }, loaded)), took };
  }

  /** What the relay has pushed, if it ends later than any code before it and is worth showing. */
  #findPushed(): GivenCode | undefined {
    const pushed = pushedQuote(this.#client, this.#invoiceId);
    if (!pushed?.quote) return undefined;
    const { monotonic, wall } = readClocks(this.#client);
    const sentAt = { monotonic: pushed.sentAt, wall: wall - monotonic + pushed.sentAt };
    try {
      const answer = readBy(InvoiceQuoteSchema, pushed.quote);
      const held = this.#toHeld({ answer, sentAt });
      const isNews = (held.expiration ?? -Infinity) > this.#latestEnd;
      return isNews && isWorthShowing(held, { monotonic, wall }) ? { answer, sentAt } : undefined;
    } catch {
      return undefined; // it cannot be read
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
    const { answer, rates } = code;
    const differs = await problemOf(invoice, answer, comparison);
    const isFar =
      !differs && rates && isFarFromTicker(invoice.amount, answer.sourceAmount, await rates);
    const problem = isFar ? 'QUOTE_RATE_DIFFERS' : differs;
    const isRateUnknown = rates !== undefined && isFar === undefined;
    return { problem, held: problem ? undefined : this.#hold(code, isRateUnknown) };
  }

  async #loadCheck(signal: AbortSignal): Promise<void> {
    this.#payeeOf ??= await loadPayeeOf(this.#client[internals].clock, signal);
  }

  #toHeld({ answer, sentAt }: GivenCode, isRateUnknown: boolean = false): HeldQuote {
    const isRenewed = this.hasFirst;
    const isPayeeUnknown = isRenewed && !this.#payeeOf;
    return toHeldQuote(answer, sentAt, { isRenewed, isPayeeUnknown, isRateUnknown });
  }

  /** One that ends at once is a failure: the next is asked for later and later. */
  #hold(code: GivenCode, isRateUnknown: boolean): HeldQuote {
    const held = this.#toHeld(code, isRateUnknown);
    if (leftOf(held, readClocks(this.#client)) <= 2 * HIDE_BEFORE_END_MS)
      throw new ResponseError('the code has ended', {
        code: 'RESPONSE_INVALID',
        outcome: 'not-done',
      });
    this.#first ??= code.answer.lnInvoice;
    this.#latestEnd = held.expiration!; // a code whose end cannot be read is not shown
    return held;
  }
}
