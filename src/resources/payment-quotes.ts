// Quotes for payments to Lightning and on-chain destinations.
import {
  checkArgument,
  checkOptions,
  type ErrorFacts,
  type Id,
  type Open,
  RefusedError,
} from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  type KeyedOptions,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import type { Rows } from '../core/lists/index.ts';
import { compareMoney, type Money } from '../money/index.ts';
import { keyIn } from './lost-responses.ts';
import { parseUnsignedMoney } from '../money/money.ts';
import type { CurrencyCode, QuotedRate, SpendAmount } from './amounts.ts';
import {
  LightningQuoteDraftSchema,
  lightningQuoteDraftRules,
  LnurlDetailsSchema,
  LnurlQuoteDraftSchema,
  OnchainQuoteDraftSchema,
  onchainQuoteDraftRules,
  OnchainTiersDraftSchema,
  OnchainTiersSchema,
  PaymentQuoteSchema,
} from './payment-quotes.schemas.ts';
import { ExecutedPaymentSchema } from './payments.schemas.ts';
import type { ExecutedPayment } from './payments.ts';
import type { NamedResource } from './resource.ts';
import type { Extendable } from './resource.ts';
import { makeDraftShape, makeAnswer } from './wire.ts';

/** Payment quote id. */
export type PaymentQuoteId = Id<'payment-quote'>;

/**
 * An offer to make a payment, with its amounts and fees. You can execute a quote once, before it
 * expires. The service has no endpoint for reading a quote.
 */
export interface PaymentQuote {
  /** The quote's id. */
  readonly paymentQuoteId: string;
  /** Description from the invoice or the request. */
  readonly description?: string | undefined;
  /** When the quote expires, as an ISO 8601 date-time. The service may omit it. */
  readonly validUntil?: string | undefined;
  /** Exchange rate between the sender's and the receiver's currencies. */
  readonly conversionRate?: QuotedRate | undefined;
  /** Amount that the receiver gets, in the sender's currency. */
  readonly amount: Money;
  /** Sum of all fees. */
  readonly totalFee?: Money | undefined;
  /** Amount that the sender spends. */
  readonly totalAmount: Money;
  /** Amount that the sender may get back. */
  readonly reward?: Money | undefined;
  /** @deprecated Part of `totalFee`. Only present in Lightning quotes. */
  readonly lightningNetworkFee?: Money | undefined;
  /** Estimated delivery time of an on-chain payment, in minutes. */
  readonly estimatedDeliveryDurationInMin?: number | undefined;
}

/** All fields of a `Beneficiary`. */
export interface BeneficiaryFields {
  /** Whether the destination belongs to the sender. */
  readonly isOwnDestination?: boolean | undefined;
  /** The receiver's type. */
  readonly type?: Open<'SELF' | 'INDIVIDUAL' | 'BUSINESS' | 'UNKNOWN'> | undefined;
  /** The destination's type. Required if the service applies the travel rule. */
  readonly destinationType?: Open<'EXCHANGE_OR_PLATFORM' | 'SELF_CUSTODY_WALLET'> | undefined;
  /**
   * The exchange's or platform's id in the service's directory, with at most 100 characters. Can't
   * be combined with `vaspName`.
   */
  readonly vaspId?: string | undefined;
  /** The exchange's or platform's name. */
  readonly vaspName?: string | undefined;
  /** The business's name. Required for type `BUSINESS`. */
  readonly businessName?: string | undefined;
  /** The person's first name. Required for type `INDIVIDUAL`. */
  readonly individualFirstName?: string | undefined;
  /** The person's last name. Required for type `INDIVIDUAL`. */
  readonly individualLastName?: string | undefined;
  /** Passport, identity card or company registration number. */
  readonly nationalIdentifier?: string | undefined;
}

/**
 * Information about the receiver of the money, as required by the travel rule. An individual or a
 * business must have a name. An exchange or platform must have either `vaspId` or `vaspName`. To
 * use a `type` that the service has added since, cast it.
 */
