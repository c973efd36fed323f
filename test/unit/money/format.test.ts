import { expect } from 'chai';
import { formatMoney, fromMsat, money } from 'paystate/money';
import { describe, it } from '#test';

// Blanks and direction marks differ between the runtimes' tables of languages; digits and signs do not.
const plain = (text: string): string =>
  text.replace(/[\s\u00a0\u202f]+/g, ' ').replace(/[\u200e\u200f\u061c]/g, '');
const shown = (
  amount: string,
  currency: string,
  locale: string,
  bitcoinUnit?: 'sat' | 'btc',
): string => plain(formatMoney(money(amount, currency), { locale, bitcoinUnit }));

describe('formatting', () => {
  it('follows the language', () => {
    expect(shown('1234567.5', 'USD', 'en-US')).to.equal('$1,234,567.50');
    expect(shown('1234567.5', 'EUR', 'de-DE')).to.equal('1.234.567,50 €');
    expect(shown('1234567.5', 'EUR', 'en-IN')).to.equal('€12,34,567.50');
    expect(shown('12', 'GBP', 'en-GB')).to.equal('£12.00');
  });

  it('shows every digit, far beyond a float', () => {
    expect(shown('12345678901234567890.123456789012345678', 'EUR', 'en-US')).to.equal(
      '€12,345,678,901,234,567,890.123456789012345678',
    );
    expect(shown('0.10000000000000001', 'USD', 'en-US')).to.equal('$0.10000000000000001');
  });

  it('writes bitcoin with its sign or in satoshi', () => {
    expect(shown('0.00120000', 'BTC', 'en-US')).to.equal('₿0.00120000');
    expect(shown('0.00120000', 'BTC', 'en-US', 'sat')).to.equal('120,000 sat');
    expect(shown('21000000', 'BTC', 'de-DE', 'sat')).to.equal('2.100.000.000.000.000 sat');
    expect(
      plain(formatMoney(fromMsat('1234567'), { locale: 'en-US', bitcoinUnit: 'sat' })),
    ).to.equal('1,234.567 sat');
    expect(plain(formatMoney(fromMsat('500'), { locale: 'en-US', bitcoinUnit: 'sat' }))).to.equal(
      '0.5 sat',
    );
    expect(shown('1', 'USD', 'en-US', 'sat')).to.equal('$1.00');
  });

  it('writes currencies that Intl does not know', () => {
    expect(shown('12.5', 'USDT', 'en-US')).to.equal('12.5 USDT');
    expect(shown('7', 'XYZ2', 'en-US')).to.equal('7 XYZ2');
  });

  it('writes the digits and marks of right-to-left languages', () => {
    expect(shown('1234.5', 'EUR', 'ar-EG'))
      .to.contain('١٬٢٣٤٫٥٠')
      .and.contain('€');
    expect(shown('0.0012', 'BTC', 'fa-IR'))
      .to.contain('۰٫۰۰۱۲')
      .and.contain('₿');
    expect(shown('0.00120000', 'BTC', 'ar-EG', 'sat'))
      .to.contain('١٢٠٬٠٠٠')
      .and.contain('sat');
    expect(formatMoney(money('1', 'USD'), { locale: 'he' })).to.match(/[\u200e\u200f]/);
  });

  it('refuses amounts that are none', () => {
    expect(() => formatMoney({ amount: '1e3', currency: 'USD' }, { locale: 'en' })).to.throw(
      'amount',
    );
  });
});
