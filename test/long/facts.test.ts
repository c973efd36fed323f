// Protects: the sandbox does what the description of the service says, as seen by facts that know only HTTP.
import { expect } from 'chai';
import { describe, it } from '#test';
import { falseFacts, sections } from '../facts/examine.ts';

/** There may be more: a fact that is lost is a hole. */
const FACTS = 1_444;

describe('the facts of the service', () => {
  it('each have an id of their own, and none is lost', () => {
    const ids = sections.flatMap(({ facts }) => facts.map(({ id }) => id));
    expect(ids.length).to.be.at.least(FACTS);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  for (const section of sections)
    it(`are true: ${section.name}`, async () => {
      const found = await falseFacts(section);
      const lines = found.map(
        ({ fact, expected, got }) => `${fact.id} ${fact.says} Expected ${expected}, got ${got}`,
      );
      expect(lines).to.deep.equal([]);
    });
});
