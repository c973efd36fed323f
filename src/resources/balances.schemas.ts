import { CurrencySchema, DecimalSchema } from './amounts.schemas.ts';
import type { Balance } from './balances.ts';
import { array, maybe, response, type SchemaOf } from './shape.ts';

/** Schema of `Balance`, as the service sends it: members that are new pass. */
export const BalanceSchema: SchemaOf<Balance> = response<Balance>({
  currency: CurrencySchema,
  current: DecimalSchema,
  pending: DecimalSchema,
  reserved: DecimalSchema,
  available: maybe(DecimalSchema),
  outgoing: maybe(DecimalSchema),
  total: maybe(DecimalSchema),
});

/** The service lists balances without pages. */
export const BalancesSchema: SchemaOf<readonly Balance[]> = array(BalanceSchema);
