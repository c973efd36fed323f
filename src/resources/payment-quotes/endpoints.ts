import type { Endpoint } from '../../core/http/index.ts';
import type { ExecutedPayment } from '../payments/model.ts';
import { ExecutedPaymentSchema } from '../payments/schemas.ts';
import { commanding, reading } from '../rows.ts';
import type { SchemaOf } from '../shape.ts';
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

const LIGHTNING = 'partner.payment-quote.lightning.create';
const ONCHAIN = 'partner.payment-quote.onchain.create';

/** A quote that is made once for a key; the original of a repeated key cannot be read. */
function quoting<Draft>(
  path: string,
  scope: string,
  input: SchemaOf<Draft>,
): Endpoint<{}, Draft, PaymentQuote> {
  return commanding('POST', path, scope, [200, 201], 'key-only', input, PaymentQuoteSchema, {
    bucket: 'payment-quotes',
    original: { code: 'DUPLICATE_PAYMENT_QUOTE', id: 'paymentQuoteId', by: '' },
  });
}

/** @source seed */
export const createLightning: Endpoint<{}, LightningQuoteDraft, PaymentQuote> = quoting(
  '/v1/payment-quotes/lightning',
  LIGHTNING,
  LightningQuoteDraftSchema,
);

/** @source seed */
export const createLnurl: Endpoint<{}, LnurlQuoteDraft, PaymentQuote> = quoting(
  '/v1/payment-quotes/lightning/lnurl',
  LIGHTNING,
  LnurlQuoteDraftSchema,
);

/** @source seed */
export const createOnchain: Endpoint<{}, OnchainQuoteDraft, PaymentQuote> = quoting(
  '/v1/payment-quotes/onchain',
  ONCHAIN,
  OnchainQuoteDraftSchema,
);

/** @source seed */
export const getLnurl: Endpoint<{ lnAddressOrUrl: string }, void, LnurlDetails> = reading(
  '/v1/payment-quotes/lightning/lnurl/{lnAddressOrUrl}',
  LIGHTNING,
  LnurlDetailsSchema,
);

/** @source seed */
export const listTiers: Endpoint<{}, OnchainTiersDraft, readonly OnchainTier[]> = commanding(
  'POST',
  '/v1/payment-quotes/onchain/tiers',
  ONCHAIN,
  [200],
  'pure',
  OnchainTiersDraftSchema,
  OnchainTiersSchema,
);

/** @source seed */
export const execute: Endpoint<{ paymentQuoteId: PaymentQuoteId }, void, ExecutedPayment> =
  commanding(
    'PATCH',
    '/v1/payment-quotes/{paymentQuoteId}/execute',
    'partner.payment-quote.execute',
    [200, 202],
    'same-request',
    undefined,
    ExecutedPaymentSchema,
    {
      bucket: 'execute',
      attemptTimeout: 45_000,
      original: { code: 'PAYMENT_PROCESSED', id: 'paymentId', by: 'payments.get' },
    },
  );
