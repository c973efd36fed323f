import type { Money } from '../../money/model.ts';
import type { Id, Open } from '../../core/errors/index.ts';
import type { QuotedRate, CurrencyCode } from '../amounts/model.ts';
import type { ReceiveState } from './states.ts';

/** Id of a receive request. */
export type ReceiveRequestId = Id<'receive-request'>;

/** Id of a receive. */
export type ReceiveId = Id<'receive'>;

/**
 * A standing way to be paid, at the rate of the moment. It has no state: each payment makes a
 * receive.
 */
export interface ReceiveRequest {
  /** Id of the request. */
  readonly receiveRequestId: string;
  /** ISO 8601 date-time. */
  readonly created: string;
  /** What receipts are converted to. */
  readonly targetCurrency?: Open<CurrencyCode> | undefined;
  /** The Lightning way, where it was asked for. */
  readonly bolt11?: ReceiveRequestBolt11 | undefined;
  /** The on-chain way, where it was asked for. */
  readonly onchain?: ReceiveRequestOnchain | undefined;
}

/** The Lightning way of a request: can be paid once. */
export interface ReceiveRequestBolt11 {
  /** BOLT11 text. */
  readonly invoice: string;
  /** What was asked for, in the currency that it was asked in. */
  readonly requestedAmount?: Money | undefined;
  /** Decimal text in BTC; absent where the payer chooses. */
  readonly btcAmount?: string | undefined;
  /** What the payer is shown. */
  readonly description?: string | undefined;
  /** SHA-256 of the description, hex. */
  readonly descriptionHash?: string | undefined;
  /** Hex. */
  readonly paymentHash: string;
  /** ISO 8601 date-time. */
  readonly expires: string;
}

/** The on-chain way of a request: any number of payments, of any amount. */
export interface ReceiveRequestOnchain {
  /** Address on the chain. */
  readonly address: string;
  /** `bitcoin:` URI. */
  readonly addressUri: string;
  /** What was asked for, in the currency that it was asked in. */
  readonly requestedAmount?: Money | undefined;
  /** Decimal text in BTC. */
  readonly btcAmount?: string | undefined;
}

/**
 * What is needed to make a request: at least one of `bolt11` and `onchain`; `{}` asks for it
 * without an amount.
 */
export interface ReceiveRequestDraft {
  /** Asks for a Lightning way. */
  readonly bolt11?: ReceiveRequestBolt11Draft | undefined;
  /** Asks for an on-chain way. */
  readonly onchain?: ReceiveRequestOnchainDraft | undefined;
  /** The account's default currency when absent. */
  readonly targetCurrency?: Open<CurrencyCode> | undefined;
}

/** What a Lightning way is asked for with. */
export interface ReceiveRequestBolt11Draft {
  /** Absent: the payer chooses. */
  readonly amount?: Money | undefined;
  /** 1 to 250 characters. */
  readonly description?: string | undefined;
  /** 64 hex digits; replaces the description. */
  readonly descriptionHash?: string | undefined;
  /** Whole seconds, 1 or more. */
  readonly expiryInSeconds?: number | undefined;
}

/** What an on-chain way is asked for with. */
export interface ReceiveRequestOnchainDraft {
  /** A suggestion to the payer. */
  readonly amount?: Money | undefined;
}

/** One payment towards a request. */
export interface Receive {
  /** Id of the receive. */
  readonly receiveId: string;
  /** Id of the request that it was paid by. */
  readonly receiveRequestId: string;
  /** `P2P`: from another user of the service, whatever way was asked for. */
  readonly type: Open<'LIGHTNING' | 'ONCHAIN' | 'P2P'>;
  /** Where it stands. */
  readonly state: Open<ReceiveState>;
  /** BTC, unless the type is `P2P`. */
  readonly amountReceived: Money;
  /** Once completed. */
  readonly amountCredited?: Money | undefined;
  /** Rate between what was received and what is credited. */
  readonly conversionRate?: QuotedRate | undefined;
  /** ISO 8601 date-time of detection. */
  readonly created: string;
  /** ISO 8601 date-time of the credit. */
  readonly completed?: string | undefined;
  /** Of a receive over Lightning. */
  readonly lightning?: ReceiveLightning | undefined;
  /** Of a receive on the chain. */
  readonly onchain?: ReceiveOnchain | undefined;
  /** Of a receive from another user of the service. */
  readonly p2p?: ReceiveP2p | undefined;
}

/** All that came in for one request, the oldest first. */
export interface Receives {
  /** Id of the request. */
  readonly receiveRequestId: string;
  /** The payments towards it. */
  readonly receives: readonly Receive[];
}

/** What is known of a receive over Lightning. */
export interface ReceiveLightning {
  /** BOLT11 text that was paid. */
  readonly invoice: string;
  /** Proof of payment, hex. */
  readonly preimage: string;
  /** Hex. */
  readonly paymentHash: string;
  /** What the payer was shown. */
  readonly description?: string | undefined;
  /** SHA-256 of the description, hex. */
  readonly descriptionHash?: string | undefined;
}

/** What is known of a receive on the chain. */
export interface ReceiveOnchain {
  /** Address that was paid. */
  readonly address: string;
  /** Id of the transaction. */
  readonly transactionId: string;
  /** Height of its block, once it is in one. */
  readonly blockHeight?: number | undefined;
  /** Number of confirmations. */
  readonly numberOfConfirmations?: number | undefined;
}

/** What is known of a receive from another user of the service. */
export interface ReceiveP2p {
  /** Account of the payer. */
  readonly payerAccountId?: string | undefined;
}

type Some = string | readonly string[];

/** Which requests to list: of each member that is given, one value must fit. */
export interface ReceiveRequestFilter {
  /** Those with this address. */
  readonly onchainAddress?: Some | undefined;
  /** Those with this BOLT11 text. */
  readonly bolt11Invoice?: Some | undefined;
  /** Hex. */
  readonly paymentHash?: Some | undefined;
}

/** Which receives of one request to list. */
export interface ReceiveFilter extends ReceiveRequestFilter {
  /** Those with this id. */
  readonly receiveId?: Some | undefined;
}

/** Which receives of all requests to list. */
export interface AllReceivesFilter extends ReceiveFilter {
  /** Those of this request. */
  readonly receiveRequestId?: Some | undefined;
}
