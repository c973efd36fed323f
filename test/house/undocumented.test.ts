// Protects: whoever hovers over an option, a member or a type reads what it is.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from '#test';
import { expectNone } from './none.ts';
import { undocumented } from './undocumented.ts';

describe('the comments of published types', () => {
  it('are there for each type and member of every entry', () => {
    expectNone(undocumented());
  });

  it('are missed where they are taken away', () => {
    const silent = undocumented((path) => {
      const text = readFileSync(path, 'utf8');
      return path.endsWith('/dist/stores/store.d.ts')
        ? text.replace(/\/\*\*[\s\S]*?\*\//g, '')
        : text;
    });
    expect(silent).to.include.members([
      'src/stores/store.ts Store',
      'src/stores/store.ts Store.get',
    ]);
    expect(silent.every((one) => one.startsWith('src/stores/store.ts '))).to.equal(true);
  });
});
