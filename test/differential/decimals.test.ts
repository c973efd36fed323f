// Protects: amounts are added, taken away, multiplied, divided, rounded and compared as a decimal package does it, to the
// last digit.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  addMoney,
  compareMoney,
  convertMoney,
  isSameMoney,
  money,
  multiplyMoney,
  roundMoney,
  type Rounding,
  subtractMoney,
} from 'paystate/money';
import { describe, it } from '#test';
import { Big } from '../peers/peers.mjs';

const decimal = (whole: number, fraction: number) =>
  fc
    .record({
      units: fc.bigInt({ min: 0n, max: 10n ** BigInt(whole) - 1n }),
      digits: fc.string({
        unit: fc.constantFrom(...'0123456789'),
        maxLength: fraction,
      }),
    })
    .map(({ units, digits }) => (digits === '' ? `${units}` : `${units}.${digits}`));
const amount = decimal(12, 8);
const factor = decimal(4, 6);
const scaleOf = (text: string): number => text.split('.')[1]?.length ?? 0;
/** Big's modes by the names used here. */
const MODES: Readonly<Record<Rounding, number>> = { down: 0, 'half-up': 1, 'half-even': 2, up: 3 };
const rounding = fc.constantFrom(...(Object.keys(MODES) as Rounding[]));
const usd = (text: string) => money(text, 'USD');

describe('decimals', () => {
  it('are added and taken away to the last digit', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const scale = Math.max(scaleOf(a), scaleOf(b));
        expect(addMoney(usd(a), usd(b)).amount).to.equal(Big(a).plus(Big(b)).toFixed(scale));
        const [more, less] = Big(a).cmp(Big(b)) < 0 ? [b, a] : [a, b];
        expect(subtractMoney(usd(more), usd(less)).amount).to.equal(
          Big(more).minus(Big(less)).toFixed(scale),
        );
      }),
    );
  });

  it('are compared by value, and what they are is kept as it was written', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        expect(compareMoney(usd(a), usd(b))).to.equal(Big(a).cmp(Big(b)));
        expect(isSameMoney(usd(a), usd(b))).to.equal(Big(a).cmp(Big(b)) === 0);
        expect(usd(a).amount).to.equal(a);
      }),
    );
  });

  it('are multiplied and rounded the same way in every mode', () => {
    fc.assert(
      fc.property(amount, factor, rounding, fc.nat(10), (a, by, mode, digits) => {
        expect(multiplyMoney(usd(a), by, { rounding: mode, digits }).amount).to.equal(
          Big(a).times(Big(by)).round(digits, MODES[mode]).toFixed(digits),
        );
        expect(roundMoney(usd(a), { rounding: mode, digits }).amount).to.equal(
          Big(a).round(digits, MODES[mode]).toFixed(digits),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('are converted at a rate in both directions', () => {
    Big.DP = 60; // so many that what is left of a quotient decides its rounding
    Big.RM = 0;
    fc.assert(
      fc.property(amount, factor, rounding, (a, rate, mode) => {
        if (!/[1-9]/.test(rate)) return;
        const quoted = { amount: rate, sourceCurrency: 'EUR', targetCurrency: 'USD' } as const;
        const options = { rounding: mode, asOf: 0 };
        expect(convertMoney(money(a, 'EUR'), quoted, options).value.amount).to.equal(
          Big(a).times(Big(rate)).toFixed(2, MODES[mode]),
        );
        expect(convertMoney(money(a, 'USD'), quoted, options).value.amount).to.equal(
          Big(a).div(Big(rate)).toFixed(2, MODES[mode]),
        );
      }),
    );
  });
});
