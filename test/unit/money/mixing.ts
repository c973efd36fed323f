// Sums that must neither compile nor run. The check of the tests' types compiles this file: a mark that is not needed is an error there.
import { addMoney, compareMoney, convertMoney, money, subtractMoney, toSat } from 'paystate/money';

const btc = money('1', 'BTC');
const usd = money('1', 'USD');
const rate = { amount: '65000', sourceCurrency: 'BTC', targetCurrency: 'EUR' } as const;

export const MIXED: readonly (() => unknown)[] = [
  // @ts-expect-error two currencies
  () => addMoney(btc, usd),
  // @ts-expect-error two currencies
  () => subtractMoney(usd, btc),
  // @ts-expect-error two currencies
  () => compareMoney(btc, usd),
  // @ts-expect-error dollars are not counted in satoshi
  () => toSat(usd),
  // @ts-expect-error the rate is of other currencies
  () => convertMoney(usd, rate, { asOf: 0, rounding: 'down' }),
];
