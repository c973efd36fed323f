import { type Page, SKIP_QUERY, type SkipQuery } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import type { Payout, PayoutDraft, PayoutId } from './model.ts';
import { PayoutDraftSchema, PayoutPageSchema, PayoutSchema } from './schemas.ts';

/** POST /v1/payouts @source documented */
export const create: Endpoint<{}, PayoutDraft, Payout> = {
  operation: 'payouts.create',
  method: 'POST',
  path: '/v1/payouts',
  scope: 'partner.payout.create',
  bucket: 'others',
  idempotency: 'none',
  statuses: [201, 200],
  input: PayoutDraftSchema,
  output: PayoutSchema,
  agrees: {
    text: {
      paymentMethodId: 'paymentMethodId',
      originatorId: 'originatorId',
      reference: 'reference',
    },
    amount: { amount: 'amount' },
  },
};

/** GET /v1/payouts/{payoutId} @source documented */
export const get: Endpoint<{ payoutId: PayoutId }, void, Payout> = {
  operation: 'payouts.get',
  method: 'GET',
  path: '/v1/payouts/{payoutId}',
  scope: 'partner.payout.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: PayoutSchema,
  echo: { payoutId: 'id' },
};

/** GET /v1/payouts @source documented */
export const list: Endpoint<SkipQuery, void, Page<Payout>> = {
  operation: 'payouts.list',
  method: 'GET',
  path: '/v1/payouts',
  scope: 'partner.payout.read',
  bucket: 'others',
  priority: 'low',
  idempotency: 'safe',
  statuses: [200],
  output: PayoutPageSchema,
  query: SKIP_QUERY,
};

/** PATCH /v1/payouts/{payoutId}/initiate @source documented */
export const initiate: Endpoint<{ payoutId: PayoutId }, void, Payout> = {
  operation: 'payouts.initiate',
  method: 'PATCH',
  path: '/v1/payouts/{payoutId}/initiate',
  scope: 'partner.payout.initiate',
  bucket: 'others',
  priority: 'critical',
  idempotency: 'same-request',
  statuses: [200],
  output: PayoutSchema,
  echo: { payoutId: 'id' },
  original: { code: 'PAYOUT_ALREADY_INITIATED', id: 'payoutId', by: 'get' },
  attemptTimeout: 45_000,
};
