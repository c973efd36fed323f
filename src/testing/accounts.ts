import { addMoney } from '../money/index.ts';
import type { AccountLimits, AccountProfile } from '../resources/accounts/model.ts';
import { AccountLimitsSchema, AccountProfileSchema } from '../resources/accounts/schemas.ts';
import type { QuotedRate } from '../resources/amounts/model.ts';
import { ConversionRateSchema } from '../resources/amounts/schemas.ts';
import type { Balance } from '../resources/balances/model.ts';
import { BalanceSchema } from '../resources/balances/schemas.ts';
import type { Subscription } from '../resources/subscriptions/model.ts';
import { SubscriptionSchema } from '../resources/subscriptions/schemas.ts';
import { moneyOf, rateOf } from './amounts.ts';
import { type Broken, brokenSum, make } from './make.ts';
import type { MakeOptions, Members } from './members.ts';

/**
 * Makes what an account has in one currency: 100.00 EUR, all of it free. The service lists one for
 * each currency, without pages.
 *
 * @param members what is to be chosen; the sums fit what is free, held and not settled yet
 * @throws InputError naming the members that such a balance cannot have
 * @example
 * const balances = [makeBalance(), makeBalance({ currency: 'BTC', available: '0.5' })];
 */
export function makeBalance(members: Members<Balance> = {}): Balance {
  return make(
    { name: 'makeBalance', shape: BalanceSchema, usual: usualBalance, broken: brokenBalance },
    members,
    {},
  );
}

function usualBalance(chosen: Members<Balance>): Balance {
  const { currency = 'EUR', pending = '0.00', reserved = '0.00', available = '100.00' } = chosen;
  const sum = (...parts: readonly string[]): string =>
    parts.some((part) => `${part}`.startsWith('-'))
      ? available
      : parts.map((amount) => ({ amount, currency })).reduce(addMoney).amount;
  return {
    currency,
    current: sum(available, pending, reserved),
    pending,
    reserved,
    available,
    outgoing: reserved,
    total: sum(available, reserved),
  };
}

function brokenBalance({
  currency,
  current,
  pending,
  reserved,
  available,
}: Balance): readonly (Broken | undefined)[] {
  if ([current, pending, reserved, available].some((text) => text?.startsWith('-'))) return [];
  const amountOf = (amount: string) => ({ amount, currency });
  return [
    brokenSum(
      ['current', amountOf(current)],
      ['available', available === undefined ? undefined : amountOf(available)],
      ['pending', amountOf(pending)],
      ['reserved', amountOf(reserved)],
    ),
  ];
}

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
      shape: AccountProfileSchema,
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
      shape: AccountLimitsSchema,
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

/**
 * Makes an exchange rate: 60,000.00 EUR for one BTC. The service lists them without pages.
 *
 * @param members what is to be chosen
 * @throws InputError naming the members that such a rate cannot have
 * @example
 * const rates = [makeRate(), makeRate({ targetCurrency: 'USD', amount: '65000.00' })];
 */
export function makeRate(members: Members<QuotedRate> = {}): QuotedRate {
  return make(
    {
      name: 'makeRate',
      shape: ConversionRateSchema,
      usual: (chosen) => {
        const { sourceCurrency = 'BTC', targetCurrency = 'EUR' } = chosen;
        return rateOf(sourceCurrency, targetCurrency, chosen);
      },
      broken: ({ amount }) => [
        (amount.startsWith('-') || /^[0.]+$/.test(amount)) && ['amount', 'must be above zero'],
      ],
    },
    members,
    {},
  );
}

/**
 * Makes a subscription: enabled, for invoices, without its secret, which is never given back.
 *
 * @param members what is to be chosen
 * @param options which one, and when
 * @throws InputError naming the members that such a subscription cannot have
 * @example
 * const stopped = makeSubscription({ enabled: false, eventTypes: ['payout.updated'] });
 */
export function makeSubscription(
  members: Members<Subscription> = {},
  options: MakeOptions = {},
): Subscription {
  return make(
    {
      name: 'makeSubscription',
      shape: SubscriptionSchema,
      usual: (_chosen, { id, created }) => ({
        id: id('subscription'),
        webhookUrl: 'https://shop.example/hooks',
        webhookVersion: 'v1',
        enabled: true,
        eventTypes: ['invoice.updated'],
        created,
      }),
    },
    members,
    options,
  );
}
