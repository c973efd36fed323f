import type { ErrorKind, Next } from '../../core/errors/index.ts';
import type { Money } from '../../money/index.ts';
import type { SpendAmount } from '../../resources/amounts.ts';
import type { CurrencyExchangeQuote } from '../../resources/currency-exchange-quotes.ts';
import type { Deposit } from '../../resources/deposits.ts';
import type { Beneficiary, OnchainTierChoice } from '../../resources/payment-quotes.ts';
import type { Payment } from '../../resources/payments.ts';
import type { Payout } from '../../resources/payouts.ts';

export interface PayOrder {
  readonly rail: 'bolt11' | 'lnurl' | 'onchain';
  /** The BOLT11 invoice, address or LNURL that is sent to the service. */
  readonly destination: string;
  /** The payment hash of a BOLT11 invoice, in hex. */
  readonly hash?: string | undefined;
  readonly sourceCurrency: string;
  readonly amount?: SpendAmount | undefined;
  readonly description?: string | undefined;
  readonly beneficiary?: Beneficiary | undefined;
  readonly onchainTierId?: string | undefined;
  /** How to choose the tier, if no id is given. */
  readonly onchainTier?: OnchainTierChoice | undefined;
  /** The receipt being refunded, as `invoice/` or `receive/` followed by its id. */
  readonly refundOf?: string | undefined;
}

export interface ExchangeOrder {
  readonly rail: 'exchange';
  readonly sell: string;
  readonly buy: string;
  readonly amount: SpendAmount;
}

export interface BankOrder {
  readonly rail: 'payout' | 'deposit';
  readonly bankPaymentMethodId: string;
  /** A decimal string, in the bank payment method's currency. */
  readonly amount: string;
  readonly feePolicy?: SpendAmount['feePolicy'];
  readonly reference?: string | undefined;
  readonly originatorId?: string | undefined;
}

/** The order of an intent. It never changes after it's written to the journal. */
export type MoneyOrder = PayOrder | ExchangeOrder | BankOrder;

export type RailName = MoneyOrder['rail'];

/** The resource that moves the money, as returned by the service. */
export type Moved = Payment | CurrencyExchangeQuote | Payout | Deposit;

/** A percentage of an amount. */
export interface Percentage {
  /** A decimal string such as `1.5`. */
  readonly percent: string;
}

/** The limits for a quote. Each round may have different limits. */
export interface MoveLimits {
  readonly maxFee: Money | Percentage | 'any';
  readonly maxTotal?: Money | undefined;
  readonly maxRateSlip: Percentage | 'any';
  /** The minimum amount that an exchange must return. */
  readonly minReceived?: Money | undefined;
  /**
   * How long to wait for a payout's bank payment method and originator to be ready, in
   * milliseconds.
   */
  readonly readyTimeout?: number | undefined;
}

export interface MoveReason {
  readonly code: string;
  readonly text: string;
  readonly kind: ErrorKind;
  readonly next?: Next | undefined;
  readonly status?: number | undefined;
  readonly guard?: PayGuard | undefined;
}

/** The check that refused a transfer. Some refusals by the service are also reported as a guard. */
export type PayGuard =
  | 'amounts'
  | 'currency'
  | 'fee'
  | 'total'
  | 'amount'
  | 'rate'
  | 'quote-end'
  | 'network'
  | 'expired'
  | 'per-day'
  | 'per-run'
  | 'known-text'
  | 'own-invoice'
  | 'already-paid'
  | 'range'
  | 'tier'
  | 'received'
  | 'bank-method'
  | 'originator'
  | 'acknowledge'
  | 'intent-reused'
  | 'refund';

/**
 * The result of comparing the preimage with the payment hash. `none` means that one of the two is
 * missing.
 */
export type PayProof = 'ok' | 'bad' | 'none';

/** The internal code for a request that was never sent. */
export const NOT_SENT = 'not-sent';
