// Nobody knows how long the service keeps a key: what debits a bank is not sent under one that is older than ten minutes.
import { expect } from 'chai';
import { describe, it } from '#test';
import { failureOf } from '../core/shop.ts';
import { openBank } from './bank.ts';

const KEY = '5b0f9f6a-3d1e-4c56-9a0e-1f2d3c4b5a69';
const MINUTE = 60_000;

describe('the key of a deposit', () => {
  it('is not sent later than ten minutes after its first sending, also by a call that began before and goes on for long', async () => {
    const { sandbox, client, run, method } = openBank();
    const { id: paymentMethodId } = await method('ACH');
    const draft = { paymentMethodId, amount: '50.00' };
    const begun = sandbox.clock.now();
    const before = sandbox.log.length;
    sandbox.fault({ method: 'POST', action: 'lost-after' });
    for (const start of [0, 5, 9]) {
      await sandbox.advance(Math.max(0, begun + start * MINUTE - sandbox.clock.now()));
      const patience =
        start === 0
          ? { maxAttempts: 1 }
          : { maxAttempts: 200, callTimeout: start === 9 ? 60 * MINUTE : 2 * MINUTE };
      expect(
        await failureOf(
          run(
            client.deposits.create(draft, { idempotencyKey: KEY, firstSentAt: begun, ...patience }),
            { timeout: 120 * MINUTE },
          ),
        ),
      ).to.include({ outcome: 'unknown' });
    }
    const times = sandbox.log
      .slice(before)
      .filter(({ method: verb }) => verb === 'POST')
      .map(({ at }) => at - begun);
    expect(times.length).to.be.above(10);
    expect(Math.max(...times)).to.be.within(9 * MINUTE, 10 * MINUTE);
  });
});
