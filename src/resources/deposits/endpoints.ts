import { type Page, SKIP_QUERY, type SkipQuery } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import { commanding, reading } from '../rows.ts';
import type { Deposit, DepositDraft, DepositFee, DepositId } from './model.ts';
import {
  DepositDraftSchema,
  DepositFeeSchema,
  DepositPageSchema,
  DepositSchema,
} from './schemas.ts';

const ALL = '/v1/deposits';
const SCOPE = 'partner.deposit.manage';

/** @source seed */
export const create: Endpoint<{}, DepositDraft, Deposit> = commanding(
  'POST',
  ALL,
  SCOPE,
  [200, 201],
  'key-then-read-money',
  DepositDraftSchema,
  DepositSchema,
  { original: { code: 'DUPLICATE_DEPOSIT', id: 'depositId', by: 'get' } },
);

/** @source seed */
export const get: Endpoint<{ depositId: DepositId }, void, Deposit> = reading(
  '/v1/deposits/{depositId}',
  SCOPE,
  DepositSchema,
  { echo: { depositId: 'id' } },
);

/** @source seed */
export const list: Endpoint<SkipQuery, void, Page<Deposit>> = reading(
  ALL,
  SCOPE,
  DepositPageSchema,
  {
    query: SKIP_QUERY,
  },
);

/** @source seed */
export const estimateFee: Endpoint<{}, DepositDraft, DepositFee> = commanding(
  'POST',
  '/v1/deposits/fee',
  SCOPE,
  [200],
  'pure',
  DepositDraftSchema,
  DepositFeeSchema,
);
