// Protects: one intent is paid at most once, and its result is never false, wherever processes die and whatever is lost.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { pay } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { describe, itLong as it } from '#test';
import {
  type Life,
  orderOf,
  paymentsMoved,
  playLife,
  playSeed,
  raceTwins,
  type PayRail,
  RAILS,
  unfitStores,
} from './pay-lives.ts';

/** Pages and Deno share the machine with all other legs: they play a part. */
const LIVES = 'document' in globalThis || 'Deno' in globalThis ? 40 : 150;

const open = () => createSandbox({ signed: false });

describe('a payment whose process dies', () => {
  for (const rail of RAILS)
    it(`at any step, before or after its effect, is made once in the end (${rail})`, async () => {
      const whole = await playLife({ sandbox: open(), rail, deaths: [], pause: 0 });
      const done = ['exchange', 'payout', 'deposit'].includes(rail) ? 'completed' : 'paid';
      expect([whole.result?.phase, whole.moved.length]).to.deep.equal([done, 1]);
      expect(whole.steps).to.be.above(8);
      const steps = Array.from({ length: whole.steps }, (_, index) => index + 1);
      // a payment that is pending for long is read again and again
      for (const step of steps.filter((one) => one <= 20 || one % 13 === 0))
        for (const isAfter of [false, true]) {
          const life = await playLife({
            sandbox: open(),
            rail,
            deaths: [{ step, isAfter }],
            pause: 1_000,
          });
          expect(
            [life.result?.phase, life.moved.length, life.problems],
            `step ${step} ${isAfter ? 'after' : 'before'}`,
          ).to.deep.equal([done, 1, []]);
        }
    });

  for (const rail of RAILS)
    it(`and is taken up ten minutes later is made once in the end, unless its key is too old (${rail})`, async () => {
      const pauses = [560_000, 700_000];
      for (let step = 1; step <= 30; step++)
        for (const pause of pauses) {
          const deaths = [{ step, isAfter: step % 2 === 0 }];
          const { result, moved, problems } = await playLife({
            sandbox: open(),
            rail,
            deaths,
            pause,
          });
          const where = `step ${step}, ${result?.phase}`;
          expect(problems, where).to.deep.equal([]);
          // nothing is sent again, and what may be it is named
          const isOld = rail === 'deposit' && result?.phase === 'unknown';
          if (isOld) expect(result.candidates, where).to.deep.equal(moved);
          else if (result?.phase === 'refused' && ['deposit', 'payout'].includes(rail))
            expect(moved, where).to.deep.equal([]);
          else {
            expect(result?.phase, where).to.be.oneOf(['paid', 'completed']);
            expect(moved, where).to.have.length(1);
          }
        }
    });

  it('in random lives is never made twice, and never said to be what it is not', async () => {
    const lives: Life[] = [];
    for (let seed = 1; seed <= LIVES; seed++) {
      const life = await playSeed(seed);
      expect(life.problems, `seed ${seed} (${life.rail}, ${life.result?.phase})`).to.deep.equal([]);
      lives.push(life);
    }
    const phases = new Set(lives.map(({ result }) => result?.phase));
    expect([...phases]).to.include.members(['paid', 'completed', 'failed', 'refused', 'unknown']);
  });

  for (const hours of [-1, 1])
    for (const rail of ['bolt11', 'lnurl', 'onchain'] satisfies PayRail[])
      it(`is made once by a clock ${hours} hours ahead, with its answer lost (${rail})`, async () => {
        const sandbox = open();
        sandbox.fault({ method: 'PATCH', nth: 1, action: 'lost-after' });
        const now = () => sandbox.clock.now() + hours * 3_600_000;
        const client = createClient({ ...sandbox.clientOptions, clock: { ...sandbox.clock, now } });
        const run = pay(client, { ...orderOf(sandbox, rail), journal: memoryStore() });
        const { phase } = await sandbox.run(run.result);
        expect([phase, paymentsMoved(sandbox).length]).to.deep.equal(['paid', 1]);
        expect(sandbox.log.filter(({ method }) => method === 'PATCH')).to.have.length.above(1);
      });

  it('is made once by two processes that write at the same moment', async () => {
    expect(await raceTwins(open(), (store) => store)).to.have.length(1);
  });

  // facts that a process has written are put back, whatever became of its writes
  for (const [name, store] of Object.entries(unfitStores))
    it(`is made once even with a journal ${name}`, async () => {
      for (const rail of RAILS)
        expect(await raceTwins(open(), store, rail), `twins, ${rail}`).to.have.length(1);
      for (let seed = 1; seed <= LIVES; seed++) {
        const { problems, rail } = await playSeed(seed, { store });
        expect(problems, `seed ${seed} (${rail})`).to.deep.equal([]);
      }
    });
});
