// Protects: no failure of a test goes unseen. The real runners get small bad files: each error is told with the test
// that started it, however late it comes; what is skipped is counted as neither passed nor failed; a word that `npm
// test` does not know is refused.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { after, describe, it } from '#test';
import { findBrowsers } from '../../scripts/browsers.mjs';
import { allowedSkips } from '../allowed-skips.ts';
import type { Failure, Outcome, Skip } from '../api/strict.ts';
import { runBrowsers } from '../runners/browsers.mjs';
import { choose, UnknownWord } from '../runners/choice.ts';
import { runApart, runBun, runDeno, runTogether } from '../runners/native.mjs';
import { bundleReporting } from '../runners/one-file.mjs';
import { verdictOf } from '../runners/verdict.ts';
import { runWorkerd } from '../runners/workerd.mjs';
import { root } from './source.ts';

const folder = join(root, '.cache', `runner-${process.pid}`);
mkdirSync(folder, { recursive: true });
after(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return relative(root, join(folder, name));
};

const WAIT = 'const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));';
const FIRST = `
import { describe, it } from '#test';
${WAIT}
describe('a group', () => {
  it('passes', () => {});
  it('throws', () => { throw new Error('wrong'); });
  it('rejects', async () => { throw new Error('refused'); });
  it('leaves a rejection', async () => { void Promise.reject(new Error('unheard')); await wait(5); });
  it('leaves two at once', async () => {
    for (const one of ['unheard, too', 'at the same time']) void Promise.reject(new Error(one));
    await wait(5);
  });
  it('leaves a timer', () => { setTimeout(() => { throw new Error('after its end'); }, 5); });
  it('waits meanwhile', () => wait(30));
  // In a page an error ends the test that waits, and the tests of LATE have begun: their errors end these two.
  it('waits for one that is late', () => wait(60));
  it('waits for another', () => wait(60));
  it('catches its own skip', ({ skip }) => { try { skip('nothing here'); } catch {} });
  it('skips', async ({ skip }) => { await wait(1); skip('nothing there'); });
  it('passes', () => {});
  (it as (name: string) => void)('has no body');
  it('returns its body', () => () => { throw new Error('never thrown'); });
  it('returns its body later', async () => () => { throw new Error('never thrown'); });
  it('yields', function* () { throw new Error('never thrown'); });
  it('yields later', async function* () { throw new Error('never thrown'); });
});
describe('a group of no cases', () => {
  for (const one of [] as string[]) it(one, () => {});
});
describe('a group of an async function', async () => {
  it('is there', () => {});
  await wait(1);
});
describe('a group that throws', () => {
  throw new Error('while it is declared');
});
`;
const EMPTY = 'export {};\n';
const LATE = `
import { it } from '#test';
${WAIT}
it('forgets a timer', () => { setTimeout(() => { throw new Error('late timer'); }, 20); });
it('forgets a promise', () => { void wait(20).then(() => { throw new Error('late promise'); }); });
it('forgets a promise for a second', () => { void wait(1_000).then(() => { throw new Error('a second late'); }); });
`;
const files = [
  write('first.test.ts', FIRST),
  write('empty.test.ts', EMPTY),
  write('late.test.ts', LATE),
];

const told = ({ failures }: Pick<Outcome, 'failures'>) =>
  failures.map(({ name, message }: Failure) => `${name}: ${message.split('\n')[0]}`);
const reasons = ({ skipped }: Pick<Outcome, 'skipped'>) =>
  skipped.map(({ name, why }: Skip) => `${name}: ${why}`);

/** Errors that every runtime has to notice. */
const ERRORS = [
  'wrong',
  'refused',
  'unheard',
  'after its end',
  'same title',
  'no body',
  'async function',
  'while it is declared',
  'file without a single test',
  'group without a single test',
  'returned a function',
  'is a generator',
  'late timer',
  'late promise',
  'at the same time',
];
const unseen = (outcome: Outcome): readonly string[] => {
  const all = outcome.failures.map(({ message }) => message).join('\n');
  return ERRORS.filter((error) => !all.includes(error));
};

