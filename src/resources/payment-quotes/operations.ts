// Terms of payments to Lightning and on-chain destinations, and their execution.
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  internals,
  type KeyedOptions,
  send,
} from '../../core/http/index.ts';
import { RefusedError } from '../../core/errors/index.ts';
import type { ExecutedPayment } from '../payments/model.ts';
import * as endpoints from './endpoints.ts';
import type {
  LightningQuoteDraft,
  LnurlDetails,
  LnurlQuoteDraft,
  OnchainQuoteDraft,
  OnchainTier,
  OnchainTiersDraft,
  PaymentQuote,
  PaymentQuoteId,
} from './model.ts';

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
  return createQuote(connection, endpoints.createLightning, draft, options);
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
  return createQuote(connection, endpoints.createLnurl, draft, options);
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
  return createQuote(connection, endpoints.createOnchain, draft, options);
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
  return send(connection, endpoints.getLnurl, { where: { lnAddressOrUrl } }, options);
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
  return send(connection, endpoints.listTiers, { where: {}, draft }, options);
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
  return send(connection, endpoints.execute, { where: { paymentQuoteId } }, options);
}
