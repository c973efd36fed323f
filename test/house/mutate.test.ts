// Protects: the mutation score can be believed: what a test notices counts as noticed, what none notices or covers is listed, and
// neither loops without end nor promises that never settle stop the tool. And the faults that are known by name can still be put in.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { after, describe, it } from '#test';
import { firstFailure } from '../../scripts/mutate/play.mjs';
import { outdatedFaults } from '../../scripts/mutate/play-known.mjs';
import { ignored, reportOf } from '../../scripts/mutate/report.mjs';
import { mutate, sampleOf } from '../../scripts/mutate/run.mjs';
import { root } from './source.ts';

const ROOM = `export const START: number = 7;

export function larger(a: number, b: number): number {
  return a > b ? a : b;
}

export function stepsTo(end: number): number {
  let steps = 0;
  while (steps < end) {
    steps += 1;
  }
  return steps;
}

export async function heard(say: (listen: () => void) => void): Promise<void> {
  await new Promise<void>((resolve) => {
    say(resolve);
  });
}

export function unheard(name: string): string {
  return name.trim();
}
`;

const TESTS = `import { it } from '#test';
import { heard, larger, START, stepsTo } from 'tiny';

const same = (is: unknown, wanted: unknown): void => {
  if (is !== wanted) throw new Error(is + ' is not ' + wanted);
};
it('starts', () => same(START, 7));
it('takes the larger one', () => [larger(1, 2), larger(2, 1)].forEach((one) => same(one, 2)));
it('counts', () => [0, 3].forEach((end) => same(stepsTo(end), end)));
it('hears', async () => {
  let isHeard = false;
  await heard((listen) => {
    isHeard = true;
    listen();
  });
  same(isHeard, true);
});
`;

const folder = mkdtempSync(join(tmpdir(), 'paystate-mutate-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
};

describe('the mutation score', () => {
  it('of a tiny room is what it has to be, and says what nothing noticed', async () => {
    write(
      'package.json',
      '{"name":"tiny","type":"module","exports":{".":{"default":"./dist/tiny/index.js"}}}',
    );
    write('src/tiny/index.ts', ROOM);
    write('test/tiny.test.ts', TESTS);
    const { rooms, failing } = await mutate({
      root: folder,
      folder: join(folder, 'copy'),
      rooms: ['tiny'],
      instrumented: ['tiny'],
      tests: ['test/*.ts'],
      declaring: ['test/*.test.js'],
      wanted: undefined,
      size: Infinity,
      seed: 1,
      budget: 10_000,
      workers: 1,
      say: () => {},
    });
    expect(failing).to.deep.equal([]);
    const lines = reportOf('tiny', rooms[0]!.mutants).map((line) => line.trim());
    expect(lines).to.deep.equal([
      'tiny: 83.3 % (15 of 18 noticed)',
      'src/tiny/index.ts:4:10  a > b  ->  a >= b', // changes nothing
      'src/tiny/index.ts:22:10  name.trim()  ->  name  (no test comes by)',
      'src/tiny/index.ts:22:10  name.trim()  ->  undefined  (no test comes by)',
    ]);
    const keys = rooms[0]!.mutants.map((mutant: { readonly key: string }) => mutant.key);
    expect(keys, 'named with the function around it').to.include(
      'src/tiny/index.ts | larger | a > b | a >= b',
    );
    expect(new Set(keys).size, 'each by a name of its own').to.equal(keys.length);
  });

  it('is of the same mutants for the same seed', () => {
    const all = Array.from({ length: 1_000 }, (_, at) => at);
    const drawn = [1, 1, 2].map((seed) => sampleOf(all, 50, seed).join());
    expect([drawn[0] === drawn[1], drawn[0] === drawn[2]]).to.deep.equal([true, false]);
    expect(new Set(sampleOf(all, Infinity, 3)).size).to.equal(1_000);
  });

  it('lets a mutant cost so much processor time, whatever its tests cost when they were measured', async () => {
    const tests = [0, 1, 2].map((id) => ({ id, milliseconds: 1_000, calls: 1 }));
    const playedIn = async (milliseconds: number): Promise<number | undefined> => {
      const run = async ({ test }: { readonly test: number }) =>
        test === 2 ? { failure: 'noticed', milliseconds } : { milliseconds };
      return (await firstFailure({ run }, tests, { place: 1, variant: 1 }, 100))?.test.id;
    };
    expect(await playedIn(10)).to.equal(2);
    expect(await playedIn(60), 'spent before the last').to.equal(undefined);
  });

  it('leaves out a few that change nothing, each with a reason', () => {
    expect(ignored.length).to.be.below(60);
    for (const { mutant, reason } of ignored) {
      expect(mutant).to.match(/^src\/[\w/-]+\.ts \| .+ \| /);
      expect(reason, mutant).to.match(/ .* /);
    }
  });

  it('is asked beside faults by name, each of which still stands in its file', () => {
    expect(outdatedFaults(root)).to.deep.equal([]);
  });
});