describe('the runner of tests', () => {
  it('tells in Node which tests failed and why, also where the error came late', async () => {
    const outcome = await runTogether({ root, files, report: join(folder, 'node.json') });
    expect(told(outcome)).to.have.members([
      'a group › throws: Error: wrong',
      'a group › rejects: Error: refused',
      'a group › leaves a rejection: Error: unheard',
      'a group › leaves two at once: Error: unheard, too',
      'a group › leaves a timer: after the test had ended: Error: after its end',
      'a group › passes: Error: another test of this file has the same title',
      'a group › has no body: Error: it() got no body',
      'a group › returns its body: Error: the body returned a function, which nobody calls',
      'a group › returns its body later: Error: the body returned a function, which nobody calls',
      'a group › yields: Error: the body is a generator, which nobody runs',
      'a group › yields later: Error: the body is a generator, which nobody runs',
      'a group of no cases › is declared: Error: a group without a single test',
      'a group of an async function › is declared: Error: describe() got an async function: its tests may be lost',
      'a group that throws › is declared: Error: while it is declared',
      `${files[1]}: Error: a file without a single test`,
      'forgets a timer: after the test had ended: Error: late timer',
      'forgets a promise: after the test had ended: Error: late promise',
      'forgets a promise for a second: after the test had ended: Error: a second late',
      'a group › leaves two at once: after the test had ended: Error: at the same time',
    ]);
    expect(reasons(outcome)).to.deep.equal([
      'a group › catches its own skip: nothing here',
      'a group › skips: nothing there',
    ]);
    expect(outcome.passed).to.equal(5); // `passes`, those that wait, and `is there`
  });

  it('notices the same in Deno, Bun and workerd', async () => {
    const task = { root, files, folder };
    const deno = await bundleReporting({ ...task, name: 'deno', conditions: ['deno', 'node'] });
    const outcomes = await Promise.all([
      runDeno(deno),
      runBun({ root, files, report: join(folder, 'bun.json') }),
      runWorkerd({ root, files, folder: join(folder, 'workerd') }),
    ]);
    for (const outcome of outcomes as readonly Outcome[]) {
      expect(unseen(outcome)).to.deep.equal([]);
      expect(outcome.skipped).to.have.length(2);
    }
  });

  it('notices the same in a page', async ({ skip }) => {
    const { chromium } = findBrowsers();
    if (!chromium) skip('Chromium is not installed');
    const task = { root, files, file: join(folder, 'page.js'), found: { chromium }, plugins: [] };
    const outcome = ((await runBrowsers(task)) as { readonly chromium: Outcome }).chromium;
    expect(unseen(outcome)).to.deep.equal([]);
    expect(outcome.skipped, told(outcome).join('\n')).to.have.length(2);
  });

  it('fails files that end the process, that cannot be loaded, and that choose one test of several', async () => {
    const only = '(globalThis as never as { it: typeof it }).it';
    const bad = [
      write('ends.test.ts', "import { it } from '#test';\nit('ends', () => process.exit(0));"),
      write('broken.test.ts', "import './nowhere.ts';"),
      write(
        'only.test.ts',
        `import { it } from '#test';\nit('a', () => {});\n(${only} as any).only('b', () => {});`,
      ),
      write('right.test.ts', "import { it } from '#test';\nit('is right', () => {});"),
    ];
    const outcome = await runApart({ root, files: bad, folder, atOnce: 2 });
    expect(outcome.passed).to.equal(3); // with those of the file that is not allowed to choose
    for (const [at, error] of ['without a report', 'nowhere.ts', 'forbid-only'].entries())
      expect(told(outcome).filter((line) => line.startsWith(`${bad[at]} ›`))[0]).to.include(error);
  });

  it('has a step before and a step after all tests, whose errors count', async () => {
    const steps = write(
      'steps.test.ts',
      `import { after, before, it } from '#test';
let step = 'loaded';
before(() => { step = 'begun'; });
after(() => { throw new Error('at the end'); });
it('runs after the first step', () => { if (step !== 'begun') throw new Error(step); });`,
    );
    const report = join(folder, 'steps.json');
    const outcome = await runTogether({ root, files: [steps], report });
    expect(outcome.passed).to.equal(1);
    expect(told(outcome)[0]).to.include('at the end');
  });

  it("is mocha's command, too", () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      ['node_modules/mocha/bin/mocha.js', ...files],
      { cwd: root, encoding: 'utf8' },
    );
    expect(status).to.be.above(0);
    for (const error of ERRORS.filter((one) => one !== 'file without a single test'))
      expect(stdout).to.include(error);
    expect(stdout).to.include('a second late');
  });

  it('tries no test twice, nor leaves a step half done', () => {
    const rounds = write(
      'rounds.test.ts',
      `import { it } from '#test';
let round = 0;
it('passes in the second round', () => { if (++round < 2) throw new Error('the first'); });`,
    );
    const steps = write(
      'half.test.ts',
      `import { after, it } from '#test';
after(function* () { throw new Error('never thrown'); });
it('passes', () => {});`,
    );
    const mocha = (...given: readonly string[]) =>
      spawnSync(process.execPath, ['node_modules/mocha/bin/mocha.js', ...given], {
        cwd: root,
        encoding: 'utf8',
      });
    const retried = mocha('--retries', '3', rounds);
    expect([retried.status, retried.stdout]).to.satisfy(
      ([status, text]: readonly [number, string]) => status > 0 && text.includes('is tried once'),
    );
    const half = mocha(steps);
    expect(half.status).to.be.above(0);
    expect(half.stdout).to.include('is a generator');
  });

  it('is the only one: no test asks for the runner of Node', () => {
    const others = globSync('test/*/**/*.ts', {
      cwd: root,
      exclude: ['**/node_modules/**'],
    }).filter((file) =>
      /from '(node:test|mocha|bun:test)'/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(others.filter((file) => !file.endsWith('house/runner.test.ts'))).to.deep.equal([]);
  });
});

