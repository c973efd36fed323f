// Terms of payments to Lightning and on-chain destinations, and their execution.
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

/** Id of a payment quote. */
export type PaymentQuoteId = Id<'payment-quote'>;

/**
 * The terms of a payment. A quote can be executed once, before it expires. It cannot be read again.
 */
export interface PaymentQuote {
  /** Id of the quote. */
  readonly paymentQuoteId: string;
  /** The description of the invoice or the request. */
  readonly description?: string | undefined;
  /** ISO 8601 date-time at which it expires; absent if the service names none. */
  readonly validUntil?: string | undefined;
  /** Rate between the currencies of sender and receiver. */
  readonly conversionRate?: QuotedRate | undefined;
  /** The amount that the receiver gets, in the sender's currency. */
  readonly amount: Money;
  /** The sum of all fees. */
  readonly totalFee?: Money | undefined;
  /** The amount that the sender spends. */
  readonly totalAmount: Money;
  /** The amount that the sender may get back. */
  readonly reward?: Money | undefined;
  /** @deprecated Part of `totalFee`; quotes for Lightning only. */
  readonly lightningNetworkFee?: Money | undefined;
  /** For on-chain payments, minutes. */
  readonly estimatedDeliveryDurationInMin?: number | undefined;
}

/** All members of a `Beneficiary`. */
export interface BeneficiaryFields {
  /** True if the destination belongs to the sender. */
  readonly isOwnDestination?: boolean | undefined;
  /** The kind of receiver. */
  readonly type?: Open<'SELF' | 'INDIVIDUAL' | 'BUSINESS' | 'UNKNOWN'> | undefined;
  /** Required if the service applies the travel rule. */
  readonly destinationType?: Open<'EXCHANGE_OR_PLATFORM' | 'SELF_CUSTODY_WALLET'> | undefined;
  /**
   * For an exchange or platform: its id in the directory, at most 100 characters. Give either this
   * or `vaspName`.
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
  /** The number of a passport, an identity card or a register entry. */
  readonly nationalIdentifier?: string | undefined;
}

/**
 * The receiver of the money, as the travel rule requires it. By type, an individual and a business
 * need their names, and an exchange or platform needs `vaspId` or `vaspName`, not both. For a
 * `type` that the service has added since, write a cast.
 */
export type Beneficiary = BeneficiaryFields &
  (
    | {
        /** The kind of receiver. */
        readonly type: 'INDIVIDUAL';
        /** First name of the individual. */
        readonly individualFirstName: string;
        /** Last name of the individual. */
        readonly individualLastName: string;
      }
    | {
        /** The kind of receiver. */
        readonly type: 'BUSINESS';
        /** Name of the business. */
        readonly businessName: string;
      }
    | {
        /** The kind of receiver. */
        readonly type?: 'SELF' | 'UNKNOWN' | undefined;
      }
  ) &
  (
    | {
        /** The holder of the destination. */
        readonly destinationType: 'EXCHANGE_OR_PLATFORM';
        /** Id of the exchange or platform in the directory, at most 100 characters. */
        readonly vaspId: string;
        /** Absent where `vaspId` is given. */
        readonly vaspName?: undefined;
      }
    | {
        /** The holder of the destination. */
        readonly destinationType: 'EXCHANGE_OR_PLATFORM';
        /** Absent where `vaspName` is given. */
        readonly vaspId?: undefined;
        /** Name of the exchange or platform. */
        readonly vaspName: string;
      }
    | {
        /** The holder of the destination. */
        readonly destinationType?: 'SELF_CUSTODY_WALLET' | undefined;
      }
  );

/** Everything that is needed to pay a BOLT11 invoice. */
export interface LightningQuoteDraft extends Extendable {
  /** BOLT11 text. */
  readonly lnInvoice: string;
  /**
   * The currency to spend. When absent it is the account's default, which may not be what you want.
   */
  readonly sourceCurrency?: Open<CurrencyCode> | undefined;
  /** Required if the invoice has no amount, refused if it has one. */
  readonly amount?: SpendAmount | undefined;
  /** The receiver of the money. */
  readonly beneficiary?: Beneficiary | undefined;
}

/** Everything that is needed to pay a Lightning address or LNURL. */
export interface LnurlQuoteDraft extends Extendable {
  /** Lightning address or LNURL. */
  readonly lnAddressOrUrl: string;
  /** Currency to spend. */
  readonly sourceCurrency: Open<CurrencyCode>;
  /** The amount. */
  readonly amount: Money;
  /** A comment for the receiver, if `commentAllowed` of its details permits one of this length. */
  readonly description?: string | undefined;
}

/** Everything that is needed to pay an on-chain address. */
export interface OnchainQuoteDraft extends Extendable {
  /** The on-chain address. */
  readonly btcAddress: string;
  /** Currency to spend. */
  readonly sourceCurrency: Open<CurrencyCode>;
  /** The amount. */
  readonly amount: SpendAmount;
  /** Your own text for it. */
  readonly description?: string | undefined;
  /** The id of a tier of `listTiers`. */
  readonly onchainTierId: string;
  /** The receiver of the money. */
  readonly beneficiary?: Beneficiary | undefined;
}

/** Everything that is needed to list tiers. */
export interface OnchainTiersDraft extends Extendable {
  /** The on-chain address. */
  readonly btcAddress: string;
  /** The amount. */
  readonly amount: Money;
}

