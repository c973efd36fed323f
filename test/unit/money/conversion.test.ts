import { expect } from 'chai';
import {
  convertMoney,
  fromMsat,
  fromSat,
  money,
  multiplyMoney,
  type Rounding,
  roundMoney,
  toMsat,
  toSat,
} from 'paystate/money';
import { describe, it } from '#test';

const usd = (amount: string) => money(amount, 'USD');
const btc = (amount: string) => money(amount, 'BTC');
const rate = { amount: '65432.109', sourceCurrency: 'BTC', targetCurrency: 'USD' } as const;

describe('rounding', () => {
  const table: readonly [given: string, rounding: Rounding, wanted: string][] = [
    ['1.001', 'down', '1.00'],
    ['1.009', 'down', '1.00'],
    ['1.001', 'up', '1.01'],
    ['1.000', 'up', '1.00'],
    ['1.005', 'half-up', '1.01'],
    ['1.0049', 'half-up', '1.00'],
    ['1.005', 'half-even', '1.00'],
    ['1.015', 'half-even', '1.02'],
    ['1.0051', 'half-even', '1.01'],
  ];

  it('goes where its name says', () => {
    for (const [given, rounding, wanted] of table)
      expect(roundMoney(usd(given), { rounding }).amount, `${given} ${rounding}`).to.equal(wanted);
  });

  it('must be named when digits would be lost, and only then', () => {
    expect(() => roundMoney(usd('1.001'))).to.throw(/^amount: would lose digits: set rounding/);
    expect(() => roundMoney(usd('1.001'), { rounding: 'nearest' as Rounding })).to.throw(
      'rounding',
    );
    expect(() => roundMoney(usd('1.001'), { rounding: 'toString' as Rounding })).to.throw(
      'rounding',
    );
    expect(roundMoney(usd('1.500')).amount).to.equal('1.50');
    expect(roundMoney(usd('1')).amount).to.equal('1.00');
  });

  it('takes the digits of the currency, or as many as asked', () => {
    expect(roundMoney(btc('1')).amount).to.equal('1.00000000');
    expect(roundMoney(money('1', 'USDT')).amount).to.equal('1.000000');
    expect(roundMoney(money('1.234', 'XYZ')).amount).to.equal('1.234');
    expect(roundMoney(usd('1.25'), { digits: 0, rounding: 'half-even' }).amount).to.equal('1');
    expect(roundMoney(usd('1'), { digits: 30 }).amount).to.equal(`1.${'0'.repeat(30)}`);
    for (const digits of [-1, 31, 0.5, NaN, 1e9])
      expect(() => roundMoney(usd('1'), { digits })).to.throw(/^digits: /);
  });
});

describe('multiplying', () => {
  it('is exact, or rounded as named', () => {
    expect(multiplyMoney(usd('12.50'), '3').amount).to.equal('37.50');
    expect(multiplyMoney(usd('9.99'), '0.5', { rounding: 'half-even' }).amount).to.equal('5.00');
    expect(multiplyMoney(usd('0.001'), '2').amount).to.equal('0.002');
    expect(() => multiplyMoney(usd('9.99'), '0.5')).to.throw('rounding');
    expect(() => multiplyMoney(usd('1'), '-1')).to.throw('factor');
  });
});

describe('converting', () => {
  it('goes both ways of a rate and carries rate, time and source', () => {
    const there = convertMoney(btc('0.001'), rate, {
      asOf: 1_700_000_000_000,
      source: 'ticker',
      rounding: 'half-even',
    });
    expect(there).to.deep.equal({
      value: usd('65.43'),
      rate,
      asOf: 1_700_000_000_000,
      source: 'ticker',
    });
    expect(JSON.parse(JSON.stringify(there))).to.deep.equal(there);
    expect(convertMoney(usd('65.43'), rate, { asOf: 0, rounding: 'up' }).value).to.deep.equal(
      btc('0.00099997'),
    );
    expect(convertMoney(usd('65432.109'), rate, { asOf: 0 }).value.amount).to.equal('1.00000000');
  });

  it('has the digits of the currency that it leads to, whichever way the rate is written', () => {
    const inverse = { amount: '0.000016', sourceCurrency: 'EUR', targetCurrency: 'BTC' } as const;
    const there = convertMoney(btc('0.001'), inverse, { asOf: 0, rounding: 'half-even' });
    expect(there.value).to.deep.equal(money('62.50', 'EUR'));
    const back = convertMoney(money('62.50', 'EUR'), inverse, { asOf: 0 });
    expect(back.value).to.deep.equal(btc('0.00100000'));
  });

  it('refuses a rate of nothing, other currencies, a missing time, an unnamed loss', () => {
    expect(() =>
      convertMoney(usd('1'), { ...rate, amount: '0' }, { asOf: 0, rounding: 'up' }),
    ).to.throw('divisor');
    expect(() =>
      convertMoney(money('1', 'EUR') as never, rate, { asOf: 0, rounding: 'up' }),
    ).to.throw('one of the rate');
    expect(() => convertMoney(usd('1'), rate, { rounding: 'up' } as never)).to.throw('asOf');
    expect(() => convertMoney(btc('0.001'), rate, { asOf: 0 })).to.throw('rounding');
    expect(() =>
      convertMoney(usd('1'), { ...rate, amount: '1e3' }, { asOf: 0, rounding: 'up' }),
    ).to.throw('rate');
  });
});

