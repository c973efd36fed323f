// Protects: importing is free. No entry touches a global, starts a timer or keeps a process alive.
import { spawnSync } from 'node:child_process';
import { describe, it } from '#test';
import { entries } from './entries.ts';
import { expectNone } from './none.ts';
import { root } from './source.ts';

const PROBE = `
import { writeSync } from 'node:fs';
const OWNERS = [globalThis, Object, Object.prototype, Array, Array.prototype, Promise, Promise.prototype, Error, Error.prototype, Function.prototype];
// Read once before: Node makes many globals when they are first looked at.
const look = () => OWNERS.flatMap((owner, at) => Reflect.ownKeys(owner).map((key) => {
  const { value, get } = Reflect.getOwnPropertyDescriptor(owner, key);
  return [at + String(key), owner === globalThis ? owner[key] : value ?? get];
}));
look();
const before = new Map(look());
const busy = process.getActiveResourcesInfo().length;
await import(process.argv[1]);
const after = new Map(look());
const changed = [...new Set([...before.keys(), ...after.keys()])].filter((key) => !Object.is(before.get(key), after.get(key)));
if (process.getActiveResourcesInfo().length > busy) changed.push('something keeps running');
writeSync(1, JSON.stringify(changed));
process.exit(0);
`;

const changedBy = (specifier: string): readonly string[] => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', PROBE, specifier],
    {
      cwd: root,
      encoding: 'utf8',
      timeout: 20_000,
    },
  );
  return status === 0 ? JSON.parse(stdout) : [stderr];
};

/** What Vue sets by itself when it is imported. */
const ofVue = /^0__VUE_[A-Z_]+__$/;

describe('importing', () => {
  it('is noticed by this test when it is not quiet', () => {
    const loud = changedBy(
      'data:text/javascript,globalThis.loud = 1; Array.prototype.last = 2; setTimeout(() => {}, 1)',
    );
    expectNone(
      ['0loud', '4last', 'something keeps running'].filter((change) => !loud.includes(change)),
    );
  });

  it('changes nothing, whichever entry', () => {
    expectNone(
      entries.flatMap(({ specifier }) =>
        changedBy(specifier)
          .filter((change) => !(specifier === 'paystate/vue' && ofVue.test(change)))
          .map((change) => `${specifier}: ${change}`),
      ),
    );
  });
});
