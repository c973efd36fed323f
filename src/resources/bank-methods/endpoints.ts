import { type Page, SKIP_QUERY } from '../../core/list.ts';
import type { Row } from '../../core/row.ts';
import { commanding, reading } from '../rows.ts';
import type { BankMethod, BankMethodDraft, BankMethodId, BankMethodQuery } from './model.ts';
import { BankMethodDraftSchema, BankMethodPageSchema, BankMethodSchema } from './schemas.ts';

const ALL = '/v1/payment-methods/bank';
const ONE = `${ALL}/{bankMethodId}`;
const SCOPE = 'partner.payment-method.bank.';

/** @source seed */
export const create: Row<{}, BankMethodDraft, BankMethod> = commanding('POST', ALL, `${SCOPE}create`, [201, 200], 'once', BankMethodDraftSchema, BankMethodSchema);

/** @source seed */
export const find: Row<{ bankMethodId: BankMethodId }, void, BankMethod> = reading(ONE, `${SCOPE}read`, BankMethodSchema);

/** @source seed */
export const list: Row<BankMethodQuery, void, Page<BankMethod>> = reading(
  ALL, `${SCOPE}read`, BankMethodPageSchema, { query: { ...SKIP_QUERY, supportedAction: '$supportedAction' } },
);

/** @source seed */
export const remove: Row<{ bankMethodId: BankMethodId }, void, void> = commanding(
  'DELETE', ONE, `${SCOPE}delete`, [204], 'converge', undefined, undefined, { original: { code: 'NOT_FOUND', id: 'bankMethodId', by: 'find' } },
);
