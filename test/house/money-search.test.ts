// Protects: no interleaving of requests, answers, crashes and lost commits moves money twice for one intent, or lets a run
// say that nothing was moved where something was. The short form; `npm run prove -- money` searches the whole.
import { expect } from 'chai';
import { describe, it } from '#test';
import { MISTAKES } from '../prove/money/mistakes.ts';
import { search } from '../prove/money/search.ts';
import { SHORT } from '../prove/money/ways.ts';

const QUICK_STATES = 20_000;

describe('the search over the money engine', () => {
  for (const way of SHORT)
    it(`finds no schedule that moves money twice or tells a lie, and none that does not end: ${way.name}`, () => {
      const { breaches, isWhole } = search(way);
      expect(breaches.filter(({ excuse }) => !excuse)).to.deep.equal([]);
      expect(isWhole).to.equal(true);
    });

  it('ends as paid or failed where nothing goes wrong', () => {
    for (const way of SHORT.filter(({ name }) => name.startsWith('calm/'))) {
      const { ends } = search(way);
      expect(Object.keys(ends).sort(), way.name).to.deep.equal(['failed', 'paid']);
    }
  });

  it('finds mistakes that are put in', () => {
    const found = MISTAKES.filter(
      ({ way, core }) =>
        search(way, core, { isFirstOnly: true, states: QUICK_STATES }).breaches.length > 0,
    );
    expect(found.length).to.be.at.least(12);
  });
});
