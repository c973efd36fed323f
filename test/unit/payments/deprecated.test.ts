// Protects: members that the service has renamed are read by one function each, whichever name a response has.
import { expect } from 'chai';
import { completedAtOf, networkFeeOf, paymentStateOf } from 'paystate';
import { PaymentQuoteSchema, PaymentSchema } from 'paystate/schemas';
import * as v from 'valibot';
import { describe, it } from '#test';

const FEE = { amount: '0.00000003', currency: 'BTC' };
const OTHER = { amount: '0.00000004', currency: 'BTC' };
const PAYMENT = {
  paymentId: 'e1c7a3b5-64f2-49d0-8b1e-2a5c9d7f6043',
  state: 'COMPLETED',
  amount: { amount: '0.00020000', currency: 'BTC' },
  totalAmount: { amount: '0.00020003', currency: 'BTC' },
};

describe('a renamed member', () => {
  it('of the network fee is the new one, else the old one', () => {
    const feeOf = (more: object) => networkFeeOf(v.parse(PaymentSchema, { ...PAYMENT, ...more }));
    expect(feeOf({ lightningNetworkFee: FEE })).to.deep.equal(FEE);
    expect(feeOf({ lightning: { networkFee: FEE } })).to.deep.equal(FEE);
    expect(feeOf({ lightning: { networkFee: FEE }, lightningNetworkFee: OTHER })).to.deep.equal(
      FEE,
    );
    expect(feeOf({ lightning: {}, lightningNetworkFee: OTHER })).to.deep.equal(OTHER);
    expect(feeOf({ onchain: {} })).to.equal(undefined);
  });

  it('of a quote is the old one, which has no other', () => {
    const { paymentId: paymentQuoteId, state: _, ...terms } = PAYMENT;
    const quote = v.parse(PaymentQuoteSchema, {
      ...terms,
      paymentQuoteId,
      lightningNetworkFee: FEE,
    });
    expect(networkFeeOf(quote)).to.deep.equal(FEE);
  });

  it('of the state is the new one, else what the old one says', () => {
    expect(paymentStateOf({ state: 'PENDING', result: 'SUCCESS' })).to.equal('PENDING');
    expect(paymentStateOf({ result: 'SUCCESS' })).to.equal('COMPLETED');
    expect(paymentStateOf({ result: 'FAILURE' })).to.equal('FAILED');
    expect(paymentStateOf({ result: 'PENDING' })).to.equal('PENDING');
    expect(paymentStateOf({ result: 'LATER' })).to.equal('LATER');
    expect(paymentStateOf({})).to.equal(undefined);
  });

  it('of the end is the new one, else the old one', () => {
    const [completed, delivered] = ['2026-03-04T10:02:31Z', '2026-03-04T10:02:32Z'];
    expect(completedAtOf({ completed, delivered })).to.equal(completed);
    expect(completedAtOf({ delivered })).to.equal(delivered);
    expect(completedAtOf({})).to.equal(undefined);
  });
});
