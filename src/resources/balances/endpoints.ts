import type { Row } from '../../core/http/index.ts';
import { reading } from '../rows.ts';
import type { Balance } from './model.ts';
import { BalancesSchema } from './schemas.ts';

/** @source seed */
export const list: Row<{}, void, readonly Balance[]> = reading(
  '/v1/balances',
  'partner.balances.read',
  BalancesSchema,
);
