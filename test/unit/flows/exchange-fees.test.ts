// Protects: wherever the service puts the fee of an exchange, its terms say what the account gives and gets, and its limits count
// the fee once.
import { expect } from 'chai';
import type { ExchangeStep } from 'paystate/flows';
import { subtractMoney } from 'paystate/money';
import type { Assumptions } from 'paystate/sandbox';
import { describe, it } from '#test';
import { type Desk, openDesk } from './moves-desk.ts';

const money = (amount: string, currency: string) => ({ amount, currency });
const START = '10000.00';

const has = ({ sandbox }: Desk, currency: string) =>
  money(sandbox.ledger.balances()['shop.free']![currency]!, currency);

const PLACES: readonly Assumptions[] = [
  { 'exchanges.inside': 'source', 'exchanges.on-top': 'apart' },
  { 'exchanges.inside': 'target' },
  { 'exchanges.inside': 'apart' },
  { 'exchanges.on-top': 'source' },
  { 'exchanges.fee': '0.9-percent' },
  { 'exchanges.fee': 'none' },
];
const ORDERS = (['INCLUSIVE', 'EXCLUSIVE'] as const).flatMap((feePolicy) =>
  ['EUR', 'USD'].map((currency) => ({ ...money('100.00', currency), feePolicy })),
);
const BALANCES = { EUR: START, USD: START };

const openAccount = (assume: Assumptions): Desk =>
  openDesk({ assume, accounts: [{ handle: 'shop', balances: BALANCES }] });

describe('the fee of an exchange', () => {
  for (const assume of PLACES)
    for (const amount of ORDERS)
      it(`with ${JSON.stringify(assume)}, ${amount.feePolicy} in ${amount.currency}, is counted once`, async () => {
        const desk = openAccount(assume);
        // one fee is less than this share of what is sold, two are more
        const run = desk.exchange({ amount, maxRateSlip: { percent: '0.95' } });
        const steps: ExchangeStep[] = [];
        run.subscribe((step) => void steps.push(step));
        expect((await desk.sandbox.run(run.result)).phase).to.equal('completed');
        const terms = steps.flatMap((step) =>
          'quote' in step && step.quote ? [step.quote] : [],
        )[0]!;
        expect(terms.totalAmount).to.deep.equal(
          subtractMoney(money(START, 'EUR'), has(desk, 'EUR')),
        );
        expect(terms.amount).to.deep.equal(subtractMoney(has(desk, 'USD'), money(START, 'USD')));
      });

  it('that is part of what is bought brings no less than minReceived', async () => {
    const amount = { ...money('100.00', 'USD'), feePolicy: 'INCLUSIVE' } as const;
    const play = async (least: string) => {
      const desk = openAccount({ 'exchanges.inside': 'target', 'exchanges.fee': '0.5-percent' });
      const minReceived = money(least, 'USD');
      const { phase } = await desk.sandbox.run(desk.exchange({ amount, minReceived }).result);
      return [phase, has(desk, 'USD').amount];
    };
    expect(await play('99.50')).to.deep.equal(['completed', '10099.50']);
    expect(await play('99.51')).to.deep.equal(['refused', START]);
  });
});
