// Protects: whoever hovers over an option, a member or a type reads what it is.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from '#test';
import { expectNone } from './none.ts';
import { undocumented } from './undocumented.ts';

describe('the comments of published types', () => {
  it('are there for each export of every entry, and for each member of a type', () => {
    expectNone(undocumented());
  });

  it('are missed where they are taken away', () => {
    const silent = undocumented((path) => {
      const text = readFileSync(path, 'utf8');
      return /\/dist\/(stores\/store|money\/money)\.d\.ts$/.test(path)
        ? text.replace(/\/\*\*[\s\S]*?\*\//g, '')
        : text;
    });
    expect(silent).to.include.members([
      'paystate/money toSat',
      'src/stores/store.ts Store',
      'src/stores/store.ts Store.get',
      'paystate/stores memoryStore',
    ]);
    expectNone(
      silent.filter(
        (one) => !/^(src\/(stores\/store|money\/money)\.ts|paystate\/(money|stores)) /.test(one),
      ),
    );
  });
});
