import * as v from 'valibot';
import type {
  AccountCurrency,
  AccountLimit,
  AccountLimits,
  AccountProfile,
  AmountCycle,
  AmountLimit,
  CountCycle,
  CountLimit,
  UsedAmount,
  UsedCount,
} from './accounts.ts';
import { CurrencySchema, MoneySchema } from './amounts.schemas.ts';
import { type EntriesOf, type Maybe, maybe, type ObjectSchema, type SchemaOf } from './wire.ts';

const flag: SchemaOf<boolean> = v.boolean();
const whole: SchemaOf<number> = v.number();
const someMoney: Maybe<UsedAmount['limit'] & {}> = maybe(MoneySchema);

const AccountCurrencySchema: ObjectSchema<AccountCurrency> = v.looseObject<
  EntriesOf<AccountCurrency>
>({
  currency: CurrencySchema,
  isDefaultCurrency: flag,
  isAvailable: flag,
  isInvoiceable: flag,
});

/** Validates `AccountProfile` in responses. */
export const AccountProfileSchema: ObjectSchema<AccountProfile> = v.looseObject<
  EntriesOf<AccountProfile>
>({
  id: maybe(v.string()),
  handle: v.string(),
  avatarUrl: maybe(v.string()),
  description: maybe(v.string()),
  canReceive: flag,
  currencies: v.array(AccountCurrencySchema),
});

const usedCount: Maybe<UsedCount> = maybe(
  v.looseObject<EntriesOf<UsedCount>>({ limit: whole, used: whole }),
);
const usedAmount: Maybe<UsedAmount> = maybe(
  v.looseObject<EntriesOf<UsedAmount>>({ limit: someMoney, used: someMoney }),
);

const AccountLimitSchema: ObjectSchema<AccountLimit> = v.looseObject<EntriesOf<AccountLimit>>({
  count: maybe(
    v.looseObject<EntriesOf<CountLimit>>({
      effective: whole,
      lifetime: usedCount,
      calendarYear: usedCount,
      cycles: maybe(
        v.array(v.looseObject<EntriesOf<CountCycle>>({ days: whole, limit: whole, used: whole })),
      ),
    }),
  ),
  amount: maybe(
    v.looseObject<EntriesOf<AmountLimit>>({
      effective: MoneySchema,
      single: someMoney,
      lifetime: usedAmount,
      calendarYear: usedAmount,
      cycles: maybe(
        v.array(
          v.looseObject<EntriesOf<AmountCycle>>({ days: whole, limit: someMoney, used: someMoney }),
        ),
      ),
    }),
  ),
});

const limit: Maybe<AccountLimit> = maybe(AccountLimitSchema);

/** Validates `AccountLimits` in responses. */
export const AccountLimitsSchema: ObjectSchema<AccountLimits> = v.looseObject<
  EntriesOf<AccountLimits>
>({
  deposit: limit,
  achDeposit: limit,
  send: limit,
  withdrawal: limit,
  instant: limit,
});
