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
  /** Payment hash of a BOLT11 invoice, in hex. */
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
  /** Decimal string, in the currency of the bank payment method. */
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
  /** Decimal string such as `1.5`. */
  readonly percent: string;
}

/** Limits for a quote. Each round may have different limits. */
export interface MoveLimits {
  readonly maxFee: Money | Percentage | 'any';
  readonly maxTotal?: Money | undefined;
  readonly maxRateSlip: Percentage | 'any';
  /** The least that an exchange must return. */
  readonly minReceived?: Money | undefined;
  /** Longest wait until a payout's bank method and originator are ready, in milliseconds. */
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

/** The check that refused a movement. Some refusals by the service are reported as a guard too. */
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

/** Result of comparing the preimage with the payment hash. `none` means that either is missing. */
export type PayProof = 'ok' | 'bad' | 'none';

/** Internal code for a request that was never sent. */
export const NOT_SENT = 'not-sent';