export type Beneficiary = BeneficiaryFields &
  (
    | {
        /** The receiver's type. */
        readonly type: 'INDIVIDUAL';
        /** The person's first name. */
        readonly individualFirstName: string;
        /** The person's last name. */
        readonly individualLastName: string;
      }
    | {
        /** The receiver's type. */
        readonly type: 'BUSINESS';
        /** The business's name. */
        readonly businessName: string;
      }
    | {
        /** The receiver's type. */
        readonly type?: 'SELF' | 'UNKNOWN' | undefined;
      }
  ) &
  (
    | {
        /** The destination's type. */
        readonly destinationType: 'EXCHANGE_OR_PLATFORM';
        /**
         * The exchange's or platform's id in the service's directory, with at most 100 characters.
         */
        readonly vaspId: string;
        /** Must be absent if `vaspId` is set. */
        readonly vaspName?: undefined;
      }
    | {
        /** The destination's type. */
        readonly destinationType: 'EXCHANGE_OR_PLATFORM';
        /** Must be absent if `vaspName` is set. */
        readonly vaspId?: undefined;
        /** The exchange's or platform's name. */
        readonly vaspName: string;
      }
    | {
        /** The destination's type. */
        readonly destinationType?: 'SELF_CUSTODY_WALLET' | undefined;
      }
  );

/** Input for creating a quote to pay a BOLT11 invoice. */
export interface LightningQuoteDraft extends Extendable {
  /** BOLT11 invoice to pay. */
  readonly lnInvoice: string;
  /** Currency to spend. Defaults to the account's default currency. */
  readonly sourceCurrency?: Open<CurrencyCode> | undefined;
  /** Amount to pay. Required if the BOLT11 invoice has no amount, and not allowed otherwise. */
  readonly amount?: SpendAmount | undefined;
  /** Information about the receiver. */
  readonly beneficiary?: Beneficiary | undefined;
}

/** Input for creating a quote to pay a Lightning address or LNURL. */
export interface LnurlQuoteDraft extends Extendable {
  /** Lightning address or LNURL to pay. */
  readonly lnAddressOrUrl: string;
  /** Currency to spend. */
  readonly sourceCurrency: Open<CurrencyCode>;
  /** Amount to pay. */
  readonly amount: Money;
  /** Comment for the receiver. `commentAllowed` of `LnurlDetails` limits its length. */
  readonly description?: string | undefined;
}

/** Input for creating a quote to pay an on-chain address. */
export interface OnchainQuoteDraft extends Extendable {
  /** On-chain address to pay. */
  readonly btcAddress: string;
  /** Currency to spend. */
  readonly sourceCurrency: Open<CurrencyCode>;
  /** Amount to pay. */
  readonly amount: SpendAmount;
  /** Your own description of the payment. */
  readonly description?: string | undefined;
  /** Id of a tier returned by `listTiers`. */
  readonly onchainTierId: string;
  /** Information about the receiver. */
  readonly beneficiary?: Beneficiary | undefined;
}

/** Input for listing on-chain payment tiers. */
export interface OnchainTiersDraft extends Extendable {
  /** On-chain address to pay. */
  readonly btcAddress: string;
  /** Amount to pay. */
  readonly amount: Money;
}

/** A delivery speed for on-chain payments, with its fee. */
export interface OnchainTier {
  /** The tier's id. Pass it as `onchainTierId` when you create a quote. */
  readonly id: string;
  /** Estimated delivery time, in minutes. */
  readonly estimatedDeliveryDurationInMin: number;
  /** Approximate fee. */
  readonly estimatedFee: Money;
  /** Minimum amount that you can send with this tier. */
  readonly minimumAmount?: Money | undefined;
}

/**
 * How to choose a tier: the cheapest one that delivers in time, or the fastest one within a maximum
 * fee.
 */
export type OnchainTierChoice =
  | {
      /** Maximum estimated delivery time, in minutes. Selects the cheapest tier that meets it. */
      readonly maxDeliveryInMin: number;
      /** Must be absent if `maxDeliveryInMin` is set. */
      readonly maxFee?: undefined;
    }
  | {
      /** Maximum estimated fee, in BTC like the tiers' fees. Selects the fastest tier within it. */
      readonly maxFee: Money;
      /** Must be absent if `maxFee` is set. */
      readonly maxDeliveryInMin?: undefined;
    };

/** Payment limits and metadata for a Lightning address or LNURL. */
export interface LnurlDetails {
  /** Minimum amount, in millisatoshi. */
  readonly minSendable: number;
  /** Maximum amount, in millisatoshi. */
  readonly maxSendable: number;
  /** Metadata as a JSON array of pairs, each with a type and its content. */
  readonly metadata: string;
  /** Maximum length of a comment, in characters. Absent if comments aren't accepted. */
  readonly commentAllowed?: number | undefined;
  /** Type of the LNURL, which is always `payRequest`. */
  readonly tag: string;
}

