import type { Agreement, Assumption, Endpoint } from '../../core/http/index.ts';
import type { ExecutedPayment } from '../payments/model.ts';
import { ExecutedPaymentSchema } from '../payments/schemas.ts';
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
import {
  LightningQuoteDraftSchema,
  LnurlDetailsSchema,
  LnurlQuoteDraftSchema,
  OnchainQuoteDraftSchema,
  OnchainTiersDraftSchema,
  OnchainTiersSchema,
  PaymentQuoteSchema,
} from './schemas.ts';

// A quote is made once for a key; the original of a repeated key cannot be read. Its amounts are in
// the sender's currency.

const agrees: Agreement = {
  exact: { 'amount.currency': 'sourceCurrency', 'totalAmount.currency': 'sourceCurrency' },
};
const assumes: Assumption = { EXCLUSIVE: ['amount'], INCLUSIVE: ['totalAmount'] };

/** POST /v1/payment-quotes/lightning @source documented */
export const createLightning: Endpoint<{}, LightningQuoteDraft, PaymentQuote> = {
  operation: 'paymentQuotes.createLightning',
  method: 'POST',
  path: '/v1/payment-quotes/lightning',
  scope: 'partner.payment-quote.lightning.create',
  bucket: 'payment-quotes',
  idempotency: 'key-only',
  statuses: [200, 201],
  input: LightningQuoteDraftSchema,
  output: PaymentQuoteSchema,
  agrees,
  assumes,
  original: { code: 'DUPLICATE_PAYMENT_QUOTE', id: 'paymentQuoteId', by: '' },
};

/** POST /v1/payment-quotes/lightning/lnurl @source documented */
export const createLnurl: Endpoint<{}, LnurlQuoteDraft, PaymentQuote> = {
  operation: 'paymentQuotes.createLnurl',
  method: 'POST',
  path: '/v1/payment-quotes/lightning/lnurl',
  scope: 'partner.payment-quote.lightning.create',
  bucket: 'payment-quotes',
  idempotency: 'key-only',
  statuses: [200, 201],
  input: LnurlQuoteDraftSchema,
  output: PaymentQuoteSchema,
  agrees,
  assumes,
  original: { code: 'DUPLICATE_PAYMENT_QUOTE', id: 'paymentQuoteId', by: '' },
};

/** POST /v1/payment-quotes/onchain @source documented */
export const createOnchain: Endpoint<{}, OnchainQuoteDraft, PaymentQuote> = {
  operation: 'paymentQuotes.createOnchain',
  method: 'POST',
  path: '/v1/payment-quotes/onchain',
  scope: 'partner.payment-quote.onchain.create',
  bucket: 'payment-quotes',
  idempotency: 'key-only',
  statuses: [200, 201],
  input: OnchainQuoteDraftSchema,
  output: PaymentQuoteSchema,
  agrees,
  assumes,
  original: { code: 'DUPLICATE_PAYMENT_QUOTE', id: 'paymentQuoteId', by: '' },
};

/** GET /v1/payment-quotes/lightning/lnurl/{lnAddressOrUrl} @source documented */
export const getLnurl: Endpoint<{ lnAddressOrUrl: string }, void, LnurlDetails> = {
  operation: 'paymentQuotes.getLnurl',
  method: 'GET',
  path: '/v1/payment-quotes/lightning/lnurl/{lnAddressOrUrl}',
  scope: 'partner.payment-quote.lightning.create',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: LnurlDetailsSchema,
};

/** POST /v1/payment-quotes/onchain/tiers @source documented */
export const listTiers: Endpoint<{}, OnchainTiersDraft, readonly OnchainTier[]> = {
  operation: 'paymentQuotes.listTiers',
  method: 'POST',
  path: '/v1/payment-quotes/onchain/tiers',
  scope: 'partner.payment-quote.onchain.create',
  bucket: 'others',
  idempotency: 'pure',
  statuses: [200],
  input: OnchainTiersDraftSchema,
  output: OnchainTiersSchema,
};

/** PATCH /v1/payment-quotes/{paymentQuoteId}/execute @source documented */
export const execute: Endpoint<{ paymentQuoteId: PaymentQuoteId }, void, ExecutedPayment> = {
  operation: 'paymentQuotes.execute',
  method: 'PATCH',
  path: '/v1/payment-quotes/{paymentQuoteId}/execute',
  scope: 'partner.payment-quote.execute',
  bucket: 'execute',
  priority: 'critical',
  idempotency: 'same-request',
  statuses: [200, 202],
  output: ExecutedPaymentSchema,
  original: { code: 'PAYMENT_PROCESSED', id: 'paymentId', by: 'payments.get' },
  attemptTimeout: 45_000,
};
