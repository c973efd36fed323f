import { checkArgument, checkOptions, type Expected } from '../../core/errors/index.ts';
import {
  checkClient,
  type Connection,
  internals,
  rootOf,
  type Slot,
  stateOf,
} from '../../core/http/index.ts';
import { type Observer, type Watch, makeWatch, type WatchSource } from '../../core/watch.ts';
import type { InvoiceId } from '../../resources/invoices.ts';
import { idKey } from '../../resources/resource.ts';
import { watchInvoice } from '../../state/index.ts';
import { type CheckoutQuote, listUnproved } from './quote.ts';
import { CheckoutRun, type Runs } from './run.ts';
import { type CheckoutOptions, type CheckoutView, isOver } from './view.ts';

/** A watch of what a checkout page shows. */
export interface Checkout extends Watch<CheckoutView> {
  /**
   * Says that the payer is present, for instance after a tap or a key: codes are renewed for
   * `pauseAfter` from now on, and a paused checkout reads the invoice and shows a code. Does
   * nothing without listeners.
   *
   * @example
   * const sale = checkout(client, { invoiceId });
   * const button = { onclick: sale.touch };
   */
  touch(): void;
}

const RUNS: Slot<Runs> = { name: 'flows.checkouts', make: () => new Map() };

/** Returns the checkout of this invoice that is under way, or a new one. */
function startRun(client: Connection, invoiceId: InvoiceId): CheckoutRun {
  const runs = stateOf(client, RUNS);
  const key = idKey(invoiceId);
  const run = runs.get(key) ?? new CheckoutRun(rootOf(client), invoiceId, runs);
  runs.set(key, run);
  return run;
}

const LOADING: CheckoutView = /* @__PURE__ */ Object.freeze({ phase: 'loading' });

/**
 * Runs the checkout of one invoice: watches it, shows one payable code, renews the code before it
 * expires, and says when the invoice is paid. Never creates anything. All checkouts of one invoice
 * by one client share one code. Every code is compared with the invoice before it is shown, and
 * with the first code: same network, same payee. The payee is read from the signature, whose check
 * is loaded with `import()` when the second code is requested. The rate is compared with the
 * ticker, which is read once a minute. While one of the two is not available, codes are compared by
 * everything else, and `reason` of `status()` says so. In the phase `unsafe`, `retry()` reads the
 * invoice and requests another code, which is checked in the same way.
 *
 * @param options `invoiceId` of an invoice that exists; see `CheckoutOptions`
 * @throws through `error`: what `watchInvoice` throws
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
 * Emits the whole seconds until a quote expires, once a second, rounded down so that it never
 * promises too much; completes at 0. Counts on the client's monotonic clock, so a wrong or changed
 * device clock does not matter.
 *
 * @param quote a checkout's quote; `expiresAt` in milliseconds of the client's monotonic clock
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
      await clock.wait((left % 1_000) + 1, signal); // 1 ms later less than the whole second is left
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
