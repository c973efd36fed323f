// Protects: a file is one idea, whole. Neither a crumb that makes sense only within its one importer, nor a pile of things that share
// nothing; and no room has more files than its plan.
import { expect } from 'chai';
import { describe, it } from '#test';
import { entries } from './entries.ts';
import { groupsIn, importersOf, linesOf } from './ideas.ts';
import { KEPT_APART, KEPT_TOGETHER } from './kept-files.ts';
import { expectNone } from './none.ts';
import { filesOf, plan, REBUILT } from './plan.ts';
import { sourceFiles, textOf } from './source.ts';

/** Shorter files with one importer belong to it, unless there is a reason. */
const SHORT = 40;

const doors = new Set(
  entries.map(({ javascript }) => javascript.replace('dist/', '').replace(/js$/, 'ts')),
);
const isDoor = (file: string): boolean => doors.has(file) || file.endsWith('index.ts');
const files = sourceFiles.filter((file) => REBUILT.test(file));

const piles = files
  .filter((file) => !isDoor(file))
  .map((file) => ({ file, groups: groupsIn(textOf(file)) }))
  .filter(({ groups }) => groups.length > 1);
const crumbs = files
  .filter((file) => !isDoor(file))
  .filter((file) => linesOf(file) < SHORT && importersOf(file).length === 1);

describe('files', () => {
  it('are found to be piles where their declarations share no name', () => {
    const text = `import { a } from './a.ts';
      export const one = a(1);
      const two = 2;
      export function both() { return one + two; }
      export interface Fact { readonly of: string }
      const other = () => third();
      function third() {}
      const alone = a;`;
    expect(groupsIn(text)).to.deep.equal([
      ['other', 'third'],
      ['one', 'two', 'both', 'alone'],
    ]);
  });

  it('are one idea each, or say why they hold several', () =>
    expectNone(
      piles
        .filter(({ file }) => !KEPT_TOGETHER[file])
        .map(
          ({ file, groups }) => `${file}: ${groups.map((names) => names.join(' ')).join('  |  ')}`,
        ),
    ));

  it(`of fewer than ${SHORT} lines have more than one importer, or say why they are apart`, () =>
    expectNone(
      crumbs
        .filter((file) => !KEPT_APART[file])
        .map((file) => `${file}: ${linesOf(file)} lines, for ${importersOf(file)[0]} alone`),
    ));

  it('that say why are such files', () => {
    const pileNames = piles.map(({ file }) => file);
    expectNone([
      ...Object.keys(KEPT_TOGETHER).filter((file) => !pileNames.includes(file)),
      ...Object.keys(KEPT_APART).filter((file) => !crumbs.includes(file)),
    ]);
  });
});

describe('rooms', () => {
  for (const { rooms, most, isHeld } of plan.filter(({ isHeld }) => isHeld))
    it(`${rooms.join(', ')}: at most ${most} files`, () =>
      expect(filesOf(rooms).length).to.be.at.most(isHeld ? most : Infinity));
});