describe('the age of a rate', () => {
  const NOON = Date.UTC(2026, 5, 1, 12);
  const at = (now: number, maxAge: number) =>
    convertMoney(usd('65.43'), rate, { asOf: NOON, now, maxAge, rounding: 'up' });

  it('is flagged where it is more than maxAge', () => {
    for (const now of [NOON, NOON + 1, NOON + 60_000])
      expect(at(now, 60_000), `${now - NOON}`).to.not.have.property('stale');
    for (const now of [NOON + 60_001, NOON + 86_400_000])
      expect(at(now, 60_000), `${now - NOON}`).to.have.property('stale', true);
    expect([at(NOON, 0).stale, at(NOON + 1, 0).stale]).to.deep.equal([undefined, true]);
  });

  it('is not known where a clock was set back, so the rate is flagged', () => {
    expect(at(NOON - 60_000, 60_000)).to.not.have.property('stale');
    expect(at(NOON - 3_600_000, 60_000)).to.have.property('stale', true);
  });

  it('is part of the data, with the rate and its time', () => {
    const converted = at(NOON + 3_600_000, 60_000);
    expect(JSON.parse(JSON.stringify(converted))).to.deep.equal({
      value: btc('0.00099997'),
      rate,
      asOf: NOON,
      stale: true,
    });
  });

  it('is not judged without maxAge, and maxAge and now need each other', () => {
    expect(convertMoney(btc('1'), rate, { asOf: 0, rounding: 'up' })).to.not.have.property('stale');
    const refused = (options: object) => () =>
      convertMoney(btc('1'), rate, { asOf: NOON, rounding: 'up', ...options });
    expect(refused({ maxAge: 60_000 })).to.throw('now');
    expect(refused({ now: NOON })).to.throw('maxAge');
    for (const wrong of [Infinity, '1', null, new Date(NOON)]) {
      expect(refused({ asOf: wrong })).to.throw('asOf');
      expect(refused({ asOf: wrong, now: wrong, maxAge: 1 })).to.throw('asOf');
      expect(refused({ now: wrong, maxAge: 1 })).to.throw('now');
    }
    for (const wrong of [-1, Number.NaN, 'soon', {}]) {
      expect(refused({ now: NOON, maxAge: wrong })).to.throw('maxAge');
      expect(refused({ now: wrong, maxAge: 1 })).to.throw('now');
    }
  });
});

describe('satoshi', () => {
  it('are counted exactly up to all there are', () => {
    expect(toSat(btc('21000000'))).to.equal('2100000000000000');
    expect(fromSat('2100000000000000').amount).to.equal('21000000.00000000');
    expect(toSat(fromSat(2_099_999_999_999_999n))).to.equal('2099999999999999');
    expect(toMsat(btc('0.00967878534'))).to.equal('967878534');
    expect(fromMsat('967878534').amount).to.equal('0.00967878534');
    expect(fromMsat('1000').amount).to.equal('0.00000001');
    const [most, nines] = [`${'9'.repeat(30)}.${'9'.repeat(11)}`, '9'.repeat(41)];
    expect([fromMsat(nines).amount, toMsat(btc(most))]).to.deep.equal([most, nines]);
  });

  it('have parts only in thousandths, and lose them only by name', () => {
    expect(() => toMsat(btc('0.000000000001'))).to.throw('rounding');
    expect(() => toSat(fromMsat('1'))).to.throw('rounding');
    expect(toSat(fromMsat('1'), 'up')).to.equal('1');
    expect(toSat(fromMsat('1999'), 'down')).to.equal('1');
    expect(() => toSat(btc('1'), 'nearest' as Rounding)).to.throw(/^rounding: /);
    for (const count of ['1.0', '--1', '', '1e3', '1'.repeat(42)])
      expect(() => fromSat(count), count).to.throw('amount');
    expect(() => fromSat(5 as never)).to.throw('amount');
  });
});
