import type { Endpoint } from '../../core/http/index.ts';
import { reading } from '../rows.ts';
import type { Balance } from './model.ts';
import { BalancesSchema } from './schemas.ts';

/** @source seed */
export const list: Endpoint<{}, void, readonly Balance[]> = reading(
  '/v1/balances',
  'partner.balances.read',
  BalancesSchema,
);
