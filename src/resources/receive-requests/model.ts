import type { Id, Open } from '../../core/errors/index.ts';
import type { ConversionRate, CurrencyCode, MoneyDraft, WireMoney } from '../amounts/model.ts';
import type { ReceiveState } from './states.ts';

export type ReceiveRequestId = Id<'receive-request'>;

export type ReceiveId = Id<'receive'>;

/** A standing way to be paid, at the rate of the moment. It has no state: each payment makes a receive. */
export interface ReceiveRequest {
  readonly receiveRequestId: string;
  /** ISO 8601 date-time. */
  readonly created: string;
  /** What receipts are converted to. */
  readonly targetCurrency?: Open<CurrencyCode> | undefined;
  readonly bolt11?: ReceiveRequestBolt11 | undefined;
  readonly onchain?: ReceiveRequestOnchain | undefined;
}

/** The Lightning way of a request: can be paid once. */
export interface ReceiveRequestBolt11 {
  /** BOLT11 text. */
  readonly invoice: string;
  readonly requestedAmount?: WireMoney | undefined;
  /** Decimal text in BTC; absent where the payer chooses. */
  readonly btcAmount?: string | undefined;
  readonly description?: string | undefined;
  readonly descriptionHash?: string | undefined;
  readonly paymentHash: string;
  /** ISO 8601 date-time. */
  readonly expires: string;
}

/** The on-chain way of a request: any number of payments, of any amount. */
export interface ReceiveRequestOnchain {
  readonly address: string;
  /** `bitcoin:` URI. */
  readonly addressUri: string;
  readonly requestedAmount?: WireMoney | undefined;
  /** Decimal text in BTC. */
  readonly btcAmount?: string | undefined;
}

/** What is needed to make a request: at least one of `bolt11` and `onchain`; `{}` asks for it without an amount. */
export interface ReceiveRequestDraft {
  readonly bolt11?: ReceiveRequestBolt11Draft | undefined;
  readonly onchain?: ReceiveRequestOnchainDraft | undefined;
  /** The account's default currency when absent. */
  readonly targetCurrency?: Open<CurrencyCode> | undefined;
}

export interface ReceiveRequestBolt11Draft {
  /** Absent: the payer chooses. */
  readonly amount?: MoneyDraft | undefined;
  /** 1 to 250 characters. */
  readonly description?: string | undefined;
  /** 64 hex digits; replaces the description. */
  readonly descriptionHash?: string | undefined;
  /** Whole seconds, 1 or more. */
  readonly expiryInSeconds?: number | undefined;
}

export interface ReceiveRequestOnchainDraft {
  /** A suggestion to the payer. */
  readonly amount?: MoneyDraft | undefined;
}

/** One payment towards a request. */
export interface Receive {
  readonly receiveId: string;
  readonly receiveRequestId: string;
  /** `P2P`: from another user of the service, whatever way was asked for. */
  readonly type: Open<'LIGHTNING' | 'ONCHAIN' | 'P2P'>;
  readonly state: Open<ReceiveState>;
  /** BTC, unless the type is `P2P`. */
  readonly amountReceived: WireMoney;
  /** Once completed. */
  readonly amountCredited?: WireMoney | undefined;
  readonly conversionRate?: ConversionRate | undefined;
  /** ISO 8601 date-time of detection. */
  readonly created: string;
  /** ISO 8601 date-time of the credit. */
  readonly completed?: string | undefined;
  readonly lightning?: ReceiveLightning | undefined;
  readonly onchain?: ReceiveOnchain | undefined;
  readonly p2p?: ReceiveP2p | undefined;
}

export interface ReceiveLightning {
  readonly invoice: string;
  readonly preimage: string;
  readonly paymentHash: string;
  readonly description?: string | undefined;
  readonly descriptionHash?: string | undefined;
}

export interface ReceiveOnchain {
  readonly address: string;
  readonly transactionId: string;
  readonly blockHeight?: number | undefined;
  readonly numberOfConfirmations?: number | undefined;
}

export interface ReceiveP2p {
  readonly payerAccountId?: string | undefined;
}

type Some = string | readonly string[];

/** Which requests to list: of each member that is given, one value must fit. */
export interface ReceiveRequestFilter {
  readonly onchainAddress?: Some | undefined;
  readonly bolt11Invoice?: Some | undefined;
  /** Hex. */
  readonly paymentHash?: Some | undefined;
}

/** Which receives of one request to list. */
export interface ReceiveFilter extends ReceiveRequestFilter {
  readonly receiveId?: Some | undefined;
}

/** Which receives of all requests to list. */
export interface AllReceivesFilter extends ReceiveFilter {
  readonly receiveRequestId?: Some | undefined;
}
