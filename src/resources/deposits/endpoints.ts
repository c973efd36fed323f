import { type Page, SKIP_QUERY, type SkipQuery } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import type { Deposit, DepositDraft, DepositFee, DepositId } from './model.ts';
import {
  DepositDraftSchema,
  DepositFeeSchema,
  DepositPageSchema,
  DepositSchema,
} from './schemas.ts';

/** POST /v1/deposits @source documented */
export const create: Endpoint<{}, DepositDraft, Deposit> = {
  operation: 'deposits.create',
  method: 'POST',
  path: '/v1/deposits',
  scope: 'partner.deposit.manage',
  bucket: 'others',
  priority: 'critical',
  idempotency: 'key-then-read-money',
  statuses: [200, 201],
  input: DepositDraftSchema,
  output: DepositSchema,
  assumes: { EXCLUSIVE: ['amount'], INCLUSIVE: ['totalAmount'] },
  original: { code: 'DUPLICATE_DEPOSIT', id: 'depositId', by: 'get' },
};

/** GET /v1/deposits/{depositId} @source documented */
export const get: Endpoint<{ depositId: DepositId }, void, Deposit> = {
  operation: 'deposits.get',
  method: 'GET',
  path: '/v1/deposits/{depositId}',
  scope: 'partner.deposit.manage',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: DepositSchema,
  echo: { depositId: 'id' },
};

/** GET /v1/deposits @source documented */
export const list: Endpoint<SkipQuery, void, Page<Deposit>> = {
  operation: 'deposits.list',
  method: 'GET',
  path: '/v1/deposits',
  scope: 'partner.deposit.manage',
  bucket: 'others',
  priority: 'low',
  idempotency: 'safe',
  statuses: [200],
  output: DepositPageSchema,
  query: SKIP_QUERY,
};

/** POST /v1/deposits/fee @source documented */
export const estimateFee: Endpoint<{}, DepositDraft, DepositFee> = {
  operation: 'deposits.estimateFee',
  method: 'POST',
  path: '/v1/deposits/fee',
  scope: 'partner.deposit.manage',
  bucket: 'others',
  idempotency: 'pure',
  statuses: [200],
  input: DepositDraftSchema,
  output: DepositFeeSchema,
};