describe('what npm test counts', () => {
  const allowed = [{ leg: 'vectors', title: 'a.json is there', why: 'it is elsewhere' }];
  const outcome = {
    passed: 2,
    failures: [],
    skipped: [
      { name: 'a.test.ts › vectors › a.json is there', why: 'not here' },
      { name: 'b', why: 'no server' },
    ],
    titles: ['a.test.ts › vectors › a.json is there', 'b', 'c', 'd'],
  };
  const judged = (changes: object, isCi: boolean, isWhole = true) => {
    const { passed, failures, skipped } = verdictOf(
      'vectors',
      { ...outcome, ...changes },
      { isCi, isWhole, allowed },
    );
    return [passed, failures.map(({ name }) => name), skipped.map(({ name }) => name)];
  };

  it('is a third number for skipped tests, and under CI a failure unless it is allowed', () => {
    const [first, second] = outcome.skipped.map(({ name }) => name);
    expect(judged({}, false)).to.deep.equal([2, [], [first, second]]);
    expect(judged({}, true)).to.deep.equal([2, ['b'], [first]]);
  });

  it('is a failure where nothing ran, and where an allowed skip is no test at all', () => {
    const nothing = { passed: 0, skipped: [] };
    expect(judged({ ...nothing, titles: [] }, false, false)).to.deep.equal([0, ['vectors'], []]);
    const stale = 'test/allowed-skips.ts: a.json is there';
    const other = { skipped: [], titles: ['c'] };
    expect(judged(other, false)).to.deep.equal([2, [stale], []]);
    expect(judged(other, false, false)).to.deep.equal([2, [], []]);
  });

  it('allows few skips, each with a reason', () => {
    expect(allowedSkips).to.have.length.below(15);
    for (const { why } of allowedSkips) expect(why).to.match(/ .* /);
  });
});

describe('the words of npm test', () => {
  const legs = [
    { names: ['build'] },
    { names: ['chromium', 'firefox'], files: ['test/unit/a.test.ts', 'test/unit/b.test.ts'] },
    { names: ['node 24'], files: ['test/unit/a.test.ts', 'test/unit/b.test.ts'] },
    { names: ['house'], files: ['test/house/c.test.ts'] },
  ];
  const chosen = (...words: readonly string[]) => {
    const { isWanted, files: only } = choose(words, legs, root);
    return [legs.flatMap(({ names }) => names).filter(isWanted), only];
  };

  it('choose legs and files, and without legs those that can run the files', () => {
    expect(chosen()).to.deep.equal([['build', 'chromium', 'firefox', 'node 24', 'house'], []]);
    expect(chosen('node')).to.deep.equal([['node 24'], []]);
    const [a, c] = ['test/unit/a.test.ts', 'test/house/c.test.ts'];
    expect(chosen('build', 'node 24', a)).to.deep.equal([['build', 'node 24'], [a]]);
    expect(chosen('firefox', `./${a}`)).to.deep.equal([['firefox'], [a]]);
    expect(chosen(c)).to.deep.equal([['house'], [c]]);
  });

  it('are refused where they mean nothing', () => {
    for (const [words, remedy] of [
      [['node', 'huose'], 'house'],
      [['test/unit/aa.test.ts'], 'test/unit/a.test.ts'],
      [['house', 'test/unit/a.test.ts'], 'chromium, firefox, node 24'],
      [['node', 'house', 'test/unit/a.test.ts'], 'house'],
      [['--fast'], 'The legs are'],
    ] as const)
      expect(() => chosen(...words)).to.throw(UnknownWord, remedy);
  });

  it('end the command before anything is built', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/test.ts', 'nodde'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([status, stderr.includes('Did you mean node 24')]).to.deep.equal([2, true]);
  });
});
