import { type Page, SKIP_QUERY, type SkipQuery } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import type { PayoutOriginator, PayoutOriginatorDraft, PayoutOriginatorId } from './model.ts';
import {
  PayoutOriginatorDraftSchema,
  PayoutOriginatorPageSchema,
  PayoutOriginatorSchema,
} from './schemas.ts';

/** POST /v1/payout-originators @source documented */
export const create: Endpoint<{}, PayoutOriginatorDraft, PayoutOriginator> = {
  operation: 'payoutOriginators.create',
  method: 'POST',
  path: '/v1/payout-originators',
  scope: 'partner.payout-originator.create',
  bucket: 'others',
  idempotency: 'none',
  statuses: [201, 200],
  input: PayoutOriginatorDraftSchema,
  output: PayoutOriginatorSchema,
  agrees: { exact: { 'details.type': 'type' }, text: { 'details.name': 'name' } },
};

/** GET /v1/payout-originators/{originatorId} @source documented */
export const get: Endpoint<{ originatorId: PayoutOriginatorId }, void, PayoutOriginator> = {
  operation: 'payoutOriginators.get',
  method: 'GET',
  path: '/v1/payout-originators/{originatorId}',
  scope: 'partner.payout-originator.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: PayoutOriginatorSchema,
  echo: { originatorId: 'id' },
};

/** GET /v1/payout-originators @source documented */
export const list: Endpoint<SkipQuery, void, Page<PayoutOriginator>> = {
  operation: 'payoutOriginators.list',
  method: 'GET',
  path: '/v1/payout-originators',
  scope: 'partner.payout-originator.read',
  bucket: 'others',
  priority: 'low',
  idempotency: 'safe',
  statuses: [200],
  output: PayoutOriginatorPageSchema,
  query: SKIP_QUERY,
};

/** DELETE /v1/payout-originators/{originatorId} @source documented */
export const remove: Endpoint<{ originatorId: PayoutOriginatorId }, void, void> = {
  operation: 'payoutOriginators.remove',
  method: 'DELETE',
  path: '/v1/payout-originators/{originatorId}',
  scope: 'partner.payout-originator.delete',
  bucket: 'others',
  idempotency: 'convergent',
  statuses: [204],
  original: { code: 'NOT_FOUND', id: 'originatorId', by: 'get' },
};