// The service creates one quote per idempotency key and has no endpoint for reading it. The amounts
// of a quote are in the sender's currency.

function quoteEndpoint<Draft>(
  facts: Pick<Endpoint<{}, Draft, PaymentQuote>, 'operation' | 'path' | 'scope' | 'input'>,
): Endpoint<{}, Draft, PaymentQuote> {
  return {
    ...facts,
    method: 'POST',
    bucket: 'payment-quotes',
    idempotency: 'key-only',
    statuses: [200, 201],
    output: makeAnswer(PaymentQuoteSchema),
    agrees: {
      exact: { 'amount.currency': 'sourceCurrency', 'totalAmount.currency': 'sourceCurrency' },
    },
    assumes: { EXCLUSIVE: ['amount'], INCLUSIVE: ['totalAmount'] },
    original: { code: 'DUPLICATE_PAYMENT_QUOTE', id: 'paymentQuoteId' },
  };
}

/** POST /v1/payment-quotes/lightning @source documented */
export const createLightningEndpoint: Endpoint<{}, LightningQuoteDraft, PaymentQuote> =
  quoteEndpoint({
    operation: 'paymentQuotes.createLightning',
    path: '/v1/payment-quotes/lightning',
    scope: 'partner.payment-quote.lightning.create',
    input: makeDraftShape(LightningQuoteDraftSchema, lightningQuoteDraftRules),
  });

/** POST /v1/payment-quotes/lightning/lnurl @source documented */
export const createLnurlEndpoint: Endpoint<{}, LnurlQuoteDraft, PaymentQuote> = quoteEndpoint({
  operation: 'paymentQuotes.createLnurl',
  path: '/v1/payment-quotes/lightning/lnurl',
  scope: 'partner.payment-quote.lightning.create',
  input: makeDraftShape(LnurlQuoteDraftSchema),
});

/** POST /v1/payment-quotes/onchain @source documented */
export const createOnchainEndpoint: Endpoint<{}, OnchainQuoteDraft, PaymentQuote> = quoteEndpoint({
  operation: 'paymentQuotes.createOnchain',
  path: '/v1/payment-quotes/onchain',
  scope: 'partner.payment-quote.onchain.create',
  input: makeDraftShape(OnchainQuoteDraftSchema, onchainQuoteDraftRules),
});

/** GET /v1/payment-quotes/lightning/lnurl/{lnAddressOrUrl} @source documented */
export const getLnurlEndpoint: Endpoint<{ lnAddressOrUrl: string }, void, LnurlDetails> =
  readEndpoint({
    operation: 'paymentQuotes.getLnurl',
    path: '/v1/payment-quotes/lightning/lnurl/{lnAddressOrUrl}',
    scope: 'partner.payment-quote.lightning.create',
    output: makeAnswer(LnurlDetailsSchema),
  });

/** POST /v1/payment-quotes/onchain/tiers @source documented */
export const listTiersEndpoint: Endpoint<{}, OnchainTiersDraft, Rows<OnchainTier>> = {
  operation: 'paymentQuotes.listTiers',
  method: 'POST',
  path: '/v1/payment-quotes/onchain/tiers',
  scope: 'partner.payment-quote.onchain.create',
  bucket: 'others',
  idempotency: 'pure',
  statuses: [200],
  input: makeDraftShape(OnchainTiersDraftSchema),
  output: makeAnswer(OnchainTiersSchema),
};

/** PATCH /v1/payment-quotes/{paymentQuoteId}/execute @source documented */
export const executeEndpoint: Endpoint<{ paymentQuoteId: PaymentQuoteId }, void, ExecutedPayment> =
  {
    operation: 'paymentQuotes.execute',
    method: 'PATCH',
    path: '/v1/payment-quotes/{paymentQuoteId}/execute',
    scope: 'partner.payment-quote.execute',
    bucket: 'execute',
    priority: 'critical',
    idempotency: 'same-request',
    statuses: [200, 202],
    output: makeAnswer(ExecutedPaymentSchema),
    original: { code: 'PAYMENT_PROCESSED', id: 'paymentId' },
    attemptTimeout: 45_000,
  };

/**
 * Creates a quote with an idempotency key. A duplicate is an error. It must never be executed,
 * because its amounts can't be read.
 */
