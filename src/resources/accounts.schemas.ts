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
import { array, type Maybe, maybe, type MemberOf, response, type SchemaOf, text } from './shape.ts';

const flag: MemberOf<boolean> = v.boolean();
const whole: MemberOf<number> = v.number();
const someMoney: Maybe<UsedAmount['limit'] & {}> = maybe(MoneySchema);

const AccountCurrencySchema: SchemaOf<AccountCurrency> = response<AccountCurrency>({
  currency: CurrencySchema,
  isDefaultCurrency: flag,
  isAvailable: flag,
  isInvoiceable: flag,
});

/** Schema of `AccountProfile`, as the service sends it: members that are new pass. */
export const AccountProfileSchema: SchemaOf<AccountProfile> = response<AccountProfile>({
  id: maybe(text),
  handle: text,
  avatarUrl: maybe(text),
  description: maybe(text),
  canReceive: flag,
  currencies: array(AccountCurrencySchema),
});

const usedCount: Maybe<UsedCount> = maybe(response<UsedCount>({ limit: whole, used: whole }));
const usedAmount: Maybe<UsedAmount> = maybe(
  response<UsedAmount>({ limit: someMoney, used: someMoney }),
);

const AccountLimitSchema: SchemaOf<AccountLimit> = response<AccountLimit>({
  count: maybe(
    response<CountLimit>({
      effective: whole,
      lifetime: usedCount,
      calendarYear: usedCount,
      cycles: maybe(array(response<CountCycle>({ days: whole, limit: whole, used: whole }))),
    }),
  ),
  amount: maybe(
    response<AmountLimit>({
      effective: MoneySchema,
      single: someMoney,
      lifetime: usedAmount,
      calendarYear: usedAmount,
      cycles: maybe(
        array(response<AmountCycle>({ days: whole, limit: someMoney, used: someMoney })),
      ),
    }),
  ),
});

const limit: Maybe<AccountLimit> = maybe(AccountLimitSchema);

/** Schema of `AccountLimits`, as the service sends it: members that are new pass. */
export const AccountLimitsSchema: SchemaOf<AccountLimits> = response<AccountLimits>({
  deposit: limit,
  achDeposit: limit,
  send: limit,
  withdrawal: limit,
  instant: limit,
});
