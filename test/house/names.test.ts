// Protects: a name says what a thing is. Words that fit everything say nothing.
import { expect } from 'chai';
import { describe, it } from '#test';
import { currentList } from './export-list.ts';
import { expectNone } from './none.ts';
import { sourceFiles } from './source.ts';

const EMPTY = new Set([
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'misc',
  'manager',
  'managers',
  'data',
  'info',
]);
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/;

const wordsOf = (name: string): string[] =>
  name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
const saysNothing = (name: string): boolean => wordsOf(name).some((word) => EMPTY.has(word));

describe('names', () => {
  it('that say nothing are recognised', () => {
    expect(
      ['core/utils.ts', 'fooHelper', 'INVOICE_DATA', 'core/data.ts'].every(saysNothing),
    ).to.equal(true);
    expect(['odata.ts', 'metadata', 'update', 'information'].some(saysNothing)).to.equal(false);
  });

  it('of files are in kebab-case and say something', () => {
    expectNone(
      sourceFiles.filter(
        (file) => !file.split('/').every((part) => KEBAB.test(part)) || saysNothing(file),
      ),
    );
  });

  it('of what is published say something', async () => {
    expectNone((await currentList()).split('\n').filter(saysNothing));
  });
});
