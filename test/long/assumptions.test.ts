// Protects: nothing in the SDK rests on what the sandbox assumes. A part of `npm run prove -- assumptions`, each day another one.
import { expect } from 'chai';
import { describe, it } from '#test';
import { type Alternative, alternatives } from '../prove/assumptions/alternatives.ts';
import { LEANING, playMoney, waysFor } from '../prove/assumptions/money.ts';
import { isPlayedTogether, playSuite, suiteFiles } from '../prove/assumptions/suite.ts';

/** A failure names it; `ASSUMPTIONS_SEED=20781 npm test -- long test/long/assumptions.test.ts` plays the same again. */
const SEED = Number(process.env['ASSUMPTIONS_SEED'] ?? Math.floor(Date.now() / 86_400_000));
const SOME_FILES = suiteFiles.filter((_, at) => at % 8 === SEED % 8);
const INTENTS = 20;

/** So many of them, of different ids; each day moves on by one, so that all have their turn. */
function drawn(all: readonly Alternative[], count: number): readonly Alternative[] {
  const step = Math.ceil(all.length / count);
  const some = Array.from({ length: count }, (_, at) => all[(SEED + at * step) % all.length]!);
  return some.filter(({ id }, at) => some.findIndex((one) => one.id === id) === at);
}

describe('what the sandbox assumes can be otherwise', () => {
  it('for the portable tests', async () => {
    const some = drawn(alternatives.filter(isPlayedTogether), 6);
    const { passed, failed } = await playSuite(some, { files: SOME_FILES });
    const said = `seed ${SEED}: ${some.map(({ name }) => name).join(' ')}`;
    expect(failed, said).to.deep.equal([]);
    expect(passed, said).to.be.above(100);
  });

  it('for the adversary', async () => {
    const met = alternatives.filter(
      (one) => waysFor(one).length > 0 && !Object.hasOwn(LEANING, one.name),
    );
    for (const one of drawn(met, 4)) {
      const { wrong, done } = await playMoney(one, INTENTS, `${SEED}`);
      expect(wrong, `${one.name}, seed ${SEED}`).to.deep.equal([]);
      expect(done, one.name).to.be.above(0);
    }
  });
});
