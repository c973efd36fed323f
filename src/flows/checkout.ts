import { Alarm } from '../core/time/index.ts';
import { type Connection, internals, isLoginOver } from '../core/http/index.ts';
import { isPaystateError } from '../core/errors/index.ts';
import { type Observer, sameContent, type Watch, watchOf } from '../core/watch/index.ts';
import type { Invoice, InvoiceId, InvoiceQuote } from '../resources/invoices/model.ts';
import { quote } from '../resources/invoices/operations.ts';
import { invalidate, watchInvoice, type WatchOptions } from '../state/index.ts';
import { currentPage, type CurrentPage } from '../state/page.ts';
import {
  type CheckoutState,
  type CheckoutView,
  isOver,
  isWorthShowing,
  quoteDue,
  viewDue,
  viewOf,
} from './checkout-view.ts';
import { problemOf, toCheckoutQuote } from './quote.ts';
import { loadPayeeOf, type PayeeOf } from './signature-check.ts';

/** Longest time between two tries to get a code, milliseconds. */
const SLOWEST = 30_000;
/** How many quotes the lead is learned from. */
const MEMORY = 20;
const LOADING: CheckoutView = { phase: 'loading' };
const UNPROVED = "the code's signature is not compared, its check could not be loaded";

/**
 * Sells one invoice: watches it, keeps one payable code on show, renews it before its end, and says
 * when it is paid. Never creates anything. Every code is compared with the invoice before it is
 * shown, and with the first code: same network, same payee. The payee is known by the signature,
 * whose check is loaded with `import()` when the second code is asked for. While it cannot be
 * loaded, codes are compared by everything else, and `reason` of `status()` says so.
 *
 * @param options `invoiceId` of an invoice that exists
 * @throws through `error`: what `watchInvoice` throws
 * @example
 * checkout(client, { invoiceId }).subscribe((view) => {
 *   if (view.phase === 'awaiting') console.log(view.quote.lnInvoice);
 * });
 */
export function checkout(
  client: Connection,
  options: { readonly invoiceId: InvoiceId } & WatchOptions,
): Watch<CheckoutView> {
  const { invoiceId, ...watching } = options;
  const watch = watchInvoice(client, invoiceId, watching);
  let run: Checkout | undefined;
  return watchOf<CheckoutView>({
    status() {
      const status = watch.status();
      return run?.isPayeeUnknown ? { ...status, reason: `${status.reason}; ${UNPROVED}` } : status;
    },
    start(to) {
      run = new Checkout(client, invoiceId, to);
      return run.begin(watch);
    },
    idle: (last = LOADING) =>
      last.phase === 'failed' || (options.until !== 'never' && isOver(last.invoice))
        ? last
        : LOADING,
    clock: client[internals].clock,
  });
}

/**
 * The loop: it changes the state, asks for codes when the table says so, and shows what follows.
 */