function createQuote<Draft>(
  connection: Connection,
  endpoint: Endpoint<{}, Draft, PaymentQuote>,
  draft: Draft,
  options: KeyedOptions,
): Call<PaymentQuote> {
  return send(
    connection,
    endpoint,
    {
      where: {},
      draft,
      idempotencyKey: keyIn(options, connection),
      adopts: true,
      isOwn: options?.idempotencyKey === undefined,
      async resolve({ message, service, ...facts }, _rest, since) {
        const values = { ...facts.values, terms: 'unknown' };
        // The response to an earlier request with this key was lost, and that request may have
        // created the quote.
        const maybeCreated = since !== undefined || undefined;
        const all: ErrorFacts = { ...facts, service, next: 'new-quote', values, maybeCreated };
        throw new RefusedError(message, all);
      },
    },
    options,
  );
}

/**
 * Creates a quote for paying a BOLT11 invoice. Resolves to the quote. Check its amount, fee and
 * total before you execute it. If you don't pass an idempotency key, the SDK generates one and
 * includes it in errors. `POST /v1/payment-quotes/lightning` (documented).
 *
 * @throws InputError for a bad field · RefusedError `INVALID_LN_INVOICE`, `LN_ROUTE_NOT_FOUND`,
 * `LN_INVOICE_PROCESSED`, `BALANCE_TOO_LOW`, or `DUPLICATE_PAYMENT_QUOTE` with `values.terms:
 * 'unknown'`: never execute that quote, create a new one
 *
 * @example
 * const quote = await client.paymentQuotes.createLightning({
 *   lnInvoice: sandbox.payer.createBolt11({ sat: '2100' }),
 *   sourceCurrency: 'USD',
 * });
 */
export function createLightning(
  connection: Connection,
  draft: LightningQuoteDraft,
  options: KeyedOptions = {},
): Call<PaymentQuote> {
  return createQuote(connection, createLightningEndpoint, draft, options);
}

/**
 * Creates a quote for paying a Lightning address or LNURL. Resolves to the quote. `POST
 * /v1/payment-quotes/lightning/lnurl` (documented).
 *
 * @throws the errors of `createLightning` · RefusedError `NOT_FOUND` for an address that doesn't
 * exist
 *
 * @example
 * const quote = await client.paymentQuotes.createLnurl({
 *   lnAddressOrUrl: 'ada@wallet.example',
 *   sourceCurrency: 'BTC',
 *   amount: { amount: '5.00', currency: 'USD' },
 * });
 */
export function createLnurl(
  connection: Connection,
  draft: LnurlQuoteDraft,
  options: KeyedOptions = {},
): Call<PaymentQuote> {
  return createQuote(connection, createLnurlEndpoint, draft, options);
}

/**
 * Creates a quote for paying an on-chain address. Resolves to the quote. `POST
 * /v1/payment-quotes/onchain` (documented).
 *
 * @throws the errors of `createLightning` · RefusedError `INVALID_BITCOIN_ADDRESS`,
 * `AMOUNT_TOO_LOW` with `values.limit`
 *
 * @example
 * const btcAddress = sandbox.payer.createAddress();
 * const amount = { amount: '200.00', currency: 'USD' };
 * const [tier] = await client.paymentQuotes.listTiers({ btcAddress, amount });
 * const quote = await client.paymentQuotes.createOnchain({
 *   btcAddress,
 *   amount,
 *   sourceCurrency: 'USD',
 *   onchainTierId: tier!.id,
 * });
 */
export function createOnchain(
  connection: Connection,
  draft: OnchainQuoteDraft,
  options: KeyedOptions = {},
): Call<PaymentQuote> {
  return createQuote(connection, createOnchainEndpoint, draft, options);
}

/**
 * Reads the minimum and maximum amounts for a Lightning address or LNURL in millisatoshi, and the
 * maximum comment length. `GET /v1/payment-quotes/lightning/lnurl/{lnAddressOrUrl}` (documented).
 *
 * @throws RefusedError `NOT_FOUND` for an address that doesn't exist
 *
 * @example
 * const { maxSendable, commentAllowed } =
 *   await client.paymentQuotes.getLnurl('ada@wallet.example');
 */
export function getLnurl(
  connection: Connection,
  lnAddressOrUrl: string,
  options: CallOptions = {},
): Call<LnurlDetails> {
  return send(connection, getLnurlEndpoint, { where: { lnAddressOrUrl } }, options);
}

