import { expect } from 'chai';
import fc from 'fast-check';
import {
  addMoney,
  compareMoney,
  formatMoney,
  fromMsat,
  fromSat,
  money,
  multiplyMoney,
  parseMoney,
  roundMoney,
  subtractMoney,
  toMsat,
  toSat,
} from 'paystate/money';
import { describe, it } from '#test';

const runs = { numRuns: 200, seed: 21 };
const decimal = fc
  .tuple(fc.bigInt(0n, 10n ** 18n), fc.integer({ min: 0, max: 17 }))
  .map(([digits, scale]) => {
    const text = digits.toString().padStart(scale + 1, '0');
    return scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
  });
const usd = decimal.map((amount) => money(amount, 'USD'));

/** An independent reckoning: everything in units of 10^-18. */
const units = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
};

describe('money, whatever the numbers', () => {
  it('adds exactly, in any order', () =>
    fc.assert(
      fc.property(usd, usd, (a, b) => {
        const sum = addMoney(a, b);
        expect(units(sum.amount)).to.equal(units(a.amount) + units(b.amount));
        expect(addMoney(b, a)).to.deep.equal(sum);
        expect(compareMoney(subtractMoney(sum, b), a)).to.equal(0);
      }),
      runs,
    ));

  it('compares as the numbers do', () =>
    fc.assert(
      fc.property(usd, usd, (a, b) => {
        const [left, right] = [units(a.amount), units(b.amount)];
        expect(compareMoney(a, b)).to.equal(left < right ? -1 : left > right ? 1 : 0);
        expect(compareMoney(addMoney(a, money('0.000000000000000001', 'USD')), a)).to.equal(1);
      }),
      runs,
    ));

  it('rounds to a neighbour, never further', () =>
    fc.assert(
      fc.property(usd, fc.constantFrom('down', 'up', 'half-up', 'half-even'), (value, rounding) => {
        const off = units(roundMoney(value, { rounding }).amount) - units(value.amount);
        const limit = rounding.startsWith('half') ? 5n * 10n ** 15n : 10n ** 16n - 1n;
        expect(off <= limit && off >= -limit).to.equal(true);
        if (rounding === 'down') expect(off <= 0n).to.equal(true);
        if (rounding === 'up') expect(off >= 0n).to.equal(true);
      }),
      runs,
    ));

  it('multiplies as repeated addition does', () =>
    fc.assert(
      fc.property(usd, (value) => {
        expect(
          compareMoney(multiplyMoney(value, '3'), addMoney(addMoney(value, value), value)),
        ).to.equal(0);
      }),
      runs,
    ));

  it('counts satoshi there and back', () =>
    fc.assert(
      fc.property(
        fc.bigInt(0n, 2_100_000_000_000_000n),
        fc.integer({ min: 0, max: 999 }),
        (sat, rest) => {
          expect(toSat(fromSat(sat))).to.equal(`${sat}`);
          const msat = `${sat * 1000n + BigInt(rest)}`;
          expect(toMsat(fromMsat(msat))).to.equal(msat);
        },
      ),
      runs,
    ));

  it('survives JSON', () =>
    fc.assert(
      fc.property(usd, (value) => {
        expect(parseMoney(JSON.parse(JSON.stringify(value)))).to.deep.equal(value);
      }),
      runs,
    ));

  it('shows all digits of the amount and no others', () =>
    fc.assert(
      fc.property(decimal, (amount) => {
        const digits = formatMoney(money(amount, 'BTC'), { locale: 'en-US' }).replace(
          /[^\d.]/g,
          '',
        );
        expect(units(digits)).to.equal(units(amount));
      }),
      { numRuns: 40, seed: 21 },
    ));

  it('answers any text with money or a typed error', () =>
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.anything()), (value) => {
        for (const read of [
          () => money(value as string, 'USD'),
          () => money('1', value as string),
          () => parseMoney(value),
          () => fromSat(value as string),
        ]) {
          try {
            read();
          } catch (error) {
            expect((error as { kind?: string }).kind).to.equal('input');
          }
        }
      }),
      runs,
    ));
});
