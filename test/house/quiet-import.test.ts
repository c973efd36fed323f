// Protects: importing is free. No entry touches a global, starts a timer or keeps a process alive.
import { describe, it } from '#test';
import { changesBy } from './import-probe.ts';
import { entries } from './entries.ts';
import { expectNone } from './none.ts';

/** A library's own changes of globals do not count; a page that binds to it has loaded it. */
const LIBRARIES = ['react', 'vue'];

const changesOf = (...specifiers: readonly string[]): readonly string[] =>
  Object.entries(changesBy(specifiers, LIBRARIES)).flatMap(([specifier, changes]) =>
    changes.map((change) => `${specifier}: ${change}`),
  );

describe('importing', () => {
  it('is noticed by this test when it is not quiet', () => {
    const loud =
      'data:text/javascript,globalThis.loud = 1; Array.prototype.last = 2; setTimeout(() => {}, 1)';
    const heard = changesOf('paystate', loud, 'paystate/rx');
    expectNone(
      ['0loud', '4last', 'something keeps running'].filter(
        (change) => !heard.includes(`${loud}: ${change}`),
      ),
    );
  });

  it('changes nothing, whichever entry', () => {
    expectNone(changesOf(...entries.map(({ specifier }) => specifier)));
  });
});
