// Terms of payments to Lightning and on-chain destinations, and their execution.
import { type Id, type Open, RefusedError } from '../core/errors/index.ts';
import {
  type Agreement,
  type Assumption,
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  internals,
  type KeyedOptions,
  send,
} from '../core/http/index.ts';
import type { Money } from '../money/index.ts';
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
import { shapeOf } from './wire.ts';

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

// A quote is made once for a key; the original of a repeated key cannot be read. Its amounts are in
// the sender's currency.

const agrees: Agreement = {
  exact: { 'amount.currency': 'sourceCurrency', 'totalAmount.currency': 'sourceCurrency' },
};
const assumes: Assumption = { EXCLUSIVE: ['amount'], INCLUSIVE: ['totalAmount'] };

/** POST /v1/payment-quotes/lightning @source documented */
export const createLightningEndpoint: Endpoint<{}, LightningQuoteDraft, PaymentQuote> = {
  operation: 'paymentQuotes.createLightning',
  method: 'POST',
  path: '/v1/payment-quotes/lightning',
  scope: 'partner.payment-quote.lightning.create',
  bucket: 'payment-quotes',
  idempotency: 'key-only',
  statuses: [200, 201],
  input: shapeOf(LightningQuoteDraftSchema, lightningQuoteDraftRules),
  output: shapeOf(PaymentQuoteSchema),
  agrees,
  assumes,
  original: { code: 'DUPLICATE_PAYMENT_QUOTE', id: 'paymentQuoteId', by: '' },
};

/** POST /v1/payment-quotes/lightning/lnurl @source documented */
export const createLnurlEndpoint: Endpoint<{}, LnurlQuoteDraft, PaymentQuote> = {
  operation: 'paymentQuotes.createLnurl',
  method: 'POST',
  path: '/v1/payment-quotes/lightning/lnurl',
  scope: 'partner.payment-quote.lightning.create',
  bucket: 'payment-quotes',
  idempotency: 'key-only',
  statuses: [200, 201],
  input: shapeOf(LnurlQuoteDraftSchema),
  output: shapeOf(PaymentQuoteSchema),
  agrees,
  assumes,
  original: { code: 'DUPLICATE_PAYMENT_QUOTE', id: 'paymentQuoteId', by: '' },
};

/** POST /v1/payment-quotes/onchain @source documented */
export const createOnchainEndpoint: Endpoint<{}, OnchainQuoteDraft, PaymentQuote> = {
  operation: 'paymentQuotes.createOnchain',
  method: 'POST',
  path: '/v1/payment-quotes/onchain',
  scope: 'partner.payment-quote.onchain.create',
  bucket: 'payment-quotes',
  idempotency: 'key-only',
  statuses: [200, 201],
  input: shapeOf(OnchainQuoteDraftSchema, onchainQuoteDraftRules),
  output: shapeOf(PaymentQuoteSchema),
  agrees,
  assumes,
  original: { code: 'DUPLICATE_PAYMENT_QUOTE', id: 'paymentQuoteId', by: '' },
};

/** GET /v1/payment-quotes/lightning/lnurl/{lnAddressOrUrl} @source documented */
export const getLnurlEndpoint: Endpoint<{ lnAddressOrUrl: string }, void, LnurlDetails> = {
  operation: 'paymentQuotes.getLnurl',
  method: 'GET',
  path: '/v1/payment-quotes/lightning/lnurl/{lnAddressOrUrl}',
  scope: 'partner.payment-quote.lightning.create',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: shapeOf(LnurlDetailsSchema),
};

/** POST /v1/payment-quotes/onchain/tiers @source documented */
export const listTiersEndpoint: Endpoint<{}, OnchainTiersDraft, readonly OnchainTier[]> = {
  operation: 'paymentQuotes.listTiers',
  method: 'POST',
  path: '/v1/payment-quotes/onchain/tiers',
  scope: 'partner.payment-quote.onchain.create',
  bucket: 'others',
  idempotency: 'pure',
  statuses: [200],
  input: shapeOf(OnchainTiersDraftSchema),
  output: shapeOf(OnchainTiersSchema),
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
    output: shapeOf(ExecutedPaymentSchema),
    original: { code: 'PAYMENT_PROCESSED', id: 'paymentId', by: 'payments.get' },
    attemptTimeout: 45_000,
  };

