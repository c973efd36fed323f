import { checkArgument, checkOptions, type Expected } from '../../core/errors/index.ts';
import {
  checkClient,
  type Connection,
  internals,
  findRoot,
  type Slot,
  slotState,
} from '../../core/http/index.ts';
import { type Observer, type Watch, makeWatch, type WatchSource } from '../../core/watch.ts';
import type { InvoiceId } from '../../resources/invoices.ts';
import { idKey } from '../../resources/resource.ts';
import { watchInvoice } from '../../state/index.ts';
import { type CheckoutQuote, listUnproved } from './quote.ts';
import { CheckoutRun, type Runs } from './run.ts';
import { type CheckoutOptions, type CheckoutView, isOver } from './view.ts';

/** A watch that emits the view to render on a checkout page. */
export interface Checkout extends Watch<CheckoutView> {
  /**
   * Call this when the payer is active, for example on a tap or key press. Payment codes are then
   * renewed for another `pauseAfter` period. A paused checkout reads the invoice and shows a code
   * again. Does nothing without subscribers.
   *
   * @example
   * const sale = checkout(client, { invoiceId });
   * const button = { onclick: sale.touch };
   */
  touch(): void;
}

const RUNS: Slot<Runs> = { name: 'flows.checkouts', make: () => new Map() };

function startRun(client: Connection, invoiceId: InvoiceId): CheckoutRun {
  const runs = slotState(client, RUNS);
  const key = idKey(invoiceId);
  const run = runs.get(key) ?? new CheckoutRun(findRoot(client), invoiceId, runs);
  runs.set(key, run);
  return run;
}

const LOADING: CheckoutView = /* @__PURE__ */ Object.freeze({ phase: 'loading' });

/**
 * Runs the checkout for an existing invoice. It watches the invoice, shows one payable code, renews
 * the code before it expires, and finally emits `paid`. All checkouts for the same invoice on one
 * client share a single code.
 *
 * Every code is checked before it's shown. It must match the invoice, and have the same network and
 * payee as the first code. The payee is recovered from the signature. The module for that is loaded
 * with `import()` when the second payment code arrives. The rate is compared with the exchange rate
 * ticker, which is read once a minute. If the payee or the rate can't be checked, the code is shown
 * anyway, and `reason` in `status()` names the skipped check. In the `unsafe` phase, `retry()`
 * reads the invoice and requests another code, with the same checks.
 *
 * @param options `invoiceId` of an existing invoice. See `CheckoutOptions`
 * @throws the errors of `watchInvoice`, reported through `error`
 *
 * @example
 * checkout(client, { invoiceId }).subscribe((view) => {
 *   if (view.phase === 'awaiting') console.log(view.quote.lnInvoice);
 * });
 */
export function checkout(client: Connection, options: CheckoutOptions): Checkout {
  checkOptions(options ?? null, CHECKOUT_OPTIONS);
  const { invoiceId } = options;
  const watch = watchInvoice(client, invoiceId, { until: 'never' });
  let run: CheckoutRun | undefined;
  const source: WatchSource<CheckoutView> = {
    status() {
      const status = watch.status();
      const reason = [status.reason, ...listUnproved(run?.held)].join('; ');
      return { ...status, reason };
    },
    start(to) {
      run = startRun(client, invoiceId);
      return run.join(to, options, watch);
    },
    idle: (last = LOADING) =>
      last.phase === 'failed' ||
      (options.until !== 'never' && run?.settled.isTold && isOver(last.invoice))
        ? last
        : LOADING,
    clock: client[internals].clock,
  };
  return makeWatch(source, { touch: () => run?.touch() });
}

const CHECKOUT_OPTIONS: Expected<CheckoutOptions> = {
  invoiceId: 'string!',
  includeOnchain: 'boolean',
  pauseAfter: 'number',
  signal: 'signal',
  until: ['settled', 'never'],
};

/**
 * Emits the whole seconds until a quote expires, rounded down, once a second. Completes at 0. Uses
 * the client's monotonic clock, so a device clock that's wrong or gets changed doesn't matter.
 *
 * @param quote a checkout's quote. Its `expiresAt` is in milliseconds on the client's monotonic
 * clock
 *
 * @example
 * countdown(client, view.quote).subscribe((seconds) => console.log(seconds));
 */
export function countdown(
  connection: Connection,
  quote: Pick<CheckoutQuote, 'expiresAt'>,
): Watch<number> {
  checkClient(connection);
  checkArgument('quote', quote, 'object!');
  checkArgument('quote.expiresAt', quote.expiresAt, 'number!');
  const { expiresAt } = quote;
  const { clock } = connection[internals];
  const secondsLeft = () => Math.max(0, Math.floor((expiresAt - clock.monotonic()) / 1_000));

  async function count(to: Observer<number>, signal: AbortSignal): Promise<void> {
    for (let shown: number | undefined; !signal.aborted; ) {
      const seconds = secondsLeft();
      if (seconds !== shown) to.next((shown = seconds));
      const left = expiresAt - clock.monotonic();
      if (left <= 0) return to.complete();
      // adds 1 ms so that the next whole second has begun
      await clock.wait((left % 1_000) + 1, signal);
    }
  }

  return makeWatch<number>({
    clock,
    status: () => ({ reason: 'counting down' }),
    idle: secondsLeft,
    start(to) {
      const stop = new AbortController();
      void count(to, stop.signal);
      return { stop: () => stop.abort() };
    },
  });
}
