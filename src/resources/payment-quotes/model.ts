import type { Money } from '../../money/model.ts';
import type { Id, Open } from '../../core/errors/index.ts';
import type { QuotedRate, CurrencyCode, SpendAmount } from '../amounts/model.ts';

/** Id of a payment quote. */
export type PaymentQuoteId = Id<'payment-quote'>;

/**
 * What a payment would cost: executed once and before its end, or never. It cannot be read again.
 */
export interface PaymentQuote {
  /** Id of the quote. */
  readonly paymentQuoteId: string;
  /** Forwarded from the invoice or the request. */
  readonly description?: string | undefined;
  /**
   * ISO 8601 date-time from which on it cannot be executed; absent where the service names none.
   */
  readonly validUntil?: string | undefined;
  /** Rate between the currencies of sender and receiver. */
  readonly conversionRate?: QuotedRate | undefined;
  /** What the receiver gets, in the sender's currency. */
  readonly amount: Money;
  /** All fees together. */
  readonly totalFee?: Money | undefined;
  /** What the sender spends. */
  readonly totalAmount: Money;
  /** What the sender may get back. */
  readonly reward?: Money | undefined;
  /** @deprecated Part of `totalFee`; quotes for Lightning only. */
  readonly lightningNetworkFee?: Money | undefined;
  /** Minutes; on-chain only. */
  readonly estimatedDeliveryDurationInMin?: number | undefined;
}

/** Who gets the money: what the travel rule asks for. */
export interface Beneficiary {
  /** The destination belongs to the sender. */
  readonly isOwnDestination?: boolean | undefined;
  /** Who it is. */
  readonly type?: Open<'SELF' | 'INDIVIDUAL' | 'BUSINESS' | 'UNKNOWN'> | undefined;
  /** Required where the service applies the travel rule. */
  readonly destinationType?: Open<'EXCHANGE_OR_PLATFORM' | 'SELF_CUSTODY_WALLET'> | undefined;
  /**
   * For an exchange or platform: its id in the directory, at most 100 characters; either this or
   * `vaspName`.
   */
  readonly vaspId?: string | undefined;
  /** Name of the exchange or platform. */
  readonly vaspName?: string | undefined;
  /** Required for `BUSINESS`. */
  readonly businessName?: string | undefined;
  /** Required for `INDIVIDUAL`. */
  readonly individualFirstName?: string | undefined;
  /** Required for `INDIVIDUAL`. */
  readonly individualLastName?: string | undefined;
  /** Number of a passport, an identity card or a register. */
  readonly nationalIdentifier?: string | undefined;
}

/** What is needed to pay a BOLT11 invoice. */
export interface LightningQuoteDraft {
  /** BOLT11 text. */
  readonly lnInvoice: string;
  /** What to spend; the account's default currency when absent, which may not be what you mean. */
  readonly sourceCurrency?: Open<CurrencyCode> | undefined;
  /** Required where the invoice names no amount, refused where it does. */
  readonly amount?: SpendAmount | undefined;
  /** Who gets the money. */
  readonly beneficiary?: Beneficiary | undefined;
}

/** What is needed to pay a Lightning address or LNURL. */
export interface LnurlQuoteDraft {
  /** Lightning address or LNURL. */
  readonly lnAddressOrUrl: string;
  /** Currency to spend. */
  readonly sourceCurrency: Open<CurrencyCode>;
  /** How much. */
  readonly amount: Money;
  /** A comment for the receiver: only where its details allow one, and as long as they allow. */
  readonly description?: string | undefined;
}

/** What is needed to pay an on-chain address. */
export interface OnchainQuoteDraft {
  /** Address on the chain. */
  readonly btcAddress: string;
  /** Currency to spend. */
  readonly sourceCurrency: Open<CurrencyCode>;
  /** How much. */
  readonly amount: SpendAmount;
  /** At most 250 characters. */
  readonly description?: string | undefined;
  /** One of `listTiers`. */
  readonly onchainTierId: string;
  /** Who gets the money. */
  readonly beneficiary?: Beneficiary | undefined;
}

/** What the tiers depend on. */
export interface OnchainTiersDraft {
  /** Address on the chain. */
  readonly btcAddress: string;
  /** How much. */
  readonly amount: Money;
}

/** How fast an on-chain payment is to arrive, and for what fee. */
export interface OnchainTier {
  /** What `onchainTierId` of a quote names. */
  readonly id: string;
  /** Minutes. */
  readonly estimatedDeliveryDurationInMin: number;
  /** What it is going to cost, about. */
  readonly estimatedFee: Money;
  /** Lowest amount that it takes. */
  readonly minimumAmount?: Money | undefined;
}

/** What a Lightning address or LNURL takes. */
export interface LnurlDetails {
  /** Millisatoshi. */
  readonly minSendable: number;
  /** Millisatoshi. */
  readonly maxSendable: number;
  /** JSON array of pairs of type and content. */
  readonly metadata: string;
  /** Longest comment in characters; absent: none is taken. */
  readonly commentAllowed?: number | undefined;
  /** Kind of LNURL: `payRequest`. */
  readonly tag: string;
}
