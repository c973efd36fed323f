// Protects: what is known of an intent whose journal, or whose process, ends between two writes.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { pay, resume } from 'paystate/flows';
import type { Store } from 'paystate/stores';
import { describe, it } from '#test';
import { openDesk } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';

const MINUTE = 60_000;
const ADA = { to: 'ada@wallet.example', sourceCurrency: 'EUR', maxFee: 'any' } as const;
const ORDER = { ...ADA, intent: 'a', amount: EUR('20.00') };

describe('an intent', () => {
  it('whose process ended right after its first write is open for the next process', async () => {
    const { sandbox, client, journal, fetch } = openDesk();
    let writes = 0;
    const dying: Store = {
      ...journal,
      compareAndSet: (...given) =>
        given[0] !== 'pay/a' || writes++ === 0
          ? journal.compareAndSet(...given)
          : new Promise<never>(() => {}),
    };
    pay(client, { ...ORDER, journal: dying }).detach();
    await sandbox.advance(MINUTE);
    expect(paymentsMoved(sandbox)).to.deep.equal([]);
    const next = createClient({ ...sandbox.clientOptions, fetch });
    const runs = await sandbox.run(resume(next, { journal }));
    expect(runs.map(({ intent }) => intent)).to.deep.equal(['a']);
    expect((await sandbox.run(runs[0]!.result)).phase).to.equal('paid');
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('is not said to be stopped where the journal could not take that in', async () => {
    const { sandbox, client, journal } = openDesk();
    sandbox.fault({ method: 'POST', action: { delay: 5_000 } });
    let isBroken = false;
    const breaking: Store = {
      ...journal,
      compareAndSet: (...given) =>
        isBroken ? Promise.reject(new Error('disk gone')) : journal.compareAndSet(...given),
    };
    const run = pay(client, { ...ORDER, journal: breaking });
    await sandbox.advance(1_000);
    isBroken = true;
    expect(await sandbox.run(run.stop())).to.equal(false);
    expect((await sandbox.run(run.result)).phase).to.equal('unknown');
    expect(paymentsMoved(sandbox)).to.deep.equal([]);
  });
});