class Checkout {
  #state: CheckoutState = {
    hidden: false,
    quoting: false,
    notBefore: -Infinity,
    took: [],
  };
  #shown: CheckoutView | undefined;
  /** The code that was shown first: whom it pays, all others have to pay. */
  #first: string | undefined;
  #payeeOf: PayeeOf | undefined;
  #failures: number = 0;
  readonly #alarm: Alarm;
  readonly #life: AbortController = new AbortController();
  readonly #page: CurrentPage = currentPage();
  readonly #client: Connection;
  readonly #invoiceId: InvoiceId;
  readonly #to: Observer<CheckoutView>;

  constructor(client: Connection, invoiceId: InvoiceId, to: Observer<CheckoutView>) {
    this.#client = client;
    this.#invoiceId = invoiceId;
    this.#to = to;
    this.#alarm = new Alarm(client[internals].clock, () => this.#change({}));
  }

  get #now(): number {
    return this.#client[internals].clock.monotonic();
  }

  /** The code on show may pay another than the first one. */
  get isPayeeUnknown(): boolean {
    return this.#state.held?.isPayeeUnknown ?? false;
  }

  begin(watch: ReturnType<typeof watchInvoice>): () => void {
    const unlisten = this.#page.listen(() => this.#pageChanged());
    this.#state = { ...this.#state, hidden: this.#page.isHidden() };
    const stop = watch.subscribe({
      next: (seen) => this.#change({ seen }),
      error: (reason) => this.#end(reason),
      complete: () => this.#to.complete(),
    });
    if (!this.#shown) this.#change({});
    return () => {
      this.#life.abort();
      this.#alarm.stop();
      unlisten();
      stop();
    };
  }

  #end(reason: unknown): void {
    if (isPaystateError(reason)) this.#change({ failure: reason, held: undefined });
    this.#to.error(reason);
  }

  #pageChanged(): void {
    const { held } = this.#state;
    const hidden = this.#page.isHidden();
    const stale = this.#state.hidden && !hidden && held && !isWorthShowing(held, this.#now);
    this.#change({ hidden, ...(stale && { held: undefined }) });
  }

  /** Takes a change in, shows what follows from it, and does what is due. */
  #change(change: Partial<CheckoutState>): void {
    this.#state = { ...this.#state, ...change };
    if (isOver(this.#state.seen?.value)) this.#state = { ...this.#state, held: undefined };
    const view = viewOf(this.#state, this.#now);
    if (!sameContent(view, this.#shown)) {
      this.#shown = view;
      this.#to.next(view);
    }
    if (!this.#life.signal.aborted) this.#schedule();
  }

  #schedule(): void {
    const due = quoteDue(this.#state);
    if (due !== undefined && due <= this.#now) void this.#renew();
    else this.#alarm.set(Math.min(due ?? Infinity, viewDue(this.#state, this.#now) ?? Infinity));
  }

  async #renew(): Promise<void> {
    const invoice = this.#state.seen!.value!;
    const sentAt = this.#now;
    this.#change({ quoting: true });
    try {
      const { signal } = this.#life;
      const loaded = this.#first === undefined ? undefined : this.#loadCheck();
      const reason = this.#state.held ? 'code is about to end' : 'code to show';
      const answer = await quote(this.#client, this.#invoiceId, {}, { signal, reason });
      const took = [...this.#state.took, this.#now - sentAt].slice(-MEMORY);
      this.#failures = 0;
      await loaded;
      this.#showQuote(invoice, answer, sentAt, took);
    } catch (thrown) {
      if (!this.#life.signal.aborted) this.#fail(thrown);
    }
  }

  async #loadCheck(): Promise<void> {
    this.#payeeOf ??= await loadPayeeOf(this.#client[internals].clock, this.#life.signal);
  }

  /** Shows the code of a quote, unless it is not what was asked for. */
  #showQuote(invoice: Invoice, answer: InvoiceQuote, sentAt: number, took: number[]): void {
    const problem = problemOf(invoice, answer, this.#first, this.#payeeOf);
    if (problem) return this.#change({ quoting: false, held: undefined, problem });
    const isRenewed = this.#first !== undefined;
    this.#first ??= answer.lnInvoice;
    this.#change({
      quoting: false,
      error: undefined,
      held: {
        quote: toCheckoutQuote(answer, sentAt),
        validity: answer.expirationInSec * 1_000,
        isRenewed,
        isPayeeUnknown: isRenewed && !this.#payeeOf,
      },
      took,
    });
  }

  /**
   * No code came: try again more and more slowly; a refusal for good blocks, a state that moved is
   * looked at.
   */
  #fail(thrown: unknown): void {
    if (!isPaystateError(thrown)) return this.#end(thrown);
    const wait = Math.min(SLOWEST, 1_000 * 2 ** this.#failures++);
    const told =
      thrown.retryAt === undefined ? 0 : thrown.retryAt - this.#client[internals].clock.now();
    const moved = /^INVALID_STATE_FOR_INVOICE|^PROCESSING_PAYMENT/.test(thrown.code);
    if (moved) invalidate(this.#client, 'invoice', this.#invoiceId);
    const forGood = thrown.status === 403 || thrown.status === 404 || isLoginOver(thrown);
    this.#change({
      quoting: false,
      error: thrown.code,
      notBefore: this.#now + Math.max(wait, told),
      ...(forGood && { problem: thrown.code }),
    });
  }
}
