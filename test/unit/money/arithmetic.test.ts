import { expect } from 'chai';
import {
  addMoney,
  compareMoney,
  isSameMoney,
  money,
  parseMoney,
  subtractMoney,
} from 'paystate/money';
import { DecimalDraftSchema } from 'paystate/schemas';
import * as v from 'valibot';
import { describe, it } from '#test';
import { MIXED } from './mixing.ts';

const usd = (amount: string) => money(amount, 'USD');

const fieldOf = (act: () => unknown): string | undefined => {
  try {
    act();
  } catch (error) {
    const { kind, validationErrors } = error as { kind?: string; validationErrors?: object };
    return kind === 'input' ? Object.keys(validationErrors ?? {})[0] : `untyped: ${String(error)}`;
  }
  return undefined;
};

describe('money', () => {
  it('takes decimal texts and keeps them as written', () => {
    for (const text of [
      '0',
      '12.50',
      '00.5',
      '-1',
      '-0.50',
      `${'9'.repeat(30)}.${'9'.repeat(30)}`,
    ]) {
      expect(usd(text)).to.deep.equal({ amount: text, currency: 'USD' });
    }
    for (const currency of ['XY', 'U2', 'U'.repeat(12)])
      expect(money('1', currency)).to.deep.equal({ amount: '1', currency });
  });

  it('refuses everything else, and names the field', () => {
    const wrong = [
      '',
      '.5',
      '5.',
      '--1',
      '- 1',
      '-',
      '+1',
      '1e3',
      '1,5',
      ' 1',
      '1 ',
      '0x1',
      '١',
      'NaN',
      'Infinity',
      '1.2.3',
      '1'.repeat(31),
      `0.${'1'.repeat(31)}`,
    ];
    for (const text of wrong)
      expect(
        fieldOf(() => usd(text)),
        text,
      ).to.equal('amount');
    for (const value of [12.5, null, undefined, {}, ['1'], 1n])
      expect(fieldOf(() => usd(value as string))).to.equal('amount');
    for (const code of ['', 'usd', 'U', 'US D', 'U'.repeat(13), 1, ['USD']])
      expect(fieldOf(() => money('1', code as string))).to.equal('currency');
  });

  it('is sent with up to 20 digits before the point and 18 after it, and no more', () => {
    const [whole, fraction] = ['9'.repeat(20), '1'.repeat(18)];
    for (const text of ['0', '1.5', whole, `0.${fraction}`, `${whole}.${fraction}`])
      expect(v.is(DecimalDraftSchema, text), text).to.equal(true);
    for (const text of [`${whole}9`, `0.${fraction}1`, `${whole}9.5`, `1.${'1'.repeat(30)}`, '1.'])
      expect(v.is(DecimalDraftSchema, text), text).to.equal(false);
  });

  it('never repeats what it refuses', () => {
    try {
      usd('my-secret-key');
    } catch (error) {
      expect(JSON.stringify([(error as Error).message, error])).not.to.contain('my-secret-key');
    }
  });

  it('adds and subtracts exactly, with the digits of the finer one', () => {
    expect(addMoney(usd('0.1'), usd('0.20')).amount).to.equal('0.30');
    expect(addMoney(usd('99999999999999999999'), usd('0.000000000000000001')).amount).to.equal(
      '99999999999999999999.000000000000000001',
    );
    expect(subtractMoney(usd('1'), usd('0.25')).amount).to.equal('0.75');
    expect(subtractMoney(usd('0.30'), usd('0.3')).amount).to.equal('0.00');
  });

  it('refuses results that are too long', () => {
    const most = '9'.repeat(30);
    expect(fieldOf(() => addMoney(usd(most), usd('1')))).to.equal('amount');
    expect(fieldOf(() => subtractMoney(usd(`-${most}`), usd('1')))).to.equal('amount');
  });

  it('orders by value, not by text', () => {
    expect(compareMoney(usd('12.5'), usd('12.50'))).to.equal(0);
    expect(compareMoney(usd('9'), usd('10'))).to.equal(-1);
    expect(compareMoney(usd('0.02'), usd('0.019'))).to.equal(1);
    expect(isSameMoney(usd('012.5'), usd('12.50'))).to.equal(true);
    expect(isSameMoney(usd('1'), money('1', 'EUR'))).to.equal(false);
  });

  it('refuses two currencies at run time as it does in types', () => {
    for (const mix of MIXED) expect(fieldOf(mix)).to.equal('currency');
  });

  it('survives JSON and sheds strangers', () => {
    const there = JSON.parse(JSON.stringify({ ...usd('12.50'), note: 'x' })) as unknown;
    expect(parseMoney(there)).to.deep.equal(usd('12.50'));
    for (const value of [null, 1, 'USD', [], { amount: 1, currency: 'USD' }, { amount: '1' }])
      expect(fieldOf(() => parseMoney(value))).to.be.a('string');
  });

  it('carries currencies that nobody has heard of yet', () => {
    expect(addMoney(money('1.5', 'XYZ2'), money('1', 'XYZ2'))).to.deep.equal({
      amount: '2.5',
      currency: 'XYZ2',
    });
  });
});
