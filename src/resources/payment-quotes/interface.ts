// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions, KeyedOptions } from '../../core/http/index.ts';
import type { ExecutedPayment } from '../payments/model.ts';
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

/** Terms of payments to Lightning and on-chain destinations, and their execution. */
export interface PaymentQuotes {
  /**
   * Makes a quote to pay a BOLT11 invoice. Resolves to its terms: compare amount, fee and total
   * before you execute. The idempotency key is made when absent; every error carries it.
   * `POST /v1/payment-quotes/lightning` (documented).
   *
   * @throws InputError for a bad field · RefusedError `INVALID_LN_INVOICE`, `LN_ROUTE_NOT_FOUND`,
   * `LN_INVOICE_PROCESSED`, `BALANCE_TOO_LOW`, or `DUPLICATE_PAYMENT_QUOTE` with
   * `values.terms: 'unknown'`: never execute that one, make a new quote
   * @example
   * const quote = await client.paymentQuotes.createLightning({
   *   lnInvoice: sandbox.payer.createBolt11({ sat: '2100' }),
   *   sourceCurrency: 'USD',
   * });
   */
  createLightning(draft: LightningQuoteDraft, options?: KeyedOptions): Call<PaymentQuote>;

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
  createLnurl(draft: LnurlQuoteDraft, options?: KeyedOptions): Call<PaymentQuote>;

  /**
   * Makes a quote to pay an on-chain address. Resolves to its terms.
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
  createOnchain(draft: OnchainQuoteDraft, options?: KeyedOptions): Call<PaymentQuote>;

  /**
   * Asks what a Lightning address or LNURL takes. Resolves to its limits in millisatoshi and the
   * longest comment. `GET /v1/payment-quotes/lightning/lnurl/{lnAddressOrUrl}` (documented).
   *
   * @throws RefusedError `NOT_FOUND` for an address that leads nowhere
   * @example
   * const { maxSendable, commentAllowed } =
   *   await client.paymentQuotes.getLnurl('ada@wallet.example');
   */
  getLnurl(lnAddressOrUrl: string, options?: CallOptions): Call<LnurlDetails>;

  /**
   * Asks how fast an on-chain payment can be, and for what fee. Resolves to the tiers; makes
   * nothing. `POST /v1/payment-quotes/onchain/tiers` (documented).
   *
   * @throws RefusedError `INVALID_BITCOIN_ADDRESS`
   * @example
   * const tiers = await client.paymentQuotes.listTiers({
   *   btcAddress: sandbox.payer.createAddress(),
   *   amount: { amount: '0.001', currency: 'BTC' },
   * });
   */
  listTiers(draft: OnchainTiersDraft, options?: CallOptions): Call<readonly OnchainTier[]>;

  /**
   * Executes a quote: money moves. Resolves to the payment, which may be PENDING still, and of
   * which only the id is sure. Sent once; an attempt may take 45 s. After an error with
   * `outcome: 'unknown'` only the same quote may be executed again: the service does a quote once,
   * and this client says `not-done` of it no more.
   * `PATCH /v1/payment-quotes/{paymentQuoteId}/execute` (documented).
   *
   * @throws RefusedError `PAYMENT_PROCESSED` with `values.paymentId`, outcome unknown: look at that
   * payment · `PAYMENT_QUOTE_EXPIRED`, `BALANCE_TOO_LOW`, `LN_ROUTE_NOT_FOUND` · UnreachableError
   * with `outcome: 'unknown'`: never make a new quote before it is clear
   * @example
   * const { state, paymentId } = await client.paymentQuotes.execute(quote.paymentQuoteId);
   */
  execute(paymentQuoteId: PaymentQuoteId, options?: CallOptions): Call<ExecutedPayment>;
}
