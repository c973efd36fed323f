// Protects: those who share an intent, a journal or a name do each other no harm.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { pay, type PaymentOptions, type PayResult, resume } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { describe, it } from '#test';
import { EUR, paymentsMoved } from './pay-lives.ts';

const openDesk = () => {
  const sandbox = createSandbox({ signed: false });
  const client = createClient(sandbox.clientOptions);
  const journal = memoryStore();
  const start = (options: Partial<PaymentOptions> = {}) =>
    pay(client, { ...ADA, intent: 'a', sourceCurrency: 'EUR', maxFee: 'any', journal, ...options });
  return { sandbox, client, journal, start };
};

const ADA = { to: 'ada@wallet.example', amount: EUR('5.00') };
const guardOf = (result: PayResult) => (result.phase === 'refused' ? result.guard : result.phase);

describe('a payment that two callers have asked for', () => {
  it('goes on for the one where the signal of the other aborts, and ends where both have', async () => {
    for (const isExecuted of [false, true]) {
      const { sandbox, start } = openDesk();
      sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 60_000 });
      const aborts = [new AbortController(), new AbortController()];
      const [kept, ...signalled] = [undefined, ...aborts.map(({ signal }) => signal)].map(
        (signal) => start({ signal }),
      );
      if (isExecuted) await sandbox.advance(5_000);
      for (const abort of aborts) abort.abort();
      for (const run of [kept, ...signalled])
        expect((await sandbox.run(run!.result)).phase).to.equal('paid');
      const other = openDesk();
      const both = [new AbortController(), new AbortController()];
      const runs = both.map(({ signal }) => other.start({ signal }));
      for (const abort of both) abort.abort();
      expect((await other.sandbox.run(runs[0]!.result)).phase).to.equal('stopped');
      expect(paymentsMoved(other.sandbox)).to.deep.equal([]);
    }
  });
});

describe('an intent', () => {
  it('may have any name, also one that every object has', async () => {
    for (const intent of ['__proto__', 'constructor', 'hasOwnProperty', '..', 'a/b', '\u0000']) {
      const { sandbox, start } = openDesk();
      const limits = { maxPerDay: EUR('8.00') };
      expect(guardOf(await sandbox.run(start({ intent, ...limits }).result))).to.equal('paid');
      const more = start({ intent: `${intent} 2`, ...limits });
      expect(guardOf(await sandbox.run(more.result))).to.equal('per-day');
    }
  });
});

describe('a journal', () => {
  it('with a row that this version cannot read moves nothing for it, and goes on with the others', async () => {
    const spare = openDesk();
    spare.start({ journal: spare.journal });
    await spare.sandbox.advance(5);
    const right = (await spare.journal.get('pay/a'))!.value as object;
    const { tries: _, ...older } = right as { readonly tries: unknown };
    const rows: readonly unknown[] = [
      { ...right, format: 2 },
      { ...right, phase: 'HELD' },
      { ...right, order: { rail: 'card' } },
      older,
      {},
      [],
      null,
      'text',
    ];
    for (const row of rows) {
      const { sandbox, client, journal, start } = openDesk();
      sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 60_000 });
      await journal.compareAndSet('pay/a', 0, row, true);
      const other = start({ intent: 'b' });
      await sandbox.advance(5);
      other.detach();
      const shown = JSON.stringify(row);
      const result = await sandbox.run(start().result);
      if (result.phase !== 'unknown') throw new Error(`${shown}: ${result.phase}`);
      expect(result.error.message, shown).to.include('another version');
      const runs = await sandbox.run(resume(client, { journal }));
      const ends = await sandbox.run(Promise.all(runs.map((run) => run.result)));
      expect(runs.map(({ intent }) => intent)).to.deep.equal(['a', 'b']);
      expect(
        ends.map(({ phase }) => phase),
        shown,
      ).to.deep.equal(['unknown', 'paid']);
      expect(paymentsMoved(sandbox)).to.have.length(1);
      expect((await journal.get('pay/a'))!.value).to.deep.equal(row);
    }
  });
});