/**
 * Creates under a key, made when absent. A duplicate names a quote whose terms cannot be read: it
 * must never be executed.
 */
function createQuote<Draft>(
  connection: Connection,
  endpoint: Endpoint<{}, Draft, PaymentQuote>,
  draft: Draft,
  options: KeyedOptions,
): Call<PaymentQuote> {
  const { idempotencyKey = connection[internals].uuid() } = options;
  return send(
    connection,
    endpoint,
    {
      where: {},
      draft,
      idempotencyKey,
      adopts: true,
      isOwn: options.idempotencyKey === undefined,
      async resolve({ message, ...facts }, _rest, since) {
        const values = { ...facts.values, terms: 'unknown' };
        // a request of this key was lost before: it may have made that quote
        const maybeCreated = since !== undefined || undefined;
        throw new RefusedError(message, { ...facts, next: 'new-quote', values, maybeCreated });
      },
    },
    options,
  );
}

/**
 * Makes a quote to pay a BOLT11 invoice. Resolves to its terms: compare amount, fee and total
 * before you execute. The idempotency key is made when absent; every error carries it. `POST
 * /v1/payment-quotes/lightning` (documented).
 *
 * @throws InputError for a bad field · RefusedError `INVALID_LN_INVOICE`, `LN_ROUTE_NOT_FOUND`,
 * `LN_INVOICE_PROCESSED`, `BALANCE_TOO_LOW`, or `DUPLICATE_PAYMENT_QUOTE` with `values.terms:
 * 'unknown'`: never execute that one, make a new quote
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
 * Makes a quote to pay a Lightning address or LNURL. Resolves to its terms.
 * `POST /v1/payment-quotes/lightning/lnurl` (documented).
 *
 * @throws as `createLightning`; RefusedError `NOT_FOUND` for an address that leads nowhere
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
 * Makes a quote to pay an on-chain address. Resolves to its terms. `POST
 * /v1/payment-quotes/onchain` (documented).
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
 * Asks what a Lightning address or LNURL takes. Resolves to its limits in millisatoshi and the
 * longest comment. `GET /v1/payment-quotes/lightning/lnurl/{lnAddressOrUrl}` (documented).
 *
 * @throws RefusedError `NOT_FOUND` for an address that leads nowhere
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
 * Asks how fast an on-chain payment can be, and for what fee. Resolves to the tiers; makes nothing.
 * `POST /v1/payment-quotes/onchain/tiers` (documented).
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
): Call<readonly OnchainTier[]> {
  return send(connection, listTiersEndpoint, { where: {}, draft }, options);
}

/**
 * Executes a quote: money moves. Resolves to the payment, which may be PENDING still, and of which
 * only the id is sure. Sent once; an attempt may take 45 s. After an error with `outcome:
 * 'unknown'` only the same quote may be executed again: the service does a quote once, and this
 * client says `not-done` of it no more. `PATCH /v1/payment-quotes/{paymentQuoteId}/execute`
 * (documented).
 *
 * @throws RefusedError `PAYMENT_PROCESSED` with `values.paymentId`, outcome unknown: look at that
 * payment · `PAYMENT_QUOTE_EXPIRED`, `BALANCE_TOO_LOW`, `LN_ROUTE_NOT_FOUND` · UnreachableError
 * with `outcome: 'unknown'`: never make a new quote before it is clear
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

/** Shown once, when it is made: the service has no endpoint to read it again. */
export const resource: NamedResource<'paymentQuote', PaymentQuote> = {
  name: 'paymentQuote',
  idOf: ({ paymentQuoteId }) => paymentQuoteId,
};
