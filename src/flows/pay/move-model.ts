import type { Open } from '../../core/errors/index.ts';
import type { Money } from '../../money/index.ts';
import type { CurrencyCode, FeePolicy, SpendAmount } from '../../resources/amounts/model.ts';
import type { CurrencyExchangeQuote } from '../../resources/currency-exchange-quotes/model.ts';
import type { Deposit } from '../../resources/deposits/model.ts';
import type { PaymentQuote } from '../../resources/payment-quotes/model.ts';
import type { Payout } from '../../resources/payouts/model.ts';
import type { Store } from '../../stores/store.ts';
import type { PayResult, PayStep, RunFacts, UnmovedResult } from './model.ts';
import type { Percentage } from './row.ts';

/** What every movement of money takes. */
interface MoveOptions {
  /** Your name for this one movement: it is made at most once. Up to 200 characters. */
  readonly intent: string;
  /** Where intents are kept. It has to be durable, except beside a sandbox. */
  readonly journal: Store;
  /** Stops it while nothing was executed, else `detach`; not where others have joined. */
  readonly signal?: AbortSignal | undefined;
}

/** What is exchanged, and the least that must come of it. */
export interface ExchangeOptions extends MoveOptions {
  /** Currency to sell. */
  readonly sell: Open<CurrencyCode>;
  /** Currency to buy. */
  readonly buy: Open<CurrencyCode>;
  /** How much of the one or the other, and whether the fee is inside it. */
  readonly amount: SpendAmount;
  /** The least to get, in the currency that is bought. */
  readonly minReceived?: Money | undefined;
  /**
   * How far below the ticker's rate the whole exchange may be, its fee included, as a share; 1 %. Not
   * compared where `minReceived` decides. `any`: never compared.
   */
  readonly maxRateSlip?: Percentage | 'any' | undefined;
}

/** What is drawn from a bank account, and what it may cost. */
export interface DepositFlowOptions extends MoveOptions {
  /** Id of the bank payment method. */
  readonly bankPaymentMethodId: string;
  /** Decimal text in the currency of the bank method. */
  readonly amount: string;
  /** The highest fee: money in that currency, a share of the total, or `any`. */
  readonly maxFee: Money | Percentage | 'any';
  /** Whether the fee is inside `amount` or comes on top; `EXCLUSIVE`. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

/** What is sent to a bank account, and what it may cost. */
export interface PayOutOptions extends DepositFlowOptions {
  /** What the receiver's statement shows; most transfer types take few characters. */
  readonly reference?: string | undefined;
  /** Id of the payout originator, where the owner of the account is not the sender. */
  readonly originatorId?: string | undefined;
  /** How long the bank method may take to be READY and the originator to be APPROVED, ms; 60,000. */
  readonly readyTimeout?: number | undefined;
}

/**
 * How a movement of money ended: `completed` · `failed` everything was given back · `refused` nothing
 * was and will be moved · `unknown` it may have been · `stopped` by you.
 */
export type MoveResult<Member extends string, Value> =
  | (RunFacts & {
      /** How it ended; see `MoveResult`. */
      readonly phase: 'completed' | 'failed';
    } & { readonly [member in Member]: Value })
  | UnmovedResult;

/** What a movement of money is doing. */
export type MoveStep<Member extends string, Value> =
  | MoveResult<Member, Value>
  | ({
      /**
       * `new` its terms are asked for and checked · `executing` · `unconfirmed` a response was lost, and
       * the same request is tried again · `pending` it is on its way, which may last for days.
       */
      readonly phase: 'new' | 'executing' | 'unconfirmed' | 'pending';
      /** The terms: `amount` arrives, `totalAmount` is spent. */
      readonly quote?: Pick<PaymentQuote, 'amount' | 'totalFee' | 'totalAmount'> | undefined;
      /** Why it has not ended, and what comes next; while it is `unconfirmed` or `pending`. */
      readonly reason?: string | undefined;
    } & { readonly [member in Member]?: Value | undefined });

/** How an exchange ended. */
export type ExchangeResult = MoveResult<'currencyExchangeQuote', CurrencyExchangeQuote>;
/** What an exchange is doing. */
export type ExchangeStep = MoveStep<'currencyExchangeQuote', CurrencyExchangeQuote>;
/** How a payout ended: `completed` says that it has left; the bank may still send it back. */
export type PayOutResult = MoveResult<'payout', Payout>;
/** What a payout is doing. */
export type PayOutStep = MoveStep<'payout', Payout>;
/** How a deposit ended: `completed` says that it was credited; the bank may still take it back. */
export type DepositResult = MoveResult<'deposit', Deposit>;
/** What a deposit is doing. */
export type DepositStep = MoveStep<'deposit', Deposit>;

/** How a run of any kind ended. */
export type MoneyResult = PayResult | ExchangeResult | PayOutResult | DepositResult;
/** What a run of any kind is doing. */
export type MoneyStep = PayStep | ExchangeStep | PayOutStep | DepositStep;
