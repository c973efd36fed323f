import * as v from 'valibot';
import { CurrencySchema, MoneySchema } from '../amounts/schemas.ts';
import { answer, array, type Maybe, maybe, type SchemaOf, text } from '../shape.ts';
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
} from './model.ts';

const flag: SchemaOf<boolean> = v.boolean();
const whole: SchemaOf<number> = v.number();
const someMoney: Maybe<UsedAmount['limit'] & {}> = maybe(MoneySchema);

const AccountCurrencySchema: SchemaOf<AccountCurrency> = answer<AccountCurrency>({
  currency: CurrencySchema,
  isDefaultCurrency: flag,
  isAvailable: flag,
  isInvoiceable: flag,
});

export const AccountProfileSchema: SchemaOf<AccountProfile> = answer<AccountProfile>({
  id: text,
  handle: text,
  avatarUrl: maybe(text),
  description: maybe(text),
  canReceive: flag,
  currencies: array(AccountCurrencySchema),
});

const usedCount: Maybe<UsedCount> = maybe(answer<UsedCount>({ limit: whole, used: whole }));
const usedAmount: Maybe<UsedAmount> = maybe(
  answer<UsedAmount>({ limit: someMoney, used: someMoney }),
);

const AccountLimitSchema: SchemaOf<AccountLimit> = answer<AccountLimit>({
  count: maybe(
    answer<CountLimit>({
      effective: whole,
      lifetime: usedCount,
      calendarYear: usedCount,
      cycles: maybe(array(answer<CountCycle>({ days: whole, limit: whole, used: whole }))),
    }),
  ),
  amount: maybe(
    answer<AmountLimit>({
      effective: MoneySchema,
      single: someMoney,
      lifetime: usedAmount,
      calendarYear: usedAmount,
      cycles: maybe(array(answer<AmountCycle>({ days: whole, limit: someMoney, used: someMoney }))),
    }),
  ),
});

const limit: Maybe<AccountLimit> = maybe(AccountLimitSchema);

export const AccountLimitsSchema: SchemaOf<AccountLimits> = answer<AccountLimits>({
  deposit: limit,
  achDeposit: limit,
  send: limit,
  withdrawal: limit,
  instant: limit,
});
