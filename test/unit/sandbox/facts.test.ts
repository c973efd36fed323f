// Node only: the sandbox computes the same in every engine.
// Protects: the sandbox does what the description of the service says, as seen by facts that know only HTTP.
import { expect } from 'chai';
import { describe, it } from '#test';
import { falseFacts, sections } from '../../prove/facts/play.ts';

/** There may be more: a fact that is lost is a hole. */
const FACTS = 1_176;

describe('the facts of the service', () => {
  it('are all there: one that is lost is a hole', () => {
    expect(sections.flatMap(({ facts }) => facts).length).to.be.at.least(FACTS);
  });

  for (const section of sections)
    it(`are true: ${section.name}`, async () => {
      const found = await falseFacts(section);
      const lines = found.map(
        ({ name, expected, got }) => `${name}: expected ${expected}, got ${got}`,
      );
      expect(lines).to.deep.equal([]);
    });
});
