// What commands are made of: amounts that fit and amounts that do not, keys, texts, who asks.
import fc from 'fast-check';
import type { Sum, Wire } from './decimals.ts';
import { textOf } from './decimals.ts';
import { CURRENCIES } from './model.ts';
import type { As } from './real.ts';

/** Which one: often one of the first, so that commands meet at the same. */
export const at: fc.Arbitrary<number> = fc.oneof(fc.nat(2), fc.nat(1_000));

const ODD = [
  '0',
  '0.00',
  '1.234567891',
  '-5',
  '1e3',
  '',
  '20000000',
  '1000000.01',
  '0.00000001',
  '0.01',
  '0.29',
];

const fits = (currency: string): fc.Arbitrary<string> => {
  const most = currency === 'BTC' ? 3_000_000 : currency === 'USDT' ? 90_000_000 : 90_000;
  const units = fc.oneof(
    fc.integer({ min: 1, max: most }),
    fc.integer({ min: 1, max: currency === 'BTC' ? 3_000 : 900 }),
  );
  return units.map((drawn): string => textOf({ units: BigInt(drawn), currency } satisfies Sum));
};

/** Mostly an amount that fits its currency. */
const amountIn = (currency: string): fc.Arbitrary<Wire> =>
  fc
    .oneof(
      { weight: 9, arbitrary: fits(currency) },
      { weight: 1, arbitrary: fc.constantFrom(...ODD) },
    )
    .map((amount) => ({ amount, currency }));

const currency: fc.Arbitrary<string> = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...CURRENCIES) },
  { weight: 6, arbitrary: fc.constant('BTC') },
  { weight: 1, arbitrary: fc.constant('DOGE') },
);

export const money: fc.Arbitrary<Wire> = currency.chain((one) =>
  amountIn(CURRENCIES.some((known) => known === one) ? one : 'USD').map((drawn) => ({
    ...drawn,
    currency: one,
  })),
);
export const bareAmount: fc.Arbitrary<string> = amountIn('USD').map(({ amount }) => amount);
export const anyCurrency = currency;
export const feePolicy: fc.Arbitrary<string | undefined> = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(undefined, undefined, 'INCLUSIVE', 'EXCLUSIVE') },
  { weight: 1, arbitrary: fc.constantFrom('inclusive', 'BOTH') },
);
export const spend = fc.record({ money, feePolicy }).map(({ money: drawn, feePolicy: policy }) => ({
  ...drawn,
  ...(policy && { feePolicy: policy }),
}));

const KEYS = [1, 2, 3].map((digit) =>
  `${digit}`.repeat(8).concat('-0000-4000-8000-', `${digit}`.repeat(12)),
);
export const key: fc.Arbitrary<string | undefined> = fc.oneof(
  { weight: 16, arbitrary: fc.constant(undefined) },
  { weight: 5, arbitrary: fc.constantFrom(...KEYS) },
  { weight: 1, arbitrary: fc.constant('one') },
);

/** Handles: two with money of many kinds, one under the travel rule, one that takes nothing. */
export const who: fc.Arbitrary<string> = fc.constantFrom(
  'shop',
  'shop',
  'shop',
  'shop',
  'cafe',
  'cafe',
  'cafe',
  'trip',
  'trip',
  'mute',
  'late',
);
const as: fc.Arbitrary<As> = fc.oneof(
  { weight: 60, arbitrary: fc.constant<As>('owner') },
  { weight: 1, arbitrary: fc.constantFrom<As>('scopeless', 'nobody') },
);
export const caller = { who, as };

/** Seldom a state of the world that lasts for one request. */
export const away = (...states: readonly string[]): fc.Arbitrary<string | undefined> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...states) },
  );

export const hold: fc.Arbitrary<number> = fc.constantFrom(0, 0, 0, 500, 2_000, 40_000, 700_000);
export const seldom: fc.Arbitrary<boolean> = fc.constantFrom(false, false, false, true);
/** How a bank or network ends what was begun; `Infinity`: it does not. */
export const ending = (
  ...states: readonly string[]
): fc.Arbitrary<{ state: string; after: number } | undefined> =>
  fc.oneof(
    fc.constant(undefined),
    fc.record({
      state: fc.constantFrom(...states),
      after: fc.constantFrom(500, 1_500, 3_000, 90_000, Infinity),
    }),
  );
