import * as v from 'valibot';
import { CurrencySchema, DecimalSchema } from './amounts.schemas.ts';
import type { Balance } from './balances.ts';
import { type EntriesOf, type ListSchema, maybe, type ObjectSchema } from './wire.ts';

/** Validates `Balance` in responses. */
export const BalanceSchema: ObjectSchema<Balance> = v.looseObject<EntriesOf<Balance>>({
  currency: CurrencySchema,
  current: DecimalSchema,
  pending: DecimalSchema,
  reserved: DecimalSchema,
  available: maybe(DecimalSchema),
  outgoing: maybe(DecimalSchema),
  total: maybe(DecimalSchema),
});

/** Validates the list of balances in responses. */
export const BalancesSchema: ListSchema<Balance> = v.array(BalanceSchema);
