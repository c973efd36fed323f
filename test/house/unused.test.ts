// Protects: what the project has is used. A file, export or package that nothing uses, and a grant
// without an import, mislead the next reader. .knip.jsonc says what is started without an import.
import { expect } from 'chai';
import { describe, it } from '#test';
import { runToEnd } from '../runners/native.mjs';
import { expectNone } from './none.ts';
import { roomOf, rooms } from './rooms.ts';
import { importsOf, packagesOf, root, sourceFiles } from './source.ts';

const usedGrants = new Set(
  sourceFiles.flatMap((file) =>
    importsOf(file).flatMap((target) => {
      const other = roomOf(target);
      return [`${roomOf(file)} → ${other}`, `${roomOf(file)} → ${other.split('/')[0]}`];
    }),
  ),
);

describe('files, exports and packages', () => {
  it('are used', async () => {
    const { code, output } = await runToEnd(root, process.execPath, [
      'node_modules/knip/bin/knip.js',
      '--no-gitignore',
      '--no-progress',
    ]);
    expect(code, output).to.equal(0);
  });
});

describe('the table of rooms', () => {
  it('grants no import that no file makes', () => {
    const unused = Object.entries(rooms).flatMap(([room, { imports }]) =>
      imports
        .filter(() => sourceFiles.some((file) => roomOf(file) === room))
        .filter((other) => !usedGrants.has(`${room} → ${other}`))
        .map((other) => `${room} → ${other}`),
    );
    expectNone(unused);
  });

  it('grants no package that no file imports', () => {
    const unused = Object.entries(rooms).flatMap(([room, { packages = {} }]) =>
      Object.keys(packages)
        .filter(() => sourceFiles.some((file) => roomOf(file) === room))
        .filter(
          (name) =>
            !sourceFiles.some(
              (file) =>
                roomOf(file) === room &&
                packagesOf(file).some((one) => one === name || one.startsWith(name)),
            ),
        )
        .map((name) => `${room} → ${name}`),
    );
    expectNone(unused);
  });
});
