import { type Page, SKIP_QUERY, type SkipQuery } from '../../core/list.ts';
import type { Row } from '../../core/row.ts';
import { commanding, reading } from '../rows.ts';
import type { Payout, PayoutDraft, PayoutId } from './model.ts';
import { PayoutDraftSchema, PayoutPageSchema, PayoutSchema } from './schemas.ts';

const ALL = '/v1/payouts';
const ONE = `${ALL}/{payoutId}`;
const SCOPE = 'partner.payout.';

/** @source seed */
export const create: Row<{}, PayoutDraft, Payout> = commanding('POST', ALL, `${SCOPE}create`, [201, 200], 'once', PayoutDraftSchema, PayoutSchema);

/** @source seed */
export const find: Row<{ payoutId: PayoutId }, void, Payout> = reading(ONE, `${SCOPE}read`, PayoutSchema);

/** @source seed */
export const list: Row<SkipQuery, void, Page<Payout>> = reading(ALL, `${SCOPE}read`, PayoutPageSchema, { query: SKIP_QUERY });

/** @source seed */
export const initiate: Row<{ payoutId: PayoutId }, void, Payout> = commanding(
  'PATCH', `${ONE}/initiate`, `${SCOPE}initiate`, [200], 'by-id', undefined, PayoutSchema,
  { attemptLimit: 45_000, original: { code: 'PAYOUT_ALREADY_INITIATED', id: 'payoutId', by: 'find' } },
);
