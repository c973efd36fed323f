import type { PaystateError } from '../../core/errors/index.ts';
import type { Money } from '../../money/index.ts';
import type { CurrencyCode, SpendAmount } from '../../resources/amounts/model.ts';
import type { Open } from '../../core/errors/index.ts';
import type { Beneficiary, PaymentQuote } from '../../resources/payment-quotes/model.ts';
import type { Payment } from '../../resources/payments/model.ts';
import type { Store } from '../../stores/store.ts';
import type { Percentage, PayGuard, PayProof } from './row.ts';

/** What every payment takes, whether you state its amount or limit its total. */
export interface CommonPaymentOptions {
  /**
   * Whatever a payer can paste: a BOLT11 text, a Lightning address, an LNURL, an on-chain address, or
   * a `bitcoin:` URI, of which the Lightning way is taken where it has one.
   */
  readonly to: string;
  /** What to spend. */
  readonly sourceCurrency: Open<CurrencyCode>;
  /**
   * The highest fee: money in `sourceCurrency`, a share of the total, or `any`. A share grows with the
   * total, so it does not limit what is spent: `amount` or `maxTotal` does.
   */
  readonly maxFee: Money | Percentage | 'any';
  /** Where intents are kept. It has to be durable, except beside a sandbox. */
  readonly journal: Store;
  /**
   * Your name for this one payment: it is paid at most once, whatever happens. Up to 200 characters.
   * The payment hash of a BOLT11 text when absent; required for everything else.
   */
  readonly intent?: string | undefined;
  /** Whether the fee is inside `amount` or comes on top; `EXCLUSIVE`. */
  readonly feePolicy?: SpendAmount['feePolicy'];
  /**
   * How far the quote's rate may be from the ticker's, as a share; 1 %. `any`: it is not compared.
   */
  readonly maxRateSlip?: Percentage | 'any' | undefined;
  /** A comment for the receiver, where he takes one; on-chain a note. */
  readonly description?: string | undefined;
  /** Who gets the money: what the travel rule asks for. */
  readonly beneficiary?: Beneficiary | undefined;
  /** Required for an on-chain address: one of `paymentQuotes.listTiers`. */
  readonly onchainTierId?: string | undefined;
  /** Stops the payment while nothing was executed, else `detach`; not where others have joined. */
  readonly signal?: AbortSignal | undefined;
}

/** A payment whose amount you state. */
export interface PaymentWithAmount extends CommonPaymentOptions {
  /**
   * How much. A BOLT11 text that names an amount is paid only if this is the same one, in BTC. To
   * limit such a text in another currency, omit it and give `maxTotal`.
   */
  readonly amount: Money;
  /** The most to spend, with its fee, in `sourceCurrency`; no limit when absent or `any`. */
  readonly maxTotal?: Money | 'any' | undefined;
}

/** A payment whose amount `to` names: without an `amount` of yours, `maxTotal` limits it. */
export interface PaymentWithoutAmount extends CommonPaymentOptions {
  /** Absent: what `to` names is paid, up to `maxTotal`. */
  readonly amount?: undefined;
  /** The most to spend, with its fee, in `sourceCurrency`. `any`: whatever `to` asks for. */
  readonly maxTotal: Money | 'any';
}

/**
 * What is paid, what it may cost, and where that is written down. Who writes `to` would otherwise
 * decide how much you pay: state the `amount`, or limit it by `maxTotal`.
 */
export type PaymentOptions = PaymentWithAmount | PaymentWithoutAmount;

/** When a result came about. */
export interface RunFacts {
  /**
   * The result was there before this run began: an earlier call or process has brought it about, and
   * nothing was moved now.
   */
  readonly joined: boolean;
  /**
   * When the intent was begun, or its last `retry`: milliseconds since 1970, by the service's clock as
   * far as it is known.
   */
  readonly startedAt: number;
}

/**
 * The ends in which no money is known to have moved, of payments and of all other runs: `refused`
 * nothing was and will be moved · `unknown` it may have been · `stopped` by you.
 */
export type UnmovedResult = RunFacts &
  (
    | {
        /** How it ended; see `UnmovedResult`. */
        readonly phase: 'refused';
        /** Why, and what to do. */
        readonly error: PaystateError;
        /** Which guard held it back; absent where the service refused. */
        readonly guard?: PayGuard | undefined;
      }
    | {
        /** How it ended; see `UnmovedResult`. */
        readonly phase: 'unknown';
        /** How to find out. */
        readonly error: PaystateError;
        /** Ids of what may be it. */
        readonly candidates: readonly string[];
        /** Why nobody knows, and what comes next. */
        readonly reason: string;
      }
    | {
        /** How it ended; see `UnmovedResult`. */
        readonly phase: 'stopped';
      }
  );

/**
 * How a payment ended: `paid` · `failed` everything was given back · `refused` nothing was and will
 * be paid · `unknown` it may have been paid, see `error` for how to find out · `stopped` by you.
 */
export type PayResult =
  | (RunFacts &
      (
        | {
            /** How it ended; see `PayResult`. */
            readonly phase: 'paid';
            /** As it was read last, without its preimage. */
            readonly payment: Payment;
            /**
             * Whether the preimage fits the payment hash; `none`: there is none; `bad`: it does not, and a
             * person has said by `resolve` that the payment was made.
             */
            readonly proof: PayProof;
          }
        | {
            /** How it ended; see `PayResult`. */
            readonly phase: 'failed';
            /** As it was read last. */
            readonly payment: Payment;
          }
      ))
  | UnmovedResult;

/** What a payment is doing. */
export type PayStep =
  | PayResult
  | {
      /**
       * `new` it is quoted and checked · `executing` · `unconfirmed` a response was lost, and the same
       * quote is tried again · `pending` it is on its way, which may last for days.
       */
      readonly phase: 'new' | 'executing' | 'unconfirmed' | 'pending';
      /** The terms that are executed. */
      readonly quote?: Pick<PaymentQuote, 'amount' | 'totalFee' | 'totalAmount'> | undefined;
      /** As it was read last. */
      readonly payment?: Payment | undefined;
      /** Why it has not ended, and what comes next; while it is `unconfirmed` or `pending`. */
      readonly reason?: string | undefined;
    };
