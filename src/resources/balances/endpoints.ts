import type { Endpoint } from '../../core/http/index.ts';
import type { Balance } from './model.ts';
import { BalancesSchema } from './schemas.ts';

/** GET /v1/balances @source documented */
export const list: Endpoint<{}, void, readonly Balance[]> = {
  operation: 'balances.list',
  method: 'GET',
  path: '/v1/balances',
  scope: 'partner.balances.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: BalancesSchema,
};
