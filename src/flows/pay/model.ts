import type { PaystateError } from '../../core/errors/index.ts';
import type { Money } from '../../money/index.ts';
import type { CurrencyCode, SpendAmount } from '../../resources/amounts/model.ts';
import type { Open } from '../../core/errors/index.ts';
import type { Beneficiary, PaymentQuote } from '../../resources/payment-quotes/model.ts';
import type { Payment } from '../../resources/payments/model.ts';
import type { Store } from '../../stores/store.ts';
import type { Percentage, PayGuard, PayProof } from './row.ts';

/** What is paid, what it may cost, and where that is written down. */
export interface PaymentOptions {
  /**
   * Whatever a payer can paste: a BOLT11 text, a Lightning address, an LNURL, an on-chain address, or
   * a `bitcoin:` URI, of which the Lightning way is taken where it has one.
   */
  readonly to: string;
  /** What to spend. */
  readonly sourceCurrency: Open<CurrencyCode>;
  /** The highest fee: money in `sourceCurrency`, a share of the total, or `any`. */
  readonly maxFee: Money | Percentage | 'any';
  /** Where intents are kept. It has to be durable, except beside a sandbox. */
  readonly journal: Store;
  /**
   * Your name for this one payment: it is paid at most once, whatever happens. Up to 200 characters.
   * The payment hash of a BOLT11 text when absent; required for everything else.
   */
  readonly intent?: string | undefined;
  /** How much, where `to` does not say it. */
  readonly amount?: Money | undefined;
  /** Whether the fee is inside `amount` or comes on top; `EXCLUSIVE`. */
  readonly feePolicy?: SpendAmount['feePolicy'];
  /** The most to spend, with its fee, in `sourceCurrency`. */
  readonly maxTotal?: Money | undefined;
  /**
   * The most to spend a day (UTC) by all payments of this journal that name it, in
   * `sourceCurrency`.
   */
  readonly maxPerDay?: Money | undefined;
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

/**
 * The ends in which no money is known to have moved, of payments and of all other runs: `refused`
 * nothing was and will be moved · `unknown` it may have been · `stopped` by you.
 */
export type UnmovedResult =
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
    }
  | {
      /** How it ended; see `UnmovedResult`. */
      readonly phase: 'stopped';
    };

/**
 * How a payment ended: `paid` · `failed` everything was given back · `refused` nothing was and will
 * be paid · `unknown` it may have been paid, see `error` for how to find out · `stopped` by you.
 */
export type PayResult =
  | {
      /** How it ended; see `PayResult`. */
      readonly phase: 'paid';
      /** As it was read last, without its preimage. */
      readonly payment: Payment;
      /** Whether the preimage fits the payment hash; `none`: there is none. */
      readonly proof: PayProof;
    }
  | {
      /** How it ended; see `PayResult`. */
      readonly phase: 'failed';
      /** As it was read last. */
      readonly payment: Payment;
    }
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
    };
