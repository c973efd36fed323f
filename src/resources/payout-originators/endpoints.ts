import { type Page, SKIP_QUERY, type SkipQuery } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import { commanding, reading } from '../rows.ts';
import type { PayoutOriginator, PayoutOriginatorDraft, PayoutOriginatorId } from './model.ts';
import { OriginatorDraftSchema, OriginatorPageSchema, OriginatorSchema } from './schemas.ts';

const ALL = '/v1/payout-originators';
const ONE = '/v1/payout-originators/{originatorId}';

/** @source seed */
export const create: Endpoint<{}, PayoutOriginatorDraft, PayoutOriginator> = commanding(
  'POST',
  ALL,
  'partner.payout-originator.create',
  [201, 200],
  'none',
  OriginatorDraftSchema,
  OriginatorSchema,
);

/** @source seed */
export const get: Endpoint<{ originatorId: PayoutOriginatorId }, void, PayoutOriginator> = reading(
  ONE,
  'partner.payout-originator.read',
  OriginatorSchema,
  { echo: { originatorId: 'id' } },
);

/** @source seed */
export const list: Endpoint<SkipQuery, void, Page<PayoutOriginator>> = reading(
  ALL,
  'partner.payout-originator.read',
  OriginatorPageSchema,
  { query: SKIP_QUERY },
);

/** @source seed */
export const remove: Endpoint<{ originatorId: PayoutOriginatorId }, void, void> = commanding(
  'DELETE',
  ONE,
  'partner.payout-originator.delete',
  [204],
  'convergent',
  undefined,
  undefined,
  { original: { code: 'NOT_FOUND', id: 'originatorId', by: 'get' } },
);
