import { type CallOptions, type Connection, internals } from '../core/http/index.ts';
import { ResponseError } from '../core/errors/index.ts';
import type { Invoice, InvoiceId, InvoiceQuote } from '../resources/invoices/model.ts';
import { quote } from '../resources/invoices/operations.ts';
import {
  type HeldQuote,
  LAST_SECOND,
  leftOf,
  type ClockReading,
  readClocks,
  toHeldQuote,
} from './held-quote.ts';
import { problemOf, type QuoteProblem } from './quote.ts';
import { loadPayeeOf, type PayeeOf } from './signature-check.ts';

/** A code that was asked for and checked, or why it must not be shown. */
interface CheckedCode {
  readonly held?: HeldQuote | undefined;
  readonly problem?: QuoteProblem | undefined;
  /** How long the quote took, milliseconds. */
  readonly took: number;
}

/** Asks for the codes of one invoice; each is checked against the invoice and the first one. */
export class CodeSource {
  /** The code that was shown first: whom it pays, all others have to pay. */
  #first: string | undefined;
  #payeeOf: PayeeOf | undefined;
  readonly #client: Connection;
  readonly #invoiceId: InvoiceId;

  constructor(client: Connection, invoiceId: InvoiceId) {
    this.#client = client;
    this.#invoiceId = invoiceId;
  }

  get hasFirst(): boolean {
    return this.#first !== undefined;
  }

  async next(
    invoice: Invoice,
    options: CallOptions & { signal: AbortSignal },
  ): Promise<CheckedCode> {
    const { clock, settings } = this.#client[internals];
    const sentAt = readClocks(this.#client);
    const loaded = this.hasFirst ? this.#loadCheck(options.signal) : undefined;
    const answer = await quote(this.#client, this.#invoiceId, {}, options);
    const took = clock.monotonic() - sentAt.monotonic;
    await loaded;
    const [first, payeeOf] = [this.#first, this.#payeeOf];
    const comparison = { first, payeeOf, network: settings.network, clock };
    const problem = await problemOf(invoice, answer, comparison);
    return { problem, held: problem ? undefined : this.#hold(answer, sentAt), took };
  }

  async #loadCheck(signal: AbortSignal): Promise<void> {
    this.#payeeOf ??= await loadPayeeOf(this.#client[internals].clock, signal);
  }

  /** One that ends at once is a failure: the next is asked for later and later. */
  #hold(answer: InvoiceQuote, sentAt: ClockReading): HeldQuote {
    const isRenewed = this.hasFirst;
    const isPayeeUnknown = isRenewed && !this.#payeeOf;
    const held = toHeldQuote(answer, sentAt, { isRenewed, isPayeeUnknown });
    if (leftOf(held, readClocks(this.#client)) <= 2 * LAST_SECOND)
      throw new ResponseError('the code has ended', {
        code: 'RESPONSE_INVALID',
        outcome: 'not-done',
      });
    this.#first ??= answer.lnInvoice;
    return held;
  }
}
