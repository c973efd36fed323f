import type { ErrorCode, PaystateError } from '../core/errors/index.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import type { KnownSnapshot } from '../state/index.ts';
import type { CheckoutQuote, QuoteProblem } from './quote.ts';

/**
 * Where a checkout stands: `loading` nothing is known · `failed` it has ended with `error` ·
 * `awaiting` a code is shown · `renewing` a new code is on its way · `paused` no code before `touch`
 * is called or the page is visible · `pending` a payment runs · `partial` less than the amount came
 * in · `unsafe` the code must not be shown · `unknown` a state that is new to us.
 */
export type CheckoutPhase = CheckoutView['phase'];

interface Known {
  readonly invoice: Invoice;
  /** How far `invoice` can be trusted. */
  readonly freshness: KnownSnapshot<Invoice>['freshness'];
  /** Code of what stands in the way right now; it passes by itself. */
  readonly error?: ErrorCode | undefined;
  /** A change of the invoice was announced that no read shows yet: it is read at once. */
  readonly pending?: 'announced' | undefined;
}

/** Where the checkout of a known invoice stands. */
export type CheckoutStage =
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'awaiting';
      /** What the payer scans or copies. */
      readonly quote: CheckoutQuote;
      /** The code replaces an earlier one: the rate, and so the amount to send, may have moved. */
      readonly renewed: boolean;
    }
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'pending';
      /** A state behind PENDING that was read since: the payment seems to have failed. */
      readonly unconfirmed?: string | undefined;
      /**
       * When `unconfirmed` is sure, on the client's monotonic clock, milliseconds; `countdown` takes
       * it as `expiresAt`. A code follows then.
       */
      readonly knownAt?: number | undefined;
    }
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'paid';
      /** The payment was completed after the end of the code that was shown last. */
      readonly late: boolean;
      /** More came in than was asked for. */
      readonly over: boolean;
    }
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'unsafe';
      /** What is wrong with the quote. */
      readonly problem: QuoteProblem | ErrorCode;
    }
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'renewing' | 'paused' | 'partial' | 'cancelled' | 'reversed' | 'unknown';
    };

/** What a checkout page shows. At most one code is shown, and a replaced one never again. */
export type CheckoutView =
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'loading';
      /** Absent: it was not read yet. */
      readonly invoice?: undefined;
      /** Code of what stands in the way of reading it. */
      readonly error?: ErrorCode | undefined;
    }
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'failed';
      /** Why it has ended. */
      readonly error: PaystateError;
      /** As it was read last; absent where it never was. */
      readonly invoice?: Invoice | undefined;
    }
  | (Known & CheckoutStage);
