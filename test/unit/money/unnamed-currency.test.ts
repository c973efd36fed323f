// Protects: amounts of a currency that the service does not name keep the digits that they have, none included.
import { expect } from 'chai';
import { convertMoney, money, roundMoney } from 'paystate/money';
import { describe, it } from '#test';

describe('money of a currency without digits of its own', () => {
  const rate = { sourceCurrency: 'USD', targetCurrency: 'JPY', amount: '150' };

  it('is rounded to the digits it has', () => {
    expect(roundMoney(money('12', 'JPY')).amount).to.equal('12');
    expect(roundMoney(money('12.345', 'JPY')).amount).to.equal('12.345');
  });

  it('is converted to whole amounts where both sides are whole', () => {
    expect(convertMoney({ amount: '2', currency: 'USD' }, rate, { asOf: 0 }).value).to.deep.equal({
      amount: '300',
      currency: 'JPY',
    });
    const back = { sourceCurrency: 'JPY', targetCurrency: 'USD', amount: '2' };
    expect(convertMoney({ amount: '300', currency: 'USD' }, back, { asOf: 0 }).value).to.deep.equal(
      {
        amount: '150',
        currency: 'JPY',
      },
    );
  });
});
