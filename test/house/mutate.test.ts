// Protects: the mutation scores can be believed: a draw is the same for the same seed, what nothing
// noticed is counted and listed, every room of src can be judged, and the faults that are known by
// name can still be put in.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { drawOf, type Mutant, rangeOf } from '../prove/mutate/draw.ts';
import { equivalents } from '../prove/mutate/equivalents.ts';
import { outdatedFaults } from '../prove/mutate/known.ts';
import { pathsOf, ROOMS } from '../prove/mutate/rooms.ts';
import { lineOf, outcomeOf, percentOf } from '../prove/mutate/score.ts';
import type { Played, Status } from '../prove/mutate/stryker.ts';
import { root } from './source.ts';

const mutantAt = (line: number, replacement: string): Mutant => ({
  fileName: 'src/tiny.ts',
  mutatorName: 'EqualityOperator',
  replacement,
  location: { start: { line, column: 2 }, end: { line, column: 7 } },
});

const playedAt = (line: number, status: Status): Played => ({
  mutatorName: 'EqualityOperator',
  replacement: 'a >= b',
  status,
  location: { start: { line, column: 5 }, end: { line, column: 10 } },
});

const SOURCE = 'one\nif (a > b) return a;\nthree\n';

describe('the mutation scores', () => {
  it('are of the same mutants for the same seed, and of whole ranges', () => {
    const all = Array.from({ length: 300 }, (_, at) => mutantAt(at >> 1, String(at)));
    const drawn = [1, 1, 2].map((seed) => drawOf(all, 50, seed).map(rangeOf).join());
    expect([drawn[0] === drawn[1], drawn[0] === drawn[2]]).to.deep.equal([true, false]);
    const ranges = Map.groupBy(drawOf(all, 51, 3), rangeOf);
    expect([...ranges.values()].map((group) => group.length)).to.deep.equal(Array(26).fill(2));
    expect(new Set(drawOf(all, Infinity, 3)).size).to.equal(300);
  });

  it('count what was noticed, and list the rest', () => {
    const statuses: Status[] = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored'];
    const mutants = statuses.map((status) => playedAt(2, status));
    const { score, survivors } = outcomeOf({
      files: { 'src/tiny.ts': { source: SOURCE, mutants } },
    });
    expect(score).to.deep.equal({ killed: 2, survived: 1, uncovered: 1, equivalent: 0 });
    expect(percentOf(score)).to.equal(50);
    expect(survivors.map(lineOf)).to.deep.equal([
      '  src/tiny.ts:2:5  a > b  ->  a >= b',
      '  src/tiny.ts:2:5  a > b  ->  a >= b  (no test comes by)',
    ]);
    expect(survivors[0]!.line).to.equal('if (a > b) return a;');
  });

  it('leave out equivalents, each with a reason', () => {
    for (const { file, line, reason } of equivalents)
      expect(reason, `${file}: ${line}`).to.match(/ .* /);
  });

  it('can be asked of every room', () => {
    const names = readdirSync(join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'generated')
      .map(({ name }) => name);
    expect(ROOMS.map(({ name }) => name).toSorted()).to.deep.equal(names.toSorted());
    for (const { name, parts } of ROOMS)
      for (const { tests } of parts) expect(pathsOf(root, tests).length, name).to.be.above(0);
  });

  it('are asked beside faults by name, each of which can still be put into its file', () => {
    expect(outdatedFaults(root)).to.deep.equal([]);
  });
});
