// Protects: what plain JavaScript passes by mistake. Every function of every entry refuses names of
// options that it does not know, and values of another kind, at the call and before anything is
// sent or written.
import { expect } from 'chai';
import { describe, it } from '#test';
import { type Counts, exceptions, faultsOf, misspelt, refusalOfValid } from './argument-walk.ts';
import { expectNone } from './none.ts';
import { signatures } from './signatures.ts';

const all = await signatures();

describe('arguments', () => {
  const counts: Counts = { functions: 0, options: 0, refusals: 0 };
  const used = new Set<string>();

  for (const specifier of new Set(all.map((one) => one.specifier)))
    it(`of ${specifier} are refused where they are wrong, by an InputError`, async () => {
      const found: string[] = [];
      for (const one of all.filter((each) => each.specifier === specifier))
        for (const fault of await faultsOf(one, counts, used)) found.push(`${one.name}: ${fault}`);
      expectNone(found);
    });

  it('that are right are taken, so that each refusal has one reason', async () => {
    const refused: string[] = [];
    for (const one of all) {
      const refusal = await refusalOfValid(one);
      if (refusal !== undefined) refused.push(`${one.specifier} ${one.name}: ${refusal}`);
    }
    expectNone(refused);
  });

  it('are tried at least 250 functions, 1,000 options and 11,000 refusals wide', () => {
    expect(counts.functions).to.be.at.least(250);
    expect(counts.options).to.be.at.least(1_000);
    expect(counts.refusals).to.be.at.least(11_000);
  });

  it('have at most 20 exceptions, each with a reason and a use', () => {
    expect(exceptions.length).to.be.at.most(20);
    const unused = exceptions.map(({ where }) => String(where)).filter((one) => !used.has(one));
    expectNone(unused);
  });

  it('are misspelt as people misspell them, and never as another option', () => {
    expect(misspelt('callTimeout', [])).to.equal('callTimeot');
    expect(misspelt('to', [])).to.equal('tos');
    expect(misspelt('states', ['states', 'stats'])).to.equal('statess');
  });
});
