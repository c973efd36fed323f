import { type Page, SKIP_QUERY, type SkipQuery } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import { commanding, reading } from '../rows.ts';
import type { Payout, PayoutDraft, PayoutId } from './model.ts';
import { PayoutDraftSchema, PayoutPageSchema, PayoutSchema } from './schemas.ts';

const ALL = '/v1/payouts';
const ONE = '/v1/payouts/{payoutId}';

/** @source seed */
export const create: Endpoint<{}, PayoutDraft, Payout> = commanding(
  'POST',
  ALL,
  'partner.payout.create',
  [201, 200],
  'none',
  PayoutDraftSchema,
  PayoutSchema,
);

/** @source seed */
export const get: Endpoint<{ payoutId: PayoutId }, void, Payout> = reading(
  ONE,
  'partner.payout.read',
  PayoutSchema,
  { echo: { payoutId: 'id' } },
);

/** @source seed */
export const list: Endpoint<SkipQuery, void, Page<Payout>> = reading(
  ALL,
  'partner.payout.read',
  PayoutPageSchema,
  { query: SKIP_QUERY },
);

/** @source seed */
export const initiate: Endpoint<{ payoutId: PayoutId }, void, Payout> = commanding(
  'PATCH',
  '/v1/payouts/{payoutId}/initiate',
  'partner.payout.initiate',
  [200],
  'same-request',
  undefined,
  PayoutSchema,
  {
    attemptTimeout: 45_000,
    echo: { payoutId: 'id' },
    original: { code: 'PAYOUT_ALREADY_INITIATED', id: 'payoutId', by: 'get' },
  },
);
