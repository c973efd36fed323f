// Protects: in random lifetimes nothing is done twice and nothing is said that is not so, by the service's own books; and
// faults that are put into the SDK are noticed. A part of `npm run prove -- simulate`; with `npm run test:all` all faults that are
// noticed quickly, and each third of them without it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it, sized } from '#test';
import { expectNone } from '../house/none.ts';
import { root } from '../house/source.ts';
import { FAULTS, TESTED } from '../prove/simulate/fault-list.ts';

const play = (...options: string[]) =>
  spawnSync(process.execPath, ['test/prove/simulate/command.ts', ...options], {
    cwd: root,
    encoding: 'utf8',
    timeout: 120_000,
  });

describe('random lifetimes', () => {
  for (const [plan, lifetimes] of [
    ['payments', 60],
    ['watches', 60],
    ['feed', 6],
    ['orders', 40],
    ['clients', 20],
  ] as const)
    it(`do nothing twice, and say nothing that is not so: ${plan}`, () => {
      const given = ['--plan', plan, '--lifetimes', `${lifetimes}`, '--seed', '1'];
      const { stdout, stderr, status } = play(...given);
      expect(status, stdout + stderr).to.equal(0);
      expect(stdout).to.include(`ok simulate ${plan}: `);
    });

  it('show faults that were put into the SDK on purpose', () => {
    const every = sized(3, 1);
    const { stdout, stderr, status } = play('known-faults', '--quick', '--every', `${every}`);
    expect(status, stdout + stderr).to.equal(0);
    const { length } = FAULTS.filter(({ isSlow }) => !isSlow).filter((_, at) => at % every === 0);
    expect(stdout).to.include(`ok faults: ${length} of ${length} noticed`);
  });

  it('show faults whose code is found once in the built package', () => {
    const isStale = ({ file, from }: { readonly file: string; readonly from: string }): boolean =>
      readFileSync(join(root, 'dist', file), 'utf8').split(from).length !== 2;
    expectNone(FAULTS.filter(isStale).map(({ name, file }) => `${file}: ${name}`));
  });

  it('are judged by rules that are each seen to be broken', () => {
    const all = [...FAULTS, ...TESTED];
    const invariants = new Set(all.flatMap(({ invariant }) => invariant.split(', ')));
    for (let number = 1; number <= 23; number++) expect([...invariants]).to.include(`${number}`);
    for (const { file, title } of TESTED)
      expect(readFileSync(join(root, file), 'utf8')).to.include(`'${title}'`);
    const names = FAULTS.map(({ name }) => name).join('; ');
    for (const named of ['clean refusal', 'equal amount', 'any timestamp', 'three parcels'])
      expect(names).to.include(named);
    for (const named of ['correlationId', 'one isolate']) expect(names).to.include(named);
  });

  it('that go wrong are made small, and printed as a test', () => {
    const { stdout, status } = play('known-faults', '--shrink');
    expect(status).to.equal(0);
    const [, before] = /before: (.*)/.exec(stdout)!;
    const [, after] = /await play\((\{.*\})\)/.exec(stdout)!;
    expect(after!.length).to.be.below(before!.length);
    expect(stdout).to.include("it('do not end with: ");
  });
});