/**
 * Reads the available delivery speeds for an on-chain payment and their fees. Resolves to the
 * tiers. Doesn't create a quote. `POST /v1/payment-quotes/onchain/tiers` (documented).
 *
 * @throws RefusedError `INVALID_BITCOIN_ADDRESS`
 *
 * @example
 * const tiers = await client.paymentQuotes.listTiers({
 *   btcAddress: sandbox.payer.createAddress(),
 *   amount: { amount: '0.001', currency: 'BTC' },
 * });
 */
export function listTiers(
  connection: Connection,
  draft: OnchainTiersDraft,
  options: CallOptions = {},
): Call<Rows<OnchainTier>> {
  return send(connection, listTiersEndpoint, { where: {}, draft }, options);
}

interface TierWishes {
  readonly maxDeliveryInMin?: number | undefined;
  readonly maxFee?: Money | undefined;
}

/**
 * Chooses one of the tiers from `listTiers`. Skips tiers whose `minimumAmount` is in the same
 * currency and above the amount. Returns `undefined` if no tier matches.
 *
 * @example
 * const btcAddress = sandbox.payer.createAddress();
 * const amount = { amount: '0.001', currency: 'BTC' };
 * const tiers = await client.paymentQuotes.listTiers({ btcAddress, amount });
 * console.log(chooseTier(tiers, amount, { maxDeliveryInMin: 60 })?.id); // tier_normal
 */
export function chooseTier(
  tiers: readonly OnchainTier[],
  amount: Money,
  choice: OnchainTierChoice,
): OnchainTier | undefined {
  checkArgument('tiers', tiers, 'array!');
  parseUnsignedMoney(amount);
  const members = { maxDeliveryInMin: 'number', maxFee: 'object' } as const;
  checkOptions<TierWishes>(choice ?? null, members, 'choice.');
  const { maxDeliveryInMin = Infinity, maxFee } = choice;
  const fits = tiers.filter(
    ({ estimatedDeliveryDurationInMin, estimatedFee, minimumAmount }) =>
      estimatedDeliveryDurationInMin <= maxDeliveryInMin &&
      (!maxFee || isAtMost(estimatedFee, maxFee)) &&
      (minimumAmount?.currency !== amount.currency || isAtMost(minimumAmount, amount)),
  );
  const byFee = (a: OnchainTier, b: OnchainTier) => compareMoney(a.estimatedFee, b.estimatedFee);
  const byTime = (a: OnchainTier, b: OnchainTier) =>
    a.estimatedDeliveryDurationInMin - b.estimatedDeliveryDurationInMin;
  const [best] = fits.sort((a, b) =>
    maxFee ? byTime(a, b) || byFee(a, b) : byFee(a, b) || byTime(a, b),
  );
  return best;
}

function isAtMost(one: Money, most: Money): boolean {
  return one.currency === most.currency && compareMoney(one, most) <= 0;
}

/**
 * Executes a quote, which moves money. Resolves to the payment, which may still be PENDING. The
 * service only guarantees the payment's id. The request is sent once and may take up to 45 seconds. After
 * an error with `outcome: 'unknown'`, execute the same quote again and never create a new one. The
 * service executes a quote only once. Once you've executed a quote, this client never reports the
 * outcome `not-done` for it. `PATCH /v1/payment-quotes/{paymentQuoteId}/execute` (documented).
 *
 * @throws RefusedError `PAYMENT_PROCESSED` with `values.paymentId`, and an unknown outcome: read
 * that payment · `PAYMENT_QUOTE_EXPIRED`, `BALANCE_TOO_LOW`, `LN_ROUTE_NOT_FOUND` ·
 * UnreachableError with `outcome: 'unknown'`: never create a new quote before the outcome is clear
 *
 * @example
 * const { state, paymentId } = await client.paymentQuotes.execute(quote.paymentQuoteId);
 */
export function execute(
  connection: Connection,
  paymentQuoteId: PaymentQuoteId,
  options: CallOptions = {},
): Call<ExecutedPayment> {
  return send(connection, executeEndpoint, { where: { paymentQuoteId } }, options);
}

/**
 * The payment quote resource. It has no `read`, because the service has no endpoint for reading a
 * quote.
 */
export const resource: NamedResource<'paymentQuote', PaymentQuote> = {
  name: 'paymentQuote',
  idOf: ({ paymentQuoteId }) => paymentQuoteId,
};
