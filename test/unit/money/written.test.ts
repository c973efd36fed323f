// Protects: two amounts are the same by value alone, however their zeros are written; and the digits of a currency are those
// of its whole code.
import { expect } from 'chai';
import { compareMoney, formatMoney, isSameMoney, money, roundMoney } from 'paystate/money';
import { describe, it } from '#test';

/** Each row has one value, written in several ways; no two rows have the same. */
const VALUES = [
  ['0', '-0', '00', '0.0', '-0.00', '000.000'],
  ['10', '010', '10.0', '0010.000'],
  ['1', '01', '1.0', '001.000'],
  ['100.5', '100.50', '0100.500'],
  ['105', '00105', '105.0'],
  ['10.05', '010.0500', '10.05000'],
  ['10.5', '10.500', '0010.50'],
  ['1.0203', '01.02030', '1.020300'],
  ['1.23', '1.230', '001.2300'],
  ['-0.5', '-00.50', '-0.500'],
  ['0.5', '00.50', '0.500'],
  ['-10.05', '-010.050', '-10.0500'],
  ['-1', '-01', '-1.00'],
] as const;

describe('an amount', () => {
  it('is the same by value, however its zeros are written', () => {
    for (const [row, texts] of VALUES.entries())
      for (const [other, others] of VALUES.entries())
        for (const a of texts)
          for (const b of others) {
            const [one, two] = [money(a, 'USD'), money(b, 'USD')];
            expect(isSameMoney(one, two), `${a} and ${b}`).to.equal(row === other);
            expect(compareMoney(one, two) === 0, `${a} to ${b}`).to.equal(row === other);
          }
  });

  it('in satoshi keeps the zeros inside the digits beyond a satoshi', () => {
    const sat = (amount: string) =>
      formatMoney(money(amount, 'BTC'), { locale: 'en', bitcoinUnit: 'sat' });
    expect(sat('0.00000001203')).to.contain('1.203');
    expect(sat('0.000000012030')).to.contain('1.203').and.not.to.contain('1.2030');
  });

  it('has the digits of the whole code of its currency', () => {
    const rounded = (currency: string) =>
      roundMoney(money('1.2345678909', currency), { rounding: 'down' }).amount;
    for (const code of ['XEUR', 'EURX', 'USDX', 'XUSD', 'BTCX', 'XUSDT'])
      expect(rounded(code), code).to.equal('1.2345678909'); // has none of its own
    expect(['EUR', 'USDT', 'BTC'].map(rounded)).to.deep.equal(['1.23', '1.234567', '1.23456789']);
  });
});
