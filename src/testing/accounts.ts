import type { AccountLimits, AccountProfile } from '../resources/accounts.ts';
import { AccountLimitsSchema, AccountProfileSchema } from '../resources/accounts.schemas.ts';
import { moneyOf } from './amounts.ts';
import { make } from './make.ts';
import type { MakeOptions, Members } from './members.ts';
import { shapeOf } from '../resources/wire.ts';

/**
 * Makes what an account shows to others: the first account, with EUR and BTC.
 *
 * @param members what is to be chosen
 * @param options which one
 * @throws InputError naming the members that such a profile cannot have
 * @example
 * const closed = makeAccountProfile({ handle: 'friend', canReceive: false });
 */
export function makeAccountProfile(
  members: Members<AccountProfile> = {},
  options: MakeOptions = {},
): AccountProfile {
  return make(
    {
      name: 'makeAccountProfile',
      shape: shapeOf(AccountProfileSchema),
      usual: ({ canReceive = true }, { index, id }) => ({
        id: id('account'),
        handle: index === 0 ? 'shop' : `shop-${index}`,
        canReceive,
        currencies: ['EUR', 'BTC'].map((currency, at) => ({
          currency,
          isDefaultCurrency: at === 0,
          isAvailable: true,
          isInvoiceable: canReceive,
        })),
      }),
      broken: ({ currencies }) => [
        currencies.filter(({ isDefaultCurrency }) => isDefaultCurrency).length > 1 && [
          'currencies',
          'must have one default currency at most',
        ],
      ],
    },
    members,
    options,
  );
}

/**
 * Makes what an account may still do: deposits of 5,000.00 EUR and withdrawals of 10,000.00 EUR;
 * other limits are not published for it.
 *
 * @param members what is to be chosen
 * @throws InputError naming the members that such limits cannot have
 * @example
 * const used = makeAccountLimits({ withdrawal: { amount: { effective: { amount: '0.00' } } } });
 */
export function makeAccountLimits(members: Members<AccountLimits> = {}): AccountLimits {
  return make(
    {
      name: 'makeAccountLimits',
      shape: shapeOf(AccountLimitsSchema),
      usual: ({ send, achDeposit, instant }) => ({
        deposit: limitOf('5000.00'),
        withdrawal: limitOf('10000.00'),
        ...(send && { send: limitOf('1000000.00') }),
        ...(achDeposit && { achDeposit: limitOf('5000.00') }),
        ...(instant && { instant: limitOf('1000.00') }),
      }),
    },
    members,
    {},
  );
}

const limitOf = (amount: string): NonNullable<AccountLimits['deposit']> => ({
  count: { effective: 10 },
  amount: { effective: moneyOf(undefined, amount) },
});