/** A speed of on-chain payments, and its fee. */
export interface OnchainTier {
  /** The value for `onchainTierId` of a quote. */
  readonly id: string;
  /** Minutes. */
  readonly estimatedDeliveryDurationInMin: number;
  /** The approximate fee. */
  readonly estimatedFee: Money;
  /** The lowest amount that can be sent. */
  readonly minimumAmount?: Money | undefined;
}

/**
 * The choice of a tier: the cheapest one that delivers in time, or the fastest one that is not too
 * expensive.
 */
export type OnchainTierChoice =
  | {
      /** The longest estimated time until delivery, minutes; the cheapest such tier is chosen. */
      readonly maxDeliveryInMin: number;
      /** Absent where the time is limited. */
      readonly maxFee?: undefined;
    }
  | {
      /** The highest estimated fee, in BTC as tiers have it; the fastest such tier is chosen. */
      readonly maxFee: Money;
      /** Absent where the fee is limited. */
      readonly maxDeliveryInMin?: undefined;
    };

/** The terms of a Lightning address or LNURL. */
export interface LnurlDetails {
  /** Millisatoshi. */
  readonly minSendable: number;
  /** Millisatoshi. */
  readonly maxSendable: number;
  /** JSON array of pairs of type and content. */
  readonly metadata: string;
  /** The maximum length of a comment in characters; absent if it accepts none. */
  readonly commentAllowed?: number | undefined;
  /** Kind of LNURL: `payRequest`. */
  readonly tag: string;
}

// The service creates one quote for a key, and has no endpoint that reads it again. The amounts of
// a quote are in the sender's currency.

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
 * Creates a quote under an idempotency key, or under a new key when absent. A duplicate is an
 * error: it names a quote whose terms cannot be read, and which must never be executed.
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
        // an earlier request with this key was lost: it may have created that quote
        const maybeCreated = since !== undefined || undefined;
        const all: ErrorFacts = { ...facts, service, next: 'new-quote', values, maybeCreated };
        throw new RefusedError(message, all);
      },
    },
    options,
  );
}

/**
 * Creates a quote to pay a BOLT11 invoice. Resolves to its terms: check amount, fee and total
 * before you execute it. The SDK makes an idempotency key when absent; every error carries it.
 * `POST /v1/payment-quotes/lightning` (documented).
 *
 * @throws InputError for a bad field · RefusedError `INVALID_LN_INVOICE`, `LN_ROUTE_NOT_FOUND`,
 * `LN_INVOICE_PROCESSED`, `BALANCE_TOO_LOW`, or `DUPLICATE_PAYMENT_QUOTE` with
 * `values.terms: 'unknown'`: never execute that quote, create a new one
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
 * Creates a quote to pay a Lightning address or LNURL. Resolves to its terms.
 * `POST /v1/payment-quotes/lightning/lnurl` (documented).
 *
 * @throws as `createLightning`; RefusedError `NOT_FOUND` for an address that does not exist
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
 * Creates a quote to pay an on-chain address. Resolves to its terms.
 * `POST /v1/payment-quotes/onchain` (documented).
 *
 * @throws as `createLightning`; RefusedError `INVALID_BITCOIN_ADDRESS`, `AMOUNT_TOO_LOW` with
 * `values.limit`
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
 * Reads what a Lightning address or LNURL accepts. Resolves to its limits in millisatoshi and the
 * maximum length of a comment. `GET /v1/payment-quotes/lightning/lnurl/{lnAddressOrUrl}`
 * (documented).
 *
 * @throws RefusedError `NOT_FOUND` for an address that does not exist
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
 * Reads how fast an on-chain payment can be, and for what fee. Resolves to the tiers; creates
 * nothing. `POST /v1/payment-quotes/onchain/tiers` (documented).
 *
 * @throws RefusedError `INVALID_BITCOIN_ADDRESS`
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

/** The members of both kinds of choice. */
interface TierWishes {
  readonly maxDeliveryInMin?: number | undefined;
  readonly maxFee?: Money | undefined;
}

/**
 * Chooses one of the tiers of `listTiers` for an amount. A tier with a higher `minimumAmount` is
 * left out, where that has the currency of `amount`. Returns `undefined` where no tier fits.
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
 * Executes a quote: moves money. Resolves to the payment, which may still be PENDING and of which
 * only the id is certain. The request is sent once; an attempt may take 45 s. After an error with
 * `outcome: 'unknown'` execute only the same quote again: the service executes a quote once, and
 * this client no longer reports `not-done` for it.
 * `PATCH /v1/payment-quotes/{paymentQuoteId}/execute` (documented).
 *
 * @throws RefusedError `PAYMENT_PROCESSED` with `values.paymentId`, outcome unknown: read that
 * payment · `PAYMENT_QUOTE_EXPIRED`, `BALANCE_TOO_LOW`, `LN_ROUTE_NOT_FOUND` · UnreachableError
 * with `outcome: 'unknown'`: never create a new quote before the outcome is clear
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

/** It has no `read`, because the service has no endpoint for it. */
export const resource: NamedResource<'paymentQuote', PaymentQuote> = {
  name: 'paymentQuote',
  idOf: ({ paymentQuoteId }) => paymentQuoteId,
};
