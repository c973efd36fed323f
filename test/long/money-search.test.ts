// Protects: what test/house/money-search.test.ts protects, over every way that `npm run prove -- money` searches; and that
// the search is one that finds mistakes.
import { expect } from 'chai';
import { describe, it } from '#test';
import { MISTAKES } from '../prove/money/mistakes.ts';
import { search } from '../prove/money/search.ts';
import { WAYS } from '../prove/money/ways.ts';

const SECONDS = 60;

describe('the whole search over the money engine', () => {
  for (const way of WAYS)
    it(`finds nothing in ${way.name}`, () => {
      const { breaches } = search(way, undefined, { seconds: SECONDS });
      expect(breaches.filter(({ excuse }) => !excuse)).to.deep.equal([]);
    });

  for (const { name, way, core } of MISTAKES)
    it(`finds that ${name}`, () => {
      const { breaches } = search(way, core, { seconds: SECONDS, isFirstOnly: true });
      expect(breaches.some(({ excuse }) => !excuse)).to.equal(true);
    });
});
