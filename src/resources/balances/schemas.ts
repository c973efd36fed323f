import { CurrencySchema, decimal } from '../amounts/schemas.ts';
import { response, array, maybe, type SchemaOf } from '../shape.ts';
import type { Balance } from './model.ts';

export const BalanceSchema: SchemaOf<Balance> = response<Balance>({
  currency: CurrencySchema,
  current: decimal,
  pending: decimal,
  reserved: decimal,
  available: maybe(decimal),
  outgoing: maybe(decimal),
  total: maybe(decimal),
});

/** The service lists balances without pages. */
export const BalancesSchema: SchemaOf<readonly Balance[]> = array(BalanceSchema);
