// The examiner of `paystate examine` in this process, of which Stryker sees what each section comes
// by: its facts are true of the sandbox, each lie about it is noticed, and none of its facts is
// true whatever is answered. The quick tests come first, for a mutant is played until one fails.
import { expect } from 'chai';
import { describe, it } from '../../api/mocha.ts';
import { examineSection, type FactResult, sections } from '../../../src/cli/examine/examine.ts';
import type { Between, Section } from '../../../src/cli/examine/fact.ts';
import { blankets, lies } from '../fidelity/lies.ts';

/** There may be more: a fact that is lost is a hole. */
const FACTS = 1_474;
const TRUE = 1_444;

const good = new Map<string, ReadonlySet<string>>();

const idsOf = (results: readonly FactResult[], verdict: FactResult['verdict']): readonly string[] =>
  results.filter((one) => one.verdict === verdict).map(({ id }) => id);

async function trueIn(section: Section): Promise<ReadonlySet<string>> {
  const known = good.get(section.name) ?? new Set(idsOf(await examineSection(section), 'true'));
  good.set(section.name, known);
  return known;
}

/** The facts that were true of the sandbox and are false of this. */
async function falsified(section: Section, between: Between): Promise<readonly string[]> {
  const known = await trueIn(section);
  const results = await examineSection(section, between);
  return idsOf(results, 'false').filter((id) => known.has(id));
}

describe('the examiner', () => {
  it('has its facts, each under an id of its own', () => {
    const ids = sections.flatMap(({ facts }) => facts.map(({ id }) => id));
    expect(ids.length).to.be.at.least(FACTS);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  for (const section of sections)
    it(`finds nothing false about ${section.name}`, async () => {
      const results = await examineSection(section);
      expect(idsOf(results, 'false')).to.deep.equal([]);
      good.set(section.name, new Set(idsOf(results, 'true')));
    });

  it('can tell of most facts whether they are true', async () => {
    let count = 0;
    for (const section of sections) count += (await trueIn(section)).size;
    expect(count).to.be.at.least(TRUE);
  });

  for (const section of sections)
    it(`has no fact about ${section.name} that cannot be false`, async () => {
      const left = new Set(await trueIn(section));
      for (const between of blankets) {
        const results = await examineSection(section, between);
        const holding = new Set(idsOf(results, 'true'));
        for (const id of left) if (!holding.has(id)) left.delete(id);
      }
      expect([...left]).to.deep.equal([]);
    });

  for (const lie of lies)
    it(`notices where ${lie.name}`, async () => {
      const found: string[] = [];
      for (const section of sections)
        if (lie.sections.includes(section.name)) found.push(...(await falsified(section, lie)));
      expect(found).not.to.deep.equal([]);
    });
});
