// Protects: whoever hovers over an option, a member or a type reads what it is.
import { expect } from 'chai';
import { describe, it } from '#test';
import { entries } from './entries.ts';
import { expectNone } from './none.ts';
import { undocumented } from './undocumented.ts';

// Entries whose rooms still have members that no comment explains.
const OPEN = new Set([
  'paystate/webhooks',
  'paystate/relay',
  'paystate/sandbox',
  'paystate/oauth',
  'paystate/stores',
  'paystate/lightning',
  'paystate/lightning/signature',
]);

describe('the comments of published types', () => {
  it('are there for each type and member of the entries that are done', () => {
    expect(entries.filter(({ specifier }) => !OPEN.has(specifier))).to.have.length.above(9);
    expectNone(undocumented((specifier) => !OPEN.has(specifier)));
  });

  it('are missing somewhere in each entry that is not done', () => {
    expectNone(
      [...OPEN].filter((open) => undocumented((specifier) => specifier === open).length === 0),
    );
  });
});
