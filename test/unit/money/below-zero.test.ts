// Protects: one range of decimal texts for answers and for calculations. A balance may be below zero;
// what is sent, and what limits it, may not.
import { expect } from 'chai';
import { chooseTier } from 'paystate';
import {
  addMoney,
  compareMoney,
  convertMoney,
  formatMoney,
  fromMsat,
  fromSat,
  isSameMoney,
  money,
  multiplyMoney,
  parseMoney,
  roundMoney,
  subtractMoney,
  toMsat,
  toSat,
} from 'paystate/money';
import { DecimalDraftSchema, DecimalSchema } from 'paystate/schemas';
import * as v from 'valibot';
import { describe, it } from '#test';
import { answering, json, openShop } from '../core/shop.ts';

const eur = (amount: string) => money(amount, 'EUR');
const shown = (amount: string, locale: string, currency = 'EUR') =>
  formatMoney(money(amount, currency), { locale }).replace(/\s/g, ' ');

describe('money below zero', () => {
  it('comes from a balance and is calculated with', async () => {
    const balance = { currency: 'EUR', current: '-89.35', pending: '0', reserved: '90.35' };
    const { client, run } = openShop({ fetch: answering(json([balance])).fetch });
    const [found] = await run(client.balances.list());
    const owed = parseMoney({ amount: found!.current, currency: found!.currency });
    expect(addMoney(owed, money('100', 'EUR')).amount).to.equal('10.65');
    expect(subtractMoney(owed, money('0.65', 'EUR')).amount).to.equal('-90.00');
    expect(compareMoney(owed, money('0', 'EUR'))).to.equal(-1);
    expect(formatMoney(owed, { locale: 'de' }).replace(/\s/g, ' ')).to.equal('-89,35 €');
  });

  it('is written with a sign, also below one unit', () => {
    expect(shown('-0.50', 'en')).to.equal('-€0.50');
    expect(shown('-0.50', 'de')).to.equal('-0,50 €');
    expect(shown('-1234.5', 'en')).to.equal('-€1,234.50');
    expect(shown('-0.00', 'en')).to.equal('€0.00');
    expect(shown('0.50', 'en')).to.equal('€0.50');
    const satoshi = (amount: string) =>
      formatMoney(money(amount, 'BTC'), { locale: 'en', bitcoinUnit: 'sat' }).replace(/\s/g, ' ');
    expect(satoshi('-0.00001000')).to.equal('-1,000 sat');
    expect(satoshi('-0.000000005')).to.equal('-0.5 sat');
  });

  it('is compared by value', () => {
    expect(isSameMoney(eur('-1.50'), eur('-01.5'))).to.equal(true);
    expect(isSameMoney(eur('-1.50'), eur('1.50'))).to.equal(false);
    expect(isSameMoney(eur('-0.00'), eur('0'))).to.equal(true);
    expect(compareMoney(eur('-2'), eur('-1'))).to.equal(-1);
    expect(compareMoney(eur('-0'), eur('0.0'))).to.equal(0);
  });

  it('is rounded as the same amount above zero is', () => {
    for (const [rounding, wanted] of [
      ['down', '-12.34'],
      ['up', '-12.35'],
      ['half-up', '-12.35'],
      ['half-even', '-12.34'],
    ] as const)
      expect(roundMoney(eur('-12.345'), { rounding }).amount, rounding).to.equal(wanted);
    expect(() => roundMoney(eur('-12.345'))).to.throw('rounding');
    expect(multiplyMoney(eur('-9.99'), '0.5', { rounding: 'half-even' }).amount).to.equal('-5.00');
    expect(subtractMoney(eur('1'), eur('1.01')).amount).to.equal('-0.01');
  });

  it('is converted, and counted in satoshi', () => {
    const rate = { amount: '50000', sourceCurrency: 'BTC', targetCurrency: 'EUR' } as const;
    const { value } = convertMoney(eur('-25'), rate, { asOf: 0 });
    expect(value).to.deep.equal({ amount: '-0.00050000', currency: 'BTC' });
    expect(convertMoney(value, rate, { asOf: 0 }).value.amount).to.equal('-25.00');
    expect(toSat(money('-0.0001', 'BTC'))).to.equal('-10000');
    expect(fromSat('-10000')).to.deep.equal({ amount: '-0.00010000', currency: 'BTC' });
    expect(fromMsat(-1_500n).amount).to.equal('-0.00000001500');
    expect(toMsat(fromMsat('-1500'))).to.equal('-1500');
  });

  it('is refused as a rate and as a factor', () => {
    const rate = { amount: '-5', sourceCurrency: 'BTC', targetCurrency: 'EUR' } as const;
    expect(() => convertMoney(eur('1'), rate, { asOf: 0 })).to.throw('rate: must not be negative');
    expect(() => multiplyMoney(eur('1'), '-1')).to.throw('factor: must not be negative');
  });

  it('takes exactly the texts that the schema of answers takes', () => {
    const nines = '9'.repeat(30);
    for (const text of [
      ...['0', '-0', '-1.50', nines, `-${nines}.${nines}`, '00.5', '-.5', '--1', '+1', '1e3'],
      ...[`${nines}9`, `0.${nines}9`, '1.', '.1', '', ' 1', '1,5'],
    ]) {
      const isRead = v.is(DecimalSchema, text);
      let isTaken = true;
      try {
        eur(text);
      } catch {
        isTaken = false;
      }
      expect(isTaken, text).to.equal(isRead);
    }
  });

  it('is refused as an amount to choose a tier for', () => {
    const soon = { maxDeliveryInMin: 60 };
    expect(chooseTier([], eur('0.50'), soon)).to.equal(undefined);
    expect(() => chooseTier([], eur('-0.50'), soon)).to.throw(/^amount: must not be negative/);
  });

  it('is refused in what is sent, by the rule of drafts', async () => {
    expect(v.is(DecimalDraftSchema, '-1.50')).to.equal(false);
    const { client, run } = openShop();
    const refused = await run(client.invoices.create({ amount: eur('-1.50') })).catch(
      (thrown: unknown) => thrown as { readonly code: string; readonly outcome: string },
    );
    expect(refused).to.include({ code: 'INPUT_INVALID', outcome: 'not-done' });
  });
});
