// Protects: a plan that the account may not send as a whole says so before anything is paid, by the least that is left.
import { expect } from 'chai';
import { describe, it } from '#test';
import { planWithin, used } from './limited-account.ts';
import { EUR } from './pay-lives.ts';

const TOO_HIGH = 'AMOUNT_TOO_HIGH';

/** Plans 1.00, 2.00 and 3.00 EUR for an account that may send so much. */
const planned = async (send: object) => {
  const { problems } = await planWithin(send, '1.00', '2.00', '3.00');
  return problems.map(({ code, row }) => (row === undefined ? code : `${row} ${code}`));
};

describe('a plan for an account with limits', () => {
  it('is without problems within all of them', async () => {
    const amount = { effective: EUR('50.00'), cycles: [used('100.00', '50.00')] };
    expect(await planned({ count: { effective: 3 }, amount })).to.deep.equal([]);
  });

  it('names more payments than the account may make', async () => {
    expect(await planned({ count: { effective: 2 } })).to.deep.equal(['TOO_MANY_TRANSACTIONS']);
  });

  it('names each row that is too much for one payment', async () => {
    expect(await planned({ amount: { effective: EUR('2.50') } })).to.deep.equal([`3 ${TOO_HIGH}`]);
  });

  it('names a sum that is too much over time, by the least that is left', async () => {
    const effective = EUR('50.00');
    for (const amount of [
      { effective, cycles: [used('100.00', '10.00'), used('100.00', '95.00')] },
      { effective, lifetime: used('100.00', '95.00'), cycles: [used('100.00', '10.00')] },
      { effective, calendarYear: used('100.00', '120.00') },
    ])
      expect(await planned({ amount })).to.deep.equal([TOO_HIGH]);
  });
});
