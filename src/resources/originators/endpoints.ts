import { type Page, SKIP_QUERY, type SkipQuery } from '../../core/list.ts';
import type { Row } from '../../core/row.ts';
import { commanding, reading } from '../rows.ts';
import type { Originator, OriginatorDraft, OriginatorId } from './model.ts';
import { OriginatorDraftSchema, OriginatorPageSchema, OriginatorSchema } from './schemas.ts';

const ALL = '/v1/payout-originators';
const ONE = `${ALL}/{originatorId}`;
const SCOPE = 'partner.payout-originator.';

/** @source seed */
export const create: Row<{}, OriginatorDraft, Originator> = commanding('POST', ALL, `${SCOPE}create`, [201, 200], 'once', OriginatorDraftSchema, OriginatorSchema);

/** @source seed */
export const find: Row<{ originatorId: OriginatorId }, void, Originator> = reading(ONE, `${SCOPE}read`, OriginatorSchema);

/** @source seed */
export const list: Row<SkipQuery, void, Page<Originator>> = reading(ALL, `${SCOPE}read`, OriginatorPageSchema, { query: SKIP_QUERY });

/** @source seed */
export const remove: Row<{ originatorId: OriginatorId }, void, void> = commanding(
  'DELETE', ONE, `${SCOPE}delete`, [204], 'converge', undefined, undefined, { original: { code: 'NOT_FOUND', id: 'originatorId', by: 'find' } },
);
