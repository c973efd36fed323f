// Protects: the project's own runner tells each failure by the test that caused it, and no test is missed.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, describe, it } from '#test';
import { runApart, runTogether } from '../runners/native.mjs';
import { root } from './source.ts';

const folder = join(root, '.cache', `own-runner-${process.pid}`);
mkdirSync(folder, { recursive: true });
after(() => rmSync(folder, { recursive: true, force: true }));

const SEVERAL = `
import { after, before, describe, it } from '#test';
let step = 'loaded';
before(() => { step = 'begun'; });
after(() => { throw new Error('at the end'); });
describe('a group', () => {
  it('passes', () => { if (step !== 'begun') throw new Error(step); });
  it('throws', () => { throw new Error('wrong'); });
  it('rejects', async () => { throw new Error('late'); });
  it('leaves a rejection behind', async () => {
    void Promise.reject(new Error('unheard'));
    await new Promise((resolve) => setTimeout(resolve, 1));
  });
});
it('is not there on this machine', ({ skip }) => skip('nothing to test'));
`;
const BREAKS_OFF = `
import { it } from '#test';
it('ends the process', () => process.exit(0));
`;

const write = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

type Failures = readonly { readonly name: string; readonly message: string }[];
const told = (failures: Failures) =>
  failures.map(({ name, message }) => `${name}: ${message.split('\n')[0]}`);

describe("the project's own runner", () => {
  it('tells which tests failed, and why', async () => {
    const files = [write('several.test.ts', SEVERAL)];
    const outcome = await runTogether({ root, files, report: join(folder, 'several.json') });
    expect(outcome.passed).to.equal(2);
    expect(told(outcome.failures)).to.deep.equal([
      'a group › throws: Error: wrong',
      'a group › rejects: Error: late',
      'a group › leaves a rejection behind: Error: unheard',
      'after the last test: Error: at the end',
    ]);
  });

  it('counts a file whose process ends too early as failed, beside one that is right', async () => {
    const files = [
      write('ends.test.ts', BREAKS_OFF),
      write('right.test.ts', "import { it } from '#test';\nit('is right', () => {});"),
    ];
    const { passed, failures } = await runApart({ root, files, folder, atOnce: 2 });
    expect(passed).to.equal(1);
    expect(told(failures)).to.deep.equal([
      `${files[0]} › the runner ended with 0 and without a report: `,
    ]);
  });
});
