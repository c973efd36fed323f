// Protects: a journal that says since when it may lack rows pays nothing twice.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { pay, resume } from 'paystate/flows';
import { memoryStore, type Store } from 'paystate/stores';
import { describe, it } from '#test';
import { openDesk } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('a journal that was restored', () => {
  it('has a time of its backup in milliseconds', async () => {
    const { sandbox, client } = openDesk();
    const now = sandbox.clock.now();
    for (const restoredFrom of [NaN, -1, now / 1_000, 'yesterday', {}, true]) {
      const given = { journal: memoryStore(), restoredFrom: restoredFrom as number };
      const thrown: unknown = await resume(client, given).catch((reason: unknown) => reason);
      expect(thrown).to.include({ name: 'InputError' });
      expect(String(thrown)).to.match(/restoredFrom: must be the time of the backup/);
    }
    for (const restoredFrom of [now - DAY_MS, new Date(now - DAY_MS), now + DAY_MS, null])
      expect(await resume(client, { journal: memoryStore(), restoredFrom })).to.deep.equal([]);
  });

  for (const [name, hours, days] of [
    ['', 0, -1],
    [', also where it was made hours before the restore', 5, -1],
    [', also where the clock that named the time is ahead', 0, 400],
  ] as const)
    it(`makes no payout again whose row is gone${name}`, async () => {
      const desk = openDesk();
      const { sandbox, client } = desk;
      const method = await desk.method();
      const first = await sandbox.run(desk.payOut(method).result);
      if (first.phase !== 'completed') throw new Error(first.phase);
      await sandbox.advance(hours * HOUR_MS);
      const journal = memoryStore();
      const restoredFrom = sandbox.clock.now() + days * DAY_MS;
      await resume(client, { journal, restoredFrom });
      const again = await sandbox.run(desk.payOut(method, { journal }).result);
      expect(again.phase === 'unknown' && again.candidates).to.deep.equal([first.movement.id]);
      expect(desk.moved('payout')).to.have.length(1);
      // until that is over
      await resume(client, { journal, restoredFrom: null });
      const next = await sandbox.run(desk.payOut(method, { journal, intent: 'next' }).result);
      expect(next.phase).to.equal('completed');
    });

  it('finds a payment without an answer that was made before the backup', async () => {
    const { sandbox, client } = openDesk();
    const path = '/v1/payment-quotes/{paymentQuoteId}/execute';
    sandbox.fault({ method: 'PATCH', path, action: 'lost-after' });
    const order = { to: 'ada@wallet.example', amount: EUR('5.00'), sourceCurrency: 'EUR' } as const;
    const journal = memoryStore();
    const run = pay(client, { ...order, maxFee: 'any', intent: 'a', journal });
    await sandbox.advance(5_000);
    run.detach();
    await sandbox.advance(HOUR_MS);
    const next = createClient(sandbox.clientOptions);
    const [resumed] = await resume(next, { journal, restoredFrom: sandbox.clock.now() });
    const result = await sandbox.run(resumed!.result);
    expect(result.phase === 'unknown' && result.candidates).to.have.length(1);
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('pays by another round what has failed before the backup was restored', async () => {
    const { sandbox, client } = openDesk();
    sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 1_000, nth: 1 });
    const order = { to: 'ada@wallet.example', amount: EUR('5.00'), sourceCurrency: 'EUR' } as const;
    const begin = (journal: Store) =>
      pay(client, { ...order, maxFee: 'any', intent: 'a', journal });
    expect((await sandbox.run(begin(memoryStore()).result)).phase).to.equal('failed');
    const journal = memoryStore();
    await resume(client, { journal, restoredFrom: sandbox.clock.now() - DAY_MS });
    const run = begin(journal);
    expect((await sandbox.run(run.result)).phase).to.equal('failed');
    expect((await sandbox.run(run.retry().result)).phase).to.equal('paid');
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });
});
