// Protects: a name says what a thing is. Words that fit everything say nothing.
import { expect } from 'chai';
import { describe, it } from '#test';
import { currentList } from './export-list.ts';
import { expectNone } from './none.ts';
import { sourceFiles, textOf } from './source.ts';

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

const TYPE = /^export (?:declare )?(?:interface|type|(?:abstract )?class|enum) (\w+)/gm;

/** Exported types of src by name, with the files that declare them. */
const typesByName = (): ReadonlyMap<string, readonly string[]> => {
  const files = new Map<string, readonly string[]>();
  for (const file of sourceFiles)
    for (const [, name] of textOf(file).matchAll(TYPE))
      files.set(name!, [...(files.get(name!) ?? []), file]);
  return files;
};

const IRREGULAR =
  /^(kept|made|given|told|shown|written|drawn|held|built|begun|chosen|taken|found|known)$/;
const NO_PARTICIPLE = /^(need|feed|seed|embed|exceed|proceed|succeed)$/;
const FUNCTION =
  /(?:^|\n) *(?:export )?(?:async )?function\*? (\w+)|\n  (?:async |static )*#?(\w+)\([^)]*\)(?:: [^{;]+)? \{\n/g;

const isParticiple = (name: string): boolean =>
  /^[a-z]+$/.test(name) &&
  (IRREGULAR.test(name) || (name.endsWith('ed') && !NO_PARTICIPLE.test(name)));

/**
 * Names of listeners that the hub and its page call, in the usual form; and two that were agreed
 * on.
 */
const AGREED = new Set([
  'changed',
  'resumed',
  'suspended',
  'disconnected',
  'observed',
  'isolated',
  'known',
]);

const participlesIn = (file: string): readonly string[] =>
  [...textOf(file).matchAll(FUNCTION)]
    .map(([, one, other]) => (one ?? other)!)
    .filter((name) => isParticiple(name) && !AGREED.has(name))
    .map((name) => `${file} ${name}`);

describe('names', () => {
  it('of exported types are there once', () => {
    expect(typesByName().size).to.be.above(300);
    expectNone([...typesByName()].filter(([, files]) => files.length > 1));
  });

  it('of functions are verbs or projections, no participles', () => {
    expect(['converged', 'kept', 'quoted'].every(isParticiple)).to.equal(true);
    expect(['feed', 'isKept', 'keptOf'].some(isParticiple)).to.equal(false);
    expectNone(sourceFiles.flatMap(participlesIn));
  });

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
